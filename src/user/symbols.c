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
	Elf_Data *index; /* .gnu.version: a number for each symbol */
	const char **names; /* owned; of each number; not owned */
};

/* ---- versions ---- */

static void read_names(struct versions *v, Elf *elf, Elf_Data *defined, size_t strings)
{
	GElf_Verdef def;
	GElf_Verdaux aux;
	size_t at = 0;

	while (gelf_getverdef(defined, at, &def)) {
		if (def.vd_ndx <= VERSION_MASK && !v->names[def.vd_ndx] &&
		    gelf_getverdaux(defined, at + def.vd_aux, &aux))
			v->names[def.vd_ndx] = elf_strptr(elf, strings, aux.vda_name);
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
}

static int versions_open(struct versions *v, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = user_section(elf, ".gnu.version", &header);
	Elf_Data *defined;

	v->index = section ? elf_getdata(section, NULL) : NULL;
	section = user_section(elf, ".gnu.version_d", &header);
	defined = section ? elf_getdata(section, NULL) : NULL;
	if (!v->index || !defined)
		return 0;
	v->names = calloc(VERSION_MASK + 1, sizeof(*v->names));
	if (!v->names)
		return -ENOMEM;
	read_names(v, elf, defined, header.sh_link);
	return 0;
}

static void version_of(const struct versions *v, size_t i, const char **name, bool *is_default)
{
	GElf_Versym number;

	*name = NULL;
	if (!v->index || !gelf_getversym(v->index, i, &number) || (number & VERSION_MASK) < 2)
		return;
	*name = v->names ? v->names[number & VERSION_MASK] : NULL;
	*is_default = !(number & ~VERSION_MASK);
}

/* ---- one table ---- */

void user_symbol_free(struct user_symbol *s)
{
	if (s->shown != s->name)
		free(s->shown);
	if (s->version && *s->version)
		free(s->version);
	free(s->name);
}

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
	s->version = version && *version ? strdup(version) : (char *)"";
	s->shown = s->name && !b->names_only ? user_demangle(s->name) : NULL;
	if (!s->shown)
		s->shown = s->name;
	if (!s->name || !s->version || !s->shown)
		return -ENOMEM;
	if (sym->st_shndx != SHN_UNDEF) {
		s->offset = user_offset(b, sym->st_value, &is_code);
		if (!is_code)
			s->offset = 0;
	}
	if (!b->names_only)
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
static int symbols_read_tables(struct user_binary *b, Elf *elf, bool *has_symtab)
{
	Elf_Scn *section = NULL;
	struct versions v = {};
	GElf_Shdr header;
	int err = 0;

	err = versions_open(&v, elf);
	while (!err && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB)
			*has_symtab = true;
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			err = read_table(b, elf, section, &header, &v);
	}
	free(v.names);
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
	err = symbols_read_tables(b, mini, &has_symtab);
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
		err = symbols_read_tables(b, elf, &b->has_symtab);
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
			user_symbol_free(&b->symbols[i]);
		} else {
			b->symbols[n++] = b->symbols[i];
		}
	}
	b->n_symbols = n;
}

static int by_place(const void *a, const void *b)
{
	const struct user_symbol *x = *(struct user_symbol *const *)a;
	const struct user_symbol *y = *(struct user_symbol *const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What is known of one of its names goes for all names of a function. */
static void share_group(struct user_symbol **group, size_t n)
{
	const char *refused = NULL, *no_return = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		refused = refused ? refused : group[i]->refused;
		no_return = no_return ? no_return : group[i]->no_return;
	}
	for (i = 0; i < n; i++) {
		group[i]->refused = refused;
		group[i]->no_return = no_return;
	}
}

static int share_judgements(struct user_binary *b)
{
	struct user_symbol **all = calloc(b->n_symbols + 1, sizeof(*all));
	size_t i, n;

	if (!all)
		return -ENOMEM;
	for (i = 0; i < b->n_symbols; i++)
		all[i] = &b->symbols[i];
	qsort(all, b->n_symbols, sizeof(*all), by_place);
	for (i = 0; i < b->n_symbols; i += n) {
		for (n = 1; i + n < b->n_symbols && !by_place(&all[i], &all[i + n]); n++)
			;
		if (all[i]->offset)
			share_group(all + i, n);
	}
	free(all);
	return 0;
}

int user_read_symbols(struct user_binary *b, Elf *elf)
{
	int err = symbols_read_tables(b, elf, &b->has_symtab);

	if (!err && !b->has_symtab)
		err = read_mini(b, elf);
	if (!err && !b->has_symtab)
		err = read_debug(b);
	if (err)
		return err; /* one may have no name */
	if (b->names_only)
		return 0;
	drop_doubles(b);
	return share_judgements(b);
}
