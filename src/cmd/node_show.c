// SPDX-License-Identifier: GPL-2.0-only
/* node_show.c - what nodes counted, once or again and again. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/costs.h"
#include "ui/calibrated.h"
#include "ui/nodes.h"
#include "ui/order.h"
#include "ui/output.h"
#include "measure/run.h"
#include "util/units.h"

#define NONE_LEFT 1 /* exit code if no node could be shown */

struct show {
	struct nodes nodes;
	struct output output;
	const char *format;
	const char *path;
	const char *record;
	struct buckets buckets;
	struct spec times; /* only those of it are used */
	struct costs costs; /* floor and overhead, if they are known */
	const char *sort; /* a word of order_names, or NULL */
	struct order order; /* what it means */
	const char *by; /* or NULL; these two of memory events */
	unsigned int top;
	struct input *last; /* of each node, for the differences */
	unsigned int period;
};

/* ---- options ---- */

#define TIME "it is a time above 0, like 1, 500ms or 2m"
#define TOP_MOST 1000000
#define OPTIONS_OF struct show

static const struct option_row node_show_options[] = {
	{ "interval", 'i', "SECONDS", "Options", "watch: report at this interval what came since",
	  OPTION_SECONDS(times.interval_ns), .why = TIME },
	{ "duration", 'd', "SECONDS", "Options", "watch for this time",
	  OPTION_SECONDS(times.duration_ns), .why = TIME },
	{ "format", 'f', "FORMAT", "Options", "as of trace, see kstats-bpf-formats(5)",
	  OPTION_TEXT(format), .offers = OFFER_FORMATS },
	{ "output", 'o', "FILE", "Options", "write to this file, complete or not at all",
	  OPTION_TEXT(path) },
	{ "record", 0, "FILE", "Options", "write a recording, for report, diff and check",
	  OPTION_TEXT(record) },
	{ "unit", 'u', "UNIT", "Options", "auto, ns, us, ms or s",
	  OPTION_WORD(output.options.unit, units_names) },
	{ "buckets", 0, "BOUNDS", "Options", "bounds of openmetrics, vmrange: 8 or 1us..1s/8",
	  OPTION_BY(buckets, buckets_set) },
	{ "all", 0, NULL, "Options", "all nodes", OPTION_FLAG(nodes.all) },
	NODES_PIN_ROOT("Options", nodes.path),
	{ "sort", 0, "WHAT", "Options", "rows by total, count, p50, p99, max; or as in kmem",
	  OPTION_WORD(sort, order_names) },
	{ "by", 0, "WHAT", "Options", "rows by cpu; of kmem by site, ... or part of --by",
	  OPTION_TEXT(by), .words = kmem_names },
	{ "top", 0, "N", "Options", "rows of each table (20)", OPTION_NUMBER(top, 1, TOP_MOST) },
	{},
};

static const struct verb_help show_help = {
	.usage = "node show NAME...|--all [options]",
	.about = "Show what nodes counted since they were added or reset, in any format of trace.\n"
		 "GAP-NAME shows only the gaps of a node that was added with --gap. Nodes of\n"
		 "memory events are shown in the formats of kmem.",
	.examples = "  kstats-bpf node show vfs_read\n"
		    "  kstats-bpf node show vfs_read -i 1\n"
		    "  kstats-bpf node show --all -f openmetrics -o kstats.prom\n",
};

/* ---- reading ---- */

static int node_show_read_node(struct show *s, int i, struct input *in, struct error *e)
{
	const char *name = s->nodes.names[i];
	bool named = s->nodes.n > 1 || s->output.options.live;
	char **source;
	int err = 0;

	if (nodes_read(&s->nodes, name, in, e))
		return -EIO;
	source = in->rec ? &in->rec->source : &in->kmem->source;
	if (named) {
		*source = strdup(name);
		err = *source ? 0 : -ENOMEM;
	}
	if (!err && in->rec)
		err = recording_set_costs(in->rec, in->rec->whole, &s->costs);
	if (!err && in->rec) {
		s->output.options.keyed |= snapshot_has_keys(in->rec->whole);
		s->output.options.stepped |= costs_any_stepped(in->rec->whole);
	}
	if (!err)
		return 0;
	error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot show '%s'", name);
	input_free(in);
	*in = (struct input){};
	return err;
}

static void free_all(struct input *all, int n)
{
	while (all && n > 0)
		input_free(&all[--n]);
	free(all);
}

/* By node; with --all, nothing for nodes that were removed in the meantime. */
static struct input *node_show_read_all(struct show *s, struct error *e)
{
	struct input *all = calloc(s->nodes.n + 1, sizeof(*all));
	int i, n = all ? s->nodes.n : 0;

	for (i = 0; i < n; i++) {
		if (!node_show_read_node(s, i, &all[i], e) || nodes_gone(&s->nodes, e))
			continue;
		free_all(all, i);
		return NULL;
	}
	return all;
}

/* ---- what is shown ---- */

