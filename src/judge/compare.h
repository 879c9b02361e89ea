/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.h - two sets of runs, and intervals of their difference. In: snapshots, one for
 * each run. Out: rows, one for each distribution and metric. Pure. Called by check, render
 * and cmd/.
 *
 * The replicates are runs, not samples: the samples of a run share the state of the machine,
 * the layout of memory and the neighbours, so a million samples in two runs are two
 * observations. Each run gives one figure for a metric. The figures are compared on a
 * logarithmic scale, where a change is a ratio, by the interval of Welch (unequal
 * variances). It becomes wider where Welch's assumptions fail: if a side has few runs, and
 * if the sides were not recorded in turn, since the machine may have drifted between them.
 * See interval.c. An increase is also looked for by the ranks of the runs, which a single run
 * that is far off does not hide: see rank.c.
 *
 * A quantile is only known to lie in a slot. It is interpolated within the part of the slot
 * that the mean of the slot's samples allows. That is right if the distribution is smooth
 * over the neighbouring slots. If it is not, the interval is widened on both sides by as much
 * as the interpolation may be off, so that slots cause no false failure.
 */
#ifndef KSTATS_JUDGE_COMPARE_H
#define KSTATS_JUDGE_COMPARE_H

#include "result/cost.h"
#include "result/dist.h"
#include "result/snapshot.h"
#include "util/names.h"

#define COMPARE_MEAN UINT32_MAX /* the mean, in the place of a quantile */
#define COMPARE_RUNS_MAX 1000 /* the largest number of runs that is proposed */
#define COMPARE_BEYOND 10 /* a quantile with fewer samples beyond it is biased */
#define COMPARE_RUNS_PERMUTED 5 /* fewest runs a side for a permutation test */
#define COMPARE_MODES 0.3 /* by how much two modes of a program are taken to differ at most */
#define COMPARE_DAYS 0.25 /* two sides that were not recorded in turn, for a failure */
#define COMPARE_DAYS_PASS 0.1 /* the same for a pass */

/**
 * struct compare_metric - what is compared
 * @name: "mean", "p50", "p99.9"
 * @millionths: quantile, or COMPARE_MEAN
 * @above: only an increase of more than @limit matters, as in check; else any change
 * @limit: 0.05 for 5 %; 0 unless @above is set
 * @target: name or pattern of the distributions that are compared by it; NULL or "": all
 */
struct compare_metric {
	const char *name;
	uint32_t millionths;
	bool above;
	double limit;
	const char *target;
};

/**
 * struct compare_set - the runs of one side
 * @n: number of @runs
 * @runs: snapshots; not owned
 * @no_gaps: ignore their gaps
 * @costs: overhead of the methods, for each run; not owned; NULL if the methods of the sides
 *	are the same
 * @set_of: for each run the number of its set, never descending; not owned; NULL if all runs
 *	are of one set. A base of many sets is a history, see history.h.
 * @last_sets: of a history, number of the first of its last sets; those before it are the
 *	oldest ones
 */
struct compare_set {
	size_t n;
	const struct snapshot *const *runs;
	bool no_gaps;
	const struct costs *const *costs;
	const size_t *set_of;
	size_t last_sets;
};

/**
 * struct compare_figure - a metric of one run
 * @value: in the samples' unit; integers are exact where a slot is one number
 * @least: what a smaller value counts as, so that it has a logarithm: half of 1 for an integer, 1
 *	for a duration, and for a mean half of one sample of 1 ns or unit
 * @slack: relative error to either side because only the slot is known
 * @noise: relative standard error from the number of samples alone
 * @beyond: expected samples on the shorter side of a quantile; infinite for a mean
 * @heavy: of a mean: few samples decide it, see tail.c
 * @samples: of the run
 * @bounds: of the slot; for a mean, of the mean
 */
struct compare_figure {
	double value;
	double least;
	double slack;
	double noise;
	double beyond;
	bool heavy;
	uint64_t samples;
	struct dist_bounds bounds;
};

