// SPDX-License-Identifier: GPL-2.0-only
/* report.c - the verb `report`: recordings in any format. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ui/input.h"
#include "ui/order.h"
#include "ui/output.h"
#include "ui/talk.h"
#include "util/units.h"

struct report_words {
	const char *format;
	const char *unit;
	const char *path; /* of the output, or NULL */
	bool periods;
	bool merge;
	int floor; /* of floor_names */
	struct buckets buckets;
	const char *by; /* or NULL */
	const char *sort; /* a word of order_names, or NULL */
	struct order order; /* what it means */
	unsigned int top;
	size_t n_kmems;
	struct kmem **kmems;
	size_t n;
	struct recording **recordings;
	struct output output;
};

#define TOP_MOST 1000000

#define OPTIONS_OF struct report_words

static const char *const floor_names[] = { "keep", "subtract", NULL };

static const struct option_row report_options[] = {
	{ "merge", 0, NULL, "Options", "merge all recordings into one", OPTION_FLAG(merge) },
	{ "floor", 0, "WHAT", "Options", "time of an empty function: keep or subtract it",
	  OPTION_INDEX(floor, int, floor_names) },
	{ "periods", 0, NULL, "Options", "also show each interval, before the whole",
	  OPTION_FLAG(periods) },
	{ "format", 'f', "FORMAT", "Options", "as of trace, see kstats-bpf-formats(5)",
	  OPTION_TEXT(format), .offers = OFFER_WHYS },
	{ "output", 'o', "FILE", "Options", "write to this file, complete or not at all",
	  OPTION_TEXT(path) },
	{ "unit", 'u', "UNIT", "Options", "auto, ns, us, ms or s", OPTION_WORD(unit, units_names) },
	{ "buckets", 0, "BOUNDS", "Options", "bounds of openmetrics, vmrange: 8 or 1us..1s/8",
	  OPTION_BY(buckets, buckets_set) },
	{ "sort", 0, "WHAT", "Options", "rows by total, count, p50, p99, max; or as in kmem",
	  OPTION_WORD(sort, order_names) },
	{ "by", 0, "WHAT", "Options", "rows by cpu; of kmem by site, ... or part of --by",
	  OPTION_TEXT(by), .words = kmem_names },
	{ "top", 0, "N", "Options", "rows of each table (20)", OPTION_NUMBER(top, 1, TOP_MOST) },
	{},
};

static const struct verb_help report_help = {
	.usage = "report FILE... [options]",
	.about = "Show what 'trace --record' or 'kmem --record' recorded, in any format. '-' is\n"
		 "standard input.",
	.examples = "  kstats-bpf report before.json\n"
		    "  kstats-bpf report run-*.json --merge -f openmetrics -o runs.txt\n"
		    "  kstats-bpf report before.json -f html -o before.html\n"
		    "  kstats-bpf report before.json -f json | jq .nodes[].quantiles_ns\n",
};

/* Merge each recording at once, so that they are not all in memory at a time. */
static int report_take(struct report_words *r, struct recording *rec, struct error *e)
{
	int err = 0;

	if (r->merge && r->n) {
		err = recording_merge(r->recordings[0], rec, e);
		recording_free(rec);
	} else {
		r->recordings[r->n++] = rec;
	}
	return err;
}

static int report_load_one(struct report_words *r, const char *file, struct error *e)
{
	struct input in;
	int err = input_load_any(file, &in, e);

	if (err) {
		input_free(&in);
		return err;
	}
	if (in.kmem) {
		r->kmems[r->n_kmems++] = in.kmem;
		return 0;
	}
	return report_take(r, in.rec, e);
}

static int no_floor(const struct report_words *r, const struct recording *rec, struct error *e)
{
	bool merged = r->merge && rec->runs > 1;

	return error_set(e, EXIT_USAGE, -ENODATA,
			 merged ? "the recordings have different floors" : "the floor is not in it",
			 merged ? "leave --merge out, or merge what was recorded in one boot"
				: "run 'kstats-bpf calibrate' before recording",
			 "cannot subtract the floor in '%s'", rec->source);
}

/* Refuse a recording from which no floor can be subtracted. */
static int check_floor(const struct report_words *r, struct error *e)
{
	uint32_t node;
	size_t i;

	for (i = 0; i < r->n; i++) {
		for (node = 0; node < r->recordings[i]->whole->n_nodes; node++)
			if (recording_cost(r->recordings[i], node))
				break;
		if (node == r->recordings[i]->whole->n_nodes)
			return no_floor(r, r->recordings[i], e);
	}
	return 0;
}

