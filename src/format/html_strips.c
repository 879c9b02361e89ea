// SPDX-License-Identifier: GPL-2.0-only
/* html_strips.c - durations in their parts, as bars below each other with one scale. */
#include <math.h>
#include <string.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"
#include "result/snapshot.h"
#include "util/units.h"

#define TOP 34
#define ROW 30
#define BAR 20
#define LEFT 110
#define KEY 100 /* least width of a word of the key */
#define KEY_ROW 20
#define KEY_LETTER 7.5

static double strip_total(const struct report_strips *x, const struct report_strip *s)
{
	double sum = 0;
	size_t p;

	for (p = 0; p < x->n_parts; p++)
		sum += s->ns[p];
	return sum;
}

static void strip_draw(const struct chart *c, const struct axis *a, const struct report_strips *x,
		       const struct report_strip *s, double y)
{
	char text[UNITS_TEXT];
	double at = 0;
	size_t p;

	chart_text(c, LEFT - 8, y + 15, "end", s->label);
	for (p = 0; p < x->n_parts; p++) {
		if (s->ns[p] <= 0)
			continue;
		fprintf(c->out,
			"<rect class=\"part%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			"height=\"%d\"><title>",
			p, axis_at(a, at), y, fmax(axis_at(a, at + s->ns[p]) - axis_at(a, at), 0.5),
			BAR);
		html_text(c->out, x->parts[p]);
		fprintf(c->out, " %s</title></rect>\n", units_duration(text, s->ns[p], c->unit));
		at += s->ns[p];
	}
}

/* How many words of the key stand in a row. */
static size_t strip_columns(const struct report_strips *x, double *width)
{
	double widest = KEY;
	size_t p;

	for (p = 0; p < x->n_parts; p++)
		widest = fmax(widest, 28 + KEY_LETTER * strlen(x->parts[p]));
	*width = widest;
	return fmax(1, floor((CHART_WIDTH - LEFT) / widest));
}

/* The parts stand in this order in each bar, so a colour is not needed to tell them. */
static void strip_key(const struct chart *c, const struct report_strips *x)
{
	double width, at, y;
	size_t columns = strip_columns(x, &width), p;

	for (p = 0; p < x->n_parts; p++) {
		at = LEFT + p % columns * width;
		y = p / columns * KEY_ROW;
		fprintf(c->out,
			"<rect class=\"part%zu\" x=\"%.0f\" y=\"%.0f\" width=\"14\" "
			"height=\"14\"/>",
			p, at, y + 6);
		chart_text(c, at + 20, y + 18, "start", x->parts[p]);
	}
}

void html_strips(FILE *out, const struct report_strips *x)
{
	const struct chart c = { .out = out, .unit = "auto" };
	struct axis a = { 0, 1, LEFT, CHART_RIGHT, false };
	double width, top = TOP, bottom;
	size_t i;

	if (x->n_parts)
		top += (x->n_parts - 1) / strip_columns(x, &width) * KEY_ROW;
	bottom = top + x->n * ROW;
	for (i = 0; i < x->n; i++)
		a.hi = fmax(a.hi, strip_total(x, &x->rows[i]));
	fputs("<div class=\"one\">", out);
	html_tag(out, "h3", x->title);
	fputc('\n', out);
	chart_open(&c, bottom + 28, x->title);
	chart_axis_x(&c, &a, top - 4, bottom);
	strip_key(&c, x);
	for (i = 0; i < x->n; i++)
		strip_draw(&c, &a, x, &x->rows[i], top + i * ROW);
	chart_close(&c);
	fputs("</div>\n", out);
}
