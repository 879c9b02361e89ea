// SPDX-License-Identifier: GPL-2.0-only
/*
 * treemap.c - see treemap.h. The boxes are laid out in rows along the shorter side of what is
 * left. A row takes boxes as long as the worst of their shapes gets better (Bruls, Huizing and
 * van Wijk: Squarified treemaps, 2000).
 */
#include "format/draw/treemap.h"

#include <math.h>

/* How far the worst box of a row is from a square; @sum, @most and @least: sizes as areas. */
static double worst(double side, double sum, double most, double least)
{
	return fmax(side * side * most / (sum * sum), sum * sum / (side * side * least));
}

/* The number of boxes in the next row, and the sum of their areas. */
static size_t choose_row(const struct treemap_box *boxes, size_t n, double scale, double side,
			 double *sum)
{
	double shape = INFINITY, next, most = boxes[0].size * scale;
	size_t i;

	for (*sum = 0, i = 0; i < n; i++) {
		next = worst(side, *sum + boxes[i].size * scale, most, boxes[i].size * scale);
		if (next > shape)
			break;
		shape = next;
		*sum += boxes[i].size * scale;
	}
	return i;
}

/* Along the left end, or along the top; returns what is left of the area. */
static struct treemap_area place_row(struct treemap_box *boxes, size_t n, double scale, double sum,
				     struct treemap_area a)
{
	bool upright = a.width >= a.height;
	double side = upright ? a.height : a.width, thick = sum / side, at = 0, length;
	size_t i;

	for (i = 0; i < n; i++, at += length) {
		length = boxes[i].size * scale / thick;
		if (upright)
			boxes[i].area = (struct treemap_area){ a.x, a.y + at, thick, length };
		else
			boxes[i].area = (struct treemap_area){ a.x + at, a.y, length, thick };
	}
	if (upright)
		return (struct treemap_area){ a.x + thick, a.y, a.width - thick, a.height };
	return (struct treemap_area){ a.x, a.y + thick, a.width, a.height - thick };
}

void treemap_layout(struct treemap_box *boxes, size_t n, struct treemap_area area)
{
	double all = 0, scale, sum;
	size_t i, row;

	for (i = 0; i < n; i++)
		all += boxes[i].size;
	scale = area.width * area.height / all;
	for (i = 0; i < n; i += row) {
		/* Rounding may leave nothing for the last and smallest ones. */
		area.width = fmax(area.width, 1e-6);
		area.height = fmax(area.height, 1e-6);
		row = choose_row(boxes + i, n - i, scale, fmin(area.width, area.height), &sum);
		area = place_row(boxes + i, row, scale, sum, area);
	}
}
