/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chart.h - a distribution as drawings. In: a distribution, a recording. Out:
 * svg elements, whose colours come from html_style(). Called by the formats that
 * make pages and drawings.
 */
#ifndef KSTATS_FORMAT_DRAW_CHART_H
#define KSTATS_FORMAT_DRAW_CHART_H

#include "format/draw/axis.h"
#include "report/report.h"

#define CHART_WIDTH 520
#define CHART_HEIGHT 268
#define CHART_LEFT 78
#define CHART_RIGHT 508
#define CHART_TOP 20
#define CHART_LABELS 38 /* additional height of a drawing with labels above it */
#define CHART_BOTTOM 236
#define CHART_DIST_HEIGHT 372 /* of a distribution on two scales */
#define CHART_PERCENT "%" /* a unit: values are shares of 100 */

/* Where and how a drawing is made. */
struct chart {
	FILE *out; /* stream */
	const char *unit; /* as in struct report_look, or "bytes" */
	bool rate; /* what is drawn is per second */
	double from; /* values of a distribution from here on are marked; 0: none are */
	bool nested; /* it is part of a larger drawing, at @x and @y */
	double x; /* left end in the larger drawing */
	double y; /* upper end in the larger drawing */
};

/** chart_open() - begin a drawing; @label: description for readers who cannot see it */
void chart_open(const struct chart *c, double height, const char *label);

/** chart_close() - end a drawing */
void chart_close(const struct chart *c);

/** chart_text() - draw any text; @y: base line; @anchor: "start", "middle" or "end" */
void chart_text(const struct chart *c, double x, double y, const char *anchor, const char *text);

/** chart_to() - write a letter of a path and a place, to a tenth, faster than printf */
void chart_to(const struct chart *c, char letter, double at);

/** chart_axis_x() - draw the lines of a horizontal axis up to @top, and the labels at @bottom */
void chart_axis_x(const struct chart *c, const struct axis *a, double top, double bottom);

/** chart_axis_y() - draw the lines and labels of a vertical axis, from its end to its begin */
void chart_axis_y(const struct chart *c, const struct axis *a);

/**
 * chart_distribution() - draw the share of samples by duration, on a linear and a log scale
 *
 * Return: 0 or -ENOMEM.
 */
int chart_distribution(const struct chart *c, const struct dist *d);

/** chart_overlay() - draw two distributions with samples over each other in the same way. The same
 */
int chart_overlay(const struct chart *c, const struct dist *before, const struct dist *after);

/** chart_percentiles() - draw the cumulative curve, stretched towards its end */
void chart_percentiles(const struct chart *c, const struct dist *d);

/** struct chart_scale - what small drawings beside each other share */
struct chart_scale {
	struct axis values; /* axis of the values */
	double most; /* share of the samples per length of the axis that reaches the top */
};

/** chart_scale_begin() - an empty scale; @all: all samples that are drawn */
struct chart_scale chart_scale_begin(const struct dist *all);

/** chart_scale_fit() - make room for a distribution with samples */
void chart_scale_fit(struct chart_scale *s, const struct dist *d);

/** chart_small() - draw a distribution with samples; @name: what it is of, any bytes */
void chart_small(const struct chart *c, const struct chart_scale *s, const struct dist *d,
		 const char *name);

/** chart_time() - draw bytes over time; @n: at least 1, and the last one ends after 0 */
void chart_time(const struct chart *c, const char *label, const struct report_bar *bars, size_t n);

/** struct chart_span - a change and its interval */
struct chart_span {
	const char *label; /* any bytes, at most about 10 letters */
	bool known; /* else only the label is drawn */
	struct report_span span;
	bool limited; /* @limit is drawn */
	double limit;
};

/** chart_spans() - draw changes below each other; @scale: it reaches so far to both sides */
void chart_spans(const struct chart *c, const char *label, const struct chart_span *rows, size_t n,
		 double scale);

/** chart_intervals() - draw a heat map: time to the right, values upwards. Return: 0 or -ENOMEM */
int chart_intervals(const struct chart *c, const struct recording *rec, uint32_t node,
		    const struct dist *d);

/** chart_cpus() - draw a row for each CPU that has samples. Return: 0 or -ENOMEM */
int chart_cpus(const struct chart *c, const struct snapshot *s, uint32_t node,
	       const struct dist *d);

#endif /* KSTATS_FORMAT_DRAW_CHART_H */
