// SPDX-License-Identifier: GPL-2.0-only
/* list_user.c - `list u:BINARY` and `list usdt:BINARY`: functions and marks of a program. */
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "ui/output.h"
#include "user/user.h"
#include "util/json.h"
#include "util/safe_str.h"

/* A function or a mark. */
struct row {
	const char *prefix;
	const char *binary; /* as it was typed */
	const char *name;
	const char *symbol; /* of a function, as the symbol table has it; else NULL */
	const char *arguments; /* of a mark; else NULL */
	const char *why; /* it cannot be probed; or NULL */
	const char *no_return; /* its return cannot be probed; or NULL */
	enum user_first first;
	const uint64_t *offsets; /* its places in the file */
	size_t places; /* their number */
};

/* Who listens to the file, and what is asked about that. */
struct heard {
	const struct cmd_list_of *of;
	struct facts_listener *rows; /* owned; only to this file */
	size_t n;
};

/* Probes belong to a file, whose path may be written in several ways. */
static int find_heard(struct heard *h, const struct user_binary *b, struct error *e)
{
	struct stat own, st;
	size_t i, n = 0;
	int err = h->of->markers ? cmd_listeners(true, &h->rows, &h->n, e) : 0;

	if (err || stat(user_path(b), &own))
		return err;
	for (i = 0; i < h->n; i++)
		if (!stat(h->rows[i].path, &st) && st.st_dev == own.st_dev &&
		    st.st_ino == own.st_ino)
			h->rows[n++] = h->rows[i];
	h->n = n;
	return 0;
}

/* The next one who listens to one of its places, after @at; NULL: the first. */
static const struct facts_listener *next_heard(const struct heard *h, const struct row *row,
					       const struct facts_listener *at)
{
	size_t i = at ? at - h->rows + 1 : 0, place;

	for (; i < h->n; i++)
		for (place = 0; place < row->places; place++)
			if (h->rows[i].offset == row->offsets[place])
				return &h->rows[i];
	return NULL;
}

static struct json_object *heard_json(const struct heard *h, const struct row *row)
{
	struct json_object *all = json_object_new_array(), *o;
	const struct facts_listener *at = NULL;

	while ((at = next_heard(h, row, at))) {
		o = cmd_listener_json(at);
		json_object_object_add(o, "at_return", json_object_new_boolean(at->is_return));
		json_object_array_add(all, o);
	}
	return all;
}

bool cmd_is_user(const char *pattern)
{
	return pattern && (!strncmp(pattern, CMD_FUNCTIONS, strlen(CMD_FUNCTIONS)) ||
			   !strncmp(pattern, CMD_MARKS, strlen(CMD_MARKS)));
}

static void print_json(const struct heard *h, const struct row *row)
{
	struct json_object *o = json_object_new_object();
	char place[32];

	snprintf(place, sizeof(place), "0x%" PRIx64, row->offsets[0]);
	json_add_known(o, "kind", row->symbol ? "user function" : "static probe");
	json_add_known(o, "binary", row->binary);
	json_add_known(o, "name", row->name);
	if (row->symbol)
		json_add_known(o, "symbol", row->symbol);
	else
		json_add_known(o, "arguments", row->arguments);
	json_add_known(o, "offset", place);
	json_object_object_add(o, "places", json_object_new_int64(row->places));
	json_add_known(o, "first", row->why ? NULL : user_first_words(row->first));
	json_add_known(o, "why_not", row->why);
	json_add_known(o, "why_no_return", row->no_return);
	if (h->of->markers)
		json_object_object_add(o, "listeners", heard_json(h, row));
	json_write_line(o, stdout);
	json_object_put(o);
}

static void print_words(const struct row *row)
{
	char full[1024], text[2048];

	snprintf(full, sizeof(full), "%s%s:%s", row->prefix, row->binary, row->name);
	printf("%-44s  ", safe_str(text, sizeof(text), full));
	if (row->why) {
		printf("no: %s\n", row->why);
		return;
	}
	printf("%s", user_first_words(row->first));
	if (row->places > 1)
		printf(", %zu places", row->places);
	if (row->no_return)
		printf("; only in pairs: %s", row->no_return);
	if (row->arguments && *row->arguments)
		printf("; %s", safe_str(text, sizeof(text), row->arguments));
	putchar('\n');
}