/**
 * struct compare_side - a metric over the runs of one side
 * @runs: runs that have samples of the function
 * @empty: runs that have none
 * @few: those of @runs with too few samples for the metric, see COMPARE_BEYOND
 * @heavy: those of @runs whose mean is decided by few samples
 * @samples: of all runs
 * @value: geometric mean of the runs, in which a figure of 0 has a logarithm; see compare_shown()
 * @above_0: any of the figures is above 0
 * @spread: standard deviation of the runs' logarithms; 0 below two runs
 * @noise: mean of the figures' noise: @spread from the number of samples alone
 * @slack: mean of the figures' slack
 * @bounds: lowest and highest bounds of the runs
 * @unit: of @value and @bounds, for units_duration(); not owned
 * @method: of measurement, if the set has costs; not owned
 * @cost: overhead of that method in the first run; not owned; NULL if it is unknown for any
 *	run
 */
struct compare_side {
	size_t runs;
	size_t empty;
	size_t few;
	size_t heavy;
	uint64_t samples;
	double value;
	bool above_0;
	double spread;
	double noise;
	double slack;
	struct dist_bounds bounds;
	const char *unit;
	const char *method;
	const struct cost *cost;
};

/** enum compare_order - how the runs of both sides follow each other in time */
enum compare_order {
	COMPARE_UNORDERED, /* a time is missing, or two are equal */
	COMPARE_IN_TURN, /* in the order of time, each pair of runs has one of each side */
	COMPARE_MIXED, /* almost: the middles of both sides are close to each other */
	COMPARE_APART, /* none of these: a drift of the machine may look like a change */
};

/**
 * struct compare_run - a metric of one run
 * @log: logarithm of the figure
 * @slack: of the figure
 * @noise: of the figure
 * @place: index of the run in its set
 * @when_ns: wall clock at its begin, ns since 1970; 0 if unknown
 * @after: it is of the second side
 * @set: number of its set, if the base is a history
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

/** struct compare_end - one end of an interval */
struct compare_end {
	double error; /* standard error */
	double freedom; /* degrees of freedom of @error */
};

/** struct compare_view - the difference of the logarithms by one statistical model */
struct compare_view {
	double centre; /* estimate */
	double error; /* its standard error; 0 if all runs are equal */
	double freedom; /* degrees of freedom of @error */
	double share; /* of a history: its part of the error of a failure */
	struct compare_end upper; /* of a history: its upper end, which is another one */
	struct compare_end take; /* and the one by which undecided sets are accepted */
};

#define COMPARE_VIEWS 2

/** struct compare_look - result of the looks after each pair; see sequential.h */
struct compare_look {
	unsigned int first; /* pairs at the first look */
	unsigned int last; /* pairs at the last look; 0 if the row is judged only once */
	unsigned int pairs; /* pairs that have samples, at the look that decided or so far */
	bool decided; /* a look decided it */
	bool hopeless; /* the pairs up to the last look are very unlikely to decide it */
	/* pairs that decide it in four of five series, if it is undecided; 0 if none is known */
	unsigned int needed;
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
 * @ranked: an increase is also looked for by ranks
 * @by_rank: only the ranks show the increase: @lo is by them, and @change and the values of the
 *	sides are those of medians
 * @tail: the mean is unknowable, since runs of unlike lengths have too heavy a tail
 * @step: drift between the two runs of a pair, if @paired
 * @n_views: number of @views
 * @views: models; the interval contains the intervals of all of them
 * @drifts: one side follows the other, without a long break
 * @drift: if so, the model in which the machine drifts on as it did within the sides; the
 *	interval contains its interval too, unless that is wider than any drift
 * @history: the base is many sets, each of which counts as one observation
 * @sets: number of its last sets that have samples
 * @last_sets: of the base
 * @sets_spread: standard deviation of the sets' mean logarithms
 * @drifted: of a history: the new set is above the oldest sets by more than the limit, and by
 *	more than above the last ones; @a and @change are then of the oldest
 * @change: ratio of b to a, less one: 0.1 is 10 % more; 0 if a side has no samples
 * @lo: lower end of its interval, -1 if there is none
 * @hi: upper end, infinite if there is none
 * @p: probability of such a difference if there is none, two-sided; if the metric has a
 *	limit, of one so far above it; 1 if unknown
 * @confidence: of the interval, which is wider the more rows there are; if only an increase
 *	matters, of each end
 * @alone: interval and confidence as if this were the only row
 * @known: there are enough runs (of a history, sets) with enough samples, and the floors are
 *	known if the methods differ
 * @across: the sides were measured by different methods
 * @shift_lo: if @across, lower bound of the change that the floors may explain; 0 or less
 * @shift_hi: upper bound; 0 or more
 * @look: result of the looks, if there are any
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
	bool ranked;
	bool by_rank;
	bool tail;
	double step;
	size_t n_views;
	struct compare_view views[COMPARE_VIEWS];
	bool drifts;
	struct compare_view drift;
	bool history;
	size_t sets;
	size_t last_sets;
	double sets_spread;
	bool drifted;
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
	struct names names; /* of @rows */
	char machines[512]; /* "", or that the sides are of other machines; set by the caller */
};

