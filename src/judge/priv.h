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
 * compare_view() - choose how the sides are compared
 * @row: its sides and runs are set, and whether they are known; the order of the
 *	runs and the views are filled in
 */
void compare_view(struct compare_row *row);

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