/* Keys that have not occurred are not shown; the next report may need their places. */
static void node_show_drop_unused(struct input *all, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (all[i].rec)
			recording_drop_unused(all[i].rec);
}

/* Those of one kind; the members are not owned. */
struct shown {
	struct report_set recs;
	struct report_kmem_set kmems;
	const struct kmem **before; /* of each of @kmems, or NULL */
};

static void free_shown(struct shown *w)
{
	free((void *)w->recs.recs);
	free((void *)w->kmems.recs);
	free(w->before);
}

/* @last: what the last report showed, or NULL. */
static int sort_out(struct shown *w, const struct input *all, const struct input *last, int n)
{
	const struct recording **recs = calloc(n + 1, sizeof(*recs));
	const struct kmem **kmems = calloc(n + 1, sizeof(*kmems));
	int i;

	*w = (struct shown){ { 0, recs }, { 0, kmems }, calloc(n + 1, sizeof(*w->before)) };
	if (!recs || !kmems || !w->before)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (all[i].rec)
			recs[w->recs.n++] = all[i].rec;
		if (!all[i].kmem)
			continue;
		w->before[w->kmems.n] = last ? last[i].kmem : NULL;
		kmems[w->kmems.n++] = all[i].kmem;
	}
	return 0;
}

/* Options that mean nothing for what is shown, and formats that cannot hold both kinds. */
static int check_shown(const struct show *s, const struct shown *w, struct error *e)
{
	const char *name = s->output.format->name;
	size_t i;

	if (!w->kmems.n && s->by && strcmp(s->by, "cpu"))
		return error_set(e, EXIT_USAGE, -EINVAL, "no node of memory events is shown",
				 "write --by cpu", "cannot use '%s' for --by", s->by);
	if (!w->kmems.n && s->top)
		return error_set(e, EXIT_USAGE, -EINVAL, "no node of memory events is shown",
				 "leave it out", "cannot use --top");
	if (w->kmems.n && !w->recs.n && s->buckets.given)
		return error_set(e, EXIT_USAGE, -EINVAL, "nodes of memory events have none",
				 "leave it out", "cannot use --buckets");
	for (i = 0; i < w->kmems.n; i++)
		if (kmem_group_check(w->kmems.recs[i], s->by, e))
			return -EINVAL;
	if (w->kmems.n && w->recs.n && strcmp(name, "summary") && strcmp(name, "json") &&
	    !s->output.format->mixed)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "some are of memory events, and others are not",
				 "name those of one kind", "cannot show them as one %s", name);
	return 0;
}

static int write_kmems(struct show *s, const struct shown *w, struct error *e)
{
	struct report_kmem_look how = { .by = s->by, .sort = s->order.kmem, .top = s->top };
	struct report_kmem_set one = { 1, NULL };
	size_t i;
	int err = output_kmem_format(&s->output, s->output.format->name, e);

	s->output.options.titled = s->nodes.n > 1;
	s->output.options.followed = false;
	if (!err && s->output.format->together && w->kmems.n > 1)
		return output_kmem(&s->output, &w->kmems, &how, e);
	for (i = 0; !err && !s->output.closed && i < w->kmems.n; i++) {
		one.recs = &w->kmems.recs[i];
		how.before = w->before[i];
		err = output_kmem(&s->output, &one, &how, e);
	}
	s->output.options.titled = false;
	return err;
}

static int write_shown(struct show *s, const struct shown *w, struct error *e)
{
	int err = check_shown(s, w, e);

	if (!err)
		err = order_find(s->sort, w->recs.n, w->kmems.n, &s->order, e);
	s->output.options.sort = s->order.trace;
	s->output.options.per_cpu_rows = s->by && !strcmp(s->by, "cpu");
	s->output.options.followed = w->kmems.n;
	/* An empty export is valid, too. */
	if (!err && (w->recs.n || (s->output.options.live && !w->kmems.n)))
		err = output_write(&s->output, &w->recs, e);
	if (!err && w->kmems.n)
		err = write_kmems(s, w, e);
	return err;
}

static int write_all(struct show *s, const struct input *all, const struct input *last, int n,
		     struct error *e)
{
	struct shown w;
	int err = sort_out(&w, all, last, n);

	if (err)
		error_no_memory(e, "cannot show the nodes");
	else if (!w.recs.n && !w.kmems.n && !s->output.options.live)
		err = NONE_LEFT;
	else
		err = write_shown(s, &w, e);
	free_shown(&w);
	return err;
}

static int node_show_keep(const struct show *s, const struct input *in, struct error *e)
{
	struct outfile file = {};
	int err = outfile_open(&file, s->record, e);

	if (!err)
		err = in->kmem ? output_save_kmem(in->kmem, &file, e)
			       : output_save(in->rec, &file, e);
	outfile_abort(&file);
	return err;
}

