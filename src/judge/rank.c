// SPDX-License-Identifier: GPL-2.0-only
/*
 * rank.c - increases by the ranks of the runs, see compare.h.
 *
 * A run that is twice as slow as all others hides a change from the mean, but not from the
 * ranks. So both are asked, always: an increase is shown if either shows it, and if a
 * permutation test of both together confirms it. The latter keeps the promised level, since of
 * each way to deal out the runs it takes the smaller of the two probabilities.
 *
 * By ranks, the test is that of Welch on the ranks: the sides may vary differently. At low
 * levels it is too bold for few runs, so its probability is at least that of the permutation
 * test of Wilcoxon.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/chance.h"

#define WAYS_MAX 200000 /* most permutations that are all tried */
#define DEALS 20000 /* random permutations, if there are more */
#define SAME 1e-9 /* difference of equal sums, by rounding */
#define HALVINGS 50 /* of the range in which an end is searched */

/* The runs of both sides, those before first; the figure of those after less the limit. */
struct ranking {
	size_t n;
	size_t before;
	double *log;
	double *rank; /* of @log; equal ones share theirs */
	const double **order; /* room to sort */
};

/* What a way to deal out the runs gives to the side after. */
struct dealt {
	double log;
	double rank;
};

/* All ways, or random ones; that of the runs as they are is among them. */
struct deals {
	const struct ranking *of;
	struct dealt found;
	size_t n;
	struct dealt *all;
	double *logs; /* of @all, ascending */
	double *ranks;
};

static void ranking_free(struct ranking *r)
{
	free(r->log);
	free(r->rank);
	free(r->order);
}

static bool ranking_make(struct ranking *r, const struct compare_row *row)
{
	size_t i, before = 0, after = row->a.runs;

	*r = (struct ranking){
		.n = row->n_runs,
		.before = row->a.runs,
		.log = calloc(row->n_runs, sizeof(*r->log)),
		.rank = calloc(row->n_runs, sizeof(*r->rank)),
		.order = calloc(row->n_runs, sizeof(*r->order)),
	};
	if (!r->log || !r->rank || !r->order) {
		ranking_free(r);
		return false;
	}
	for (i = 0; i < row->n_runs; i++)
		r->log[row->runs[i].after ? after++ : before++] = row->runs[i].log;
	return true;
}

static int rank_by_value(const void *a, const void *b)
{
	double x = **(const double *const *)a, y = **(const double *const *)b;

	return x < y ? -1 : x > y;
}

/* Rank the runs, of which those after are less by @off. */
static void rank_take(struct ranking *r, double off)
{
	size_t i, k, n;

	for (i = 0; i < r->n; i++) {
		r->log[i] -= i < r->before ? 0 : off;
		r->order[i] = &r->log[i];
	}
	qsort(r->order, r->n, sizeof(*r->order), rank_by_value);
	for (i = 0; i < r->n; i += n) {
		for (n = 1; i + n < r->n && *r->order[i + n] - *r->order[i] <= SAME; n++)
			;
		for (k = 0; k < n; k++)
			r->rank[r->order[i + k] - r->log] = i + (n - 1) / 2.0;
	}
	for (i = r->before; i < r->n; i++)
		r->log[i] += off;
}

/* ---- the test of Welch on ranks ---- */

static double rank_welch(const struct ranking *r)
{
	const double n[2] = { r->before, r->n - r->before };
	double mean[2] = {}, v[2] = {}, error;
	size_t i;

	for (i = 0; i < r->n; i++)
		mean[i >= r->before] += r->rank[i] / n[i >= r->before];
	for (i = 0; i < r->n; i++)
		v[i >= r->before] += pow(r->rank[i] - mean[i >= r->before], 2);
	v[0] /= (n[0] - 1) * n[0];
	v[1] /= (n[1] - 1) * n[1];
	error = sqrt(v[0] + v[1]);
	if (error <= 0)
		return mean[1] > mean[0] ? 0 : 1;
	return pt((mean[1] - mean[0]) / error,
		  pow(v[0] + v[1], 2) / (v[0] * v[0] / (n[0] - 1) + v[1] * v[1] / (n[1] - 1)), 0,
		  0);
}

static double rank_limit(const struct compare_row *row, double limit)
{
	return log1p(limit) + row->a.slack + row->b.slack;
}

/* ---- permutations ---- */

static void rank_every(struct deals *d, size_t at, size_t left, struct dealt sum)
{
	const struct ranking *r = d->of;

	if (!left) {
		d->all[d->n++] = sum;
		return;
	}
	for (; at + left <= r->n; at++)
		rank_every(d, at + 1, left - 1,
			   (struct dealt){ sum.log + r->log[at], sum.rank + r->rank[at] });
}

static void rank_deal(struct deals *d, size_t *place)
{
	const struct ranking *r = d->of;
	uint64_t state = 1;
	size_t i, k, to, at;
	struct dealt sum;

	for (i = 0; i < r->n; i++)
		place[i] = i;
	for (i = 0; i < DEALS; i++) {
		sum = (struct dealt){};
		for (k = 0; k < r->n - r->before; k++) {
			to = k + chance_number(&state) % (r->n - k);
			at = place[to];
			place[to] = place[k];
			place[k] = at;
			sum.log += r->log[at];
			sum.rank += r->rank[at];
		}
		d->all[d->n++] = sum;
	}
}

