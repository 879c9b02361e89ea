/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - a new set of runs after many accepted ones, and where a series of sets
 * steps. In: snapshots by sets, in the order of time. Out: a series of figures for each
 * function and metric, with its steps. Pure. Called by check, render and cmd/.
 *
 * Between two sets a machine changes more than between two runs that follow each other:
 * it boots, is updated, has other neighbours. A set counts as one observation therefore,
 * however many runs it has. See history.c and steps.c.
 */
#ifndef KSTATS_JUDGE_HISTORY_H
#define KSTATS_JUDGE_HISTORY_H

#include "judge/compare.h"

#define HISTORY_SETS_LEAST 5 /* accepted sets, below which nothing is judged */
#define HISTORY_SETS_MOST 200 /* in a series */
#define HISTORY_STEP_LEVEL 0.01 /* chance of any step where there is none */
#define HISTORY_STEP_CONFIDENCE 0.95 /* of its position, and of its height */

/** struct history_set - runs that were recorded together */
struct history_set {
	const char *name; /* not owned */
	uint64_t when_ns; /* begin of its first run, ns since 1970 */
	size_t first; /* index of its first run */
	size_t n; /* number of its runs */
};

/**
 * struct history_sets - many of them
 * @n: number of @sets
 * @sets: in the order of time; the last is the one that is judged
 * @judged: index of the first that it is judged against
 * @runs: of all sets
 * @left_out: earlier sets that were not recorded as the new one was
 */
struct history_sets {
	size_t n;
	const struct history_set *sets;
	size_t judged;
	const struct snapshot *const *runs;
	size_t left_out;
};

/** struct history_point - a metric of one set */
struct history_point {
	size_t set; /* index of the set */
	size_t runs; /* runs that have samples, 1 or more */
	double log; /* mean logarithm of their figures */
};

/**
 * struct history_step - from one set to the next the figures change, and stay
 * @at: index of the first point after it
 * @lo: the first point after it is this one or a later one, with
 *	HISTORY_STEP_CONFIDENCE
 * @hi: or an earlier one
 * @change: to the points before, less one
 * @change_lo: at least
 * @change_hi: at most
 */
struct history_step {
	size_t at;
	size_t lo;
	size_t hi;
	double change;
	double change_lo;
	double change_hi;
};

/** struct history_row - the series of one metric of one distribution */
struct history_row {
	const char *name; /* of the distribution; not owned */
	const char *metric; /* "p99"; not owned */
	size_t n; /* number of @points */
	struct history_point *points; /* owned; of the sets that have samples */
	size_t n_steps; /* number of @steps */
	struct history_step *steps; /* owned; in the order of time */
};

/** struct history - all series */
struct history {
	struct history_sets sets; /* what they are of */
	size_t n; /* number of @rows */
	struct history_row *rows; /* owned */
};

/**
 * history_add() - one more series
 * @h: its @sets are set; freed with history_free() also after an error
 * @name: of a distribution; must outlive @h
 * @metric: name of the metric; must outlive @h
 * @millionths: quantile, or COMPARE_MEAN
 *
 * Return: 0 or -ENOMEM.
 */
int history_add(struct history *h, const char *name, const char *metric, uint32_t millionths);

/** history_find_steps() - where each series steps; @h: with all its series. Return: 0 or -ENOMEM */
int history_find_steps(struct history *h);

/** history_free() - release; @h may be zero-filled */
void history_free(struct history *h);

#endif /* KSTATS_JUDGE_HISTORY_H */
