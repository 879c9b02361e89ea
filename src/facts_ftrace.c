// SPDX-License-Identifier: GPL-2.0-only
/* facts_ftrace.c - what ftrace lists and kprobes refuse; needs root. See facts_priv.h. */
#include "facts_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FTRACE_LIST "available_filter_functions"

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

static struct facts_module *module_find(struct facts *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->n_modules; i++)
		if (!strcmp(f->modules[i].name, name))
			return &f->modules[i];
	return NULL;
}

/* Functions that BTF does not name go to the end, and are sorted in later. */
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
	x->entries[x->n] = (struct facts_entry){ .name = strdup(name), .hits = 1 };
	return x->entries[x->n++].name ? 0 : -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct facts_entry *)a)->name, ((const struct facts_entry *)b)->name);
}

static int merge_extra(struct facts_module *m, struct extra *x)
{
	struct facts_entry *grown;
	size_t i, kept = 0;

	if (!x->n)
		return 0;
	qsort(x->entries, x->n, sizeof(*x->entries), by_name);
	for (i = 0; i < x->n; i++) {
		if (kept && !strcmp(x->entries[kept - 1].name, x->entries[i].name)) {
			x->entries[kept - 1].hits++;
			free((char *)x->entries[i].name);
		} else {
			x->entries[kept++] = x->entries[i];
		}
	}
	grown = realloc(m->fns, (m->n_fns + kept) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memcpy(grown + m->n_fns, x->entries, kept * sizeof(*grown));
	m->fns = grown;
	m->n_fns += kept;
	qsort(m->fns, m->n_fns, sizeof(*m->fns), by_name);
	return 0;
}

/* "name" or "name [module]". */
static int read_line(struct facts *f, struct extra *extra, char *line)
{
	struct facts_module *m = &f->kernel;
	struct facts_entry *entry;
	char *module = strchr(line, '[');
	size_t len = strcspn(line, " \t\n");

	if (module) {
		module[strcspn(module, "]")] = '\0';
		m = module_find(f, module + 1);
	}
	line[len] = '\0';
	if (!m || !strncmp(line, "__ftrace_invalid", 16))
		return 0;
	entry = facts_entry_find(m, line);
	if (entry)
		entry->hits++;
	else if (m == &f->kernel)
		return extra_add(extra, line);
	return 0;
}

static int read_list(struct facts *f)
{
	static const char *const paths[] = { "/sys/kernel/tracing/" FTRACE_LIST,
					     "/sys/kernel/debug/tracing/" FTRACE_LIST, NULL };
	FILE *in = open_first(f, paths);
	struct extra extra = {};
	char line[512];
	int err = 0;
	size_t i;

	if (!in)
		return 0;
	while (!err && fgets(line, sizeof(line), in)) {
		f->ftrace = true;
		err = read_line(f, &extra, line);
	}
	fclose(in);
	if (!err)
		err = merge_extra(&f->kernel, &extra);
	if (err)
		for (i = 0; i < extra.n; i++)
			free((char *)extra.entries[i].name);
	free(extra.entries);
	return err;
}

/* "0xstart-0xend<tab>name". */
static void read_blacklist(struct facts *f)
{
	static const char *const paths[] = { "/sys/kernel/debug/kprobes/blacklist", NULL };
	FILE *in = open_first(f, paths);
	struct facts_entry *entry;
	char line[512], *name;

	if (!in)
		return;
	f->blacklist = true;
	while (fgets(line, sizeof(line), in)) {
		name = strchr(line, '\t');
		if (!name)
			continue;
		name[strcspn(name, "\n")] = '\0';
		entry = facts_entry_find(&f->kernel, name + 1);
		if (entry)
			entry->forbidden = true;
	}
	fclose(in);
}

int facts_ftrace_read(struct facts *f)
{
	int err;

	if (f->ftrace_read)
		return 0;
	f->ftrace_read = true;
	err = facts_modules_read(f);
	if (!err)
		err = read_list(f);
	if (!err)
		read_blacklist(f);
	return err;
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

int facts_variant(const struct facts *f, const char *name, char *buf, size_t size)
{
	static const char *const paths[] = { "/proc/kallsyms", NULL };
	FILE *in = open_first(f, paths);
	char line[512], type, sym[400];
	size_t len = strlen(name);
	int found = 0;

	while (in && found < 2 && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%*s %c %399s", &type, sym) != 2 || !strchr("tTwW", type))
			continue;
		if (!strcmp(sym, name))
			found = 2;
		else if (!strncmp(sym, name, len) && sym[len] == '.' && !strstr(sym, ".cold"))
			found = snprintf(buf, size, "%s", sym) > 0;
	}
	if (in)
		fclose(in);
	return found;
}
