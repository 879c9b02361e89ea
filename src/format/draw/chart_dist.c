// SPDX-License-Identifier: GPL-2.0-only
/*
 * chart_dist.c - a distribution, or two over each other, above each other on a linear and on a
 * logarithmic scale: the linear one shows what is usual, the other one the tails. Slots differ in
 * length, so heights are shares of the samples for each step of 1 % of the value.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "report/figures.h"

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

/* A slot as it is drawn. */
struct dist_bar {
	double left;
	double right;
	double density; /* in per cent of the samples for each step of 1 % */
};

/* What is drawn, and its axes. */
struct dist_plot {
	const struct chart *c;
	int n; /* sides */
	const struct dist *sides[SIDES];
	struct dist_bar *bars[SIDES]; /* owned */
	size_t n_bars[SIDES];
	struct axis values;
	struct axis linear;
	struct axis log;
};

/* ---- heights ---- */

static size_t dist_count(const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	size_t n = 0;

	while (dist_next(d, &row))
		n++;
	return n;
}

static int dist_place_bars(struct dist_plot *p, int side)
{
	const struct dist *d = p->sides[side];
	double step = STEP * (p->values.end - p->values.begin) / log(p->values.hi / p->values.lo);
	struct dist_row row = DIST_ROW_BEGIN;
	struct dist_bar *bar;
	uint64_t next = 0;
	double width;

	p->bars[side] = calloc(dist_count(d) + 1, sizeof(*bar));
	if (!p->bars[side])
		return -ENOMEM;
	for (bar = p->bars[side]; dist_next(d, &row); bar++) {
		/* Most slots begin where the last one ended. */
		bar->left = p->n_bars[side] && row.value.lo == next
				    ? bar[-1].right
				    : axis_at(&p->values, row.value.lo);
		bar->right = axis_at(&p->values, row.value.hi + 1.0);
		width = bar->right - bar->left;
		if (width > 0)
			bar->density = 100.0 * row.samples / d->samples * step / width;
		next = row.value.hi + 1;
		p->n_bars[side]++;
	}
	return 0;
}

