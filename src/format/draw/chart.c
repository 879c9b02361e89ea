// SPDX-License-Identifier: GPL-2.0-only
/* chart.c - the common parts of all drawings, and the cumulative curve. */
#include "format/draw/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/frame.h"
#include "report/figures.h"

#define LABEL_GAP 54 /* minimum distance of labels */
#define TICK_GAP_X 68 /* minimum distance of labels along a horizontal axis */
#define TICK_GAP_Y 20
#define LEAST_BAR 1.5 /* height of the smallest bar, so that it is visible */

void chart_open(const struct chart *c, double height, const char *label)
{
	fputs("<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" ", c->out);
	if (c->nested)
		fprintf(c->out, "x=\"%g\" y=\"%g\" width=\"%d\" height=\"%g\" ", c->x, c->y,
			CHART_WIDTH, height);
	fprintf(c->out, "viewBox=\"0 0 %d %g\" aria-label=\"", CHART_WIDTH, height);
	html_text(c->out, label);
	fputs("\">\n", c->out);
}

void chart_close(const struct chart *c)
{
	fputs("</svg>\n", c->out);
}

void chart_text(const struct chart *c, double x, double y, const char *anchor, const char *text)
{
	fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	html_text(c->out, text);
	fputs("</text>\n", c->out);
}

void chart_to(const struct chart *c, char letter, double at)
{
	long tenths = lround(fmin(fmax(at, -1e6), 1e6) * 10), whole = labs(tenths) / 10;
	char text[16], *p = text + sizeof(text);

	*--p = '0' + labs(tenths) % 10;
	*--p = '.';
	do
		*--p = '0' + whole % 10;
	while (whole /= 10);
	if (tenths < 0)
		*--p = '-';
	*--p = letter;
	fwrite_unlocked(p, 1, text + sizeof(text) - p, c->out);
}

void chart_axis_x(const struct chart *c, const struct axis *a, double top, double bottom)
{
	struct axis_tick ticks[AXIS_TICKS];
	unsigned int n = axis_ticks(a, c->unit, ticks), i;
	double last = -INFINITY;
	bool edge;

	fprintf(c->out, "<path class=\"grid\" d=\"M%d %.1fH%d", CHART_LEFT, bottom, CHART_RIGHT);
	for (i = 0; i < n; i++)
		fprintf(c->out, "M%.1f %.1fV%.1f", ticks[i].at, top, bottom + 4);
	fputs("\"/>\n", c->out);
	for (i = 0; i < n; i++) {
		edge = ticks[i].at > CHART_RIGHT - TICK_GAP_X / 3;
		if (ticks[i].at - last < TICK_GAP_X * (edge ? 1.5 : 1))
			continue;
		last = ticks[i].at;
		chart_text(c, last, bottom + 20, edge ? "end" : "middle", ticks[i].label);
	}
}

void chart_axis_y(const struct chart *c, const struct axis *a)
{
	struct axis_tick ticks[AXIS_TICKS];
	unsigned int n = axis_ticks(a, c->unit, ticks), i;
	double last = INFINITY;

	fprintf(c->out, "<path class=\"grid\" d=\"M%d %.1fV%.1f", CHART_LEFT, a->end, a->begin);
	for (i = 0; i < n; i++)
		fprintf(c->out, "M%d %.1fH%d", CHART_LEFT - 4, ticks[i].at, CHART_RIGHT);
	fputs("\"/>\n", c->out);
	for (i = 0; i < n; i++) {
		if (last - ticks[i].at < TICK_GAP_Y)
			continue;
		last = ticks[i].at;
		chart_text(c, CHART_LEFT - 7, last + 4, "end", ticks[i].label);
	}
}

/* ---- the cumulative curve ---- */

/* Percentiles by their nines: 90 % is at 1, 99 % at 2. The end is the last single sample. */
static double nines_at(const struct dist *d, double above)
{
	double all = log10(d->samples), nines = above >= 1 ? log10(d->samples / above) : all;

	if (all <= 0)
		return CHART_LEFT;
	return CHART_LEFT + nines / all * (CHART_RIGHT - CHART_LEFT);
}

static void draw_nines(const struct chart *c, const struct dist *d)
{
	static const char *const names[] = {
		"0%",      "90%",     "99%",     "99.9%",   "99.99%",
		"99.999%", "6 nines", "7 nines", "8 nines", "9 nines"
	};
	double all = log10(d->samples), at, last = -LABEL_GAP;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names) && (i <= all || !i); i++) {
		at = all > 0 ? CHART_LEFT + i / all * (CHART_RIGHT - CHART_LEFT) : CHART_LEFT;
		fprintf(c->out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", at, CHART_TOP,
			CHART_BOTTOM + 4);
		if (at - last >= LABEL_GAP && at < CHART_RIGHT - LABEL_GAP / 2) {
			chart_text(c, at, CHART_BOTTOM + 20, "middle", names[i]);
			last = at;
		}
	}
}

