// SPDX-License-Identifier: GPL-2.0-only
/* html_strips.c - durations in their parts, as bars below each other with one scale. */
#include <math.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"
#include "result/snapshot.h"
#include "util/units.h"

#define TOP 34
#define ROW 30
#define BAR 20
#define LEFT 110
#define KEY 105 /* width of a word of the key */
#define PARTS (KSTATS_PART_BLOCKED + 1)

static const char *strip_part(int p)
{
	return snapshot_kind_name(NULL, SNAPSHOT_RUNNING + p);
}

static double strip_total(const struct report_strip *s)
{
	double sum = 0;
	int p;

	for (p = 0; p < PARTS; p++)
		sum += s->ns[p];
	return sum;
}

static void strip_draw(const struct chart *c, const struct axis *a, const struct report_strip *s,
		       double y)
{
	char text[UNITS_TEXT];
	double at = 0;
	int p;

	chart_text(c, LEFT - 8, y + 15, "end", s->label);
	for (p = 0; p < PARTS; p++) {
		if (s->ns[p] <= 0)
			continue;
		fprintf(c->out,
			"<rect class=\"part%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			"height=\"%d\"><title>%s %s</title></rect>\n",
			p, axis_at(a, at), y, fmax(axis_at(a, at + s->ns[p]) - axis_at(a, at), 0.5),
			BAR, strip_part(p), units_duration(text, s->ns[p], c->unit));
		at += s->ns[p];
	}
}

/* The parts stand in this order in each bar, so a colour is not needed to tell them. */
static void strip_key(const struct chart *c)
{
	int p;

	for (p = 0; p < PARTS; p++) {
		fprintf(c->out,
			"<rect class=\"part%d\" x=\"%d\" y=\"6\" width=\"14\" height=\"14\"/>", p,
			LEFT + p * KEY);
		chart_text(c, LEFT + p * KEY + 20, 18, "start", strip_part(p));
	}
}

void html_strips(FILE *out, const struct report_strips *x)
{
	const struct chart c = { .out = out, .unit = "auto" };
	struct axis a = { 0, 1, LEFT, CHART_RIGHT, false };
	double bottom = TOP + x->n * ROW;
	size_t i;

	for (i = 0; i < x->n; i++)
		a.hi = fmax(a.hi, strip_total(&x->rows[i]));
	fputs("<div class=\"one\">", out);
	html_tag(out, "h3", x->title);
	fputc('\n', out);
	chart_open(&c, bottom + 28, x->title);
	chart_axis_x(&c, &a, TOP - 4, bottom);
	strip_key(&c);
	for (i = 0; i < x->n; i++)
		strip_draw(&c, &a, &x->rows[i], TOP + i * ROW);
	chart_close(&c);
	fputs("</div>\n", out);
}
