// SPDX-License-Identifier: GPL-2.0-only
/* list_user.c - `list u:BINARY` and `list usdt:BINARY`: functions and marks of a program. */
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "ui/output.h"
#include "user/user.h"
#include "util/safe_str.h"

#define OF_FUNCTIONS "u:"
#define OF_MARKS "usdt:"

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
	uint64_t offset;
	size_t places;
};

bool cmd_is_user(const char *pattern)
{
	return pattern && (!strncmp(pattern, OF_FUNCTIONS, strlen(OF_FUNCTIONS)) ||
			   !strncmp(pattern, OF_MARKS, strlen(OF_MARKS)));
}

static void add_text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, value ? json_object_new_string(value) : NULL);
}

static void print_json(const struct row *row)
{
	struct json_object *o = json_object_new_object();
	char place[32];

	snprintf(place, sizeof(place), "0x%" PRIx64, row->offset);
	add_text(o, "kind", row->symbol ? "user function" : "static probe");
	add_text(o, "binary", row->binary);
	add_text(o, "name", row->name);
	if (row->symbol)
		add_text(o, "symbol", row->symbol);
	else
		add_text(o, "arguments", row->arguments);
	add_text(o, "offset", place);
	json_object_object_add(o, "places", json_object_new_int64(row->places));
	add_text(o, "first", row->why ? NULL : user_first_words(row->first));
	add_text(o, "why_not", row->why);
	add_text(o, "why_no_return", row->no_return);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

static void print_row(const struct row *row, bool json)
{
	char full[1024], text[2048];

	if (json) {
		print_json(row);
		return;
	}
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

static size_t list_functions(const struct user_binary *b, struct row *row, const char *glob,
			     bool json)
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
		row->offset = s->offset;
		row->places = 1;
		print_row(row, json);
		listed++;
	}
	return listed;
}

static size_t list_marks(const struct user_binary *b, struct row *row, const char *glob, bool json)
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
		row->first = m->first;
		row->offset = m->offsets[0];
		row->places = m->n;
		print_row(row, json);
		listed++;
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

int cmd_list_user(const char *pattern, pid_t pid, bool json, struct error *e)
{
	bool marks = !strncmp(pattern, OF_MARKS, strlen(OF_MARKS));
	struct row row = { .prefix = marks ? OF_MARKS : OF_FUNCTIONS };
	char *binary = strdup(pattern + strlen(row.prefix)), *glob;
	struct user_binary *b;
	size_t n = 0;
	int err = 0;

	if (!binary)
		return error_no_memory(e, "cannot list '%s'", pattern);
	glob = strchr(binary, ':');
	if (glob)
		*glob++ = '\0';
	row.binary = binary;
	b = user_open(binary, pid, e);
	if (!b)
		err = -ENOENT;
	else
		n = marks ? list_marks(b, &row, glob, json) : list_functions(b, &row, glob, json);
	if (b && fflush(stdout))
		err = errno == EPIPE ? 0 : output_failed("the list", e);
	else if (b && !n)
		err = nothing(b, pattern, marks, e);
	else if (b && !marks && *user_lacks(b))
		fprintf(stderr, "kstats-bpf: %s\n", user_lacks(b));
	user_close(b);
	free(binary);
	return err;
}
