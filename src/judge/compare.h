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
 * Welch (unequal variances). It becomes wider where Welch's assumptions fail: with
 * few runs on a side, and with sides that were not recorded in turn, whose machine
 * may have drifted from one to the other. See interval.c.
 *
 * A quantile is only known to lie in a slot. Inside, it is interpolated over the
 * part of the slot that the mean of its samples leaves possible, which is right
 * where the distribution runs smoothly through the neighbouring slots. Where it
 * does not, the interval is widened by as much as the interpolation may be off,
 * on both sides: slots make no false alarm.
 */
#ifndef KSTATS_JUDGE_COMPARE_H
#define KSTATS_JUDGE_COMPARE_H

#include "cost/cost.h"
#include "dist/dist.h"
#include "snapshot/snapshot.h"

#define COMPARE_MEAN UINT32_MAX /* the mean, in the place of a quantile */
#define COMPARE_RUNS_MAX 1000 /* beyond, no number of runs is proposed */
#define COMPARE_BEYOND 10 /* samples beyond a quantile, below which it is biased */
#define COMPARE_RUNS_PERMUTED 5 /* runs a side from which on a permutation can tell */

/**
 * struct compare_metric - what is compared
 * @name: "mean", "p50", "p99.9"
 * @millionths: quantile, or COMPARE_MEAN
 * @above: only a change of more than @limit matters, as to a gate; else any change
 * @limit: 0.05 for 5 %; 0 where @above is not set
 */
struct compare_metric {
	const char *name;
	uint32_t millionths;
	bool above;
	double limit;
};

/**
 * struct compare_set - the runs of one side
 * @n: number of @runs
 * @runs: snapshots; not owned
 * @no_gaps: as if they had no gaps
 * @costs: overhead of the methods, of each run; not owned; NULL where the methods of the
 *	sides are alike
 * @set_of: which of many sets each run is of, not descending; not owned; NULL where all
 *	are of one. A base of many sets is a history, see history.h.
 */
struct compare_set {
	size_t n;
	const struct snapshot *const *runs;
	bool no_gaps;
	const struct costs *const *costs;
	const size_t *set_of;
};

/**
 * struct compare_figure - a metric of one run
 * @value: in the samples' unit
 * @slack: relative error that the slot leaves open, to either side
 * @noise: relative standard error from the number of samples alone
 * @beyond: samples to expect on the shorter side of a quantile; infinite for a mean
 * @samples: of the run
 * @bounds: of the slot; for a mean, of what is known of it
 */
struct compare_figure {
	double value;
	double slack;
	double noise;
	double beyond;
	uint64_t samples;
	struct dist_bounds bounds;
};

/**
 * struct compare_side - a metric over the runs of one side
 * @runs: runs that have samples of the function
 * @empty: the others, which say nothing
 * @few: those of @runs with too few samples for the metric, see COMPARE_BEYOND
 * @samples: of all runs
 * @value: geometric mean of the runs
 * @spread: standard deviation of the runs' logarithms; 0 below two runs
 * @noise: what the number of samples alone makes of that, on average
 * @slack: mean of the figures' slack
 * @bounds: lowest and highest bounds of the runs
 * @method: by which it was measured, where the set has costs; not owned
 * @cost: overhead of that method in the first run; not owned; NULL where it is not known of
 *	all runs
 */
struct compare_side {
	size_t runs;
	size_t empty;
	size_t few;
	uint64_t samples;
	double value;
	double spread;
	double noise;
	double slack;
	struct dist_bounds bounds;
	const char *method;
	const struct cost *cost;
};

/** enum compare_order - how the runs of both sides follow each other in time */
enum compare_order {
	COMPARE_UNORDERED, /* nothing says when they were */
	COMPARE_IN_TURN, /* each pair in time has one of each side */
	COMPARE_APART, /* neither: drift of the machine may look like a change */
};

/**
 * struct compare_run - a metric of one run
 * @log: logarithm of the figure
 * @slack: of the figure
 * @noise: of the figure
 * @place: index of the run in its set
 * @when_ns: wall clock at its begin, ns since 1970; 0 where that is not known
 * @after: it is of the second side
 * @set: where the base is a history: of which set
 */
struct compare_run {
	double log;
	double slack;
	double noise;
	size_t place;
	uint64_t when_ns;
	bool after;
	size_t set;
};

/** struct compare_view - the difference of the logarithms as one method sees it */
struct compare_view {
	double centre; /* estimate */
	double error; /* its standard error; 0 where all runs are the same */
	double freedom; /* degrees of freedom of @error */
};

#define COMPARE_VIEWS 2

