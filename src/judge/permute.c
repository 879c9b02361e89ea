// SPDX-License-Identifier: GPL-2.0-only
/* permute.c - permutation tests; see compare.h. */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/chance.h"

#define WAYS_MAX 200000 /* most permutations that are all tried */
#define DEALS 20000 /* random permutations, if there are more */
#define SAME 1e-12 /* difference of equal sums, by rounding */

/* Logarithms of the figures, those before first; or the differences of pairs. */
struct lot {
	double *x;
	size_t n;
	size_t after;
	double found; /* sum of those after, less the limit; or of the differences */
	uint64_t as_large;
	uint64_t ways;
};

static void permute_count(struct lot *l, double sum)
{
	l->ways++;
	l->as_large += sum >= l->found - SAME;
}

/* Every choice of @left runs out of those from @at on. */
static void every(struct lot *l, size_t at, size_t left, double sum)
{
	if (!left) {
		permute_count(l, sum);
		return;
	}
	for (; at + left <= l->n; at++)
		every(l, at + 1, left - 1, sum + l->x[at]);
}

static void deal(struct lot *l)
{
	uint64_t state = 1;
	double sum, x;
	size_t i, k, to;

	permute_count(l, l->found);
	for (i = 0; i < DEALS; i++) {
		sum = 0;
		for (k = 0; k < l->after; k++) {
			to = k + chance_number(&state) % (l->n - k);
			x = l->x[to];
			l->x[to] = l->x[k];
			l->x[k] = x;
			sum += x;
		}
		permute_count(l, sum);
	}
}

static void permute_labels(struct lot *l)
{
	if (choose(l->n, l->after) <= WAYS_MAX)
		every(l, 0, l->after, 0);
	else
		deal(l);
}

/* ---- pairs ---- */

/* Every choice of signs of the differences of pairs from @at on. */
static void flip(struct lot *l, size_t at, double sum)
{
	if (at == l->n) {
		permute_count(l, sum);
		return;
	}
	flip(l, at + 1, sum + l->x[at]);
	flip(l, at + 1, sum - l->x[at]);
}

static void toss(struct lot *l)
{
	uint64_t state = 1;
	double sum;
	size_t i, k;

	permute_count(l, l->found);
	for (i = 0; i < DEALS; i++) {
		sum = 0;
		for (k = 0; k < l->n; k++)
			sum += chance_number(&state) >> 63 ? l->x[k] : -l->x[k];
		permute_count(l, sum);
	}
}

static void permute_pairs(struct lot *l)
{
	if (ldexp(1, l->n) <= WAYS_MAX)
		flip(l, 0, 0);
	else
		toss(l);
}

/* ---- both ---- */

static void take_runs(struct lot *l, const struct compare_row *row, double off)
{
	size_t i, before = 0, after = row->a.runs;

	for (i = 0; i < row->n_runs; i++) {
		if (row->runs[i].after) {
			l->x[after++] = row->runs[i].log - off;
			l->found += row->runs[i].log - off;
		} else {
			l->x[before++] = row->runs[i].log;
		}
	}
	l->n = row->n_runs;
	l->after = row->b.runs;
}

static void permute_take_pairs(struct lot *l, const struct compare_row *row, double off)
{
	double d;
	size_t i;

	for (i = 0; i + 1 < row->n_runs; i += 2) {
		d = row->runs[i + 1].log - row->runs[i].log;
		l->x[l->n] = (row->runs[i + 1].after ? d : -d) - row->step - off;
		l->found += l->x[l->n++];
	}
}

double compare_permuted(const struct compare_row *row, double limit, double level)
{
	double off = log1p(limit + row->shift_hi) + row->a.slack + row->b.slack;
	struct lot l = { .x = calloc(row->n_runs + 1, sizeof(*l.x)) };

	if (!l.x)
		return 1;
	/* Pairs that are too few to reach the level are permuted as single runs. */
	if (row->paired && ldexp(1, -(int)row->a.runs) <= level) {
		permute_take_pairs(&l, row, off);
		permute_pairs(&l);
	} else {
		take_runs(&l, row, off);
		permute_labels(&l);
	}
	free(l.x);
	return (double)l.as_large / l.ways;
}
