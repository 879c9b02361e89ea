// SPDX-License-Identifier: GPL-2.0-only
/* node_ls.c - the nodes there are. See nodes.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "cmd/nodes.h"
#include "util/json.h"
#include "util/safe_str.h"
#include "util/units.h"

struct listing {
	struct nodes nodes;
	bool json;
};

static int set_json(void *to, const char *value, struct error *e)
{
	((struct listing *)to)->json = true;
	return 0;
}

const struct option_row node_ls_options[] = {
	{ "json", 0, NULL, "Options", "an array of objects", set_json },
	{ "pin-root", 0, "FOLDER", "Options", "where nodes are (" PIN_ROOT ")", nodes_set_root },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

static const struct verb_help ls_help = {
	.usage = "node ls [options]",
	.about = "The nodes there are: what each measures, since when, and how much. The rate is\n"
		 "that since the last look.",
	.examples = "  kstats-bpf node ls\n"
		    "  kstats-bpf node ls --json | jq -r '.[].name'\n",
};

static double age_of(const struct node_status *st)
{
	struct timespec ts;
	double now;

	clock_gettime(CLOCK_REALTIME, &ts);
	now = ts.tv_sec * 1e9 + ts.tv_nsec;
	return now > st->created_ns ? now - st->created_ns : 0;
}

static void print_cell(const char *text, int width)
{
	char safe[256];

	safe_str(safe, sizeof(safe), text);
	printf("%-*.*s ", width, width, safe);
}

static void print_row(const char *name, const struct recording *r, const struct node_status *st)
{
	char age[UNITS_TEXT], count[UNITS_TEXT], rate[32];

	snprintf(rate, sizeof(rate), "%.4g/s", st->rate);
	print_cell(name, 14);
	print_cell(st->words, 16);
	print_cell(r->whole->nodes[0].method, 12);
	print_cell(r->whole->backend, 4);
	printf("%-7s %8s %11s %9s\n", st->running ? "running" : "stopped",
	       units_duration(age, age_of(st), "auto"), units_count(count, st->samples),
	       st->running ? rate : "-");
}

static struct json_object *make_row(const char *name, const struct recording *r,
				    const struct node_status *st)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", name);

	err |= json_add_text(o, "words", st->words);
	err |= json_add_text(o, "what", r->whole->nodes[0].what);
	err |= json_add_text(o, "method", r->whole->nodes[0].method);
	err |= json_add_text(o, "backend", r->whole->backend);
	err |= json_add_u64(o, "bits", r->whole->bits);
	err |= json_add_u64(o, "distributions", r->whole->n_nodes);
	err |= json_add_text(o, "state", st->running ? "running" : "stopped");
	err |= json_add_u64(o, "created_ns", st->created_ns);
	err |= json_add_u64(o, "count", st->samples);
	err |= json_add(o, "rate", json_object_new_double(st->rate));
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

static int list_one(const struct listing *l, const char *name, struct json_object *rows,
		    struct error *e)
{
	struct node *n = node_open(l->nodes.root, name, false, e);
	struct recording *r = n ? node_read(n, e) : NULL;
	struct node_status st;
	int err = r ? 0 : -EIO;

	if (!err) {
		node_look(n, r, &st);
		if (l->json)
			err = json_push(rows, make_row(name, r, &st));
		else
			print_row(name, r, &st);
	}
	recording_free(r);
	node_close(n);
	return err;
}

/* One that cannot be read does not hide the others. */
static int list_all(struct listing *l, struct error *e)
{
	struct json_object *rows = l->json ? json_object_new_array() : NULL;
	int i, status = EXIT_DONE;

	if (!l->json && l->nodes.n)
		printf("%-14s %-16s %-12s %-4s %-7s %8s %11s %9s\n", "NAME", "WORDS", "METHOD",
		       "IN", "STATE", "AGE", "COUNT", "RATE");
	for (i = 0; i < l->nodes.n; i++) {
		*e = (struct error){};
		if (list_one(l, l->nodes.names[i], rows, e))
			status = error_print(e);
	}
	if (l->json)
		json_write_line(rows, stdout);
	json_object_put(rows);
	return status;
}

int node_do_ls(int argc, char **argv)
{
	struct listing l = { .nodes.root = -1, .nodes.all = true };
	struct error e = {};
	int first, err, status = EXIT_DONE;

	err = options_parse(node_ls_options, &l, argc, argv, &first, &e);
	if (err == OPTIONS_HELP) {
		options_help(node_ls_options, &ls_help, stdout);
		return EXIT_DONE;
	}
	if (!err)
		err = nodes_open(&l.nodes, false, &e);
	if (!err)
		err = nodes_name(&l.nodes, argv + first, argc - first, &e);
	if (!err)
		status = list_all(&l, &e);
	nodes_close(&l.nodes);
	return err ? error_print(&e) : status;
}
