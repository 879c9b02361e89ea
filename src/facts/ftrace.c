// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace.c - which functions ftrace can hook and kprobes refuse; needs root.
 *
 * To look up one name, the lists are searched as text. Only if all names are wanted are the
 * lists entered into the entries of all functions.
 */
#include "facts/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_abi.h"
#include "util/file.h"

#define FTRACE_LIST "available_filter_functions"
#define INVALID "__ftrace_invalid" /* begins the names of lines without a function */
#define ROOM 65536

static FILE *open_first(const struct facts *f, const char *const *paths)
{
	char path[4200];
	FILE *in = NULL;

	for (; *paths && !in; paths++) {
		snprintf(path, sizeof(path), "%s%s", f->root, *paths);
		in = fopen(path, "re");
	}
	return in;
}

/* Read a whole file of unknown size; *@text is NULL if there is none. */
static int ftrace_read_text(const struct facts *f, const char *const *paths, char **text)
{
	FILE *in = open_first(f, paths);
	size_t at = 0, room = 0, n = 1;
	char *grown;
	int err = 0;

	while (in && n) {
		if (room - at < ROOM) {
			room = room ? 2 * room : 2 * ROOM;
			grown = realloc(*text, room);
			if (!grown) {
				err = -ENOMEM;
				break;
			}
			*text = grown;
		}
		n = fread(*text + at, 1, room - at - 1, in);
		at += n;
		(*text)[at] = '\0';
	}
	if (in)
		fclose(in);
	return err;
}

static const char *const lists[] = { "/sys/kernel/tracing/" FTRACE_LIST,
				     "/sys/kernel/debug/tracing/" FTRACE_LIST, NULL };

/* If the list may not be read now, the kept copy is not used either. */
static bool is_readable(const struct facts *f)
{
	FILE *in = open_first(f, lists);

	return in && !fclose(in);
}

/* The list is kept only if no module was loaded or unloaded while it was read. */
static int ftrace_read_list(struct facts *f)
{
	uint64_t mark = facts_mark(f->root);
	int err;

	f->ftrace = is_readable(f) ? facts_kept_read(f, mark) : NULL;
	if (f->ftrace)
		return 0;
	err = ftrace_read_text(f, lists, &f->ftrace);
	if (!err && f->ftrace && *f->ftrace && facts_mark(f->root) == mark)
		facts_kept_write(f, mark, f->ftrace);
	return err;
}

/* ---- modules without BTF ---- */

/* Whether a line "name" or "name [module]" is of this module. */
static bool ftrace_is_of(const char *line, const char *module)
{
	const char *bracket = memchr(line, '[', strcspn(line, "\n"));
	size_t len = strlen(module);

	if (!bracket || !len)
		return !bracket && !len;
	return !strncmp(bracket + 1, module, len) && bracket[1 + len] == ']';
}

/* The next line "name [module]"; @module: its module. NULL at the end. */
static const char *next_of_module(const char *at, const char **module)
{
	const char *bracket = at ? strchr(at, '[') : NULL;
	const char *line = bracket;

	while (line && line > at && line[-1] != '\n')
		line--;
	*module = bracket ? bracket + 1 : NULL;
	return line;
}

static char *word_of(const char *text, const char *ends)
{
	return strndup(text, strcspn(text, ends));
}

/* A module that the list names for the first time, with all its functions. */
static int add_plain(struct facts *f, const char *line, char *name)
{
	struct facts_module *grown, m = { .name = name, .is_plain = true };
	struct facts_entry *fns;
	const char *module;
	int err = 0;

	for (; line && !err; line = next_of_module(strchr(line, '\n'), &module)) {
		if (!ftrace_is_of(line, name) || !strncmp(line, INVALID, strlen(INVALID)))
			continue;
		fns = realloc(m.fns, (m.n_fns + 1) * sizeof(*fns));
		if (!fns) {
			err = -ENOMEM;
			break;
		}
		m.fns = fns;
		m.fns[m.n_fns] = (struct facts_entry){ .name = word_of(line, " \t\n") };
		err = m.fns[m.n_fns].name ? 0 : -ENOMEM;
		m.n_fns += !err;
	}
	grown = err ? NULL : realloc(f->modules, (f->n_modules + 1) * sizeof(*grown));
	if (!grown) {
		facts_module_free(&m);
		return -ENOMEM;
	}
	f->modules = grown;
	f->modules[f->n_modules++] = m;
	qsort(f->modules, f->n_modules, sizeof(*f->modules), facts_by_name);
	return 0;
}

/* Only ftrace knows their functions. Lines of one module follow each other. */
static int add_plain_modules(struct facts *f)
{
	const char *line, *module, *last = "";
	char *name;
	int err = 0;

	for (line = next_of_module(f->ftrace, &module); line && !err;
	     line = next_of_module(strchr(line, '\n'), &module)) {
		if (!strncmp(module, last, strcspn(module, "\n") + 1))
			continue;
		last = module;
		name = word_of(module, "]\n");
		if (!name)
			return -ENOMEM;
		if (!*name || facts_module_find(f, name))
			free(name);
		else
			err = add_plain(f, line, name);
	}
	return err;
}

int facts_ftrace_read(struct facts *f)
{
	static const char *const blacklists[] = { "/sys/kernel/debug/kprobes/blacklist", NULL };
	int err;

	if (f->ftrace_read)
		return 0;
	f->ftrace_read = true;
	err = facts_modules_read(f);
	if (!err)
		err = ftrace_read_list(f);
	if (!err)
		err = ftrace_read_text(f, blacklists, &f->blacklist);
	if (f->ftrace && !*f->ftrace) {
		free(f->ftrace);
		f->ftrace = NULL;
	}
	return err ? err : add_plain_modules(f);
}