/** struct compare_range - how many runs a side would settle something */
struct compare_range {
	unsigned int least; /* with luck; 0 where no number up to COMPARE_RUNS_MAX would */
	unsigned int most; /* without; 0 where that is more than COMPARE_RUNS_MAX */
};

/** struct compare_look - what looking after each pair came to; see sequential.h */
struct compare_look {
	unsigned int first; /* pairs at the first look */
	unsigned int last; /* pairs at the last look; 0 where only once is looked */
	unsigned int pairs; /* pairs that have samples, at the look that decided or so far */
	bool decided; /* a look decided it */
	bool hopeless; /* the pairs up to the last would hardly decide it */
	struct compare_range needed; /* pairs that would, where it is not decided */
};

/**
 * struct compare_row - one metric of one distribution
 * @name: of the distribution; not owned
 * @metric: which
 * @a: before
 * @b: after
 * @n_runs: number of @runs
 * @runs: owned; of both sides, by time where that is known
 * @order: of @runs
 * @paired: runs that follow each other are compared as pairs
 * @step: drift from a run to the next that pairs have in them, where @paired
 * @n_views: number of @views
 * @views: the interval holds those of all of them
 * @history: the base is many sets, each of which counts as one observation
 * @sets: of them that have samples
 * @sets_spread: standard deviation of the means of their logarithms
 * @change: b to a, less one: 0.1 is 10 % more; 0 when a side has no samples
 * @lo: lower end of its interval, -1 when there is none
 * @hi: upper end, infinite when there is none
 * @p: chance of such a difference without any, two-sided; where the metric has a
 *	limit, of one so far above it; 1 when unknown
 * @confidence: of the interval, which is wider the more rows there are
 * @alone: interval and confidence as if this were the only row
 * @known: there are two runs with enough samples on each side, and the floors of
 *	methods that differ
 * @across: the sides were measured by methods that differ
 * @shift_lo: where @across: change that the floors alone may make, at least; 0 or less
 * @shift_hi: at most; 0 or more
 * @look: where it is looked after each pair
 */
struct compare_row {
	const char *name;
	const struct compare_metric *metric;
	struct compare_side a;
	struct compare_side b;
	size_t n_runs;
	struct compare_run *runs;
	enum compare_order order;
	bool paired;
	double step;
	size_t n_views;
	struct compare_view views[COMPARE_VIEWS];
	bool history;
	size_t sets;
	double sets_spread;
	double change;
	double lo;
	double hi;
	double p;
	double confidence;
	struct {
		double lo;
		double hi;
		double confidence;
	} alone;
	bool known;
	bool across;
	double shift_lo;
	double shift_hi;
	struct compare_look look;
};

/** struct compare - all rows of two sets */
struct compare {
	size_t n; /* number of @rows */
	struct compare_row *rows; /* owned; by distribution, then metric */
	size_t n_missing; /* number of @missing */
	const char **missing; /* owned array; names that only one side has, not owned */
};

/** compare_metrics - what `diff` shows, ended by a NULL name */
extern const struct compare_metric compare_metrics[];

/** compare_find() - a distribution of a run by its name; @s: run. Return: its index, or -1 */
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
 *
 * Distributions are matched by their names. Gaps are compared as durations are,
 * unless a set says that it has none.
 *
 * Return: 0 or -ENOMEM.
 */
int compare_make(struct compare *c, const struct compare_set *a, const struct compare_set *b,
		 const struct compare_metric *metrics, double confidence, struct error *e);

/**
 * compare_samples_needed() - samples that a run must have for a metric
 * @millionths: quantile, or COMPARE_MEAN
 *
 * Return: so many that COMPARE_BEYOND lie beyond it; 0 where no number is enough.
 */
uint64_t compare_samples_needed(uint32_t millionths);

/**
 * compare_permuted() - chance of so large an increase, were the sides dealt out by lot
 * @row: a known row
 * @limit: 0.05 for an increase of more than 5 %
 * @level: smallest chance that matters: pairs are kept together where they are
 *	enough to reach it
 *
 * Exact where there are not too many ways to deal them out, else by 20,000 of them,
 * the same ones each time.
 *
 * Return: one-sided chance.
 */
double compare_permuted(const struct compare_row *row, double limit, double level);

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
 * compare_runs_range() - runs a side that would settle it, as well as that is known
 * @row: a row with an interval
 * @limit: 0.05 for an increase of 5 %
 *
 * The spread and the change may be other than they look now: in four of five cases
 * the number is in the range.
 *
 * Return: the range.
 */
struct compare_range compare_runs_range(const struct compare_row *row, double limit);

/** compare_free() - release; @c may be zero-filled */
void compare_free(struct compare *c);

#endif /* KSTATS_JUDGE_COMPARE_H */
