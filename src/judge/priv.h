/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - what the files of this folder share. Included by this folder only.
 */
#ifndef KSTATS_JUDGE_PRIV_H
#define KSTATS_JUDGE_PRIV_H

#include "judge/check.h"

/** struct check_side - runs, and what is asked of them for each distribution */
struct check_side {
	const struct compare_set *set; /* NULL if there is none */
	uint64_t **recorded; /* owned; of each run ledger_recorded_all(), also owned */
};

/** check_side_make() - @s: filled in; freed with check_side_free(). Return: 0 or -ENOMEM */
int check_side_make(struct check_side *s, const struct compare_set *set);

/** check_side_free() - release; @s may be zero-filled */
void check_side_free(struct check_side *s);

/**
 * struct check_pool - one distribution over all runs
 * @set: runs
 * @name: of the distribution
 * @dist: merged
 * @recorded: samples of it and of what shares its ledger
 * @seconds: time of the runs that have it
 * @started: start events in its ledger
 * @lost: lost ones of them
 * @may: skipped calls of tasks that the filters may leave out: 0 to @may of them are lost
 */
struct check_pool {
	const struct compare_set *set;
	const char *name;
	struct dist dist;
	uint64_t recorded;
	double seconds;
	uint64_t started;
	uint64_t lost;
	uint64_t may;
};

/**
 * struct tail - how well samples tell their mean
 * @error: standard error of the mean, of independent samples
 * @skew: third moment, in standard deviations
 * @few: there are too few samples to tell
 * @heavy: the tail is so heavy that the mean is not known
 */
struct tail {
	double error;
	double skew;
	bool few;
	bool heavy;
};

/** tail_of() - judge the tail of a distribution; @t: filled in; @d: with samples */
void tail_of(struct tail *t, const struct dist *d);

/**
 * tail_reach() - how far the true mean may lie above that of the samples
 * @t: neither few nor heavy
 * @samples: their number
 * @z: of the normal distribution, one-sided
 *
 * By the expansion of Cornish and Fisher: with a tail to the right, the mean and its error are
 * both too small at the same time.
 */
double tail_reach(const struct tail *t, uint64_t samples, double z);

/**
 * struct sides - which names both sides have
 * @runs: what is judged
 * @base: what it is compared with; of a history, its newest set
 * @level: of the error
 * @both: number of names of which both sides have samples
 * @one_sided: number of names of which only one has
 */
struct sides {
	const struct compare_set *runs;
	struct compare_set base;
	double level;
	size_t both;
	size_t one_sided;
};

/** sides_make() - count what the sides have; @s: filled in; @base: may be NULL */
void sides_make(struct sides *s, const struct compare_set *runs, const struct compare_set *base,
		double confidence);

/** sides_newest() - the runs of the newest set of a history, or all; @base: runs */
struct compare_set sides_newest(const struct compare_set *base);

/**
 * sides_may_be_chance() - whether a name is only told
 * @s: made
 *
 * Return: true if only one side has samples of it, which may be chance, and others are compared.
 */
bool sides_may_be_chance(const struct sides *s, const char *name);

/** sides_say() - say what only one side has by chance; @text: receives it, or "" */
void sides_say(const struct sides *s, char *text, size_t size);

/**
 * sides_require_all() - add a result for each name that must have samples
 * @c: has room for them
 * @compares: on both sides
 *
 * Return: 0 or -ENOMEM.
 */
int sides_require_all(struct check *c, const struct sides *s, const struct check_terms *terms,
		      bool compares);

/**
 * check_pool_make() - add up the runs
 * @p: filled in; its @dist is to be closed, also after an error
 * @side: runs
 * @name: of the distribution
 * @e: filled in if they differ in their bits
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int check_pool_make(struct check_pool *p, const struct check_side *side, const char *name,
		    struct error *e);

/**
 * check_say_look() - append the result of the looks to the reason of a relative rule
 * @r: its verdict, row and reason are set
 */
void check_say_look(struct check_result *r);

/** check_say_needed() - say how many runs would decide a rule; @r: inconclusive; its row is set */
void check_say_needed(struct check_result *r);

/**
 * check_empty() - verdict of a rule that has nothing to judge
 * @r: its rule is set; the rest is filled in
 * @why: what is missing
 * @next: what to do about it
 * @allowed: the rule passes; else it fails
 */
