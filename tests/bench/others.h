/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * others.h - what other tests would say of the same runs. In: two sets of runs. Out: who
 * calls the change a regression. Called by check.c.
 */
#ifndef BENCH_OTHERS_H
#define BENCH_OTHERS_H

#include "judge/compare.h"

enum others {
	OTHERS_RANKS, /* Mann and Whitney, one-sided at 1 % */
	OTHERS_PERMUTED, /* all ways to deal the runs out, one-sided at 1 % */
	OTHERS_BENCHSTAT, /* Mann and Whitney at 5 %, then the medians; no limit */
	OTHERS_N,
};

/**
 * others_fail() - which of them call it slower
 * @a: before
 * @b: after
 * @millionths: quantile, or COMPARE_MEAN
 * @limit: 0.05 for an increase of 5 %
 * @fails: set where they do for any of the functions; without a correction for their number
 */
void others_fail(const struct compare_set *a, const struct compare_set *b, uint32_t millionths,
		 double limit, bool fails[OTHERS_N]);

#endif /* BENCH_OTHERS_H */
