// SPDX-License-Identifier: GPL-2.0-only
/* level.c - the level of each end of an interval. */
#include "judge/priv.h"

#define UNLIKE 1.5 /* ratio of the samples of runs that are not of the same length */

/* A quantile of short runs is slightly smaller than that of long ones, and varies more. */
bool compare_has_unlike_lengths(const struct compare_row *row)
{
	double a = (double)row->a.samples / row->a.runs, b = (double)row->b.samples / row->b.runs;

	return a > UNLIKE * b || b > UNLIKE * a;
}

double compare_level(const struct compare_row *row, double confidence)
{
	bool whole = row->metric->above && !compare_has_unlike_lengths(row);

	return whole ? 1 - confidence : (1 - confidence) / 2;
}
