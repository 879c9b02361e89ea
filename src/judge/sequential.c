// SPDX-License-Identifier: GPL-2.0-only
/* sequential.c - judge rows after every pair; see sequential.h. */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"
#include "judge/sequential.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define HOPELESS 0.005 /* a row with a smaller chance to be decided ends undecided */

/* Two runs that have the same place in their sets. */
struct pair {
	double base; /* logarithms of the figures */
	double judged;
	double slack; /* of both */
	double noise; /* variance of the difference from the number of samples alone */
};

/* The pairs of a row, and the level at which each look judges. */
struct looking {
	const struct sequential *q;
	struct compare_row *row;
	struct pair *pairs;
	unsigned int n;
	double limit; /* logarithm */
	double found; /* lowest level of the last look at which any look finds it slower */
	double slower; /* levels of the last look */
	double not_slower;
};

/* All pairs up to a look; mean and squares of their differences by Welford. */
struct tally {
	unsigned int n;
	double base;
	double mean;
	double squares;
	double slack;
	double noise;
};

/* ---- the pairs ---- */

static int take_pairs(struct looking *l)
{
	const struct compare_run *at[2][SEQUENTIAL_MAX] = {}, *r, *base, *judged;
	unsigned int i;

	l->pairs = calloc(l->q->last, sizeof(*l->pairs));
	if (!l->pairs)
		return -ENOMEM;
	for (r = l->row->runs; r < l->row->runs + l->row->n_runs; r++)
		if (r->place < l->q->last)
			at[r->after][r->place] = r;
	for (i = 0; i < l->q->last; i++) {
		base = at[false][i];
		judged = at[true][i];
		if (base && judged)
			l->pairs[l->n++] = (struct pair){
				.base = base->log,
				.judged = judged->log,
				.slack = base->slack + judged->slack,
				.noise = pow(base->noise, 2) + pow(judged->noise, 2),
			};
	}
	return 0;
}

static void sequential_add(struct tally *t, const struct pair *p)
{
	double x = p->judged - p->base, delta = x - t->mean;

	t->n++;
	t->mean += delta / t->n;
	t->squares += delta * (x - t->mean);
	t->base += (p->base - t->base) / t->n;
	t->slack += (p->slack - t->slack) / t->n;
	t->noise += (p->noise - t->noise) / t->n;
}

/* Pairs may be close by chance: their variance is at least that of their samples. */
static double spread(const struct tally *t)
{
	return sqrt(fmax(t->squares / (t->n - 1), t->noise));
}

/*
 * All pairs may have one side in one mode and the other in another: half of the time the runs
 * of a pair are in different modes, and half of these times in this order.
 */
static double modes(const struct looking *l, const struct tally *t)
{
	return pow(0.25, t->n) > l->q->error ? log1p(COMPARE_MODES) : 0;
}

/* Probability of so large a distance from the limit in one direction, if there is none. */
static double chance(const struct looking *l, const struct tally *t, double distance)
{
	double error = spread(t) / sqrt(t->n);

	distance -= t->slack + modes(l, t);
	if (error > 0)
		return pt(distance / error, t->n - 1, 0, 0);
	return distance > 0 ? 0 : 0.5;
}

/* The level of the last look at which this look is just significant. */
static double at_last(const struct looking *l, const struct tally *t, double chance)
{
	return chance * l->q->last / t->n;
}

static void sequential_find(struct looking *l)
{
	bool few = l->row->a.few + l->row->b.few || l->row->tail;
	struct tally t = {};

	l->row->look.hopeless = few; /* more runs do not make these longer */
	l->row->known = !few && l->n >= l->q->first;
	l->found = 1;
	while (l->row->known && t.n < l->n) {
		sequential_add(&t, &l->pairs[t.n]);
		if (t.n >= l->q->first)
			l->found = fmin(l->found, at_last(l, &t, chance(l, &t, t.mean - l->limit)));
	}
}

/* ---- the look that decides ---- */

static bool decides(const struct looking *l, const struct tally *t)
{
	return at_last(l, t, chance(l, t, t->mean - l->limit)) <= l->slower ||
	       at_last(l, t, chance(l, t, l->limit - t->mean)) <= l->not_slower;
}

static void set_interval(const struct looking *l, const struct tally *t, double last, double *lo,
			 double *hi)
{
	double level = last * t->n / l->q->last;
	double half = t->slack + modes(l, t) + qt(level, t->n - 1, 0, 0) * spread(t) / sqrt(t->n);

	*lo = expm1(t->mean - half);
	*hi = expm1(t->mean + half);
}

/*
 * Probability that the last look decides, predicted from the pairs so far: the mean of all
 * pairs differs from the present mean by a Student's t, whose scale allows for the error of
 * the present mean and of the pairs to come.
 */
