// SPDX-License-Identifier: GPL-2.0-only
/*
 * hgrm.c - percentiles as HdrHistogram prints them, for the tools that plot such
 * files: a row for each slot that has samples, up to its last value.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "format/priv.h"
#include "util/text.h"
#include "result/dist.h"

#define DIGITS 3 /* after the decimal point */
#define BEYOND_LAST 0.5 /* samples: plotters leave out rows without a finite last column */

/* The unit is the same for all values, since tools plot them on one axis. */
static double scale_of(const char *unit, const char **name)
{
	*name = strcmp(unit, "auto") ? unit : "ns";
	return units_ns(*name);
}

static void hgrm_print_rows(FILE *out, const struct dist *d, double scale)
{
	struct dist_row row = DIST_ROW_BEGIN;
	double part, left;

	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	while (dist_next(d, &row)) {
		part = (double)row.cumulative / d->samples;
		fprintf(out, "%12.*f %2.12f %10" PRIu64, DIGITS, row.value.hi / scale, part,
			row.cumulative);
		left = d->samples - row.cumulative;
		fprintf(out, " %14.2f\n", d->samples / (left ? left : BEYOND_LAST));
	}
}

/* Variances inside of a slot that the mean of its samples leaves possible. */
struct inside {
	double even; /* spread evenly about the mean */
	double most; /* at both ends */
};

static struct inside inside_of(const struct dist_row *row)
{
	double below = (double)row->avg - row->value.lo, above = (double)row->value.hi - row->avg;
	double half = fmax(0, fmin(below, above));

	if (row->samples < 2)
		return (struct inside){};
	return (struct inside){ half * half / 3, fmax(0, below * above) };
}

struct deviation {
	double least;
	double even;
	double most;
};

static struct deviation deviation(const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	double mean = dist_mean(d), between = 0, even = 0, most = 0;
	struct inside in;

	while (dist_next(d, &row)) {
		in = inside_of(&row);
		between += row.samples * (row.avg - mean) * (row.avg - mean);
		even += row.samples * in.even;
		most += row.samples * in.most;
	}
	return (struct deviation){ sqrt(between / d->samples), sqrt((between + even) / d->samples),
				   sqrt((between + most) / d->samples) };
}

static void print_foot(FILE *out, const struct dist *d, double scale)
{
	struct deviation sd = deviation(d);

	fprintf(out, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n", DIGITS, dist_mean(d) / scale,
		DIGITS, sd.even / scale);
	fprintf(out, "#[Max     = %12.*f, Total count    = %12" PRIu64 "]\n", DIGITS,
		dist_quantile(d, DIST_ONE).hi / scale, d->samples);
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n",
		kstats_slot_bucket(kstats_n_slots(d->bits) - 1, d->bits), 1U << d->bits);
	fprintf(out, "# the slots leave a StdDeviation of %.*f to %.*f possible\n", DIGITS,
		sd.least / scale, DIGITS, sd.most / scale);
}

static int hgrm_print_node(FILE *out, const struct recording *rec, uint32_t node,
			   const struct report_look *o)
{
	const struct snapshot_node *n = &rec->whole->nodes[node];
	const char *unit;
	double scale = scale_of(o->unit, &unit);
	struct dist d;
	int err = dist_open(&d, rec->whole, node, DIST_ALL_CPUS);

	fputs("# ", out);
	text_safe(out, n->name, 0);
	fputs(": ", out);
	text_safe(out, n->what, 0);
	fprintf(out, ", %s\n", unit);
	if (!err && d.samples) {
		hgrm_print_rows(out, &d, scale);
		print_foot(out, &d, scale);
	} else if (!err) {
		fputs("# no samples\n", out);
	}
	dist_close(&d);
	return err;
}

int format_hgrm(FILE *out, const struct report *r)
{
	const struct recording *rec = report_recording(r);
	uint32_t i;
	int err = 0;

	format_comments(out, rec, r->look);
	for (i = 0; !err && i < rec->whole->n_nodes; i++)
		err = hgrm_print_node(out, rec, i, r->look);
	return err || ferror(out) ? -EIO : 0;
}