static int rank_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void deals_free(struct deals *d)
{
	free(d->all);
	free(d->logs);
	free(d->ranks);
}

static void deals_fill(struct deals *d, const struct ranking *r, bool all, size_t *place)
{
	size_t i;

	for (i = r->before; i < r->n; i++) {
		d->found.log += r->log[i];
		d->found.rank += r->rank[i];
	}
	if (all) {
		rank_every(d, 0, r->n - r->before, (struct dealt){});
	} else {
		d->all[d->n++] = d->found;
		rank_deal(d, place);
	}
	for (i = 0; i < d->n; i++) {
		d->logs[i] = d->all[i].log;
		d->ranks[i] = d->all[i].rank;
	}
	qsort(d->logs, d->n, sizeof(*d->logs), rank_ascending);
	qsort(d->ranks, d->n, sizeof(*d->ranks), rank_ascending);
}

static bool deals_make(struct deals *d, const struct ranking *r)
{
	bool all = choose(r->n, r->before) <= WAYS_MAX;
	size_t room = all ? choose(r->n, r->before) + 2 : DEALS + 2;
	size_t *place = calloc(r->n, sizeof(*place));

	*d = (struct deals){
		.of = r,
		.all = calloc(room, sizeof(*d->all)),
		.logs = calloc(room, sizeof(*d->logs)),
		.ranks = calloc(room, sizeof(*d->ranks)),
	};
	if (place && d->all && d->logs && d->ranks)
		deals_fill(d, r, all, place);
	else
		deals_free(d);
	free(place);
	return d->n;
}

/* How many of the ascending sums are at least so large. */
static size_t rank_as_large(const double *sums, size_t n, double sum)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (sums[mid] >= sum - SAME)
			hi = mid;
		else
			lo = mid + 1;
	}
	return n - lo;
}

/* The smaller one of both probabilities, as a number of ways. */
static size_t rank_smaller(const struct deals *d, const struct dealt *way)
{
	size_t by_log = rank_as_large(d->logs, d->n, way->log);
	size_t by_rank = rank_as_large(d->ranks, d->n, way->rank);

	return by_log < by_rank ? by_log : by_rank;
}

/* ---- what is asked for ---- */

double rank_p(const struct compare_row *row, double p)
{
	struct ranking r;
	struct deals d;

	if (!ranking_make(&r, row))
		return 1;
	rank_take(&r, rank_limit(row, row->metric->limit));
	if (rank_welch(&r) < p) {
		p = 1;
		if (deals_make(&d, &r)) {
			p = fmax(rank_welch(&r),
				 (double)rank_as_large(d.ranks, d.n, d.found.rank) / d.n);
			deals_free(&d);
		}
	}
	ranking_free(&r);
	return p;
}

bool rank_may_be_chance(const struct compare_row *row, double limit, double level)
{
	double off = rank_limit(row, limit);
	size_t i, as_small = 0, found;
	struct ranking r;
	struct deals d;

	if (!ranking_make(&r, row))
		return true;
	rank_take(&r, off);
	/* The sums are of the same question as the ranks: is it more than the limit? */
	for (i = r.before; i < r.n; i++)
		r.log[i] -= off;
	if (!deals_make(&d, &r)) {
		ranking_free(&r);
		return true;
	}
	found = rank_smaller(&d, &d.found);
	for (i = 0; i < d.n; i++)
		as_small += rank_smaller(&d, &d.all[i]) <= found;
	i = d.n;
	deals_free(&d);
	ranking_free(&r);
	return as_small > level * i;
}

/* ---- the interval ---- */

static double rank_median(const struct ranking *r, size_t from, size_t to)
{
	double x[COMPARE_RUNS_MAX];
	size_t i, n = 0;

	for (i = from; i < to && n < COMPARE_RUNS_MAX; i++)
		x[n++] = r->log[i];
	qsort(x, n, sizeof(*x), rank_ascending);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The largest increase that the ranks exclude, by halving. */
static double rank_low(struct ranking *r, double lo, double hi, double level)
{
	double mid;
	int i;

	for (i = 0; i < HALVINGS; i++) {
		mid = (lo + hi) / 2;
		rank_take(r, mid);
		if (rank_welch(r) <= level)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void rank_show(struct compare_row *row)
{
	double level = compare_level(row, row->confidence), off, change;
	struct ranking r;

	if (!row->ranked || row->lo > row->metric->limit || rank_p(row, level) >= level ||
	    !ranking_make(&r, row))
		return;
	off = rank_limit(row, 0);
	change = rank_median(&r, r.before, r.n) - rank_median(&r, 0, r.before);
	row->by_rank = true;
	row->a.value = exp(rank_median(&r, 0, r.before));
	row->b.value = row->a.value * exp(change);
	row->change = expm1(change);
	row->lo = expm1(rank_low(&r, rank_limit(row, row->metric->limit),
				 fmax(change, rank_limit(row, row->metric->limit)), level) -
			off);
	row->hi = fmax(row->hi, row->change);
	ranking_free(&r);
}
