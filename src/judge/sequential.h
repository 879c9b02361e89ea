/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sequential.h - judge after every pair of runs, with an error that holds over all looks.
 * In: compared rows; two runs with the same place in both sets are a pair. Out: the same
 * rows, with the interval of the look that decided, or of the last one. Pure. Called by
 * check.
 *
 * Student's t compares the logarithms of the ratios of the pairs with the limit. "Slower" is
 * wrong in at most @error of all series, and so is "not slower", however many looks there
 * are. See looks.c.
 */
#ifndef KSTATS_JUDGE_SEQUENTIAL_H
#define KSTATS_JUDGE_SEQUENTIAL_H

#include "judge/compare.h"

#define SEQUENTIAL_MAX 400 /* pairs; beyond, the levels are not computed exactly enough */

/** struct sequential - the looks of a series, and their levels */
struct sequential {
	unsigned int first; /* pairs at the first look, at least 2 */
	unsigned int last; /* pairs at the last look, at most SEQUENTIAL_MAX */
	double error; /* one-sided, of one row over all looks */
	double level; /* of the last look, for one row; the look at n pairs has n / @last of it */
	size_t rows; /* number of rows that @shared is for; 0 at first */
	double shared; /* level of the last look for an error of @error / @rows */
};

/**
 * sequential_make() - compute the levels
 * @q: filled in
 * @first: pairs at the first look
 * @last: pairs at the last look
 * @confidence: of the intervals over all looks; half of the rest is the error of each side
 */
void sequential_make(struct sequential *q, unsigned int first, unsigned int last,
		     double confidence);

/**
 * sequential_judge() - judge all pairs so far
 * @c: from compare_make(), with metrics that have limits; intervals, values and looks of the
 *	rows are replaced
 * @q: levels; those of several rows are computed when they are needed
 *
 * "Slower" is corrected for the number of rows, by Holm's step-down. "Not slower" is not
 * corrected, since all rows must pass for all to pass. A row that an earlier look decided
 * stays decided.
 *
 * Return: 0 or -ENOMEM.
 */
int sequential_judge(struct compare *c, struct sequential *q);

/**
 * sequential_level() - the level of the last look
 * @first: pairs at the first look
 * @last: pairs at the last look
 * @error: of all looks together, one-sided
 *
 * Return: the level for which one of the looks finds a difference with the probability @error
 *	if there is none.
 */
double sequential_level(unsigned int first, unsigned int last, double error);

#endif /* KSTATS_JUDGE_SEQUENTIAL_H */
