// SPDX-License-Identifier: GPL-2.0-only
/* node_show.c - what nodes counted, once or again and again. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ui/calibrated.h"
#include "ui/nodes.h"
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
	struct recording **last; /* of each node, for the differences */
	unsigned int period;
};

/* ---- options ---- */

#define TIME "it is a time above 0, like 1, 500ms or 2m"
#define OPTIONS_OF struct show

static const struct option_row node_show_options[] = {
	{ "interval", 'i', "SECONDS", "Options", "watch: report at this interval what came since",
	  OPTION_SECONDS(times.interval_ns), .why = TIME },
	{ "duration", 'd', "SECONDS", "Options", "watch for this time",
	  OPTION_SECONDS(times.duration_ns), .why = TIME },
	{ "format", 'f', "FORMAT", "Options", "as of trace, see kstats-bpf-formats(5)",
	  OPTION_TEXT(format), .offers = OFFER_FORMATS },
	{ "output", 'o', "FILE", "Options", "write there, all or nothing", OPTION_TEXT(path) },
	{ "record", 0, "FILE", "Options", "keep it there, for report, diff and check",
	  OPTION_TEXT(record) },
	{ "unit", 'u', "UNIT", "Options", "auto, ns, us, ms or s",
	  OPTION_WORD(output.options.unit, units_names) },
	{ "per-cpu-rows", 0, NULL, "Options", "a row for each CPU in the summary",
	  OPTION_FLAG(output.options.per_cpu_rows) },
	{ "buckets", 0, "BOUNDS", "Options", "of openmetrics: 4, or 100ns..10s/4",
	  OPTION_BY(buckets, buckets_set) },
	{ "all", 0, NULL, "Options", "every node there is", OPTION_FLAG(nodes.all) },
	NODES_PIN_ROOT("Options", nodes.path),
	{},
};

static const struct verb_help show_help = {
	.usage = "node show NAME...|--all [options]",
	.about = "What nodes counted since they were added or reset, in every format of trace.\n"
		 "GAP-NAME is the gaps alone of a node that was added with --gap.",
	.examples = "  kstats-bpf node show vfs_read\n"
		    "  kstats-bpf node show vfs_read -i 1\n"
		    "  kstats-bpf node show --all -f openmetrics -o kstats.prom\n",
};

/* ---- reading ---- */

static struct recording *read_node(struct show *s, int i, struct error *e)
{
	struct recording *r = nodes_read(&s->nodes, s->nodes.names[i], e);
	int err = 0;

	if (!r)
		return NULL;
	if (s->nodes.n > 1 || s->output.options.live) {
		r->source = strdup(s->nodes.names[i]);
		err = r->source ? 0 : -ENOMEM;
	}
	if (!err)
		err = recording_set_costs(r, r->whole, &s->costs);
	if (!err)
		return r;
	error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot show '%s'", s->nodes.names[i]);
	recording_free(r);
	return NULL;
}

static void free_all(struct recording **recs, int n)
{
	while (recs && n > 0)
		recording_free(recs[--n]);
	free(recs);
}

/* By node; with --all, NULL for nodes that were removed in the meantime. */
static struct recording **read_all(struct show *s, struct error *e)
{
	struct recording **recs = calloc(s->nodes.n + 1, sizeof(*recs));
	int i, n = recs ? s->nodes.n : 0;

	for (i = 0; i < n; i++) {
		recs[i] = read_node(s, i, e);
		if (recs[i] || nodes_gone(&s->nodes, e))
			continue;
		free_all(recs, i);
		return NULL;
	}
	return recs;
}

static int write_all(struct show *s, struct recording **recs, struct error *e)
{
	const struct recording **there = calloc(s->nodes.n + 1, sizeof(*there));
	struct render_set set = { 0, there };
	int i, err = there ? 0 : -ENOMEM;

	for (i = 0; !err && i < s->nodes.n; i++)
		if (recs[i])
			there[set.n++] = recs[i];
	if (!err)
		err = set.n ? output_write(&s->output, &set, e) : NONE_LEFT;
	free(there);
	return err;
}

static int keep(const struct show *s, struct recording **recs, struct error *e)
{
	struct outfile file = {};
	int err = outfile_open(&file, s->record, e);

	if (!err)
		err = output_save(recs[0], &file, e);
	outfile_abort(&file);
	return err;
}

/* A recording of gaps alone could not be loaded again. */
static int check_record(const struct show *s, struct recording **recs, struct error *e)
{
	if (!s->record || !recs[0] || recs[0]->whole->nodes[0].kind != SNAPSHOT_GAP)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "a recording is of a whole node",
			 "name the node and not its gaps", "cannot use --record");
}

