// SPDX-License-Identifier: GPL-2.0-only
/* user.c - open a program or library, and look up what is in it. */
#include "user/user.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/priv.h"
#include "util/near.h"

#define LIST_HINT "'kstats-bpf list u:BINARY' shows what can be traced"

/* ---- the file ---- */

Elf_Scn *user_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	const char *text;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		text = gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name)
						     : NULL;
		if (text && !strcmp(text, name))
			return section;
	}
	return NULL;
}

uint64_t user_offset(const struct user_binary *b, uint64_t address, bool *is_code)
{
	const struct user_segment *s;

	for (s = b->segments; s < b->segments + b->n_segments; s++)
		if (address >= s->address && address - s->address < s->size) {
			*is_code = s->is_code;
			return address - s->address + s->offset;
		}
	return 0;
}

static void read_segments(struct user_binary *b, Elf *elf)
{
	GElf_Phdr p;
	size_t n = 0, i;

	elf_getphdrnum(elf, &n);
	for (i = 0; i < n && b->n_segments < USER_SEGMENTS_MAX && gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD)
			b->segments[b->n_segments++] =
				(struct user_segment){ .address = p.p_vaddr,
						       .offset = p.p_offset,
						       .size = p.p_filesz,
						       .is_code = p.p_flags & PF_X };
}

static int refuse_file(const struct user_binary *b, const char *why, struct error *e)
{
	return error_set(e, EXIT_USAGE, -ENOEXEC, why, NULL, "cannot use '%s'", b->word);
}

static int check_machine(const struct user_binary *b, Elf *elf, struct error *e)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return refuse_file(b, "it is not an ELF program or library", e);
	if (header.e_machine != EM_X86_64 || gelf_getclass(elf) != ELFCLASS64)
		return refuse_file(b, "it is not for x86-64", e);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return refuse_file(b, "it is neither a program nor a library", e);
	return 0;
}

static int read_file(struct user_binary *b, struct error *e)
{
	Elf *elf = NULL;
	GElf_Shdr header;
	int err;

	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(b->fd, ELF_C_READ, NULL);
	err = elf ? check_machine(b, elf, e) : refuse_file(b, "it cannot be read as ELF", e);
	if (!err) {
		read_segments(b, elf);
		b->is_go = user_section(elf, ".gopclntab", &header) ||
			   user_section(elf, ".note.go.buildid", &header);
		user_read_build_id(elf, b->build_id);
		snprintf(b->file.build_id, sizeof(b->file.build_id), "%s", b->build_id);
		err = user_read_symbols(b, elf);
		if (!err)
			err = user_read_marks(b, elf);
		if (err)
			error_no_memory(e, "cannot read '%s'", b->word);
	}
	elf_end(elf);
	return err;
}

struct user_binary *user_open(const char *word, pid_t pid, struct error *e)
{
	struct user_binary *b = calloc(1, sizeof(*b));
	struct stat st;
	int err = 0;

	if (!b || !(b->word = strdup(word))) {
		error_no_memory(e, "cannot open '%s'", word);
		free(b);
		return NULL;
	}
	b->fd = -1;
	b->path = user_locate(word, pid, e);
	if (!b->path)
		goto failed;
	b->fd = user_open_regular(b->path, &st);
	if (b->fd < 0) {
		err = error_set(e, EXIT_USAGE, b->fd, NULL, NULL, "cannot open '%s'", b->path);
	} else {
		user_describe(&st, &b->file);
		err = read_file(b, e);
	}
	if (!err)
		return b;
failed:
	user_close(b);
	return NULL;
}

void user_close(struct user_binary *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < b->n_symbols; i++) {
		free(b->symbols[i].name);
		free(b->symbols[i].version);
		free(b->symbols[i].shown);
	}
	for (i = 0; i < b->n_marks; i++) {
		free(b->marks[i].provider);
		free(b->marks[i].name);
		free(b->marks[i].arguments);
		free(b->marks[i].offsets);
	}
	user_params_close(b);
	if (b->fd >= 0)
		close(b->fd);
	free(b->symbols);
	free(b->marks);
	free(b->path);
	free(b->word);
	free(b);
}

const struct user_file *user_which(const struct user_binary *b)
{
	return &b->file;
}

const char *user_path(const struct user_binary *b)
{
	return b->path;
}

const struct user_symbol *user_symbols(const struct user_binary *b, size_t *n)
{
	*n = b->n_symbols;
	return b->symbols;
}

const struct user_mark *user_marks(const struct user_binary *b, size_t *n)
{
	*n = b->n_marks;
	return b->marks;
}

const char *user_lacks(const struct user_binary *b)
{
	if (b->has_symtab)
		return "";
	return "it is stripped: only exported functions are known; its package "
	       "of debug symbols has the names of the others";
}

bool user_throws(const struct user_binary *b)
{
	const struct user_symbol *s;

	for (s = b->symbols; s < b->symbols + b->n_symbols; s++)
		if (!strcmp(s->name, "__cxa_throw") || !strcmp(s->name, "_Unwind_RaiseException"))
			return true;
	return false;
}

/* ---- looking up ---- */

/* "ns::f(int)" is also called "ns::f". */
static bool is_shown_as(const struct user_symbol *s, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(s->shown, name, len) && (!s->shown[len] || s->shown[len] == '(');
}

