/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - a new set of runs after many accepted ones, and where a series of sets
 * steps. In: snapshots by sets, in the order of time. Out: a series of figures for each
 * function and metric, with its steps. Pure. Called by check, render and cmd/.
 *
 * Between two sets a machine changes more than between two runs that follow each other:
 * it boots, is updated, has other neighbours. So a set counts as one observation, however
 * many runs it has. See history.c and steps.c.
 */
#ifndef KSTATS_JUDGE_HISTORY_H
#define KSTATS_JUDGE_HISTORY_H

#include "judge/compare.h"

#define HISTORY_SETS_LEAST 2 /* fewest accepted sets for a verdict */
#define HISTORY_SETS_PRIOR 8 /* sets that tell how sets differ, without a guess from the runs */
#define HISTORY_SETS_OLDEST 3 /* sets of the oldest level */
#define HISTORY_LAST_LEAST 5 /* fewest sets that --last can ask for */
#define HISTORY_SETS_MOST 200 /* in a series */
#define HISTORY_STEP_LEVEL 0.01 /* probability to find any step if there is none */
#define HISTORY_STEP_CONFIDENCE 0.95 /* of its position, and of its height */

/** struct history_set - runs that were recorded together */
struct history_set {
	const char *name; /* not owned */
	uint64_t when_ns; /* begin of its first run, ns since 1970 */
	size_t first; /* index of its first run */
	size_t n; /* number of its runs */
};

/**
 * struct history_sets - sets in the order of time
 * @n: number of @sets
 * @sets: in the order of time; the last is judged
 * @judged: index of the first set that the last one is compared with
 * @runs: of all sets
 * @left_out: number of earlier sets that are left out: they were not recorded alike
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
 * struct history_step - a change of the level of a series
 * @at: index of the first point after it
 * @lo: lower end of the interval of @at, at HISTORY_STEP_CONFIDENCE
 * @hi: upper end
 * @change: ratio of the level after it to that before it, less one
 * @change_lo: lower end of the interval of @change
 * @change_hi: upper end
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
	const char *unit; /* of the metric, for units_duration(); not owned */
	size_t n; /* number of @points */
	struct history_point *points; /* owned; of the sets that have samples */
	size_t n_steps; /* number of @steps */
	struct history_step *steps; /* owned; in the order of time */
};

/** struct history - the series of all distributions and metrics */
struct history {
	struct history_sets sets; /* which all series share */
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

/** history_find_steps() - find the steps of all series; @h: with series. Return: 0 or -ENOMEM */
int history_find_steps(struct history *h);

/** history_free() - release; @h may be zero-filled */
void history_free(struct history *h);

#endif /* KSTATS_JUDGE_HISTORY_H */
