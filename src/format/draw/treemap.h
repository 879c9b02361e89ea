/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * treemap.h - amounts as boxes that fill an area, each as nearly square as possible. In: sizes.
 * Out: places. Called by the formats that make pages.
 */
#ifndef KSTATS_FORMAT_DRAW_TREEMAP_H
#define KSTATS_FORMAT_DRAW_TREEMAP_H

#include <stdbool.h>
#include <stddef.h>

/** struct treemap_area - a rectangle */
struct treemap_area {
	double x;
	double y;
	double width;
	double height;
};

/**
 * struct treemap_box - an amount
 * @size: above 0, in any unit
 * @area: where it is; filled in
 */
struct treemap_box {
	double size;
	struct treemap_area area;
};

/** treemap_layout() - place boxes; @boxes: the largest first */
void treemap_layout(struct treemap_box *boxes, size_t n, struct treemap_area area);

#endif /* KSTATS_FORMAT_DRAW_TREEMAP_H */