/* Return: whether it is listed. */
static bool list_user_print_row(const struct heard *h, const struct row *row)
{
	const struct facts_listener *at = NULL;

	if (h->of->heard && !next_heard(h, row, NULL))
		return false;
	if (h->of->json) {
		print_json(h, row);
		return true;
	}
	print_words(row);
	while ((at = next_heard(h, row, at)))
		cmd_print_listener(at);
	return true;
}

static size_t list_functions(const struct user_binary *b, const struct heard *h, struct row *row,
			     const char *glob)
{
	const struct user_symbol *s;
	char name[512];
	size_t n, listed = 0, i;

	s = user_symbols(b, &n);
	for (i = 0; i < n && !ferror(stdout); i++, s++) {
		if (glob && !user_matches(s, glob))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", s->shown,
			 *s->version && !s->is_default ? "@" : "", s->is_default ? "" : s->version);
		row->name = name;
		row->symbol = s->name;
		row->why = s->refused;
		row->no_return = s->no_return;
		row->first = s->first;
		row->offsets = &s->offset;
		row->places = 1;
		listed += list_user_print_row(h, row);
	}
	return listed;
}

static size_t list_marks(const struct user_binary *b, const struct heard *h, struct row *row,
			 const char *glob)
{
	const struct user_mark *m;
	char name[512];
	size_t n, listed = 0, i;

	m = user_marks(b, &n);
	for (i = 0; i < n && !ferror(stdout); i++, m++) {
		if (glob && !user_mark_matches(m, glob))
			continue;
		snprintf(name, sizeof(name), "%s:%s", m->provider, m->name);
		row->name = name;
		row->arguments = m->arguments;
		row->why = m->refused;
		row->first = m->first;
		row->offsets = m->offsets;
		row->places = m->n;
		listed += list_user_print_row(h, row);
	}
	return listed;
}

static int nothing(const struct user_binary *b, const char *pattern, bool marks, struct error *e)
{
	size_t n;

	user_marks(b, &n);
	if (!marks)
		user_symbols(b, &n);
	return error_set(e, EXIT_USAGE, -ENOENT,
			 n       ? "nothing matches"
			 : marks ? "the file has no static probes"
				 : "the file has no symbols",
			 marks ? NULL : user_lacks(b), "cannot list '%s'", pattern);
}

static int list_user_all(const struct user_binary *b, struct heard *h, struct row *row,
			 const char *glob, struct error *e)
{
	bool marks = !strcmp(row->prefix, CMD_MARKS);
	size_t n;
	int err = find_heard(h, b, e);

	if (err)
		return err;
	n = marks ? list_marks(b, h, row, glob) : list_functions(b, h, row, glob);
	if (fflush(stdout))
		return errno == EPIPE ? 0 : output_failed("the list", e);
	if (!n && h->of->heard) {
		fprintf(stderr, "kstats-bpf: nothing is attached to what matches %s\n",
			h->of->pattern);
		return 0;
	}
	if (!n)
		return nothing(b, h->of->pattern, marks, e);
	if (!marks && user_breaks(b))
		fprintf(stderr, "kstats-bpf: to their returns only with --throws: %s\n",
			user_breaks(b));
	if (!marks && *user_lacks(b))
		fprintf(stderr, "kstats-bpf: %s\n", user_lacks(b));
	return 0;
}

int cmd_list_user(const struct cmd_list_of *of, struct error *e)
{
	bool marks = !strncmp(of->pattern, CMD_MARKS, strlen(CMD_MARKS));
	struct row row = { .prefix = marks ? CMD_MARKS : CMD_FUNCTIONS };
	char *binary = strdup(of->pattern + strlen(row.prefix)), *glob;
	struct heard h = { .of = of };
	struct user_binary *b;
	int err;

	if (!binary)
		return error_no_memory(e, "cannot list '%s'", of->pattern);
	glob = strchr(binary, ':');
	if (glob)
		*glob++ = '\0';
	row.binary = binary;
	b = user_open(binary, of->pid, e);
	err = b ? list_user_all(b, &h, &row, glob, e) : -ENOENT;
	user_close(b);
	free(h.rows);
	free(binary);
	return err;
}