/* ---- one name ---- */

/* Find a whole word: it is enclosed by these characters or by the ends of the text. */
static const char *find_word(const char *text, const char *from, const char *word, char before,
			     const char *behind)
{
	size_t len = strlen(word);

	while (len && (from = strstr(from, word))) {
		if ((from == text || from[-1] == before) && strchr(behind, from[len]))
			return from;
		from += len;
	}
	return NULL;
}

static unsigned int count_lines(const char *list, const char *module, const char *name)
{
	const char *line = list;
	unsigned int n = 0;

	while ((line = find_word(list, line, name, '\n', " \t\n"))) {
		n += ftrace_is_of(line, module);
		line += strlen(name);
	}
	return n;
}

int facts_entry_marked(struct facts *f, struct facts_module *m, const char *name,
		       const struct facts_entry **entry)
{
	struct facts_entry *found = facts_entry_find(m, name);
	bool of_kernel = m == &f->kernel;
	int err = 0;

	if (found && !f->marked) {
		found->hits = f->ftrace ? count_lines(f->ftrace, m->name, name) : 0;
		found->forbidden = of_kernel && f->blacklist &&
				   find_word(f->blacklist, f->blacklist, name, '\t', "\n");
	} else if (!found && !f->marked && of_kernel && f->ftrace &&
		   count_lines(f->ftrace, "", name)) {
		err = facts_ftrace_mark(f);
		found = facts_entry_find(m, name);
	}
	*entry = found;
	return err;
}

/* ---- all names ---- */

/* Functions that only ftrace lists are appended at the end and sorted in later. */
struct extra {
	struct facts_entry *entries;
	size_t n;
	size_t room;
};

static int extra_add(struct extra *x, const char *name)
{
	struct facts_entry *grown;

	if (x->n == x->room) {
		x->room = x->room ? 2 * x->room : 1024;
		grown = realloc(x->entries, x->room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		x->entries = grown;
	}
	x->entries[x->n++] = (struct facts_entry){ .name = name, .hits = 1 };
	return 0;
}

static int merge_extra(struct facts_module *m, struct extra *x)
{
	struct facts_entry *grown;
	size_t i, kept = 0;

	if (!x->n)
		return 0;
	qsort(x->entries, x->n, sizeof(*x->entries), facts_by_name);
	for (i = 0; i < x->n; i++) {
		if (kept && !strcmp(x->entries[kept - 1].name, x->entries[i].name))
			x->entries[kept - 1].hits++;
		else
			x->entries[kept++] = x->entries[i];
	}
	grown = realloc(m->fns, (m->n_fns + kept) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memcpy(grown + m->n_fns, x->entries, kept * sizeof(*grown));
	m->fns = grown;
	m->n_fns += kept;
	qsort(m->fns, m->n_fns, sizeof(*m->fns), facts_by_name);
	return 0;
}

static int mark_line(struct facts *f, struct extra *extra, char *line)
{
	struct facts_module *m = &f->kernel;
	struct facts_entry *entry;
	char *module = strchr(line, '[');

	if (module) {
		module[strcspn(module, "]")] = '\0';
		m = facts_module_find(f, module + 1);
	}
	line[strcspn(line, " \t")] = '\0';
	if (!m || !*line || !strncmp(line, INVALID, strlen(INVALID)))
		return 0;
	entry = facts_entry_find(m, line);
	if (entry)
		entry->hits++;
	else if (m == &f->kernel)
		return extra_add(extra, line);
	return 0;
}

static int mark_list(struct facts *f)
{
	char *rest = f->ftrace, *line;
	struct extra extra = {};
	int err = 0;

	while (!err && (line = strsep(&rest, "\n")))
		err = mark_line(f, &extra, line);
	if (!err)
		err = merge_extra(&f->kernel, &extra);
	free(extra.entries);
	return err;
}

/* Each line is "0xstart-0xend<tab>name". */
static void mark_blacklist(struct facts *f)
{
	char *rest = f->blacklist, *line, *name;
	struct facts_entry *entry;

	while ((line = strsep(&rest, "\n"))) {
		name = strchr(line, '\t');
		entry = name ? facts_entry_find(&f->kernel, name + 1) : NULL;
		if (entry)
			entry->forbidden = true;
	}
}

static void sort_anew(struct facts_module *m)
{
	size_t i;

	facts_btf_sort(m);
	for (i = 0; i < m->n_fns; i++)
		m->fns[i].hits = 0;
}

int facts_ftrace_mark(struct facts *f)
{
	int err = facts_ftrace_read(f);
	size_t i;

	if (err || f->marked)
		return err;
	f->marked = true;
	sort_anew(&f->kernel);
	for (i = 0; i < f->n_modules; i++)
		sort_anew(&f->modules[i]);
	err = mark_list(f);
	if (!err)
		mark_blacklist(f);
	return err;
}

int facts_free_stubs(const struct facts *f)
{
	char text[16];

	if (file_first_line(f->root, "/sys/module/" KSTATS_MODULE "/parameters/direct_free", text,
			    sizeof(text)))
		return -1;
	return atoi(text);
}

bool facts_ftrace_is_off(const struct facts *f)
{
	static const char *const paths[] = { "/proc/sys/kernel/ftrace_enabled", NULL };
	const struct facts here = { .root = "" };
	FILE *in = open_first(f ? f : &here, paths);
	int on = 1;

	if (!in)
		return false;
	if (fscanf(in, "%d", &on) != 1)
		on = 1;
	fclose(in);
	return !on;
}
