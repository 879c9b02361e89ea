// SPDX-License-Identifier: GPL-2.0-only
/* figures.c - figures of a distribution in words. */
#include "report/figures.h"

#include <stdio.h>
#include <string.h>

const struct figures_quantile figures_quantiles[FIGURES_QUANTILES] = {
	{ "p50", 500000 },   { "p90", 900000 },    { "p99", 990000 },
	{ "p99.9", 999000 }, { "p99.99", 999900 },
};

char *figures_range(char buf[FIGURES_RANGE], struct dist_bounds b, const char *unit)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT];

	units_duration(lo, b.lo, unit);
	units_duration(hi, b.hi, unit);
	if (!strcmp(lo, hi))
		snprintf(buf, FIGURES_RANGE, "%s", lo);
	else
		snprintf(buf, FIGURES_RANGE, "%s .. %s", lo, hi);
	return buf;
}
