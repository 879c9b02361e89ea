/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bars.h - rows of ranges with counts and bars, in columns that fit their contents. In:
 * rows. Out: text. Called by summary and hist.
 */
#ifndef KSTATS_RENDER_BARS_H
#define KSTATS_RENDER_BARS_H

#include <stdio.h>

#include "report/options.h"
#include "result/dist.h"

#define BAR_NOTE 13 /* room for "p99.9 p99.99" */

/** struct bar - one row */
struct bar {
	struct dist_bounds value; /* smallest and largest value */
	uint64_t samples; /* samples in it */
	/* the row stands for ranges that are left out; the other members are unused */
	bool skipped;
	bool below; /* not above the floor, which an empty function reads too */
	char note[BAR_NOTE]; /* text behind the bar */
};

/** bars_draw() - draw rows */
void bars_draw(FILE *out, const struct report_look *o, const struct bar *rows, size_t n);

#endif /* KSTATS_RENDER_BARS_H */
