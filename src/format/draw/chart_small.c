// SPDX-License-Identifier: GPL-2.0-only
/* chart_small.c - small distributions beside each other, with the same axis and scale. */
#include "format/draw/chart.h"

#include <math.h>

#include "format/frame.h"
#include "util/units.h"

#define WIDTH 240
#define HEIGHT 112
#define LEFT 4
#define RIGHT (WIDTH - 4)
#define TOP 8
#define BOTTOM 88
#define LEAST_WIDTH 3 /* of a bar: narrower slots are joined */
#define LEAST_HEIGHT 1 /* of a bar, so that it is visible */
#define TICK_GAP 62 /* minimum distance of labels */

/* Neighbouring slots as one bar. */
struct bin {
	double left;
	double right;
	double density; /* share of the samples per length of the axis */
};

/* A walk over the bars of a distribution. */
struct bins {
	const struct axis *axis;
	const struct dist *dist;
	uint32_t bits; /* the bars are the slots of this resolution */
	struct dist_row row; /* the first slot of the next bar */
	bool more; /* there is one */
};

static struct bins begin_bins(const struct axis *a, const struct dist *d)
{
	double octave = axis_at(a, 2 * a->lo) - axis_at(a, a->lo);
	struct bins b = { a, d, d->bits, DIST_ROW_BEGIN, false };

	while (b.bits && octave / (1U << b.bits) < LEAST_WIDTH)
		b.bits--;
	b.more = dist_next(d, &b.row);
	return b;
}

static bool next_bin(struct bins *b, struct bin *bin)
{
	uint32_t slot = kstats_slot_index(b->row.value.lo, b->bits);
	uint64_t samples = 0;

	if (!b->more)
		return false;
	while (b->more && kstats_slot_index(b->row.value.lo, b->bits) == slot) {
		samples += b->row.samples;
		b->more = dist_next(b->dist, &b->row);
	}
	bin->left = axis_at(b->axis, kstats_slot_first(slot, b->bits));
	bin->right = axis_at(b->axis, kstats_slot_last(slot, b->bits) + 1.0);
	bin->density = (double)samples / b->dist->samples / (bin->right - bin->left);
	return true;
}

struct chart_scale chart_scale_begin(const struct dist *all)
{
	return (struct chart_scale){ axis_values(all, LEFT, RIGHT), 0 };
}

void chart_scale_fit(struct chart_scale *s, const struct dist *d)
{
	struct bins b = begin_bins(&s->values, d);
	struct bin bin;

	while (next_bin(&b, &bin))
		s->most = fmax(s->most, bin.density);
}

/* The ends of the bars lie on slots, and may be beyond those of the axis. */
static double inside(double at)
{
	return fmin(fmax(at, LEFT), RIGHT);
}

static void draw_bins(const struct chart *c, const struct chart_scale *s, const struct dist *d)
{
	struct bins b = begin_bins(&s->values, d);
	double height;
	struct bin bin;

	fputs("<path class=\"heat\" d=\"", c->out);
	while (next_bin(&b, &bin)) {
		height = fmin(bin.density / s->most, 1) * (BOTTOM - TOP);
		chart_to(c, 'M', inside(bin.left));
		chart_to(c, ' ', BOTTOM);
		chart_to(c, 'V', BOTTOM - fmax(height, LEAST_HEIGHT));
		chart_to(c, 'H', inside(bin.right));
		chart_to(c, 'V', BOTTOM);
		fputc('z', c->out);
	}
	fputs("\"/>\n", c->out);
}

/* Draw the quantiles, and a stroke on top of each bar that is higher than the scale. */
static void small_draw_marks(const struct chart *c, const struct chart_scale *s,
			     const struct dist *d)
{
	static const uint32_t marks[] = { 500000, 990000 };
	struct bins b = begin_bins(&s->values, d);
	struct bin bin;
	size_t i;

	fputs("<path class=\"mark\" d=\"", c->out);
	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		fprintf(c->out, "M%.1f %dV%d",
			inside(axis_at(&s->values, dist_quantile(d, marks[i]).hi + 1.0)), TOP,
			BOTTOM);
	while (next_bin(&b, &bin))
		if (bin.density > s->most)
			fprintf(c->out, "M%.1f %dH%.1f", inside(bin.left) - 2, TOP - 3,
				inside(bin.right) + 2);
	fputs("\"/>\n", c->out);
}

static void draw_axis(const struct chart *c, const struct axis *a)
{
	struct axis_tick ticks[AXIS_TICKS];
	unsigned int n = axis_ticks(a, c->unit, ticks), i;
	const char *anchor;
	double last = -INFINITY, at;

	fprintf(c->out, "<path class=\"grid\" d=\"M%d %dH%d", LEFT, BOTTOM, RIGHT);
	for (i = 0; i < n; i++)
		fprintf(c->out, "M%.1f %dV%d", ticks[i].at, TOP, BOTTOM + 3);
	fputs("\"/>\n", c->out);
	for (i = 0; i < n; i++) {
		at = ticks[i].at;
		anchor = at < TICK_GAP / 2 ? "start" : at > WIDTH - TICK_GAP / 2 ? "end" : "middle";
		/* A label that begins or ends at its tick needs half of its length more. */
		if (at - last < TICK_GAP * (*anchor == 'e' || last < TICK_GAP / 2 ? 1.4 : 1))
			continue;
		last = at;
		chart_text(c, at, BOTTOM + 19, anchor, ticks[i].label);
	}
}

void chart_small(const struct chart *c, const struct chart_scale *s, const struct dist *d,
		 const char *name)
{
	fprintf(c->out,
		"<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"viewBox=\"0 0 %d %d\" aria-label=\"Distribution of ",
		WIDTH, HEIGHT);
	html_text(c->out, name);
	fputs("\">\n", c->out);
	draw_axis(c, &s->values);
	draw_bins(c, s, d);
	small_draw_marks(c, s, d);
	chart_close(c);
}
