// SPDX-License-Identifier: GPL-2.0-only
/*
 * others.c - other tests on the runs that check.c makes; see others.h. They see the figure
 * of each run, as it is interpolated, and nothing else: no order, no slots, no number of
 * samples.
 */
#include "others.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.01 /* of an increase alone */
#define LEVEL_BENCHSTAT 0.05 /* two-sided */

static int by_log(const void *a, const void *b)
{
	const struct compare_run *x = a, *y = b;

	return x->log < y->log ? -1 : x->log > y->log;
}

/* In the place of each figure its rank; equal ones share theirs. */
static void rank(struct compare_row *row)
{
	struct compare_run *r = row->runs;
	size_t i, k, n;

	qsort(r, row->n_runs, sizeof(*r), by_log);
	for (i = 0; i < row->n_runs; i += n) {
		for (n = 1; i + n < row->n_runs && r[i + n].log == r[i].log; n++)
			;
		for (k = 0; k < n; k++)
			r[i + k].log = i + (n - 1) / 2.0;
	}
}

/* Of an increase, one-sided. */
static double chance(const struct compare_row *row)
{
	return compare_permuted(row, 0, 0);
}

static double median(const struct compare_row *row, bool after)
{
	double x[1000];
	size_t i, n = 0;

	for (i = 0; i < row->n_runs; i++)
		if (row->runs[i].after == after)
			x[n++] = row->runs[i].log;
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static double p_of_ranks(const struct compare_row *like)
{
	struct compare_row row = *like;
	double p;

	row.runs = calloc(row.n_runs, sizeof(*row.runs));
	if (!row.runs)
		abort();
	memcpy(row.runs, like->runs, row.n_runs * sizeof(*row.runs));
	rank(&row);
	p = chance(&row);
	free(row.runs);
	return p;
}

static void judge(struct compare_row *row, double limit, bool fails[OTHERS_N])
{
	size_t i;

	row->paired = false;
	row->a.slack = row->b.slack = 0;
	if (!row->a.runs || !row->b.runs)
		return;
	qsort(row->runs, row->n_runs, sizeof(*row->runs), by_log);
	fails[OTHERS_BENCHSTAT] |=
		2 * p_of_ranks(row) < LEVEL_BENCHSTAT && median(row, true) > median(row, false);
	for (i = 0; i < row->n_runs; i++)
		row->runs[i].log -= row->runs[i].after ? log1p(limit) : 0;
	fails[OTHERS_RANKS] |= p_of_ranks(row) < LEVEL;
	fails[OTHERS_PERMUTED] |= chance(row) < LEVEL;
}

void others_fail(const struct compare_set *a, const struct compare_set *b, uint32_t millionths,
		 double limit, bool fails[OTHERS_N])
{
	const struct compare_metric metrics[] = { { .name = "q", .millionths = millionths }, {} };
	struct compare c;
	struct error e;
	size_t i;

	if (compare_make(&c, a, b, metrics, 0.95, &e))
		abort();
	for (i = 0; i < c.n; i++)
		judge(&c.rows[i], limit, fails);
	compare_free(&c);
}
