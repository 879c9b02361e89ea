// SPDX-License-Identifier: GPL-2.0-only
/*
 * chart_dist.c - a distribution, or two over each other, above each other on a linear and on a
 * logarithmic scale: the linear one shows what is usual, the other one the tails. Slots differ in
 * length, so heights are shares of the samples for each step of 1 % of the value.
 */
#include <math.h>
#include <string.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "render/text.h"

#define MARK_LINES 3
#define MARK_HEIGHT 18
#define LABEL_GAP 54 /* minimum distance of labels */
#define LINEAR_TOP (CHART_TOP + CHART_LABELS)
#define LINEAR_BOTTOM 196
#define LOG_TOP 212
#define LOG_BOTTOM 340
#define RIGHT (CHART_RIGHT - 64) /* there is room for labels */
#define LEAST_BAR 1.5 /* height of the smallest bar, so that it is visible */
#define STEP 0.00995033 /* a step of 1 % is so much of a logarithm */
#define SIDES 2

/* What is drawn, and its axes. */
struct dist_plot {
	const struct chart *c;
	int n; /* sides */
	const struct dist *sides[SIDES];
	struct axis values;
	struct axis linear;
	struct axis log;
};

/* In per cent of the samples for each step of 1 %. */
static double dist_density(const struct dist_plot *p, const struct dist *d,
			   const struct dist_row *row)
{
	double width =
		axis_at(&p->values, row->value.hi + 1.0) - axis_at(&p->values, row->value.lo);
	double all = log(p->values.hi / p->values.lo) / (p->values.end - p->values.begin);

	return width > 0 ? 100.0 * row->samples / d->samples / (width * all) * STEP : 0;
}

/* Room for both sides; the lowest bar of the logarithmic scale is seen as well. */
static void dist_fit_heights(struct dist_plot *p)
{
	double least = INFINITY, most = 0, density;
	struct dist_row row;
	int i;

	for (i = 0; i < p->n; i++) {
		row = (struct dist_row)DIST_ROW_BEGIN;
		while (dist_next(p->sides[i], &row)) {
			density = dist_density(p, p->sides[i], &row);
			if (density > 0)
				least = fmin(least, density);
			most = fmax(most, density);
		}
	}
	most = most > 0 ? most : 1;
	p->linear = (struct axis){ 0, most, LINEAR_BOTTOM, LINEAR_TOP, false };
	p->log = (struct axis){ fmin(least / 2, most / 20), most, LOG_BOTTOM, LOG_TOP, true };
}

static void dist_fit_values(struct dist_plot *p)
{
	struct axis other;
	int i;

	p->values = axis_values(p->sides[0], CHART_LEFT, RIGHT);
	for (i = 1; i < p->n; i++) {
		other = axis_values(p->sides[i], CHART_LEFT, RIGHT);
		p->values.lo = fmin(p->values.lo, other.lo);
		p->values.hi = fmax(p->values.hi, other.hi);
	}
}

/* ---- bars ---- */

static double dist_top(const struct axis *heights, double density)
{
	return heights->begin - fmax(heights->begin - axis_at(heights, density), LEAST_BAR);
}

static void dist_bars(const struct dist_plot *p, const struct dist *d, const struct axis *heights,
		      const char *class)
{
	struct dist_row row = DIST_ROW_BEGIN;

	fprintf(p->c->out, "<path class=\"%s\" d=\"", class);
	while (dist_next(d, &row))
		fprintf(p->c->out, "M%.2f %gV%.1fH%.2fV%gz", axis_at(&p->values, row.value.lo),
			heights->begin, dist_top(heights, dist_density(p, d, &row)),
			axis_at(&p->values, row.value.hi + 1.0), heights->begin);
	fputs("\"/>\n", p->c->out);
}

/* Around neighbouring slots together, so that what is behind it stays visible. */
static void dist_outline(const struct dist_plot *p, const struct dist *d,
			 const struct axis *heights)
{
	struct dist_row row = DIST_ROW_BEGIN;
	double left, last = NAN;

	fputs("<path class=\"after\" d=\"", p->c->out);
	while (dist_next(d, &row)) {
		left = axis_at(&p->values, row.value.lo);
		if (!(left - last < 0.01)) {
			if (!isnan(last))
				fprintf(p->c->out, "V%g", heights->begin);
			fprintf(p->c->out, "M%.2f %g", left, heights->begin);
		}
		last = axis_at(&p->values, row.value.hi + 1.0);
		fprintf(p->c->out, "V%.1fH%.2f", dist_top(heights, dist_density(p, d, &row)), last);
	}
	fprintf(p->c->out, "V%g\"/>\n", heights->begin);
}

