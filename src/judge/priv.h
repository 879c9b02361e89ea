/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - what the files of this folder share. Included by this folder only.
 */
#ifndef KSTATS_JUDGE_PRIV_H
#define KSTATS_JUDGE_PRIV_H

#include "judge/check.h"

/**
 * struct check_pool - one distribution over all runs
 * @set: runs
 * @name: of the distribution
 * @dist: merged
 * @recorded: samples of it and of what shares its ledger
 * @seconds: time of the runs that have it
 * @started: start events that its ledger accounts for
 * @lost: those of them that are lost
 * @may: calls of all tasks that the kernel skipped; they may be some of these, or none
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
 * check_pool_make() - add up the runs
 * @p: filled in; its @dist is to be closed, also after an error
 * @set: runs
 * @name: of the distribution
 * @e: why not: they differ in their bits
 * Return: 0, -EINVAL or -ENOMEM.
 */
int check_pool_make(struct check_pool *p, const struct compare_set *set, const char *name,
		    struct error *e);

/**
 * check_say_look() - add to a relative rule what its looks came to
 * @r: its verdict, its row and why are set
 */
void check_say_look(struct check_result *r);

/** check_say_needed() - say how many runs would settle a rule; @r: inconclusive; its row is set */
void check_say_needed(struct check_result *r);

/**
 * check_empty() - nothing is there to be judged
 * @r: its rule is set; the rest is filled in
 * @why: what is missing
 * @next: what to do about it
 * @allowed: it passes
 */
void check_empty(struct check_result *r, const char *why, const char *next, bool allowed);

/**
 * check_bounds() - judge an absolute rule
 * @r: its rule is set; the rest is filled in
 * @pool: what it is about
 * @terms: on which terms
 *
 * Return: 0 or -ENOMEM.
 */
int check_bounds(struct check_result *r, const struct check_pool *pool,
		 const struct check_terms *terms);

/**
 * check_loss() - was too much lost to judge the rest
 * @r: its rule is set; the rest is filled in where it was
 * @pool: what it is about
 * @max_loss: share that may be lost
 *
 * Return: true where it was; a rule about loss is judged all the same.
 */
bool check_loss(struct check_result *r, const struct check_pool *pool, double max_loss);

/** struct compare_logs - logarithms of the figures of some runs, added up by Welford */
struct compare_logs {
	size_t runs; /* number of them */
	double last; /* the last one */
	double mean; /* of all */
	double squares; /* sum of the squared differences from @mean */
};

/**
 * compare_take() - find a metric in a run and add it up
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
 * compare_measures() - does any run of a set have a distribution of that name
 * @set: runs
 *
 * Return: true where one has, with or without samples.
 */
bool compare_measures(const struct compare_set *set, const char *name);

/**
 * compare_seen() - does a run before that one have a distribution of that name
 * @set: runs
 * @run: index of the run
 *
 * Return: as compare_measures(), of the runs before @run.
 */
bool compare_seen(const struct compare_set *set, size_t run, const char *name);

/**
 * compare_count() - distributions of all runs of a set, a name as often as it is there
 * @set: runs, or NULL
 */
size_t compare_count(const struct compare_set *set);

/**
 * compare_log_change() - difference of the logarithms of the sides
 * @row: with samples on both sides
 *
 * Return: the logarithm of b to a.
 */
double compare_log_change(const struct compare_row *row);

/**
 * compare_floors() - whether the methods of the sides differ, and what their floors explain
 * @row: its sides are set; what is told of methods is filled in
 * @a: before, with costs
 * @b: after, with costs
 *
 * Return: false where the methods differ and a floor is not known.
 */
bool compare_floors(struct compare_row *row, const struct compare_set *a,
		    const struct compare_set *b);

/**
 * struct compare_estimate - a difference of the logarithms, and how well it is known
 * @distance: from the limit, less what the slots leave open; negative where they hold it
 * @error: standard error of @distance
 * @spread: that a run a side adds: the error of n of them is @spread / sqrt(n)
 * @freedom: degrees of freedom of @spread
 * @level: one-sided, at which the limit must be out of reach
 */
struct compare_estimate {
	double distance;
	double error;
	double spread;
	double freedom;
	double level;
};

/**
 * compare_range_of() - how many runs would settle it
 * @e: what is known
 *
 * Return: range that holds the number in four of five cases.
 */
struct compare_range compare_range_of(const struct compare_estimate *e);

/**
 * compare_view() - choose how the sides are compared
 * @row: its sides and runs are set, and whether they are known; the order of the
 *	runs and the views are filled in
 */
void compare_view(struct compare_row *row);

/**
 * history_view() - compare a set with the accepted ones, each as one observation
 * @row: its sides and runs are set, the base by sets; what is told of sets is filled in,
 *	the change, whether it is known, and the views
 *
 * Return: 0 or -ENOMEM.
 */
int history_view(struct compare_row *row);

/**
 * history_may_be_chance() - are too many accepted sets as high as the new one
 * @row: a known row of a history
 * @limit: 0.05 for an increase of 5 %
 * @level: chance that is allowed
 *
 * Return: true where they are; false where there are too few sets to tell.
 */
bool history_may_be_chance(const struct compare_row *row, double limit, double level);

/**
 * history_say_needed() - what would settle a rule against a history
 * @r: inconclusive; its @next and @young are filled in
 */
void history_say_needed(struct check_result *r);

/** history_say_none() - no accepted set has what is judged; @r: filled in: inconclusive */
void history_say_none(struct check_result *r);

/**
 * permute_number() - the next of a row of numbers that look like chance
 * @state: where the row is; the same rows begin with the same state
 *
 * Return: 64 bits.
 */
uint64_t permute_number(uint64_t *state);

/**
 * history_steps() - where a series of figures steps
 * @y: logarithms, in the order of time
 * @n: their number
 * @level: chance of a step that is none, over all of them
 * @steps: receives them, room for @n
 * @n_steps: receives their number
 *
 * Return: 0 or -ENOMEM.
 */
int history_steps(const double *y, size_t n, double level, struct history_step *steps,
		  size_t *n_steps);

/**
 * compare_p() - chance of so large a change
 * @row: with views
 *
 * Return: as of struct compare_row, from 0 to 1.
 */
double compare_p(const struct compare_row *row);

/**
 * compare_interval() - where the change lies
 * @row: with views
 * @confidence: below 1
 * @lo: receives the lower end
 * @hi: receives the upper end
 */
void compare_interval(const struct compare_row *row, double confidence, double *lo, double *hi);

#endif /* KSTATS_JUDGE_PRIV_H */
