// SPDX-License-Identifier: GPL-2.0-only
/* compare.c - rows and their intervals; see compare.h. */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct compare_metric compare_metrics[] = {
	{ "mean", COMPARE_MEAN }, { "p50", 500000 },   { "p90", 900000 },
	{ "p99", 990000 },        { "p99.9", 999000 }, {},
};

/* ---- one side ---- */

int compare_find(const struct snapshot *s, const char *name)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (!strcmp(s->nodes[i].name, name))
			return i;
	return -1;
}

static void take_bounds(struct dist_bounds *all, const struct dist_bounds *one, bool first)
{
	if (first || one->lo < all->lo)
		all->lo = one->lo;
	if (first || one->hi > all->hi)
		all->hi = one->hi;
}

/* Mean and spread of the logarithms, by Welford. A figure of 0 counts as 1. */
static int side_make(struct compare_side *side, const struct compare_set *set, const char *name,
		     uint32_t millionths)
{
	double mean = 0, sum = 0, x, delta;
	struct compare_figure f;
	int node, err;
	size_t i;

	*side = (struct compare_side){};
	for (i = 0; i < set->n; i++) {
		node = compare_find(set->runs[i], name);
		err = node < 0 ? -ENODATA : compare_figure(&f, set->runs[i], node, millionths);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		take_bounds(&side->bounds, &f.bounds, !side->runs);
		side->runs++;
		side->samples += f.samples;
		side->noise += (f.noise - side->noise) / side->runs;
		side->slack += (f.slack - side->slack) / side->runs;
		x = log(fmax(f.value, 1));
		delta = x - mean;
		mean += delta / side->runs;
		sum += delta * (x - mean);
	}
	side->empty = set->n - side->runs;
	side->value = side->runs ? exp(mean) : 0;
	side->spread = side->runs > 1 ? sqrt(sum / (side->runs - 1)) : 0;
	return 0;
}

/* ---- the interval ---- */

/* Standard error of the difference, and its degrees of freedom. */
struct welch {
	double error;
	double freedom;
};

static struct welch welch_of(const struct compare_side *a, const struct compare_side *b)
{
	double va = a->spread * a->spread / a->runs, vb = b->spread * b->spread / b->runs;
	struct welch w = { .error = sqrt(va + vb), .freedom = a->runs + b->runs - 2 };

	if (va + vb > 0)
		w.freedom =
			(va + vb) * (va + vb) / (va * va / (a->runs - 1) + vb * vb / (b->runs - 1));
	return w;
}

static double log_change(const struct compare_row *row)
{
	return log(row->b.value / row->a.value);
}

/* What the slots leave open on both sides together. */
static double slack_of(const struct compare_row *row)
{
	return row->a.slack + row->b.slack;
}

static void test(struct compare_row *row)
{
	double distance = fmax(0, fabs(log_change(row)) - slack_of(row));
	struct welch w = welch_of(&row->a, &row->b);

	if (w.error > 0)
		row->p = 2 * pt(distance / w.error, w.freedom, 0, 0);
	else
		row->p = distance > 0 ? 0 : 1;
}

static void interval(struct compare_row *row, double confidence)
{
	struct welch w = welch_of(&row->a, &row->b);
	double half = slack_of(row), change = log_change(row);

	if (w.error > 0)
		half += qt(1 - (1 - confidence) / 2, w.freedom, 1, 0) * w.error;
	row->confidence = confidence;
	row->lo = expm1(change - half);
	row->hi = expm1(change + half);
}

static int row_make(struct compare_row *row, const char *name, const struct compare_metric *metric,
		    const struct compare_set *a, const struct compare_set *b)
{
	int err;

	*row = (struct compare_row){
		.name = name, .metric = metric, .lo = -1, .hi = INFINITY, .p = 1
	};
	err = side_make(&row->a, a, name, metric->millionths);
	if (!err)
		err = side_make(&row->b, b, name, metric->millionths);
	if (err || !row->a.runs || !row->b.runs)
		return err;
	row->change = expm1(log_change(row));
	row->known = row->a.runs > 1 && row->b.runs > 1;
	if (row->known)
		test(row);
	return 0;
}

/* ---- all rows ---- */