/* A recording of gaps alone could not be loaded again. */
static int check_record(const struct show *s, const struct input *in, struct error *e)
{
	if (!s->record || !in->rec || in->rec->whole->nodes[0].kind != SNAPSHOT_GAP)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "a recording is of a whole node",
			 "name the node and not its gaps", "cannot use --record");
}

static int show_once(struct show *s, struct error *e)
{
	struct input *all = node_show_read_all(s, e);
	int err = all ? check_record(s, all, e) : -EIO;

	if (all)
		node_show_drop_unused(all, s->nodes.n);
	if (!err)
		err = output_open(&s->output, s->path, e);
	if (!err)
		err = write_all(s, all, NULL, s->nodes.n, e);
	if (!err)
		err = output_commit(&s->output, e);
	if (!err && s->record)
		err = node_show_keep(s, all, e);
	free_all(all, s->nodes.n);
	return err;
}

/* ---- watching ---- */

/* What was counted since. That is all of it if the node was reset or made anew in between. */
static struct snapshot *only_new(const struct recording *now, const struct recording *before)
{
	struct snapshot *diff = NULL;

	if (before && before->whole->span.wall_ns == now->whole->span.wall_ns)
		diff = snapshot_since(now->whole, before->whole, NULL);

	return diff ? diff : snapshot_copy(now->whole);
}

/* Memory events are shown since the begin: what is live belongs to it. */
static int write_new(struct show *s, const struct input *now, struct error *e)
{
	struct recording *views = calloc(s->nodes.n, sizeof(*views));
	struct input *set = calloc(s->nodes.n, sizeof(*set));
	int i, err = views && set ? 0 : -ENOMEM;

	for (i = 0; !err && i < s->nodes.n; i++) {
		set[i] = now[i];
		if (!now[i].rec)
			continue;
		views[i] = *now[i].rec;
		views[i].whole = only_new(now[i].rec, s->last[i].rec);
		set[i].rec = &views[i];
		if (views[i].whole)
			recording_drop_unused(&views[i]);
		else
			err = -ENOMEM;
	}
	s->output.options.period = ++s->period;
	if (!err)
		err = write_all(s, set, s->last, s->nodes.n, e);
	for (i = 0; views && i < s->nodes.n; i++)
		if (now[i].rec)
			snapshot_free(views[i].whole);
	free(views);
	free(set);
	return err;
}

static int show_period(struct show *s, struct error *e)
{
	struct input *now = node_show_read_all(s, e);
	int err = now ? write_new(s, now, e) : -EIO;

	if (now) {
		free_all(s->last, s->nodes.n);
		s->last = now;
	}
	return err;
}

static int watch(struct show *s, struct error *e)
{
	struct run run = RUN_NONE;
	int event, err = output_open(&s->output, NULL, e);

	if (!err)
		err = run_open(&run, &s->times, e);
	s->last = err ? NULL : node_show_read_all(s, e);
	if (!err)
		err = s->last ? run_start(&run, &s->times, e) : -EIO;
	while (!err && !s->output.closed) {
		event = run_wait(&run);
		if (event == RUN_END || event == RUN_CLOSED)
			break;
		err = show_period(s, e);
	}
	run_close(&run);
	free_all(s->last, s->nodes.n);
	return err;
}

/* ---- the recipe ---- */

static int check_words(const struct show *s, struct error *e)
{
	const char *option = s->path ? "--output" : s->record ? "--record" : NULL;

	if (s->times.interval_ns && option)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "a file appears at the end, and watching has none",
				 "leave one out", "cannot combine --interval with %s", option);
	if (s->times.duration_ns && !s->times.interval_ns)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no --interval",
				 "add it, or leave it out", "cannot use --duration");
	return 0;
}

static int node_show_once(struct show *s, int argc, char **argv, struct error *e)
{
	int err = output_format(&s->output, s->format, e);

	if (!err)
		err = output_buckets(&s->output, &s->buckets, e);
	if (!err)
		err = check_words(s, e);
	if (!err)
		err = nodes_find(&s->nodes, argv, argc, e);
	if (!err && s->record && s->nodes.n != 1)
		err = error_set(e, EXIT_USAGE, -EINVAL, "a recording is of one node", "name one",
				"cannot use --record");
	if (err || !s->nodes.n)
		return err;
	calibrated_load(false, &s->costs);
	err = s->times.interval_ns ? watch(s, e) : show_once(s, e);
	return err == NONE_LEFT ? 0 : err;
}

static int run_show(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct show s = {
		.nodes.root.fd = -1,
		.format = "summary",
		.output.options.unit = "auto",
	};
	int first, err = options_parse(v->options, &s, argc, argv, &first, e);

	if (!err)
		err = node_show_once(&s, argc - first, argv + first, e);
	costs_free(&s.costs);
	output_abort(&s.output);
	nodes_close(&s.nodes);
	return err;
}

const struct verb node_show_verb = {
	.name = "show",
	.line = "show what they counted, in any format of trace",
	.help = &show_help,
	.options = node_show_options,
	.takes = OFFER_NODES,
	.run = run_show,
};
