// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols.c - the functions of a file: from .symtab, .dynsym, the small table of
 * .gnu_debugdata, and the file of debug information with the same build id.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/priv.h"

#define VERSION_MASK 0x7fff /* the highest bit: not the default */

/* The versions of the symbols of .dynsym. */
struct versions {
	Elf *elf;
	Elf_Data *index; /* .gnu.version: a number for each symbol */
	Elf_Data *defined; /* .gnu.version_d: the names of the numbers */
	size_t names; /* section of the strings */
};

/* ---- versions ---- */

static void versions_open(struct versions *v, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = user_section(elf, ".gnu.version", &header);

	v->elf = elf;
	v->index = section ? elf_getdata(section, NULL) : NULL;
	section = user_section(elf, ".gnu.version_d", &header);
	v->defined = section ? elf_getdata(section, NULL) : NULL;
	v->names = section ? header.sh_link : 0;
}

static const char *version_name(const struct versions *v, unsigned int number)
{
	GElf_Verdef def;
	GElf_Verdaux aux;
	size_t at = 0;

	while (v->defined && gelf_getverdef(v->defined, at, &def)) {
		if (def.vd_ndx == number && gelf_getverdaux(v->defined, at + def.vd_aux, &aux))
			return elf_strptr(v->elf, v->names, aux.vda_name);
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
	return NULL;
}

static void version_of(const struct versions *v, size_t i, const char **name, bool *is_default)
{
	GElf_Versym number;

	*name = NULL;
	if (!v->index || !gelf_getversym(v->index, i, &number) || (number & VERSION_MASK) < 2)
		return;
	*name = version_name(v, number & VERSION_MASK);
	*is_default = !(number & ~VERSION_MASK);
}

/* ---- one table ---- */

static int grow(struct user_binary *b)
{
	struct user_symbol *more;

	if (b->n_symbols & (b->n_symbols - 1))
		return 0;
	more = realloc(b->symbols, (b->n_symbols ? 2 * b->n_symbols : 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	b->symbols = more;
	return 0;
}

/* In .symtab the linker writes the version behind the name: NAME@VERSION, NAME@@VERSION. */
static int add(struct user_binary *b, const char *name, const char *version, bool is_default,
	       const GElf_Sym *sym)
{
	size_t len = strcspn(name, "@");
	struct user_symbol *s;
	bool is_code = false;

	if (!len)
		return 0;
	if (grow(b))
		return -ENOMEM;
	s = &b->symbols[b->n_symbols++];
	*s = (struct user_symbol){ .size = sym->st_size, .is_default = is_default };
	if (name[len] == '@') {
		s->is_default = name[len + 1] == '@';
		version = name + len + 1 + s->is_default;
	}
	s->name = strndup(name, len);
	s->version = strdup(version ? version : "");
	s->shown = s->name ? user_demangle(s->name) : NULL;
	if (s->name && !s->shown)
		s->shown = strdup(s->name);
	if (!s->name || !s->version || !s->shown)
		return -ENOMEM;
	if (sym->st_shndx != SHN_UNDEF) {
		s->offset = user_offset(b, sym->st_value, &is_code);
		if (!is_code)
			s->offset = 0;
	}
	user_judge(b, s, GELF_ST_TYPE(sym->st_info));
	return 0;
}

static int read_table(struct user_binary *b, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
		      const struct versions *v)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0, i;
	const char *name, *version = NULL;
	bool is_default = true;
	GElf_Sym sym;
	int err = 0, type;

	for (i = 0; !err && i < n && data && gelf_getsym(data, i, &sym); i++) {
		type = GELF_ST_TYPE(sym.st_info);
		name = elf_strptr(elf, header->sh_link, sym.st_name);
		if (!name || (type != STT_FUNC && type != STT_GNU_IFUNC))
			continue;
		if (header->sh_type == SHT_DYNSYM)
			version_of(v, i, &version, &is_default);
		err = add(b, name, version, is_default, &sym);
	}
	return err;
}

/* A file of debug information has all tables, but nothing in .dynsym. */
static int read_tables(struct user_binary *b, Elf *elf, bool *has_symtab)
{
	Elf_Scn *section = NULL;
	struct versions v = {};
	GElf_Shdr header;
	int err = 0;

	versions_open(&v, elf);
	while (!err && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB)
			*has_symtab = true;
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			err = read_table(b, elf, section, &header, &v);
	}
	return err;
}

/* ---- other files ---- */

static int read_mini(struct user_binary *b, Elf *elf)
{
	bool has_symtab = false;
	int fd, err;
	Elf *mini = user_mini_open(elf, &fd);

	if (!mini)
		return 0;
	err = read_tables(b, mini, &has_symtab);
	b->has_symtab |= has_symtab;
	elf_end(mini);
	close(fd);
	return err;
}

bool user_debug_path(const struct user_binary *b, char path[USER_DEBUG_PATH])
{
	if (strlen(b->build_id) < 3)
		return false;
	snprintf(path, USER_DEBUG_PATH, USER_DEBUG_FOLDER "/%.2s/%s.debug", b->build_id,
		 b->build_id + 2);
	return true;
}

static int read_debug(struct user_binary *b)
{
	char path[USER_DEBUG_PATH];
	int fd, err = 0;
	Elf *elf;

	if (!user_debug_path(b, path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		err = read_tables(b, elf, &b->has_symtab);
	elf_end(elf);
	close(fd);
	return err;
}

/* ---- all ---- */

static int by_name(const void *a, const void *b)
{
	const struct user_symbol *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	if (!diff && x->offset != y->offset)
		diff = x->offset < y->offset ? -1 : 1;
	/* Of the same function in two tables, the entry with a version comes first. */
	return diff ? diff : -strcmp(x->version, y->version);
}

static bool is_same(const struct user_symbol *x, const struct user_symbol *y)
{
	return x->offset == y->offset && !strcmp(x->name, y->name) &&
	       (!*y->version || !strcmp(x->version, y->version));
}

static void drop_doubles(struct user_binary *b)
{
	size_t n = 0, i;

	if (!b->n_symbols)
		return;
	qsort(b->symbols, b->n_symbols, sizeof(*b->symbols), by_name);
	for (i = 0; i < b->n_symbols; i++) {
		if (n && is_same(&b->symbols[n - 1], &b->symbols[i])) {
			free(b->symbols[i].name);
			free(b->symbols[i].version);
			free(b->symbols[i].shown);
		} else {
			b->symbols[n++] = b->symbols[i];
		}
	}
	b->n_symbols = n;
}

int user_read_symbols(struct user_binary *b, Elf *elf)
{
	int err = read_tables(b, elf, &b->has_symtab);

	if (!err && !b->has_symtab)
		err = read_mini(b, elf);
	if (!err && !b->has_symtab)
		err = read_debug(b);
	drop_doubles(b);
	return err;
}