static double chance_left(const struct looking *l, const struct tally *t)
{
	double n = t->n, last = l->q->last, s = spread(t), far = t->mean - l->limit;
	double to_come = s * sqrt((last - n) / (n * last));
	double slower = qt(l->slower, last - 1, 0, 0) * s / sqrt(last) + t->slack - far;
	double not_slower = qt(l->not_slower, last - 1, 0, 0) * s / sqrt(last) + t->slack + far;

	if (to_come <= 0)
		return slower < 0 || not_slower < 0;
	return pt(slower / to_come, n - 1, 0, 0) + pt(not_slower / to_come, n - 1, 0, 0);
}

static void see_ahead(struct looking *l, const struct tally *t)
{
	const struct compare_estimate e = {
		.distance = fabs(t->mean - l->limit) - t->slack,
		.error = spread(t) / sqrt(t->n),
		.spread = spread(t),
		.freedom = t->n - 1,
		.level = t->mean > l->limit ? l->slower : l->not_slower,
	};
	struct compare_look *look = &l->row->look;

	look->hopeless = t->n < l->q->last && chance_left(l, t) < HOPELESS;
	look->needed = compare_runs_settle(&e);
}

static void sequential_look(struct looking *l)
{
	struct compare_row *row = l->row;
	struct tally t = {};

	while (t.n < l->n && !row->look.decided) {
		sequential_add(&t, &l->pairs[t.n]);
		row->look.decided = row->known && t.n >= l->q->first && decides(l, &t);
	}
	row->look.pairs = t.n;
	if (!row->known)
		return;
	row->a.value = exp(t.base);
	row->b.value = exp(t.base + t.mean);
	row->change = expm1(t.mean);
	row->p = chance(l, &t, t.mean - l->limit);
	set_interval(l, &t, l->slower, &row->lo, &row->hi);
	set_interval(l, &t, l->not_slower, &row->alone.lo, &row->alone.hi);
	if (!row->look.decided)
		see_ahead(l, &t);
}

/* ---- all rows ---- */

static int by_found(const void *a, const void *b)
{
	double x = (*(struct looking *const *)a)->found, y = (*(struct looking *const *)b)->found;

	return x < y ? -1 : x > y;
}

/*
 * Holm's step-down, over the lowest level that any look of a row reaches. Only the level for
 * an error of @error / rows is computed. For an error k times as large it is taken to be k
 * times as large. In fact it is somewhat larger, since the error of all looks grows slower
 * than the level of each.
 */
static void set_levels(struct looking **by_level, size_t rows, struct sequential *q)
{
	size_t i, left = rows;
	bool stands = false;
	struct looking *l;

	if (q->rows != rows) {
		q->shared =
			rows > 1 ? sequential_level(q->first, q->last, q->error / rows) : q->level;
		q->rows = rows;
	}
	for (i = 0; i < rows; i++) {
		l = by_level[i];
		l->not_slower = q->level;
		l->slower = q->shared * rows / left;
		l->row->confidence = 1 - q->error / left;
		l->row->alone.confidence = 1 - q->error;
		if (l->found > l->slower)
			stands = true;
		else if (left > 1 && !stands)
			left--;
	}
}

static void sequential_begin(struct looking *l, struct compare_row *row, const struct sequential *q)
{
	*l = (struct looking){ .q = q, .row = row, .limit = log1p(row->metric->limit) };
	row->look = (struct compare_look){ .first = q->first, .last = q->last };
	row->lo = row->alone.lo = -1;
	row->hi = row->alone.hi = INFINITY;
	row->p = 1;
}

int sequential_judge(struct compare *c, struct sequential *q)
{
	struct looking *looking = calloc(c->n + 1, sizeof(*looking));
	struct looking **by_level = calloc(c->n + 1, sizeof(*by_level));
	size_t i, rows = 0;
	int err = looking && by_level ? 0 : -ENOMEM;

	for (i = 0; !err && i < c->n; i++) {
		sequential_begin(&looking[i], &c->rows[i], q);
		err = take_pairs(&looking[i]);
		if (err || !looking[i].n)
			continue;
		by_level[rows++] = &looking[i];
		sequential_find(&looking[i]);
	}
	if (!err) {
		qsort(by_level, rows, sizeof(*by_level), by_found);
		set_levels(by_level, rows, q);
	}
	for (i = 0; !err && i < rows; i++)
		sequential_look(by_level[i]);
	for (i = 0; looking && i < c->n; i++)
		free(looking[i].pairs);
	free(by_level);
	free(looking);
	return err;
}

void sequential_make(struct sequential *q, unsigned int first, unsigned int last, double confidence)
{
	*q = (struct sequential){ .first = first, .last = last, .error = 1 - confidence };
	q->level = sequential_level(first, last, q->error);
}