/* Room for both sides; the lowest bar of the logarithmic scale is seen as well. */
static void dist_fit_heights(struct dist_plot *p)
{
	double least = INFINITY, most = 0;
	const struct dist_bar *bar;
	int i;

	for (i = 0; i < p->n; i++) {
		for (bar = p->bars[i]; bar < p->bars[i] + p->n_bars[i]; bar++) {
			if (bar->density > 0)
				least = fmin(least, bar->density);
			most = fmax(most, bar->density);
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

/* One shape around neighbouring slots, so that what is behind an outline stays visible. */
static void dist_bars(const struct dist_plot *p, int side, const struct axis *heights,
		      const char *class)
{
	double bottom = heights->begin, last = -INFINITY, top;
	const struct dist_bar *bar;

	fprintf(p->c->out, "<path class=\"%s\" d=\"", class);
	for (bar = p->bars[side]; bar < p->bars[side] + p->n_bars[side]; bar++) {
		if (bar->left - last > 0.01) {
			if (bar > p->bars[side])
				chart_to(p->c, 'V', bottom);
			chart_to(p->c, 'M', bar->left);
			chart_to(p->c, ' ', bottom);
		}
		top = bottom - fmax(bottom - axis_at(heights, bar->density), LEAST_BAR);
		chart_to(p->c, 'V', top);
		chart_to(p->c, 'H', bar->right);
		last = bar->right;
	}
	fprintf(p->c->out, "V%g\"/>\n", bottom);
}

static void dist_panel(const struct dist_plot *p, const struct axis *heights)
{
	struct chart shares = *p->c;

	shares.unit = CHART_PERCENT;
	chart_axis_y(&shares, heights);
	dist_bars(p, 0, heights, p->n > 1 ? "before" : "bars");
	if (p->n > 1)
		dist_bars(p, 1, heights, "after");
	chart_text(p->c, CHART_RIGHT, heights->end + 12, "end", heights->log ? "log" : "linear");
}

/* ---- what a pointer sees ---- */

/* One side is named in both halves; of two, each in one. */
static void dist_name_slots(const struct dist_plot *p, int side)
{
	static const char *const names[] = { "before, ", "after, " };
	const struct dist *d = p->sides[side];
	const struct dist_bar *bar = p->bars[side];
	int top = p->n < 2 || side ? LINEAR_TOP : LOG_TOP;
	int bottom = p->n < 2 || !side ? LOG_BOTTOM : LINEAR_BOTTOM;
	struct dist_row row = DIST_ROW_BEGIN;
	char range[FIGURES_RANGE], count[UNITS_TEXT], percent[UNITS_TEXT];

	for (; dist_next(d, &row); bar++) {
		fputs("<rect class=\"at\" x=", p->c->out);
		chart_to(p->c, '"', bar->left);
		fputs("\" width=", p->c->out);
		chart_to(p->c, '"', fmax(bar->right - bar->left, 0.5));
		fprintf(p->c->out, "\" y=\"%d\" height=\"%d\"><title>%s%s: %s (", top, bottom - top,
			p->n > 1 ? names[side] : "", figures_range(range, row.value, p->c->unit),
			units_count(count, row.samples));
		html_text(p->c->out, units_percent(percent, row.samples, d->samples));
		fputs(")</title></rect>\n", p->c->out);
	}
}

/* ---- around it ---- */

/* Draw the quantiles, each label on the first line where it touches no other. */
static void dist_marks(const struct dist_plot *p)
{
	double at, last[MARK_LINES] = { -LABEL_GAP, -LABEL_GAP, -LABEL_GAP };
	int i, line;

	for (i = 0; i < FIGURES_QUANTILES; i++) {
		at = axis_at(&p->values,
			     dist_quantile(p->sides[0], figures_quantiles[i].millionths).hi + 1.0);
		for (line = 0; line < MARK_LINES && at - last[line] < LABEL_GAP; line++)
			;
		if (line == MARK_LINES)
			continue;
		last[line] = at;
		fprintf(p->c->out,
			"<path class=\"mark\" d=\"M%.1f %dV%dM%.1f %dV%d\"/>"
			"<text class=\"mark\" x=\"%.1f\" y=\"%d\">%s</text>\n",
			at, 4 + MARK_HEIGHT * line, LINEAR_BOTTOM, at, LOG_TOP, LOG_BOTTOM, at + 3,
			14 + MARK_HEIGHT * line, figures_quantiles[i].name);
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

/* The values from one on, as those of slow calls. */
static void dist_mark_from(const struct dist_plot *p)
{
	double at = fmax(axis_at(&p->values, p->c->from), p->values.begin);

	if (p->c->from <= 0 || at >= p->values.end)
		return;
	fprintf(p->c->out,
		"<rect class=\"from\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", at,
		LINEAR_TOP, p->values.end - at, LOG_BOTTOM - LINEAR_TOP);
	chart_text(p->c, p->values.end, LINEAR_BOTTOM - 8, "end", "slow");
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

static int dist_place(struct dist_plot *p)
{
	int i, err = 0;

	dist_fit_values(p);
	for (i = 0; !err && i < p->n; i++)
		err = dist_place_bars(p, i);
	return err;
}

static int dist_draw(struct dist_plot *p)
{
	int i, err = dist_place(p);

	if (!err) {
		dist_fit_heights(p);
		chart_open(p->c, CHART_DIST_HEIGHT, dist_label(p));
		chart_axis_x(p->c, &p->values, LINEAR_TOP, LOG_BOTTOM);
		dist_mark_from(p);
		dist_panel(p, &p->linear);
		dist_panel(p, &p->log);
		if (p->n > 1)
			dist_key(p);
		else
			dist_marks(p);
		for (i = 0; i < p->n; i++)
			dist_name_slots(p, i);
		chart_close(p->c);
	}
	for (i = 0; i < p->n; i++)
		free(p->bars[i]);
	return err;
}

int chart_distribution(const struct chart *c, const struct dist *d)
{
	return dist_draw(&(struct dist_plot){ .c = c, .n = 1, .sides = { d } });
}

int chart_overlay(const struct chart *c, const struct dist *before, const struct dist *after)
{
	return dist_draw(&(struct dist_plot){ .c = c, .n = 2, .sides = { before, after } });
}