static int show_once(struct show *s, struct error *e)
{
	struct recording **recs = read_all(s, e);
	int err = recs ? check_record(s, recs, e) : -EIO;

	if (!err)
		err = output_open(&s->output, s->path, e);
	if (!err)
		err = write_all(s, recs, e);
	if (!err)
		err = output_commit(&s->output, e);
	if (!err && s->record)
		err = keep(s, recs, e);
	free_all(recs, s->nodes.n);
	return err;
}

/* ---- watching ---- */

/* What was counted since. That is all of it if the node was reset or made anew in between. */
static struct snapshot *only_new(const struct recording *now, struct recording *before)
{
	struct snapshot *diff = before ? snapshot_since(now->whole, before->whole, NULL) : NULL;

	return diff ? diff : snapshot_copy(now->whole);
}

static int write_new(struct show *s, struct recording **now, struct error *e)
{
	struct recording *views = calloc(s->nodes.n, sizeof(*views));
	struct recording **set = calloc(s->nodes.n, sizeof(*set));
	int i, err = views && set ? 0 : -ENOMEM;

	for (i = 0; !err && i < s->nodes.n; i++) {
		if (!now[i])
			continue;
		views[i] = *now[i];
		views[i].whole = only_new(now[i], s->last[i]);
		set[i] = &views[i];
		err = views[i].whole ? 0 : -ENOMEM;
	}
	s->output.options.period = ++s->period;
	if (!err)
		err = write_all(s, set, e);
	for (i = 0; views && i < s->nodes.n; i++)
		snapshot_free(views[i].whole);
	free(views);
	free(set);
	return err;
}

static int show_period(struct show *s, struct error *e)
{
	struct recording **now = read_all(s, e);
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
	s->last = err ? NULL : read_all(s, e);
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

static int show(struct show *s, int argc, char **argv, struct error *e)
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
		err = show(&s, argc - first, argv + first, e);
	costs_free(&s.costs);
	output_abort(&s.output);
	nodes_close(&s.nodes);
	return err;
}

/* ---- export ---- */

static const struct option_row node_export_options[] = {
	{ "output", 'o', "FILE", "Options", "write there, whole or not at all, for all to read",
	  OPTION_TEXT(path) },
	{ "buckets", 0, "BOUNDS", "Options", "4, or 100ns..10s/4; the same on all hosts",
	  OPTION_BY(buckets, buckets_set) },
	NODES_PIN_ROOT("Options", nodes.path),
	{},
};

static const struct verb_help export_help = {
	.usage = "node export [options]",
	.about = "All nodes as one text for Prometheus: for the textfile folder of a node\n"
		 "exporter.",
	.examples = "  kstats-bpf node export -o /var/lib/prometheus/node-exporter/kstats.prom\n",
};

/* If a node cannot be read, the others are still written with new figures. */
static int read_those(struct show *s, struct recording **recs, int *status)
{
	struct error e;
	int i, n = 0;

	for (i = 0; i < s->nodes.n; i++) {
		e = (struct error){};
		recs[n] = read_node(s, i, &e);
		if (recs[n])
			n++;
		else if (!nodes_gone(&s->nodes, &e))
			*status = error_print(&e);
	}
	return n;
}

static int export_all(struct show *s, int *status, struct error *e)
{
	struct recording **recs = calloc(s->nodes.n + 1, sizeof(*recs));
	int n = recs ? read_those(s, recs, status) : 0, err = recs ? 0 : -ENOMEM;
	const struct render_set set = { n, (const struct recording *const *)recs };

	if (!err)
		err = output_open(&s->output, s->path, e);
	if (!err)
		err = output_write(&s->output, &set, e);
	if (!err && s->path && fchmod(s->output.file.fd, 0644))
		err = error_set(e, EXIT_USAGE, -errno, NULL, NULL,
				"cannot make '%s' readable for all", s->path);
	if (!err)
		err = output_commit(&s->output, e);
	free_all(recs, n);
	return err;
}

static int run_export(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct show s = {
		.nodes.root.fd = -1,
		.nodes.all = true,
		.output.options = { .unit = "auto", .live = true },
	};
	int first, status = EXIT_DONE;
	int err = options_parse(v->options, &s, argc, argv, &first, e);

	if (!err)
		err = output_format(&s.output, "openmetrics", e);
	if (!err)
		err = output_buckets(&s.output, &s.buckets, e);
	if (!err)
		err = nodes_find(&s.nodes, argv + first, argc - first, e);
	if (!err)
		err = export_all(&s, &status, e);
	output_abort(&s.output);
	nodes_close(&s.nodes);
	return err ? err : status;
}

const struct verb node_show_verb = {
	.name = "show",
	.line = "what they counted, in every format of trace",
	.help = &show_help,
	.options = node_show_options,
	.takes = OFFER_NODES,
	.run = run_show,
};

const struct verb node_export_verb = {
	.name = "export",
	.line = "all of them, for a node exporter",
	.help = &export_help,
	.options = node_export_options,
	.takes = OFFER_NODES,
	.run = run_export,
};