static void dist_panel(const struct dist_plot *p, const struct axis *heights)
{
	struct chart shares = *p->c;

	shares.unit = CHART_PERCENT;
	chart_axis_y(&shares, heights);
	dist_bars(p, p->sides[0], heights, p->n > 1 ? "before" : "bars");
	if (p->n > 1)
		dist_outline(p, p->sides[1], heights);
	chart_text(p->c, CHART_RIGHT, heights->end + 12, "end", heights->log ? "log" : "linear");
}

/* ---- what a pointer sees ---- */

static void dist_name_slot(const struct dist_plot *p, const struct dist *d,
			   const struct dist_row *row, const char *side)
{
	char range[TEXT_RANGE], count[UNITS_TEXT], percent[UNITS_TEXT];
	double left = axis_at(&p->values, row->value.lo);
	double right = axis_at(&p->values, row->value.hi + 1.0);
	int top = !*side ? LINEAR_TOP : d == p->sides[0] ? LOG_TOP : LINEAR_TOP;
	int bottom = !*side ? LOG_BOTTOM : d == p->sides[0] ? LOG_BOTTOM : LINEAR_BOTTOM;

	fprintf(p->c->out,
		"<rect class=\"at\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"><title>%s%s: "
		"%s (",
		left, top, fmax(right - left, 0.5), bottom - top, side,
		text_range(range, row->value, p->c->unit), units_count(count, row->samples));
	html_text(p->c->out, units_percent(percent, row->samples, d->samples));
	fputs(")</title></rect>\n", p->c->out);
}

static void dist_name_slots(const struct dist_plot *p)
{
	struct dist_row row;
	int i;

	for (i = 0; i < p->n; i++) {
		row = (struct dist_row)DIST_ROW_BEGIN;
		while (dist_next(p->sides[i], &row))
			dist_name_slot(p, p->sides[i], &row,
				       p->n < 2 ? ""
				       : i      ? "after, "
						: "before, ");
	}
}

/* ---- around it ---- */

/* Draw the quantiles, each label on the first line where it touches no other. */
static void dist_marks(const struct dist_plot *p)
{
	double at, last[MARK_LINES] = { -LABEL_GAP, -LABEL_GAP, -LABEL_GAP };
	int i, line;

	for (i = 0; i < TEXT_QUANTILES; i++) {
		at = axis_at(&p->values,
			     dist_quantile(p->sides[0], text_quantiles[i].millionths).hi + 1.0);
		for (line = 0; line < MARK_LINES && at - last[line] < LABEL_GAP; line++)
			;
		if (line == MARK_LINES)
			continue;
		last[line] = at;
		fprintf(p->c->out,
			"<path class=\"mark\" d=\"M%.1f %dV%dM%.1f %dV%d\"/>"
			"<text class=\"mark\" x=\"%.1f\" y=\"%d\">%s</text>\n",
			at, 4 + MARK_HEIGHT * line, LINEAR_BOTTOM, at, LOG_TOP, LOG_BOTTOM, at + 3,
			14 + MARK_HEIGHT * line, text_quantiles[i].name);
	}
}

/* Which is which, in shape as well as in colour. */
static void dist_key(const struct dist_plot *p)
{
	fputs("<path class=\"before\" d=\"M78 12h24v14h-24z\"/>"
	      "<path class=\"after\" d=\"M178 26v-14h24v14\"/>\n",
	      p->c->out);
	chart_text(p->c, 110, 24, "start", "before");
	chart_text(p->c, 210, 24, "start", "after");
}

static const char *dist_label(const struct dist_plot *p)
{
	bool time = units_is_time(p->c->unit), bytes = !strcmp(p->c->unit, UNITS_BYTES);

	if (p->n > 1)
		return "Two distributions over each other: share of samples for each 1% step, on "
		       "a linear and a log scale";
	return time    ? "Distribution: share of samples by duration, on a linear and a log scale"
	       : bytes ? "Distribution: share of samples by size, on a linear and a log scale"
		       : "Distribution: share of samples by value, on a linear and a log scale";
}

static void dist_draw(struct dist_plot *p)
{
	dist_fit_values(p);
	dist_fit_heights(p);
	chart_open(p->c, CHART_DIST_HEIGHT, dist_label(p));
	chart_axis_x(p->c, &p->values, LINEAR_TOP, LOG_BOTTOM);
	dist_panel(p, &p->linear);
	dist_panel(p, &p->log);
	if (p->n > 1)
		dist_key(p);
	else
		dist_marks(p);
	dist_name_slots(p);
	chart_close(p->c);
}

void chart_distribution(const struct chart *c, const struct dist *d)
{
	dist_draw(&(struct dist_plot){ .c = c, .n = 1, .sides = { d } });
}

void chart_overlay(const struct chart *c, const struct dist *before, const struct dist *after)
{
	dist_draw(&(struct dist_plot){ .c = c, .n = 2, .sides = { before, after } });
}
