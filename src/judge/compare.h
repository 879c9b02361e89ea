/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.h - two sets of runs, and what can honestly be said of their
 * difference. In: snapshots, one for each run. Out: rows, one for each
 * distribution and metric. Pure. Called by check, render and cmd/.
 *
 * Runs are the replicates, never samples: a run's samples share its machine
 * state, its memory layout, its neighbours, so a million of them in two runs are
 * two observations. Each run gives one figure for a metric; the figures are
 * compared on a logarithmic scale, where a change is a ratio, by the interval of
 * Welch (unequal variances).
 *
 * A quantile is only known to lie in a slot. Inside, it is interpolated over the
 * part of the slot that the mean of its samples leaves possible, which is right
 * where the distribution runs smoothly through the neighbouring slots. Where it
 * does not, the interval is widened by as much as the interpolation may be off,
 * on both sides: slots make no false alarm.
 */
#ifndef KSTATS_JUDGE_COMPARE_H
#define KSTATS_JUDGE_COMPARE_H

#include "dist/dist.h"
#include "snapshot/snapshot.h"

#define COMPARE_MEAN UINT32_MAX /* the mean, in the place of a quantile */
#define COMPARE_RUNS_MAX 1000 /* beyond, no number of runs is proposed */

/**
 * struct compare_metric - what is compared
 * @name: "mean", "p50", "p99.9"
 * @millionths: quantile, or COMPARE_MEAN
 */
struct compare_metric {
	const char *name;
	uint32_t millionths;
};

/**
 * struct compare_set - the runs of one side
 * @n: number of @runs
 * @runs: snapshots; not owned
 * @no_gaps: as if they had no gaps
 */
struct compare_set {
	size_t n;
	const struct snapshot *const *runs;
	bool no_gaps;
};

/**
 * struct compare_figure - a metric of one run
 * @value: in the samples' unit
 * @slack: relative error that the slot leaves open, to either side
 * @noise: relative standard error from the number of samples alone
 * @samples: of the run
 * @bounds: of the slot; for a mean, of what is known of it
 */
struct compare_figure {
	double value;
	double slack;
	double noise;
	uint64_t samples;
	struct dist_bounds bounds;
};

/**
 * struct compare_side - a metric over the runs of one side
 * @runs: runs that have samples of the function
 * @empty: the others, which say nothing
 * @samples: of all runs
 * @value: geometric mean of the runs
 * @spread: standard deviation of the runs' logarithms; 0 below two runs
 * @noise: what the number of samples alone makes of that, on average
 * @slack: mean of the figures' slack
 * @bounds: lowest and highest bounds of the runs
 */
struct compare_side {
	size_t runs;
	size_t empty;
	uint64_t samples;
	double value;
	double spread;
	double noise;
	double slack;
	struct dist_bounds bounds;
};

/**
 * struct compare_row - one metric of one distribution
 * @name: of the distribution; not owned
 * @metric: which
 * @a: before
 * @b: after
 * @change: b to a, less one: 0.1 is 10 % more; 0 when a side has no samples
 * @lo: lower end of its interval, -1 when there is none
 * @hi: upper end, infinite when there is none
 * @p: chance of such a difference without any, two-sided; 1 when unknown
 * @confidence: of the interval
 * @known: there are two runs with samples on each side
 */
struct compare_row {
	const char *name;
	const struct compare_metric *metric;
	struct compare_side a;
	struct compare_side b;
	double change;
	double lo;
	double hi;
	double p;
	double confidence;
	bool known;
};

/**
 * struct compare - all rows of two sets
 * @n: number of @rows
 * @rows: owned; by distribution, then metric
 * @n_missing: number of @missing
 * @missing: owned array; names that only one side has, not owned
 */
struct compare {
	size_t n;
	struct compare_row *rows;
	size_t n_missing;
	const char **missing;
};

/** compare_metrics - what `diff` shows, ended by a NULL name */
extern const struct compare_metric compare_metrics[];

/**
 * compare_find() - a distribution of a run by its name
 * @s: run
 * @name: name
 *
 * Return: its index, or -1.
 */
int compare_find(const struct snapshot *s, const char *name);

/**
 * compare_figure() - a metric of one distribution of one run
 * @f: filled in
 * @s: run
 * @node: index of the distribution
 * @millionths: quantile, or COMPARE_MEAN
 *
 * Return: 0; -ENODATA without samples, -ENOMEM.
 */
int compare_figure(struct compare_figure *f, const struct snapshot *s, uint32_t node,
		   uint32_t millionths);

/**
 * compare_make() - compare two sets
 * @c: filled in; freed with compare_free()
 * @a: before
 * @b: after
 * @metrics: what is compared, ended by a NULL name; must outlive @c
 * @confidence: of the intervals, below 1, as a family: by Holm's step-down over
 *	all rows
 * @e: why not
 *
 * Distributions are matched by their names. Gaps are compared as durations are,
 * unless a set says that it has none.
 *
 * Return: 0 or -ENOMEM.
 */
int compare_make(struct compare *c, const struct compare_set *a, const struct compare_set *b,
		 const struct compare_metric *metrics, double confidence, struct error *e);

/**
 * compare_runs_needed() - runs a side that would settle it
 * @row: a row with an interval
 * @limit: 0.05 for an increase of 5 %
 *
 * As the spread and the change are now.
 *
 * Return: runs on each side until the interval no longer holds @limit; 0 when
 * that is beyond COMPARE_RUNS_MAX, or when the slots are too coarse for it.
 */
unsigned int compare_runs_needed(const struct compare_row *row, double limit);

/**
 * compare_free() - release
 * @c: may be zero-filled
 */
void compare_free(struct compare *c);

#endif /* KSTATS_JUDGE_COMPARE_H */
