// SPDX-License-Identifier: GPL-2.0-only
/*
 * excess.c - where the time of slow calls goes that ordinary ones do not take. The parts of a
 * duration add up to it, so the differences of their means add up to that of the durations.
 *
 * Intervals are by a bootstrap of blocks of time, since calls near each other are alike; a burst is
 * never divided. Few blocks vary too little: their quantiles lie further out, as the t distribution
 * lies further out than the normal one.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "why/priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/chance.h"

#define DRAWS 2000
#define BLOCKS_MAX 100
#define FIGURES (KSTATS_PART_TIMES + 1) /* the parts, and the duration */

/* Calls of one side in a block. */
struct excess_sum {
	double n;
	double ns[FIGURES];
};

struct excess_block {
	struct excess_sum side[2]; /* ordinary, slow */
};

/* All calls with parts, or all if there are none. */
struct excess_blocks {
	size_t n;
	struct excess_block *rows; /* owned */
	bool split;
	uint64_t begin_ns;
	double length;
};

static void excess_add(struct excess_blocks *b, const struct why_call *c, uint64_t at_ns)
{
	size_t i = b->length > 0 && at_ns > b->begin_ns ? (at_ns - b->begin_ns) / b->length : 0;
	struct excess_sum *s = &b->rows[i < b->n ? i : b->n - 1].side[c->is_slow];
	int f;

	if (b->split && !c->is_split)
		return;
	s->n++;
	s->ns[KSTATS_PART_TIMES] += c->duration_ns;
	for (f = 0; b->split && f < KSTATS_PART_TIMES; f++)
		s->ns[f] += c->part_ns[f];
}

static void excess_join(struct excess_block *to, const struct excess_block *from)
{
	int side, f;

	for (side = 0; side < 2; side++) {
		to->side[side].n += from->side[side].n;
		for (f = 0; f < FIGURES; f++)
			to->side[side].ns[f] += from->side[side].ns[f];
	}
}

static double excess_mean(const struct excess_sum *s, int f)
{
	return s->n ? s->ns[f] / s->n : 0;
}

/* Return: the length of time that calls are spread over. */
static double excess_span(const struct why *w, uint64_t *begin)
{
	uint64_t last = 0, end;
	size_t i;

	*begin = w->n_calls_kept ? w->calls[0].start_ns : 0;
	for (i = 0; i < w->n_calls_kept; i++) {
		end = w->calls[i].start_ns + w->calls[i].duration_ns;
		last = end > last ? end : last;
	}
	return last > *begin ? last - *begin : 0;
}

static int excess_fill(struct excess_blocks *x, const struct why *w, const struct bursts *b)
{
	size_t i, k;

	x->n = b->n < 2 ? 1 : b->n < BLOCKS_MAX ? b->n : BLOCKS_MAX;
	x->rows = calloc(x->n, sizeof(*x->rows));
	if (!x->rows)
		return -ENOMEM;
	x->length = excess_span(w, &x->begin_ns) / x->n;
	for (i = 0; i < w->n_calls_kept; i++)
		if (!w->calls[i].is_slow)
			excess_add(x, &w->calls[i], w->calls[i].start_ns);
	for (i = 0; i < b->n; i++)
		for (k = 0; k < b->rows[i].n; k++)
			excess_add(x, &w->calls[b->rows[i].calls[k]], b->rows[i].end_ns);
	return 0;
}

/* ---- intervals ---- */

static int excess_by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *excess_draw(const struct excess_blocks *x, size_t *n)
{
	double *draws = calloc((size_t)DRAWS * FIGURES, sizeof(*draws));
	struct excess_block sum;
	uint64_t state = 1;
	size_t i, k;
	int f;

	*n = 0;
	for (i = 0; draws && i < DRAWS; i++) {
		sum = (struct excess_block){};
		for (k = 0; k < x->n; k++)
			excess_join(&sum, &x->rows[chance_below(&state, x->n)]);
		if (!sum.side[0].n || !sum.side[1].n)
			continue;
		for (f = 0; f < FIGURES; f++)
			draws[(size_t)f * DRAWS + *n] =
				excess_mean(&sum.side[1], f) - excess_mean(&sum.side[0], f);
		++*n;
	}
	return draws;
}

static void excess_ends(struct study_part *p, double *draws, size_t n, size_t blocks)
{
	double t = qt((1 - STUDY_CONFIDENCE) / 2, blocks - 1, 1, 0);
	double level = pnorm5(t * sqrt(blocks / (blocks - 1.0)), 0, 1, 1, 0);
	size_t lo = level * n;

	qsort(draws, n, sizeof(*draws), excess_by_size);
	p->lo = draws[lo];
	p->hi = draws[n - 1 - lo];
}

static struct study_part *excess_figure(struct study *s, int f)
{
	return f < KSTATS_PART_TIMES ? &s->parts[f] : &s->whole;
}

static int excess_intervals(struct study *s, const struct excess_blocks *x)
{
	size_t n;
	double *draws = excess_draw(x, &n);
	int f;

	if (!draws)
		return -ENOMEM;
	s->has_intervals = n > DRAWS / 2;
	for (f = 0; s->has_intervals && f < FIGURES; f++)
		excess_ends(excess_figure(s, f), &draws[(size_t)f * DRAWS], n, x->n);
	free(draws);
	return 0;
}

/* ---- both ---- */

static void excess_count(struct study *s, const struct why *w)
{
	size_t i, split = 0;

	for (i = 0; i < w->n_calls_kept; i++) {
		s->n_slow += w->calls[i].is_slow;
		s->n_split += w->calls[i].is_slow && w->calls[i].is_split;
		split += !w->calls[i].is_slow && w->calls[i].is_split;
	}
	s->n_ordinary = w->n_calls_kept - s->n_slow;
	s->is_split = s->n_split && split;
}

int excess_of(struct study *s, const struct why *w, const struct bursts *b)
{
	struct excess_blocks x = {};
	struct excess_block all = {};
	size_t i;
	int f, err;

	excess_count(s, w);
	s->n_bursts = b->n;
	x.split = s->is_split;
	err = excess_fill(&x, w, b);
	for (i = 0; !err && i < x.n; i++)
		excess_join(&all, &x.rows[i]);
	for (f = 0; !err && f < FIGURES; f++) {
		excess_figure(s, f)->slow = excess_mean(&all.side[1], f);
		excess_figure(s, f)->ordinary = excess_mean(&all.side[0], f);
	}
	if (!err && b->n >= STUDY_BURSTS_LEAST && s->n_ordinary)
		err = excess_intervals(s, &x);
	free(x.rows);
	return err;
}