void check_empty(struct check_result *r, const char *why, const char *next, bool allowed);

/**
 * check_bounds() - judge an absolute rule
 * @r: its rule is set; the rest is filled in
 * @pool: its distribution
 * @terms: settings
 *
 * Return: 0 or -ENOMEM.
 */
int check_bounds(struct check_result *r, const struct check_pool *pool,
		 const struct check_terms *terms);

/**
 * check_loss() - whether too many calls were lost to judge a rule
 * @r: its rule is set; if so, it becomes inconclusive
 * @pool: its distribution
 * @max_loss: share that may be lost
 *
 * Return: true if so; never for a rule on loss.
 */
bool check_loss(struct check_result *r, const struct check_pool *pool, double max_loss);

/** check_say_bounds() - "p99 is in 1 us .. 2 us"; @r: its bounds are set */
void check_say_bounds(struct check_result *r);

/** check_limit() - the verdict of a rule on a figure that is somewhere from @lo to @hi */
enum check_verdict check_limit(const struct check_rule *rule, double lo, double hi);

/** check_sum_up() - the verdict of all results */
enum check_verdict check_sum_up(const struct check *c);

/** struct compare_logs - logarithms of the figures of some runs, added up by Welford */
struct compare_logs {
	size_t runs; /* number of them */
	double last; /* the last one */
	double mean; /* of all */
	double squares; /* sum of the squared differences from @mean */
};

/**
 * compare_take() - find a metric in a run and add its logarithm to the others
 * @l: zero-filled before the first run
 * @f: filled in
 * @s: run
 * @name: of the distribution
 * @millionths: quantile, or COMPARE_MEAN
 *
 * Return: 0; -ENODATA where the run has no samples of it; -ENOMEM.
 */
int compare_take(struct compare_logs *l, struct compare_figure *f, const struct snapshot *s,
		 const char *name, uint32_t millionths);

/**
 * compare_measures() - whether any run has a distribution of that name
 * @set: runs
 *
 * Return: true if one has, with or without samples.
 */
bool compare_measures(const struct compare_set *set, const char *name);

/**
 * compare_seen() - compare_measures() of the runs before one
 * @set: runs
 * @run: index of that one
 */
bool compare_seen(const struct compare_set *set, size_t run, const char *name);

/** compare_count() - sum of the numbers of distributions of all runs; @set: runs, or NULL */
size_t compare_count(const struct compare_set *set);

/** compare_log_change() - logarithm of b / a; @row: with samples on both sides */
double compare_log_change(const struct compare_row *row);

/**
 * compare_floors() - find out what change the floors of different methods may explain
 * @row: its sides are set; @across, the shifts, and method and cost of the sides are filled in
 * @a: before, with costs
 * @b: after, with costs
 *
 * Return: false if the methods differ and a floor is unknown.
 */
bool compare_floors(struct compare_row *row, const struct compare_set *a,
		    const struct compare_set *b);

/**
 * struct compare_estimate - a difference of the logarithms, and how well it is known
 * @distance: from the limit, less the slack of the slots; negative if the slack reaches it
 * @error: standard error of @distance
 * @spread: standard error with one run a side; with n it is @spread / sqrt(n)
 * @freedom: degrees of freedom of @spread
 * @level: one-sided level at which the limit must be excluded
 */
struct compare_estimate {
	double distance;
	double error;
	double spread;
	double freedom;
	double level;
};

/**
 * compare_runs_settle() - how many runs would decide a row
 * @e: estimate
 *
 * Return: runs a side that decide it in at least four of five series; 0 if it cannot be said.
 */
unsigned int compare_runs_settle(const struct compare_estimate *e);

/**
 * compare_view() - choose the models by which the sides are compared
 * @row: @a, @b, @runs and @known are set; @order, @paired, @step and @views are filled in
 */
void compare_view(struct compare_row *row);

/**
 * history_view() - compare a set with the accepted ones, each as one observation
 * @row: @a, @b, @last_sets and @runs are set, those of the base set by set; @history, @sets,
 *	@sets_spread, @drifted, @change, @known and @views are filled in
 *
 * Return: 0 or -ENOMEM.
 */
