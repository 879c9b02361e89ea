// SPDX-License-Identifier: GPL-2.0-only
/* node_ls.c - the nodes there are. */
#include "cmd/cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ui/nodes.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/safe_str.h"
#include "util/units.h"

/* @rows has room for two rows of each node: its own, and one for its gaps. */
struct listing {
	struct nodes nodes;
	bool json;
	struct json_object *array;
	struct row *rows;
	int n_rows;
};

#define OPTIONS_OF struct listing

static const struct option_row node_ls_options[] = {
	{ "json", 0, NULL, "Options", "print an array of objects", OPTION_FLAG(json) },
	NODES_PIN_ROOT("Options", nodes.path),
	{},
};

static const struct verb_help ls_help = {
	.usage = "node ls [options]",
	.about = "List the nodes: what each measures, its age, its samples, and their rate since\n"
		 "the last 'node ls'. The gaps of a node have a row of their own, GAP-NAME. Nodes\n"
		 "of memory events count allocations. The last column is the command line. It\n"
		 "begins with the memory of the tables (memory events) or with the number of keys\n"
		 "and the limit of keys (--by).",
	.examples = "  kstats-bpf node ls\n"
		    "  kstats-bpf node ls --json | jq -r '.[].name'\n",
};

/* ---- a table, as wide as what is in it ---- */

enum column {
	NAME,
	METHOD,
	IN,
	STATE,
	AGE,
	COUNT,
	RATE,
	WORDS,
	N_COLUMNS
};

static const struct {
	const char *heading;
	bool right;
} columns[N_COLUMNS] = {
	[NAME] = { "NAME", false },   [METHOD] = { "METHOD", false }, [IN] = { "IN", false },
	[STATE] = { "STATE", false }, [AGE] = { "AGE", true },        [COUNT] = { "COUNT", true },
	[RATE] = { "RATE", true },    [WORDS] = { "WORDS", false },
};

struct row {
	char *cells[N_COLUMNS];
};

static double age_of(const struct node_status *st)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);

	return now > st->created_ns ? now - st->created_ns : 0;
}

/* "fentry" of "fentry/fexit", "tp_btf" of "tracepoint pair (tp_btf)". */
static char *short_method(const char *method)
{
	const char *programs = strchr(method, '(');

	if (programs)
		return strndup(programs + 1, strcspn(programs + 1, ")"));
	return strndup(method, strcspn(method, "/"));
}

static const char *state_of(const struct node_status *st)
{
	return !st->running ? "stopped" : st->lost ? "lost" : "running";
}

/* The row of a node, or of its gaps, to which @name, @samples, @more and @words belong. */
static int fill_row(struct row *row, const char *name, const struct node_status *st,
		    uint64_t samples, uint64_t more, const char *words)
{
	char text[UNITS_TEXT], safe[512];
	int i;

	row->cells[NAME] = strdup(safe_str(safe, sizeof(safe), name));
	row->cells[METHOD] = short_method(st->about->nodes[0].method);
	row->cells[IN] = strdup(st->about->backend);
	row->cells[STATE] = strdup(state_of(st));
	row->cells[AGE] = strdup(units_duration(text, age_of(st), "auto"));
	row->cells[COUNT] = strdup(units_count(text, samples));
	row->cells[RATE] = strdup(st->running ? units_rate(text, more, st->more_ns) : "-");
	row->cells[WORDS] = strdup(safe_str(safe, sizeof(safe), words));
	for (i = 0; i < N_COLUMNS; i++)
		if (!row->cells[i])
			return -ENOMEM;
	return 0;
}

/* Columns of the terminal. What goes into a file is not cut. */
static int line_width(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return INT_MAX;
}

static void print_row(const char *const *cells, const int *widths, int line)
{
	int i, left = line;

	for (i = 0; i < WORDS; i++) {
		printf("%*s ", columns[i].right ? widths[i] : -widths[i], cells[i]);
		left -= widths[i] + 1;
	}
	printf("%.*s\n", left > 0 ? left : 0, cells[WORDS]);
}

static void node_ls_print_table(struct row *rows, int n)
{
	const char *headings[N_COLUMNS];
	int widths[N_COLUMNS], i, r, len, line = line_width();

	for (i = 0; i < N_COLUMNS; i++) {
		headings[i] = columns[i].heading;
		widths[i] = strlen(headings[i]);
		for (r = 0; r < n; r++) {
			len = strlen(rows[r].cells[i]);
			widths[i] = len > widths[i] ? len : widths[i];
		}
	}
	if (n)
		print_row(headings, widths, line);
	for (r = 0; r < n; r++)
		print_row((const char *const *)rows[r].cells, widths, line);
}

static void free_rows(struct row *rows, int n)
{
	int i;

	while (rows && n-- > 0)
		for (i = 0; i < N_COLUMNS; i++)
			free(rows[n].cells[i]);
	free(rows);
}

/* ---- JSON ---- */

static double rate_of(const struct node_status *st, uint64_t more)
{
	return st->running && st->more_ns ? more * 1e9 / st->more_ns : 0;
}

static struct json_object *make_gaps(const char *name, const struct node_status *st)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", name);

	err |= json_add_u64(o, "count", st->samples.gaps);
	err |= json_add(o, "rate", json_object_new_double(rate_of(st, st->more.gaps)));
	return json_made(o, err);
}

