/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ranges.h - neighbouring slots merged until they fit a screen. In: a distribution. Out: a
 * few ranges of equal ratio for most of the samples and coarser ones for the tails, so that
 * modes near each other stay separate even if the largest sample is far away. Called by the
 * summary.
 */
#ifndef KSTATS_REPORT_RANGES_H
#define KSTATS_REPORT_RANGES_H

#include "result/dist.h"

#define RANGES_MAX 20
#define RANGES_LEAST 5

/* Slots shown as one row. */
struct range {
	uint32_t first; /* index of its first slot */
	uint32_t last; /* index of its last slot */
	struct dist_bounds value; /* smallest and largest value */
	uint64_t samples; /* samples in it */
	bool skipped; /* the row stands for several empty ranges */
};

/**
 * ranges_make() - merge the slots of a distribution into a few ranges, ascending
 * @most: of them, RANGES_LEAST to RANGES_MAX
 *
 * Return: number of @rows; 0 without samples.
 */
unsigned int ranges_make(const struct dist *d, unsigned int most, struct range rows[RANGES_MAX]);

#endif /* KSTATS_REPORT_RANGES_H */
