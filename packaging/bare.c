// SPDX-License-Identifier: GPL-2.0-only
/*
 * bare OBJECT: print an object of BPF programs without what nothing here reads, which is most of what
 * it takes when it is compressed: the numbers of source lines in .BTF.ext, which only the verifier's log
 * and bpftool would show, and the symbols of jumps, which clang leaves there. They become zeros, so that
 * nothing moves, and the header of .BTF.ext says that there are no lines. Called by the Makefile.
 */
#include <ctype.h>
#include <elf.h>
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
};

static void bare_lines(char *section)
{
	struct btf_ext *ext = (struct btf_ext *)section;

	memset(section + ext->size + ext->lines_at, 0, ext->lines_size);
	ext->lines_size = 0;
}

/* LBB12_3 */
static int is_jump(const char *name)
{
	if (strncmp(name, "LBB", 3))
		return 0;
	for (name += 3; isdigit((unsigned char)*name) || *name == '_'; name++)
		;
	return !*name;
}

/* The first symbol is empty in every table. */
static void bare_symbols(Elf64_Sym *symbols, size_t n, char *names)
{
	for (size_t i = 1; i < n; i++) {
		char *name = names + symbols[i].st_name;

		if (symbols[i].st_info != ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE) || !is_jump(name))
			continue;
		memset(name, 0, strlen(name));
		memset(&symbols[i], 0, sizeof(symbols[i]));
	}
}

static char *bare_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *bytes = NULL;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < (long)sizeof(Elf64_Ehdr))
		return NULL;
	rewind(f);
	bytes = malloc(n);
	*size = bytes ? fread(bytes, 1, n, f) : 0;
	fclose(f);
	return *size == (size_t)n ? bytes : NULL;
}

int main(int argc, char **argv)
{
	char *bytes, *section;
	Elf64_Shdr *headers;
	Elf64_Ehdr *elf;
	size_t size;
	int lines = 0;

	bytes = argc == 2 ? bare_read(argv[1], &size) : NULL;
	if (!bytes) {
		fprintf(stderr, "packaging/bare: cannot read %s\n", argc == 2 ? argv[1] : "OBJECT");
		return 1;
	}
	elf = (Elf64_Ehdr *)bytes;
	headers = (Elf64_Shdr *)(bytes + elf->e_shoff);
	for (int i = 0; i < elf->e_shnum; i++) {
		section = bytes + headers[i].sh_offset;
		if (headers[i].sh_type == SHT_SYMTAB) {
			bare_symbols((Elf64_Sym *)section, headers[i].sh_size / sizeof(Elf64_Sym),
				     bytes + headers[headers[i].sh_link].sh_offset);
		} else if (!strcmp(bytes + headers[elf->e_shstrndx].sh_offset + headers[i].sh_name,
				   ".BTF.ext")) {
			bare_lines(section);
			lines++;
		}
	}
	if (lines != 1) {
		fprintf(stderr, "packaging/bare: %s has no section .BTF.ext\n", argv[1]);
		return 1;
	}
	return fwrite(bytes, 1, size, stdout) != size || fflush(stdout);
}
