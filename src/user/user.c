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
#include "util/arch.h"
#include "util/near.h"

#define LIST_HINT "'kstats-bpf list u:BINARY' shows what can be traced"

/* ---- the file ---- */

static int refuse_file(const struct user_binary *b, const char *why, struct error *e)
{
	return error_set(e, EXIT_USAGE, -ENOEXEC, why, NULL, "cannot use '%s'", b->word);
}

static int check_machine(const struct user_binary *b, Elf *elf, struct error *e)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return refuse_file(b, "it is not an ELF program or library", e);
	if (header.e_machine != ARCH_ELF_MACHINE || gelf_getclass(elf) != ELFCLASS64)
		return refuse_file(b, "it is not for " ARCH_NAME, e);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return refuse_file(b, "it is neither a program nor a library", e);
	return 0;
}

/* By the libraries that it loads: those of C++ and of Rust throw. */
static void read_dynamic(struct user_binary *b, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = user_section(elf, ".dynamic", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const char *name;
	GElf_Dyn dyn;
	int i;

	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		b->is_library |= dyn.d_tag == DT_SONAME;
		name = dyn.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, dyn.d_un.d_val)
					      : NULL;
		b->needs_unwinder |=
			name && (!strncmp(name, "libstdc++.", 10) || !strncmp(name, "libc++.", 7) ||
				 !strncmp(name, "libgcc_s.", 9));
	}
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
		user_read_segments(b, elf);
		read_dynamic(b, elf);
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
	for (i = 0; i < b->n_symbols; i++)
		user_symbol_free(&b->symbols[i]);
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

static bool is_one_of(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* A library that offers a switch of stacks, as libc does, need not use it. */
const char *user_breaks(const struct user_binary *b)
{
	static const char *const throwing[] = { "__cxa_throw", "_Unwind_RaiseException",
						"__gxx_personality_v0", "rust_eh_personality",
						NULL };
	static const char *const switching[] = {
		"swapcontext",   "makecontext", "jump_fcontext", "ontop_fcontext", "co_switch",
		"coro_transfer", NULL
	};
	const struct user_symbol *s;
	bool throws = b->needs_unwinder, switches = false;

	for (s = b->symbols; s < b->symbols + b->n_symbols; s++) {
		throws |= is_one_of(throwing, s->name);
		switches |= (!s->offset || !b->is_library) && is_one_of(switching, s->name);
	}
	if (throws)
		return "an exception that leaves a function would end the program while the "
		       "function has a probe at its return";
	return switches ? "it switches stacks, and may crash while a function has a probe at its "
			  "return"
			: NULL;
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

/* Whether it is @name as a template, which begins with a type, or as a copy of the compiler's. */
static bool is_clone(const struct user_symbol *s, const char *name)
{
	size_t len = strlen(name);
	const char *at = s->shown;

	if (s->is_part || s->refused)
		return false;
	for (at = strstr(at, name); at; at = strstr(at + 1, name))
		if ((at == s->shown || strchr(" :*&", at[-1])) && at[len] && strchr("<.(", at[len]))
			return true;
	return false;
}

/* Up to three of these, in words; "" if there is none. */
static void clones_words(const struct user_binary *b, const char *name, char *words, size_t size)
{
	const struct user_symbol *s;
	unsigned int n = 0;
	size_t at = 0;

	*words = '\0';
	for (s = b->symbols; n < 3 && s < b->symbols + b->n_symbols; s++) {
		if (!is_clone(s, name) || at + strlen(s->shown) + 32 > size)
			continue;
		at += snprintf(words + at, size - at, "%s'%s'", n++ ? " or " : "it has ", s->shown);
	}
}

/* libc calls them __NAME_ and the instructions that they use. */
void user_variants(const struct user_binary *b, const struct user_symbol *s, char *words,
		   size_t size)
{
	const struct user_symbol *v;
	char begin[128];
	unsigned int n = 0;
	size_t at = 0;

	*words = '\0';
	snprintf(begin, sizeof(begin), "__%s_", s->name);
	for (v = b->symbols; n < 6 && v < b->symbols + b->n_symbols; v++) {
		if (v->refused || v->no_return || strncmp(v->name, begin, strlen(begin)) ||
		    at + strlen(v->name) + 64 > size)
			continue;
		at += snprintf(
			words + at, size - at, "%s%s",
			n++ ? ", " : "trace one of these, if the program uses it: ", v->name);
	}
}

static const struct user_symbol *not_found(const struct user_binary *b, const char *name,
					   struct error *e)
{
	struct nearest near = { .wanted = name };
	char next[384];
	size_t i;

	clones_words(b, name, next, sizeof(next));
	for (i = 0; !*next && i < b->n_symbols; i++)
		near_consider(&near, b->symbols[i].shown);
	if (!*next)
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
		if (!is_called(s, name) || (s->is_part && !strstr(name, ".cold")))
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
	return !fnmatch(glob, s->name, 0) || !fnmatch(glob, s->shown, 0) || is_shown_as(s, glob);
}

bool user_mark_matches(const struct user_mark *m, const char *glob)
{
	char full[256];

	snprintf(full, sizeof(full), "%s:%s", m->provider, m->name);
	return !fnmatch(glob, full, 0) || !fnmatch(glob, m->name, 0);
}
