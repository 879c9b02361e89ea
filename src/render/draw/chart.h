/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chart.h - a distribution as drawings. In: a distribution, a recording. Out:
 * svg elements, whose colours come from html_style(). Called by the formats that
 * make pages and drawings.
 */
#ifndef KSTATS_RENDER_DRAW_CHART_H
#define KSTATS_RENDER_DRAW_CHART_H

#include "render/draw/axis.h"
#include "render/render.h"

#define CHART_WIDTH 520
#define CHART_HEIGHT 268
#define CHART_LEFT 78
#define CHART_RIGHT 508
#define CHART_TOP 20
#define CHART_LABELS 38 /* what a drawing with words above itself needs more */
#define CHART_BOTTOM 236

/**
 * struct chart - where and how a drawing is made
 * @out: stream
 * @unit: as in struct render_options
 * @nested: it is part of a larger drawing, at @x and @y
 * @x: its left end there
 * @y: its upper end there
 */
struct chart {
	FILE *out;
	const char *unit;
	bool nested;
	double x;
	double y;
};

/**
 * chart_open() - begin a drawing
 * @c: chart
 * @height: of it; its width is CHART_WIDTH
 * @label: what it shows, for those who do not see it
 */
void chart_open(const struct chart *c, double height, const char *label);

/**
 * chart_close() - end it
 * @c: chart
 */
void chart_close(const struct chart *c);

/**
 * chart_text() - words in a drawing
 * @c: chart
 * @x: where
 * @y: base line
 * @anchor: "start", "middle" or "end"
 * @text: any bytes
 */
void chart_text(const struct chart *c, double x, double y, const char *anchor, const char *text);

/**
 * chart_axis_x() - lines and words for a horizontal axis
 * @c: chart
 * @a: axis
 * @top: where the lines end
 * @bottom: where the words hang
 */
void chart_axis_x(const struct chart *c, const struct axis *a, double top, double bottom);

/**
 * chart_axis_y() - lines and words for a vertical axis
 * @c: chart
 * @a: axis
 */
void chart_axis_y(const struct chart *c, const struct axis *a);

/**
 * chart_distribution() - how many samples were how long
 * @c: chart
 * @d: distribution with samples
 */
void chart_distribution(const struct chart *c, const struct dist *d);

/**
 * chart_percentiles() - the cumulative curve, stretched towards its end
 * @c: chart
 * @d: distribution with samples
 */
void chart_percentiles(const struct chart *c, const struct dist *d);

/**
 * chart_intervals() - a heat map: time to the right, values upwards
 * @c: chart
 * @rec: recording with intervals
 * @node: node index
 * @d: its distribution, with samples
 *
 * Return: 0 or -ENOMEM.
 */
int chart_intervals(const struct chart *c, const struct recording *rec, uint32_t node,
		    const struct dist *d);

/**
 * chart_cpus() - a row for each CPU that has samples
 * @c: chart
 * @s: snapshot
 * @node: node index
 * @d: its distribution, with samples
 *
 * Return: 0 or -ENOMEM.
 */
int chart_cpus(const struct chart *c, const struct snapshot *s, uint32_t node,
	       const struct dist *d);

#endif /* KSTATS_RENDER_DRAW_CHART_H */