int history_view(struct compare_row *row);

/**
 * history_may_be_chance() - whether too many accepted sets are as high as the new one
 * @row: a known row of a history
 * @limit: 0.05 for an increase of 5 %
 * @level: of the test
 *
 * Return: true if so; false if there are too few sets to reach @level.
 */
bool history_may_be_chance(const struct compare_row *row, double limit, double level);

/**
 * history_say_needed() - say what would decide a rule against a history
 * @r: inconclusive; its @next and @takes are filled in
 */
void history_say_needed(struct check_result *r);

/**
 * history_interval() - interval of the change above the accepted sets
 * @row: of a history, with views
 * @level: of each end
 * @lo: receives the lower end, a logarithm: above the last sets or above the oldest ones
 * @hi: receives the upper end, above both
 */
void history_interval(const struct compare_row *row, double level, double *lo, double *hi);

/** history_p() - see @p of struct compare_row; @row: of a history, with views */
double history_p(const struct compare_row *row);

/** history_takes() - whether an undecided set is likely within the limit; @row: of a history */
bool history_takes(const struct compare_row *row);

/**
 * history_shows() - the increase that one new set shows in four of five cases
 * @row: a known row of a history
 * @level: one-sided level of the test
 *
 * Return: 0.1 for 10 %.
 */
double history_shows(const struct compare_row *row, double level);

/** history_say_none() - inconclusive: no accepted set has the function; @r: filled in */
void history_say_none(struct check_result *r);

/**
 * history_orders() - how many orders of a series are tried for a step
 * @level: probability to find a step in a series without one
 * @as_good: receives how many of them may fit as well as the series, itself included
 *
 * Return: their number; @as_good is at most @level of it.
 */
size_t history_orders(double level, size_t *as_good);

/**
 * history_steps() - find the steps of a series of figures
 * @y: logarithms, in the order of time
 * @n: their number
 * @level: probability to find any step in a series without one
 * @steps: receives them, room for @n
 * @n_steps: receives their number
 *
 * Return: 0 or -ENOMEM.
 */
int history_steps(const double *y, size_t n, double level, struct history_step *steps,
		  size_t *n_steps);

/**
 * compare_modes_chance() - probability that all runs of one side are in one mode, and all of the
 * other in another one, of a program with two modes, if they are as likely as is worst
 * @before: runs of one side
 * @after: runs of the other
 */
double compare_modes_chance(double before, double after);

/** compare_modes_decide() - whether only COMPARE_MODES leaves a rule undecided; @row: known */
bool compare_modes_decide(const struct compare_row *row);

/** compare_has_unlike_lengths() - whether the runs of one side are longer; @row: with samples */
bool compare_has_unlike_lengths(const struct compare_row *row);

/** compare_level() - level of one end of the interval of a row; @confidence: see its row */
double compare_level(const struct compare_row *row, double confidence);

/**
 * rank_p() - probability that the ranks of the runs are so far apart, if the limit holds
 * @row: with @ranked
 * @p: only one below it is asked for
 *
 * Return: it, or something not below @p.
 */
double rank_p(const struct compare_row *row, double p);

/**
 * rank_show() - take the lower end of the interval, and the change, from the ranks
 * @row: with @ranked and @confidence; its @lo, @change and values are filled in if the ranks
 *	show the increase and the means do not
 */
void rank_show(struct compare_row *row);

/**
 * rank_may_be_chance() - permutation test of the means and of the ranks, both at once
 * @row: with @ranked
 * @limit: 0.05 for an increase of more than 5 %
 * @level: of both together
 *
 * Of each way to deal out the runs, the smaller of both probabilities is compared, so that the
 * level holds for both together and hardly any power is lost.
 *
 * Return: true if runs dealt out at random are as far apart too often.
 */
bool rank_may_be_chance(const struct compare_row *row, double limit, double level);

/** compare_p() - see @p of struct compare_row; @row: with views */
double compare_p(const struct compare_row *row);

/**
 * compare_interval() - interval of the change
 * @row: with views
 * @confidence: below 1
 * @lo: receives the lower end
 * @hi: receives the upper end
 */
void compare_interval(const struct compare_row *row, double confidence, double *lo, double *hi);

#endif /* KSTATS_JUDGE_PRIV_H */