/** compare_metrics - the metrics that `diff` shows, ended by a NULL name */
extern const struct compare_metric compare_metrics[];

/**
 * compare_unit() - the unit of all runs of both sets, for units_duration()
 * @b: may be empty, or NULL
 * @unit: receives it; not owned
 *
 * Return: 0, or -EINVAL if there are two.
 */
int compare_unit(const struct compare_set *a, const struct compare_set *b, const char **unit,
		 struct error *e);
/** compare_is_target() - whether a name is meant; @target: it, a pattern, or NULL or "" for all */
bool compare_is_target(const char *target, const char *name);

/** compare_is_empty_rest() - whether keys have left nothing to a distribution in any run */
bool compare_is_empty_rest(const struct compare_set *set, const char *name);

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

/** compare_shown() - the value of a side, to be shown */
static inline double compare_shown(const struct compare_side *side)
{
	return side->above_0 ? side->value : 0;
}

/** compare_log() - logarithm of a figure, which is finite also where that is 0 */
double compare_log(const struct compare_figure *f);

/**
 * compare_make() - compare two sets
 * @c: filled in; freed with compare_free()
 * @a: before
 * @b: after
 * @metrics: what is compared, ended by a NULL name; must outlive @c
 * @confidence: of the intervals, below 1, as a family: by Holm's step-down over
 *	all rows
 *
 * Runs with different units are refused. Distributions are matched by their names. Gaps are
 *compared as durations are, unless a set says that it has none.
 *
 * Return: 0, -EINVAL or -ENOMEM.
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
 * compare_permuted() - permutation test of an increase
 * @row: a known row
 * @limit: 0.05 for an increase of more than 5 %
 * @level: of the test; pairs are kept together if there are enough of them to reach it
 *
 * Exact up to 200,000 permutations, else from 20,000 random ones, the same in each call.
 *
 * Return: one-sided probability of so large an increase if there is none.
 */
double compare_permuted(const struct compare_row *row, double limit, double level);

/**
 * compare_runs_needed() - runs a side that would decide a row
 * @row: a row with an interval
 * @limit: 0.05 for an increase of 5 %
 *
 * The spread and the change are taken to stay as they are.
 *
 * Return: runs on each side until the interval excludes @limit; 0 if that is more than
 * COMPARE_RUNS_MAX, or if the slots are too coarse.
 */
unsigned int compare_runs_needed(const struct compare_row *row, double limit);

/**
 * compare_runs_settled() - runs a side that decide a row in four of five series
 * @row: a row with an interval
 * @limit: 0.05 for an increase of 5 %
 *
 * The true spread and change may differ from those that were measured, which is allowed for.
 *
 * Return: their number; 0 if it cannot be said, as where the change may be at the limit.
 */
unsigned int compare_runs_settled(const struct compare_row *row, double limit);

/** compare_row() - the first row of a distribution; the others follow it. Return: it, or NULL */
const struct compare_row *compare_row(const struct compare *c, const char *name);

/** compare_free() - release; @c may be zero-filled */
void compare_free(struct compare *c);

#endif /* KSTATS_JUDGE_COMPARE_H */
