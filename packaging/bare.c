// SPDX-License-Identifier: GPL-2.0-only
/*
 * bare OBJECT: print an object of BPF programs without what nothing here reads: the numbers of source
 * lines in .BTF.ext, which only the verifier's log and bpftool would show, and the symbols of jumps,
 * which clang leaves there. They are a third of the object, and libbpf goes through all symbols for each
 * variable and each section. Called by the Makefile.
 */
#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header of .BTF.ext: where each part begins behind it, and its size. */
struct btf_ext {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t size;
	uint32_t functions_at;
	uint32_t functions_size;
	uint32_t lines_at;
	uint32_t lines_size;
	uint32_t relocations_at;
	uint32_t relocations_size;
};

/* The most that a section is aligned to. */
#define PADDING 64

/* The object as it is read. */
static char *bytes;
static Elf64_Ehdr *elf;
static Elf64_Shdr *headers;
static char *names; /* of symbols and of sections: clang puts them into one section */
static uint32_t *moved; /* of each symbol: its new number, or 0 */
/* The new names; the first one is empty. */
static char *kept;
static size_t kept_size = 1;

static void bare_fail(const char *why)
{
	fprintf(stderr, "packaging/bare: %s\n", why);
	exit(1);
}

static uint32_t bare_name(uint32_t at)
{
	size_t n = strlen(names + at) + 1, to = kept_size;

	if (n == 1)
		return 0;
	kept = realloc(kept, kept_size + n);
	if (!kept)
		bare_fail("no memory");
	memcpy(kept + to, names + at, n);
	kept_size += n;
	return to;
}

/* The parts are those of the functions, of the lines and of the relocations. */
static void bare_lines(Elf64_Shdr *header)
{
	char *section = bytes + header->sh_offset;
	struct btf_ext *ext = (struct btf_ext *)section;

	if (ext->size < sizeof(*ext) || ext->relocations_at != ext->lines_at + ext->lines_size)
		bare_fail("the parts of .BTF.ext are not where they were");
	memmove(section + ext->size + ext->lines_at, section + ext->size + ext->relocations_at,
		ext->relocations_size);
	header->sh_size -= ext->lines_size;
	ext->relocations_at = ext->lines_at;
	ext->lines_size = 0;
}

/* LBB12_3 */
static bool is_jump(const char *name)
{
	if (strncmp(name, "LBB", 3))
		return false;
	for (name += 3; isdigit((unsigned char)*name) || *name == '_'; name++)
		;
	return !*name;
}

/* The first symbol is empty in every table. */
static void bare_symbols(Elf64_Shdr *header)
{
	Elf64_Sym *symbols = (Elf64_Sym *)(bytes + header->sh_offset);
	size_t n = header->sh_size / sizeof(*symbols), to = 1;

	if (header->sh_link != elf->e_shstrndx)
		bare_fail("symbols have their names elsewhere than sections");
	moved = calloc(n, sizeof(*moved));
	if (!moved)
		bare_fail("no memory");
	for (size_t i = 1; i < n; i++) {
		if (symbols[i].st_info == ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE) &&
		    is_jump(names + symbols[i].st_name))
			continue;
		moved[i] = to;
		symbols[to] = symbols[i];
		symbols[to].st_name = bare_name(symbols[i].st_name);
		to++;
	}
	header->sh_size = to * sizeof(*symbols);
}

static void bare_relocations(const Elf64_Shdr *header)
{
	Elf64_Rel *rel = (Elf64_Rel *)(bytes + header->sh_offset);

	for (size_t i = 0; i < header->sh_size / sizeof(*rel); i++) {
		uint32_t symbol = moved[ELF64_R_SYM(rel[i].r_info)];

		if (!symbol)
			bare_fail("a relocation is that of a jump");
		rel[i].r_info = ELF64_R_INFO(symbol, ELF64_R_TYPE(rel[i].r_info));
	}
}

static void bare_sections(void)
{
	bool lines = false;

	for (int i = 0; i < elf->e_shnum; i++)
		if (headers[i].sh_type == SHT_SYMTAB)
			bare_symbols(&headers[i]);
	if (!moved)
		bare_fail("the object has no symbols");
	for (int i = 0; i < elf->e_shnum; i++) {
		if (headers[i].sh_type == SHT_REL) {
			bare_relocations(&headers[i]);
		} else if (!strcmp(names + headers[i].sh_name, ".BTF.ext")) {
			bare_lines(&headers[i]);
			lines = true;
		}
		headers[i].sh_name = bare_name(headers[i].sh_name);
	}
	if (!lines)
		bare_fail("the object has no section .BTF.ext");
	headers[elf->e_shstrndx].sh_size = kept_size;
}

/* The sections one after the other, and the headers behind them. */
static int bare_print(void)
{
	size_t at = sizeof(*elf);
	Elf64_Shdr *h;
	char *out;

	out = calloc(1, elf->e_shoff + kept_size + elf->e_shnum * (sizeof(*h) + PADDING));
	if (!out)
		bare_fail("no memory");
	for (int i = 1; i < elf->e_shnum; i++) {
		h = &headers[i];
		if (h->sh_addralign)
			at += -at % h->sh_addralign;
		if (h->sh_type != SHT_NOBITS)
			memcpy(out + at, i == elf->e_shstrndx ? kept : bytes + h->sh_offset, h->sh_size);
		h->sh_offset = at;
		if (h->sh_type != SHT_NOBITS)
			at += h->sh_size;
	}
	at += -at % sizeof(uint64_t);
	memcpy(out + at, headers, elf->e_shnum * sizeof(*h));
	elf->e_shoff = at;
	memcpy(out, elf, sizeof(*elf));
	at += elf->e_shnum * sizeof(*h);
	return fwrite(out, 1, at, stdout) != at || fflush(stdout);
}

static char *bare_read(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t read = 0;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < (long)sizeof(Elf64_Ehdr))
		return NULL;
	rewind(f);
	bytes = malloc(n);
	if (bytes)
		read = fread(bytes, 1, n, f);
	fclose(f);
	return read == (size_t)n ? bytes : NULL;
}

int main(int argc, char **argv)
{
	if (argc != 2 || !bare_read(argv[1]))
		bare_fail("the object cannot be read");
	elf = (Elf64_Ehdr *)bytes;
	headers = (Elf64_Shdr *)(bytes + elf->e_shoff);
	names = bytes + headers[elf->e_shstrndx].sh_offset;
	kept = calloc(1, kept_size);
	if (!kept)
		bare_fail("no memory");
	bare_sections();
	return bare_print();
}
