/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - what the two kinds of rules share. Included by this folder only.
 */
#ifndef KSTATS_JUDGE_PRIV_H
#define KSTATS_JUDGE_PRIV_H

#include "judge/check.h"

/**
 * struct check_pool - one distribution over all runs
 * @dist: merged
 * @seconds: time of the runs that have it
 * @started: start events that its ledger accounts for
 * @lost: those of them that are lost
 * @may: calls of all tasks that the kernel skipped; they may be some of these, or none
 */
struct check_pool {
	struct dist dist;
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
 * check_bounds() - judge an absolute rule
 * @r: its rule is set; the rest is filled in
 * @pool: what it is about
 */
void check_bounds(struct check_result *r, const struct check_pool *pool);

/**
 * check_loss() - was too much lost to judge the rest
 * @r: its rule is set; the rest is filled in where it was
 * @pool: what it is about
 * @max_loss: share that may be lost
 *
 * Return: true where it was; a rule about loss is judged all the same.
 */
bool check_loss(struct check_result *r, const struct check_pool *pool, double max_loss);

#endif /* KSTATS_JUDGE_PRIV_H */
