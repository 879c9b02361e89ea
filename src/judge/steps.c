// SPDX-License-Identifier: GPL-2.0-only
/*
 * steps.c - find the steps of a series; see history.h.
 *
 * The candidate is where two levels fit the series best, by least squares. It is a step if so
 * good a fit is rare in random orders of the same figures. The parts before and after it are
 * then searched in the same way.
 *
 * The interval of its position contains each position for which the best fit is not
 * significantly better. To test a position, the figures before it and those after it are
 * each put into random orders. For a single step this is exact for any distribution of the
 * figures, if they do not depend on each other: over all series, those in which no step is
 * found included. A small step is found only where it looks larger than it is, and then it
 * also looks better placed. So the interval of a step that is just large enough to be found
 * is made at a higher level; by simulation it then contains the true position often enough.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/chance.h"

#define AS_GOOD 20 /* orders that may fit as well, of those that are tried for a step */
#define TRIED 20000 /* orders for a step, unless a low level needs more */
#define ORDERS 1000 /* that are tried for each of its positions */
#define FIRST 100 /* of these; if none of them is as far, the position is given up */
#define REJECTED (1 - HISTORY_STEP_CONFIDENCE) /* true positions that the interval leaves out */
#define REJECTED_SMALL 0.02 /* the same, at the level for a small step */
#define SMALL 1.5 /* a step is small if the gain divided by this would not make one */
#define SAME 1e-9 /* relative difference of equal fits, by rounding */

/* A series, and room to change its order. */
struct series {
	const double *y;
	double *shuffled;
	size_t orders; /* that are tried for a step */
	size_t as_good; /* of them, that may fit as well */
	struct history_step *steps;
	size_t n_steps;
};

/* By how much two levels, the second from @at on, fit better than one: sums of squares. */
static double gain(double sum, double before, size_t n, size_t at)
{
	double d = (sum - before) / (n - at) - before / at;

	return d * d * at * (n - at) / n;
}

static double best_gain(const double *y, size_t n, size_t *at)
{
	double sum = 0, before = 0, best = -1, g;
	size_t i;

	for (i = 0; i < n; i++)
		sum += y[i];
	for (i = 1; i < n; i++) {
		before += y[i - 1];
		g = gain(sum, before, n, i);
		if (g > best) {
			best = g;
			*at = i;
		}
	}
	return best;
}

static double gain_at(const double *y, size_t n, size_t at)
{
	double sum = 0, before = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += y[i];
		before += i < at ? y[i] : 0;
	}
	return gain(sum, before, n, at);
}

static void shuffle(double *y, size_t n, uint64_t *state)
{
	size_t i, to;
	double x;

	for (i = 0; i + 1 < n; i++) {
		to = i + chance_below(state, n - i);
		x = y[to];
		y[to] = y[i];
		y[i] = x;
	}
}

/* ---- is there a step ---- */

/* Fewer may fit as well where the level is low, else it would take minutes. */
size_t history_orders(double level, size_t *as_good)
{
	double n = fmax(1, fmin(AS_GOOD, floor(level * TRIED + SAME)));

	*as_good = n;
	return ceil(n / level - SAME);
}

static bool is_step(struct series *s, size_t from, size_t n, double found)
{
	size_t i, at, as_good = 1;
	uint64_t state = 1;

	memcpy(s->shuffled, s->y + from, n * sizeof(*s->y));
	for (i = 1; i < s->orders && as_good <= s->as_good; i++) {
		shuffle(s->shuffled, n, &state);
		as_good += best_gain(s->shuffled, n, &at) >= found * (1 - SAME);
	}
	return as_good <= s->as_good;
}

static void find_steps(struct series *s, size_t from, size_t n)
{
	size_t at = 0;
	double found = n > 1 ? best_gain(s->y + from, n, &at) : 0;

	if (found <= 0 || !is_step(s, from, n, found))
		return;
	find_steps(s, from, at);
	s->steps[s->n_steps++] = (struct history_step){ .at = from + at };
	find_steps(s, from + at, n - at);
}

/* ---- where, and how high ---- */

static bool may_be_at(struct series *s, size_t from, size_t n, size_t at, double rejected)
{
	const double *y = s->y + from;
	size_t i, best, as_far = 1, least = rejected * ORDERS + SAME;
	double here = gain_at(y, n, at), most = best_gain(y, n, &best);
	uint64_t state = 1;

	memcpy(s->shuffled, y, n * sizeof(*y));
	for (i = 1; i < ORDERS && as_far <= least && (i < FIRST || as_far > 1); i++) {
		shuffle(s->shuffled, at, &state);
		shuffle(s->shuffled + at, n - at, &state);
		as_far += best_gain(s->shuffled, n, &best) >= most - (most - here) * SAME;
	}
	return as_far > least;
}

/* Student's interval of the difference of the levels, if the step is here. */
static void take_height(struct history_step *step, const double *y, size_t n, size_t at)
{
	double mean[2] = {}, squares = 0, half = INFINITY, error;
	double level = 1 - (1 - HISTORY_STEP_CONFIDENCE) / 2;
	size_t i;

	for (i = 0; i < n; i++)
		mean[i >= at] += y[i] / (i < at ? at : n - at);
	for (i = 0; i < n; i++)
		squares += (y[i] - mean[i >= at]) * (y[i] - mean[i >= at]);
	error = sqrt((1.0 / at + 1.0 / (n - at)) * squares / fmax(1, n - 2.0));
	if (n > 2)
		half = qt(level, n - 2, 1, 0) * error;
	step->change_lo = fmin(step->change_lo, expm1(mean[1] - mean[0] - half));
	step->change_hi = fmax(step->change_hi, expm1(mean[1] - mean[0] + half));
}

static void steps_place(struct series *s, struct history_step *step, size_t from, size_t to)
{
	const double *y = s->y + from;
	size_t n = to - from, at, k;
	double before = 0, after = 0, rejected;

	rejected = is_step(s, from, n, best_gain(y, n, &at) / SMALL) ? REJECTED : REJECTED_SMALL;
	for (k = 0; k < n; k++)
		*(k < at ? &before : &after) += y[k] / (k < at ? at : n - at);
	*step = (struct history_step){
		.at = from + at,
		.lo = from + at,
		.hi = from + at,
		.change = expm1(after - before),
		.change_lo = INFINITY,
		.change_hi = -1,
	};
	for (k = 1; k < n; k++) {
		if (k != at && !may_be_at(s, from, n, k, rejected))
			continue;
		step->lo = step->lo < from + k ? step->lo : from + k;
		step->hi = step->hi > from + k ? step->hi : from + k;
		take_height(step, y, n, k);
	}
}

/* The position of each step is searched between its neighbours. */
static void place_all(struct series *s, size_t n)
{
	size_t i, from, to;

	for (i = 0; i < s->n_steps; i++) {
		from = i ? s->steps[i - 1].at : 0;
		to = i + 1 < s->n_steps ? s->steps[i + 1].at : n;
		steps_place(s, &s->steps[i], from, to);
	}
}

int history_steps(const double *y, size_t n, double level, struct history_step *steps,
		  size_t *n_steps)
{
	struct series s = { .y = y, .steps = steps };

	*n_steps = 0;
	s.orders = history_orders(level, &s.as_good);
	s.shuffled = calloc(n + 1, sizeof(*s.shuffled));
	if (!s.shuffled)
		return -ENOMEM;
	find_steps(&s, 0, n);
	place_all(&s, n);
	*n_steps = s.n_steps;
	free(s.shuffled);
	return 0;
}