static int by_p(const void *a, const void *b)
{
	double pa = (*(struct compare_row *const *)a)->p, pb = (*(struct compare_row *const *)b)->p;

	return pa < pb ? -1 : pa > pb;
}

/*
 * Holm: the smallest p against alpha / m, the next against alpha / (m - 1), until
 * one stands; that one and all larger get its level. Their intervals likewise.
 */
static int intervals(struct compare *c, double confidence)
{
	struct compare_row **order = calloc(c->n + 1, sizeof(*order));
	size_t i, m = 0, left;
	double alpha = 1 - confidence;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < c->n; i++)
		if (c->rows[i].known)
			order[m++] = &c->rows[i];
	qsort(order, m, sizeof(*order), by_p);
	for (i = 0, left = m; i < m; i++) {
		interval(order[i], 1 - alpha / left);
		if (left > 1 && order[i]->p <= alpha / left)
			left--;
		else if (order[i]->p > alpha / left)
			break;
	}
	for (i++; i < m; i++)
		interval(order[i], 1 - alpha / left);
	free(order);
	return 0;
}

static bool has_name(const struct compare_set *set, const char *name)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (compare_find(set->runs[i], name) >= 0)
			return true;
	return false;
}

static bool seen_before(const struct compare_set *set, size_t run, const char *name)
{
	const struct compare_set before = { .n = run, .runs = set->runs };

	return has_name(&before, name);
}

static size_t count_names(const struct compare_set *set)
{
	size_t i, n = 0;

	for (i = 0; i < set->n; i++)
		n += set->runs[i]->n_nodes;
	return n;
}

/* The names of one side: rows for those that the other has too. */
static int add_names(struct compare *c, const struct compare_set *from, const struct compare_set *a,
		     const struct compare_set *b, const struct compare_metric *metrics)
{
	const struct compare_set *other = from == a ? b : a;
	const struct compare_metric *m;
	const char *name;
	uint32_t node;
	size_t run;
	int err;

	for (run = 0; run < from->n; run++) {
		for (node = 0; node < from->runs[run]->n_nodes; node++) {
			name = from->runs[run]->nodes[node].name;
			if (seen_before(from, run, name) ||
			    from->runs[run]->nodes[node].kind == SNAPSHOT_UNVERIFIED ||
			    (from->no_gaps && from->runs[run]->nodes[node].kind == SNAPSHOT_GAP))
				continue;
			if (!has_name(other, name))
				c->missing[c->n_missing++] = name;
			for (m = metrics; from == a && has_name(b, name) && m->name; m++) {
				err = row_make(&c->rows[c->n++], name, m, a, b);
				if (err)
					return err;
			}
		}
	}
	return 0;
}

int compare_make(struct compare *c, const struct compare_set *a, const struct compare_set *b,
		 const struct compare_metric *metrics, double confidence, struct error *e)
{
	size_t n_metrics = 0;
	int err = -ENOMEM;

	while (metrics[n_metrics].name)
		n_metrics++;
	*c = (struct compare){};
	c->rows = calloc(count_names(a) * n_metrics + 1, sizeof(*c->rows));
	c->missing = calloc(count_names(a) + count_names(b) + 1, sizeof(*c->missing));
	if (c->rows && c->missing)
		err = add_names(c, a, a, b, metrics);
	if (!err)
		err = add_names(c, b, a, b, metrics);
	if (!err)
		err = intervals(c, confidence);
	if (err) {
		compare_free(c);
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot compare");
	}
	return 0;
}

unsigned int compare_runs_needed(const struct compare_row *row, double limit)
{
	double spread = hypot(row->a.spread, row->b.spread);
	double distance = fabs(log_change(row) - log1p(limit)) - slack_of(row);
	unsigned int n;

	if (!row->known || distance <= 0)
		return 0;
	for (n = 2; n <= COMPARE_RUNS_MAX; n++)
		if (qt(1 - (1 - row->confidence) / 2, 2 * n - 2, 1, 0) * spread / sqrt(n) <
		    distance)
			return n;
	return 0;
}

void compare_free(struct compare *c)
{
	free(c->rows);
	free(c->missing);
	*c = (struct compare){};
}
