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
#define FIGURES_MAX (WHY_CALLEES_MAX + 2) /* callees, the call itself, the duration */

/* Calls of one side in a block. */
struct excess_sum {
	double n;
	double ns[FIGURES_MAX];
};

struct excess_block {
	struct excess_sum side[2]; /* ordinary, slow */
};

/** enum excess_by - by what durations are divided */
enum excess_by {
	EXCESS_WHOLE, /* not at all */
	EXCESS_PARTS,
	EXCESS_CALLEES,
};

/* All calls that are divided so. */
struct excess_blocks {
	enum excess_by by;
	int figures; /* of each call; the last one is the duration */
	struct study_part **to; /* of each figure */
	bool *has_intervals; /* whether @to has */
	size_t n;
	struct excess_block *rows; /* owned */
	uint64_t begin_ns;
	double length;
};

/* Of each figure but the last; NULL: it is not known. */
static const uint64_t *excess_times(const struct excess_blocks *b, const struct why_call *c)
{
	if (b->by == EXCESS_CALLEES)
		return c->callee_ns;
	return b->by == EXCESS_PARTS && !c->is_split ? NULL : c->part_ns;
}

static void excess_add(struct excess_blocks *b, const struct why_call *c, uint64_t at_ns)
{
	size_t i = b->length > 0 && at_ns > b->begin_ns ? (at_ns - b->begin_ns) / b->length : 0;
	struct excess_sum *s = &b->rows[i < b->n ? i : b->n - 1].side[c->is_slow];
	const uint64_t *times = excess_times(b, c);
	int f;

	if (!times)
		return;
	s->n++;
	s->ns[b->figures - 1] += c->duration_ns;
	for (f = 0; f < b->figures - 1; f++)
		s->ns[f] += times[f];
}

static void excess_join(struct excess_block *to, const struct excess_block *from, int figures)
{
	int side, f;

	for (side = 0; side < 2; side++) {
		to->side[side].n += from->side[side].n;
		for (f = 0; f < figures; f++)
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
	double *draws = calloc((size_t)DRAWS * x->figures, sizeof(*draws));
	struct excess_block sum;
	uint64_t state = 1;
	size_t i, k;
	int f;

	*n = 0;
	for (i = 0; draws && i < DRAWS; i++) {
		sum = (struct excess_block){};
		for (k = 0; k < x->n; k++)
			excess_join(&sum, &x->rows[chance_below(&state, x->n)], x->figures);
		if (!sum.side[0].n || !sum.side[1].n)
			continue;
		for (f = 0; f < x->figures; f++)
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

static int excess_intervals(const struct excess_blocks *x)
{
	size_t n;
	double *draws = excess_draw(x, &n);
	int f;

	if (!draws)
		return -ENOMEM;
	*x->has_intervals = n > DRAWS / 2;
	for (f = 0; *x->has_intervals && f < x->figures; f++)
		excess_ends(x->to[f], &draws[(size_t)f * DRAWS], n, x->n);
	free(draws);
	return 0;
}

/* ---- all of it ---- */

static void excess_count(struct study *s, const struct why *w)
{
	size_t i, split = 0, divided = 0;
	const struct why_call *c;

	for (i = 0; i < w->n_calls_kept; i++) {
		c = &w->calls[i];
		s->n_slow += c->is_slow;
		s->n_split += c->is_slow && c->is_split;
		split += !c->is_slow && c->is_split;
		s->n_divided += c->is_slow && c->callee_ns;
		divided += !c->is_slow && c->callee_ns;
	}
	s->n_ordinary = w->n_calls_kept - s->n_slow;
	s->is_split = s->n_split && split;
	s->is_divided = s->n_divided && divided;
}

static int excess_compare(struct study *s, const struct why *w, const struct bursts *b,
			  struct excess_blocks *x)
{
	struct excess_block all = {};
	size_t i;
	int f, err = excess_fill(x, w, b);

	for (i = 0; !err && i < x->n; i++)
		excess_join(&all, &x->rows[i], x->figures);
	for (f = 0; !err && f < x->figures; f++) {
		x->to[f]->slow = excess_mean(&all.side[1], f);
		x->to[f]->ordinary = excess_mean(&all.side[0], f);
	}
	if (!err && b->n >= STUDY_BURSTS_LEAST && s->n_ordinary)
		err = excess_intervals(x);
	free(x->rows);
	return err;
}

static int excess_of_callees(struct study *s, const struct why *w, const struct bursts *b)
{
	struct study_part *to[FIGURES_MAX];
	struct excess_blocks x = { .by = EXCESS_CALLEES,
				   .figures = w->n_callees + 2,
				   .to = to,
				   .has_intervals = &s->has_callee_intervals };
	size_t i;

	s->callees = calloc(w->n_callees + 1, sizeof(*s->callees));
	if (!s->callees)
		return -ENOMEM;
	for (i = 0; i <= w->n_callees; i++)
		to[i] = &s->callees[i];
	to[i] = &s->divided;
	return excess_compare(s, w, b, &x);
}

int excess_of(struct study *s, const struct why *w, const struct bursts *b)
{
	struct study_part *to[KSTATS_PART_TIMES + 1];
	struct excess_blocks x = { .to = to, .has_intervals = &s->has_intervals };
	int err;

	excess_count(s, w);
	s->n_bursts = b->n;
	x.by = s->is_split ? EXCESS_PARTS : EXCESS_WHOLE;
	for (; s->is_split && x.figures < KSTATS_PART_TIMES; x.figures++)
		to[x.figures] = &s->parts[x.figures];
	to[x.figures++] = &s->whole;
	err = excess_compare(s, w, b, &x);
	return !err && s->is_divided ? excess_of_callees(s, w, b) : err;
}
