// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter.c - whose events are measured. Filters look at the task that runs at the start; where a
 * recipe measures what happens to another one, they become conditions over that.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/priv.h"
#include "spec/spec.h"

#define NO_TASK "none" /* its events belong to no task */
#define MANY_TASKS "any" /* no expression tells whose they are at all of its starts */

static const struct filter {
	const char *option;
	const char *member; /* of a task; NULL: no condition has it */
	bool is_text;
} filters[] = {
	{ "pid", "tgid", false },
	{ "tid", "pid", false },
	{ "comm", "comm", true },
	{ "cgroup", NULL, false },
};

static const struct filter *filter_of(const struct option_row *row)
{
	size_t i;

	for (i = 0; row && i < sizeof(filters) / sizeof(*filters); i++)
		if (!strcmp(filters[i].option, row->name))
			return &filters[i];
	return NULL;
}

static int filter_refuse(const struct recipe *r, const char *what, struct error *e)
{
	bool none = !strcmp(r->task, NO_TASK), any = !strcmp(r->task, MANY_TASKS);
	char next[200];

	snprintf(next, sizeof(next),
		 any    ? "leave it out and read the rows, which tell tasks apart; give --all "
			  "beside a command"
		 : none ? "leave it out, and give --all beside a command"
			: "use --comm, --pid or --tid, and --all beside a command");
	return error_set(e, EXIT_USAGE, -EINVAL,
			 none ? "what it measures belongs to no task"
			      : "its events happen while another task runs",
			 next, "cannot use %s with @%s", what, r->name);
}

/* "prev->tgid == 1 || prev->tgid == 2". Return: owned by the caller, or NULL. */
static char *filter_condition(const struct recipe *r, const struct filter *f, const char *value)
{
	char *text = NULL, *copy = strdup(value), *save = NULL, *word;
	size_t size;
	FILE *out = copy ? open_memstream(&text, &size) : NULL;

	if (out && f->is_text) {
		fprintf(out, "%s->%s == \"%s\"", r->task, f->member, value);
	} else if (out) {
		for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save))
			fprintf(out, "%s%s->%s == %s", word == copy ? "" : " || ", r->task,
				f->member, word);
	}
	free(copy);
	return out && !fclose(out) ? text : NULL;
}

/* What stands before a filter in its word: "-q" of "-qp". */
static void filter_keep_letters(const char *word, const char *value, struct recipe_list *out)
{
	size_t length = value ? value - word : (ptrdiff_t)strlen(word);

	if (word[1] != '-' && length > 2)
		recipe_list_add(out, strndup(word, length - 1));
}

static bool filter_has_task(const struct recipe *r)
{
	return strcmp(r->task, NO_TASK) && strcmp(r->task, MANY_TASKS);
}

static int filter_words(const struct recipe *r, int argc, char **argv, struct recipe_list *out,
			struct error *e)
{
	const struct option_row *row;
	const struct filter *f;
	const char *value;
	char what[80];
	bool next;
	int i;

	recipe_list_add(out, strdup(argv[0]));
	for (i = 1; i < argc; i++) {
		row = recipe_option(argv[i], &value, &next);
		f = r->task ? filter_of(row) : NULL;
		if (f && (!f->member || !filter_has_task(r))) {
			snprintf(what, sizeof(what), "--%s", row->name);
			return filter_refuse(r, what, e);
		}
		if (!f || (next && i + 1 == argc)) {
			recipe_list_add(out, strdup(argv[i]));
			if (next && i + 1 < argc)
				recipe_list_add(out, strdup(argv[++i]));
			continue;
		}
		filter_keep_letters(argv[i], value, out);
		recipe_list_add(out, strdup("--if"));
		recipe_list_add(out, filter_condition(r, f, next ? argv[++i] : value));
	}
	return 0;
}

static bool filter_gives_all(int argc, char **argv)
{
	const char *value;
	bool next;
	int i;

	for (i = 1; i < argc; i++) {
		if (recipe_option_is(argv[i], "all"))
			return true;
		recipe_option(argv[i], &value, &next);
		i += next;
	}
	return false;
}

int recipe_filter(const struct recipe *r, int argc, char **argv, bool command,
		  struct recipe_list *out, struct error *e)
{
	int err;

	if (r->task && command && !filter_gives_all(argc, argv))
		return filter_refuse(r, "a command without --all", e);
	err = filter_words(r, argc, argv, out, e);
	return !err && out->no_memory ? error_no_memory(e, "cannot use @%s", r->name) : err;
}
