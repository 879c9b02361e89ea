/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heat.h - counts in a grid, drawn as the strength of a colour. In: counts by line (an
 * interval or a CPU) and slot. Out: rectangles. Called by the charts.
 */
#ifndef KSTATS_FORMAT_DRAW_HEAT_H
#define KSTATS_FORMAT_DRAW_HEAT_H

#include <stdint.h>

#include "result/dist.h"
#include "format/draw/axis.h"
#include "format/draw/chart.h"

#define HEAT_BINS 72 /* bins along the values, at most */

/* The grid. */
struct heat {
	const struct dist *dist; /* distribution; not owned, must outlive the grid */
	uint32_t first; /* first slot of the first bin */
	uint32_t last; /* last slot of the last bin */
	uint32_t per_bin; /* slots per bin */
	uint32_t bins; /* number of bins */
	size_t lines; /* number of lines */
	uint64_t *cells; /* owned; samples, line by line */
};

/* Extent of a line across the axis of the values. */
struct heat_box {
	double from; /* one side */
	double to; /* the other */
};

/**
 * heat_open() - make an empty grid that covers a distribution with samples
 *
 * @h is freed by heat_close(). Return: 0 or -ENOMEM.
 */
int heat_open(struct heat *h, const struct dist *d, size_t lines);

/** heat_add() - count samples; slots outside the grid are counted at its edge */
void heat_add(struct heat *h, size_t line, uint32_t slot, uint64_t samples);

/**
 * heat_draw() - draw the grid
 * @values: axis of the values
 * @boxes: extent of each line
 * @upright: the axis of the values is vertical, and all lines have one colour scale; otherwise
 *	each line has its own
 */
void heat_draw(const struct heat *h, const struct chart *c, const struct axis *values,
	       const struct heat_box *boxes, bool upright);

/** heat_legend() - draw which colour is how many; @y: its top; @upright: as for heat_draw() */
void heat_legend(const struct heat *h, const struct chart *c, double y, bool upright);

/** heat_close() - release; @h may be zero-filled */
void heat_close(struct heat *h);

#endif /* KSTATS_FORMAT_DRAW_HEAT_H */
