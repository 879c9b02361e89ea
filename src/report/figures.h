/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - the figures that reports show of a distribution, in words. Called by report, format
 * and screen.
 */
#ifndef KSTATS_REPORT_FIGURES_H
#define KSTATS_REPORT_FIGURES_H

#include "result/dist.h"
#include "util/units.h"

#define FIGURES_RANGE (2 * UNITS_TEXT + 8) /* room for any range made here */

/** struct figures_quantile - a quantile that reports show */
struct figures_quantile {
	const char *name; /* "p99.9" */
	uint32_t millionths;
};

#define FIGURES_QUANTILES 5

/** figures_quantiles - the quantiles that reports show, ascending */
extern const struct figures_quantile figures_quantiles[FIGURES_QUANTILES];

/** figures_range() - "132 ns .. 135 ns", or a single value if both ends are equal */
char *figures_range(char buf[FIGURES_RANGE], struct dist_bounds b, const char *unit);

#endif /* KSTATS_REPORT_FIGURES_H */