static int report_load(struct report_words *r, char *const *files, size_t n, struct error *e)
{
	size_t i;
	int err = 0;

	if (!n)
		return error_set(e, EXIT_USAGE, -EINVAL, "no file is named",
				 "name files that 'trace --record' has written",
				 "nothing to report");
	r->recordings = calloc(n, sizeof(*r->recordings));
	r->kmems = calloc(n, sizeof(*r->kmems));
	if (!r->recordings || !r->kmems)
		return error_no_memory(e, "cannot read the files");
	for (i = 0; !err && i < n; i++)
		err = report_load_one(r, files[i], e);
	return err;
}

static int show_periods(struct report_words *r, const struct recording *rec, struct error *e)
{
	struct recording view = *rec;
	size_t i;
	int err = 0;

	view.n_periods = 0;
	for (i = 0; !err && !r->output.closed && i < rec->n_periods; i++) {
		view.whole = recording_period(rec, i);
		if (!view.whole)
			return error_no_memory(e, "cannot show the intervals");
		err = output_period(&r->output, &view, i + 1, e);
		snapshot_free(view.whole);
	}
	return err;
}

static int show(struct report_words *r, struct error *e)
{
	const struct recording *const *recs = (const struct recording *const *)r->recordings;
	const struct report_set all = { r->n, recs };
	size_t i;
	int err = 0;

	if (r->n)
		talk_calls_left_out(r->recordings[0]);
	r->output.options.titled = r->n > 1;
	for (i = 0; r->periods && !err && !r->output.closed && i < r->n; i++)
		err = show_periods(r, recs[i], e);
	if (!err && !r->output.closed)
		err = output_write(&r->output, &all, e);
	return err ? err : output_commit(&r->output, e);
}

/* ---- memory events ---- */

/* Options that mean nothing for the one kind or the other. */
static int check_kind(const struct report_words *r, struct error *e)
{
	const char *path = r->n_kmems ? r->kmems[0]->source : "";

	if (r->n && r->n_kmems)
		return error_set(e, EXIT_USAGE, -EINVAL, "others are recordings of 'trace'",
				 "report them apart", "cannot report '%s' with them", path);
	if (!r->n_kmems && r->by && strcmp(r->by, "cpu"))
		return error_set(e, EXIT_USAGE, -EINVAL, "these are recordings of 'trace'",
				 "write --by cpu", "cannot use '%s' for --by", r->by);
	if (!r->n_kmems && r->top)
		return error_set(e, EXIT_USAGE, -EINVAL, "these are recordings of 'trace'",
				 "leave it out", "cannot use --top");
	if (r->n_kmems && (r->merge || r->floor || r->buckets.given))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is a recording of memory events",
				 "leave it out", "cannot use --%s for '%s'",
				 r->merge   ? "merge"
				 : r->floor ? "floor"
					    : "buckets",
				 path);
	return 0;
}

static int prepare_kmems(struct report_words *r, struct error *e)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < r->n_kmems; i++)
		err = kmem_group_check(r->kmems[i], r->by, e);
	if (err)
		return err;
	return output_kmem_format(&r->output, r->format, e);
}

static int show_kmems(struct report_words *r, struct error *e)
{
	const struct report_kmem_set all = { r->n_kmems, (const struct kmem *const *)r->kmems };
	const struct report_kmem_look o = {
		.by = r->by, .sort = r->order.kmem, .top = r->top, .periods = r->periods
	};
	int err;

	r->output.options.titled = r->n_kmems > 1;
	err = output_kmem(&r->output, &all, &o, e);
	return err ? err : output_commit(&r->output, e);
}

static void free_report(struct report_words *r)
{
	while (r->n_kmems)
		kmem_free(r->kmems[--r->n_kmems]);
	free(r->kmems);
	while (r->n)
		recording_free(r->recordings[--r->n]);
	free(r->recordings);
	output_abort(&r->output);
}

static int report_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct report_words r = { .format = "summary", .unit = "auto" };
	int first, err;

	err = options_parse(v->options, &r, argc, argv, &first, e);
	if (!err)
		err = output_any_format(&r.output, r.format, e);
	if (!err)
		err = output_buckets(&r.output, &r.buckets, e);
	if (!err)
		err = report_load(&r, argv + first, argc - first, e);
	if (!err)
		err = check_kind(&r, e);
	if (!err)
		err = order_find(r.sort, r.n, r.n_kmems, &r.order, e);
	if (!err && r.n_kmems)
		err = prepare_kmems(&r, e);
	r.output.options.unit = r.unit;
	r.output.options.sort = r.order.trace;
	r.output.options.per_cpu_rows = r.by && !strcmp(r.by, "cpu");
	r.output.options.subtract_floor = r.floor;
	if (!err && r.floor)
		err = check_floor(&r, e);
	if (!err)
		err = output_open(&r.output, r.path, e);
	if (!err)
		err = r.n_kmems ? show_kmems(&r, e) : show(&r, e);
	free_report(&r);
	return err;
}

const struct verb report_verb = {
	.name = "report",
	.line = "show recordings in any format",
	.help = &report_help,
	.options = report_options,
	.run = report_run,
};
