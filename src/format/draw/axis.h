/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * axis.h - values on a line, and what is written along it. In: a range of values
 * and of places. Out: places and tick marks. Called by the charts.
 */
#ifndef KSTATS_FORMAT_DRAW_AXIS_H
#define KSTATS_FORMAT_DRAW_AXIS_H

#include <stdint.h>
#include <stdio.h>

#include "result/dist.h"

#define AXIS_TICKS 7 /* at most */

/* A line of values. */
struct axis {
	double lo; /* smallest, as drawn */
	double hi; /* largest, as drawn */
	double begin; /* position of the smallest */
	double end; /* position of the largest */
	bool log; /* logarithmic */
};

/* A mark. */
struct axis_tick {
	double at; /* place */
	char label[32]; /* "10 us" */
};

/**
 * axis_values() - an axis for the values of a distribution with samples
 * @begin: position of the smallest
 * @end: position of the largest
 *
 * Logarithmic, a little wider than the values; 0 is drawn at one half.
 */
struct axis axis_values(const struct dist *d, double begin, double end);

/** axis_widen() - leave room beyond the values at both ends; a single value gets room as well */
void axis_widen(struct axis *a);

/** axis_at() - the position of a value, which may lie beyond the ends */
double axis_at(const struct axis *a, double value);

/** axis_ticks() - the positions and labels of tick marks; @a: axis, of durations in ns */
unsigned int axis_ticks(const struct axis *a, const char *unit, struct axis_tick ticks[AXIS_TICKS]);

#endif /* KSTATS_FORMAT_DRAW_AXIS_H */