/* Draw a step for each slot; its height is the range of values of the slot. */
static void draw_steps(const struct chart *c, const struct axis *a, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	char range[FIGURES_RANGE];
	double left = nines_at(d, d->samples), right, top, height;

	while (dist_next(d, &row)) {
		right = nines_at(d, d->samples - row.cumulative);
		top = axis_at(a, row.value.hi + 1.0);
		height = axis_at(a, row.value.lo) - top;
		fputs("<rect class=\"bar\" x=", c->out);
		chart_to(c, '"', left);
		fputs("\" y=", c->out);
		chart_to(c, '"', top);
		fputs("\" width=", c->out);
		chart_to(c, '"', fmax(right - left, 1));
		fputs("\" height=", c->out);
		chart_to(c, '"', fmax(height, LEAST_BAR));
		fprintf(c->out, "\"><title>%s: up to %.6g%%</title></rect>\n",
			figures_range(range, row.value, c->unit),
			100.0 * row.cumulative / d->samples);
		left = right;
	}
}

/* Draw the line that joins the steps. */
static void draw_curve(const struct chart *c, const struct axis *a, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	uint64_t before = 0;

	fputs("<path class=\"curve\" d=\"", c->out);
	while (dist_next(d, &row)) {
		if (!before)
			chart_to(c, 'M', CHART_LEFT);
		chart_to(c, before ? 'V' : ' ', axis_at(a, row.value.hi + 1.0));
		chart_to(c, 'H', nines_at(d, d->samples - row.cumulative));
		before = row.cumulative;
	}
	fputs("\"/>\n", c->out);
}

static void draw_dots(const struct chart *c, const struct axis *a, const struct dist *d)
{
	char range[FIGURES_RANGE];
	struct dist_bounds b;
	double above;
	int i;

	for (i = 0; i < FIGURES_QUANTILES; i++) {
		above = (DIST_ONE - figures_quantiles[i].millionths) * (double)d->samples /
			DIST_ONE;
		if (above < 1)
			continue;
		b = dist_quantile(d, figures_quantiles[i].millionths);
		fprintf(c->out,
			"<circle class=\"dot\" r=\"3.5\" cx=\"%.1f\" cy=\"%.1f\">"
			"<title>%s: %s</title></circle>\n",
			nines_at(d, above), axis_at(a, b.hi + 1.0), figures_quantiles[i].name,
			figures_range(range, b, c->unit));
	}
}

void chart_percentiles(const struct chart *c, const struct dist *d)
{
	struct axis a = axis_values(d, CHART_BOTTOM, CHART_TOP);

	chart_open(c, CHART_HEIGHT,
		   units_is_time(c->unit) ? "Cumulative: duration by percentile"
					  : "Cumulative: value by percentile");
	chart_axis_y(c, &a);
	draw_nines(c, d);
	draw_curve(c, &a, d);
	draw_steps(c, &a, d);
	draw_dots(c, &a, d);
	chart_close(c);
}