static bool is_called(const struct user_symbol *s, const char *name)
{
	size_t len = strcspn(name, "@");

	if (strlen(s->name) == len && !strncmp(s->name, name, len)) {
		name += len + strspn(name + len, "@");
		return !*name || !strcmp(s->version, name);
	}
	return is_shown_as(s, name);
}

/* Whether @s is a better answer than @than: it can be probed, it is what programs link with. */
static bool is_better(const struct user_symbol *s, const struct user_symbol *than)
{
	if (!than || !than->offset)
		return true;
	return s->offset && s->is_default && !than->is_default;
}

static const struct user_symbol *not_unique(const struct user_binary *b, const char *name,
					    const struct user_symbol *x,
					    const struct user_symbol *y, struct error *e)
{
	char next[96];

	snprintf(next, sizeof(next), "name one by its place, 0x%llx or 0x%llx",
		 (unsigned long long)x->offset, (unsigned long long)y->offset);
	error_set(e, EXIT_USAGE, -ENOTUNIQ, "the file has several functions of that name", next,
		  "cannot trace '%s' of '%s'", name, b->word);
	return NULL;
}

static const struct user_symbol *not_found(const struct user_binary *b, const char *name,
					   struct error *e)
{
	struct nearest near = { .wanted = name };
	char next[384];
	size_t i;

	for (i = 0; i < b->n_symbols; i++)
		near_consider(&near, b->symbols[i].shown);
	near_words(&near, next, sizeof(next));
	error_set(e, EXIT_USAGE, -ENOENT,
		  b->has_symtab ? "the file has no function of that name" : user_lacks(b),
		  *next ? next : LIST_HINT, "cannot trace '%s' of '%s'", name, b->word);
	return NULL;
}

static const struct user_symbol *find_place(const struct user_binary *b, const char *name,
					    struct error *e)
{
	char *end;
	uint64_t at = strtoull(name, &end, 16);
	size_t i;

	for (i = 0; !*end && at && i < b->n_symbols; i++)
		if (b->symbols[i].offset == at)
			return &b->symbols[i];
	error_set(e, EXIT_USAGE, -ENOENT,
		  "no known function begins there, and a probe in the middle "
		  "of an instruction would break the program",
		  LIST_HINT, "cannot trace '%s' of '%s'", name, b->word);
	return NULL;
}

const struct user_symbol *user_find(const struct user_binary *b, const char *name, struct error *e)
{
	const struct user_symbol *s, *found = NULL, *twin = NULL;

	if (!strncmp(name, "0x", 2))
		return find_place(b, name, e);
	for (s = b->symbols; s < b->symbols + b->n_symbols; s++) {
		if (!is_called(s, name))
			continue;
		if (found && found->offset == s->offset)
			continue;
		if (is_better(s, found)) {
			found = s;
			twin = NULL;
		} else if (s->offset && s->is_default == found->is_default) {
			twin = s;
		}
	}
	if (twin)
		return not_unique(b, name, found, twin, e);
	return found ? found : not_found(b, name, e);
}

/* @plain: the name in @name, which it is if no provider stands before it */
static bool is_mark(const struct user_mark *m, const char *name, const char *plain)
{
	size_t len = strlen(m->provider);

	return !strcmp(m->name, plain) &&
	       (plain == name || (!strncmp(m->provider, name, len) && name + len + 1 == plain));
}

static const struct user_mark *several_marks(const struct user_binary *b, const char *name,
					     const struct user_mark *x, const struct user_mark *y,
					     struct error *e)
{
	char next[256];

	snprintf(next, sizeof(next), "write %s:%s or %s:%s", x->provider, x->name, y->provider,
		 y->name);
	error_set(e, EXIT_USAGE, -ENOTUNIQ, "several providers have a static probe of that name",
		  next, "cannot trace '%s' of '%s'", name, b->word);
	return NULL;
}

const struct user_mark *user_find_mark(const struct user_binary *b, const char *name,
				       struct error *e)
{
	const char *plain = strchr(name, ':') ? strchr(name, ':') + 1 : name;
	struct nearest near = { .wanted = plain };
	const struct user_mark *found = NULL, *m;
	char next[384];

	for (m = b->marks; m < b->marks + b->n_marks; m++) {
		near_consider(&near, m->name);
		if (!is_mark(m, name, plain))
			continue;
		if (found)
			return several_marks(b, name, found, m, e);
		found = m;
	}
	if (found)
		return found;
	near_words(&near, next, sizeof(next));
	error_set(e, EXIT_USAGE, -ENOENT,
		  b->n_marks ? "the file has no such static probe"
			     : "the file has no static probes",
		  *next ? next : "'kstats-bpf list usdt:BINARY' shows those it has",
		  "cannot trace '%s' of '%s'", name, b->word);
	return NULL;
}

bool user_matches(const struct user_symbol *s, const char *glob)
{
	return !fnmatch(glob, s->name, 0) || !fnmatch(glob, s->shown, 0);
}

bool user_mark_matches(const struct user_mark *m, const char *glob)
{
	char full[256];

	snprintf(full, sizeof(full), "%s:%s", m->provider, m->name);
	return !fnmatch(glob, full, 0) || !fnmatch(glob, m->name, 0);
}