static struct json_object *node_ls_make_file(const struct node_file *f)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "path", f->path);

	err |= json_add_text(o, "build_id", f->now.build_id);
	return json_made(o, err);
}

static struct json_object *make_files(const struct node_status *st)
{
	struct json_object *array = json_object_new_array();
	uint32_t i;

	for (i = 0; i < st->n_files; i++)
		if (json_push(array, node_ls_make_file(&st->files[i]))) {
			json_object_put(array);
			return NULL;
		}
	return array;
}

static struct json_object *make_row(const char *name, const char *gaps,
				    const struct node_status *st)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", name);

	err |= json_add_text(o, "words", st->words.text);
	err |= json_add_text(o, "what", st->about->nodes[0].what);
	err |= json_add_text(o, "method", st->about->nodes[0].method);
	err |= json_add_text(o, "backend", st->about->backend);
	err |= json_add_u64(o, "bits", st->about->bits);
	err |= json_add_u64(o, "distributions", st->about->n_nodes - st->most_keys + st->keys);
	err |= json_add_text(o, "state", state_of(st));
	if (st->lost)
		err |= json_add_text(o, "lost", st->lost);
	err |= json_add_u64(o, "created_ns", st->created_ns);
	err |= json_add_u64(o, "count", st->samples.recorded);
	err |= json_add(o, "rate", json_object_new_double(rate_of(st, st->more.recorded)));
	if (st->memory)
		err |= json_add_u64(o, "memory", st->memory);
	if (st->most_keys)
		err |= json_add_u64(o, "keys", st->keys) |
		       json_add_u64(o, "max_keys", st->most_keys);
	if (st->gapped)
		err |= json_add(o, "gaps", make_gaps(gaps, st));
	if (st->n_files)
		err |= json_add(o, "files", make_files(st));
	return json_made(o, err);
}

/* ---- the recipe ---- */

/* Add the row of a node, and the row of its gaps if it keeps them. */
static int add_rows(struct listing *l, const char *name, const char *gaps,
		    const struct node_status *st)
{
	char words[512], memory[UNITS_TEXT];
	int err;

	if (st->memory)
		snprintf(words, sizeof(words), "%s: %s", units_bytes(memory, st->memory),
			 st->words.text);
	else if (st->most_keys)
		snprintf(words, sizeof(words), "%u of %u keys: %s", st->keys, st->most_keys,
			 st->words.text);
	else
		snprintf(words, sizeof(words), "%s", st->words.text);
	err = fill_row(&l->rows[l->n_rows++], name, st, st->samples.recorded, st->more.recorded,
		       words);
	if (err || !st->gapped)
		return err;
	snprintf(words, sizeof(words), "gaps of %s", name);
	return fill_row(&l->rows[l->n_rows++], gaps, st, st->samples.gaps, st->more.gaps, words);
}

/* The table has no room for the reason; JSON has a member for it. */
static void say_lost(const struct listing *l, const char *name, const struct node_status *st)
{
	char safe[2][512];

	if (st->running && st->lost && !l->array)
		fprintf(stderr, "kstats-bpf: '%s' is lost: %s\n",
			safe_str(safe[0], sizeof(safe[0]), name),
			safe_str(safe[1], sizeof(safe[1]), st->lost));
}

static int node_ls_one(struct listing *l, const char *name, struct error *e)
{
	struct node *n = node_open(&l->nodes.root, name, NODE_LIST, e);
	struct node_status st;
	char gaps[256];
	int err = n ? node_look(n, &st, e) : -EIO;

	snprintf(gaps, sizeof(gaps), PLAN_GAP "%s", name);
	if (!err) {
		say_lost(l, name, &st);
		err = l->array ? json_push(l->array, make_row(name, gaps, &st))
			       : add_rows(l, name, gaps, &st);
		if (err)
			error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot list '%s'", name);
	}
	node_close(n);
	return err;
}

/* If a node cannot be read, the others are still listed. */
static int list_all(struct listing *l, struct error *e)
{
	int i, status = EXIT_DONE;

	l->array = l->json ? json_object_new_array() : NULL;
	l->rows = calloc(2 * l->nodes.n + 1, sizeof(*l->rows));
	for (i = 0; l->rows && i < l->nodes.n; i++) {
		*e = (struct error){};
		if (node_ls_one(l, l->nodes.names[i], e) && !nodes_gone(&l->nodes, e))
			status = error_print(e);
	}
	if (l->json)
		json_write_line(l->array, stdout);
	else if (l->rows)
		node_ls_print_table(l->rows, l->n_rows);
	json_object_put(l->array);
	free_rows(l->rows, l->n_rows);
	return status;
}

static int node_ls_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct listing l = { .nodes.root.fd = -1, .nodes.all = true };
	int first, err, status = EXIT_DONE;

	err = options_parse(v->options, &l, argc, argv, &first, e);
	if (!err && first < argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "it lists every node",
				"see one with 'kstats-bpf node show'", "cannot use '%s' here",
				argv[first]);
	if (!err)
		err = nodes_find(&l.nodes, argv + first, argc - first, e);
	if (!err)
		status = list_all(&l, e);
	nodes_close(&l.nodes);
	return err ? err : status;
}

const struct verb node_ls_verb = {
	.name = "ls",
	.also = "list",
	.line = "list the nodes",
	.help = &ls_help,
	.options = node_ls_options,
	.takes = OFFER_NODES,
	.run = node_ls_run,
};
