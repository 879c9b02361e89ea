// SPDX-License-Identifier: GPL-2.0-only
/* chart_spans.c - changes and their intervals below each other, with one scale. */
#include <math.h>

#include "format/draw/chart.h"

#define ROW 24
#define TOP 6

static double spans_at(const struct axis *a, double change)
{
	return fmin(fmax(axis_at(a, 100 * change), CHART_LEFT), CHART_RIGHT);
}

/* The interval as a bar, which ends without a stroke where it is cut off; the change as a dot. */
static void spans_draw(const struct chart *c, const struct axis *a, const struct chart_span *x,
		       double y)
{
	double lo = spans_at(a, x->span.lo), hi = spans_at(a, x->span.hi);

	chart_text(c, CHART_LEFT - 7, y + 16, "end", x->label);
	if (!x->known)
		return;
	fprintf(c->out, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"6\"/>",
		lo, y + 9, fmax(hi - lo, 1));
	fputs("<path class=\"curve\" d=\"", c->out);
	if (lo > CHART_LEFT)
		fprintf(c->out, "M%.1f %.1fv12", lo, y + 6);
	if (hi < CHART_RIGHT)
		fprintf(c->out, "M%.1f %.1fv12", hi, y + 6);
	fprintf(c->out, "\"/><circle class=\"dot\" r=\"4.5\" cx=\"%.1f\" cy=\"%.1f\"/>\n",
		spans_at(a, x->span.at), y + 12);
	if (x->limited)
		fprintf(c->out, "<path class=\"limit\" d=\"M%.1f %.1fv%d\"/>\n",
			spans_at(a, x->limit), y + 1, ROW - 2);
}

void chart_spans(const struct chart *c, const char *label, const struct chart_span *rows, size_t n,
		 double scale)
{
	double bottom = TOP + n * ROW + 4;
	struct axis a = { -100 * scale, 100 * scale, CHART_LEFT + 8, CHART_RIGHT - 8, false };
	struct chart shares = *c;
	bool limited = false;
	size_t i;

	for (i = 0; i < n; i++)
		limited |= rows[i].known && rows[i].limited;
	shares.unit = CHART_PERCENT;
	chart_open(c, bottom + (limited ? 48 : 28), label);
	chart_axis_x(&shares, &a, TOP, bottom);
	fprintf(c->out, "<path class=\"zero\" d=\"M%.1f %dV%.1f\"/>\n", axis_at(&a, 0), TOP,
		bottom);
	for (i = 0; i < n; i++)
		spans_draw(c, &a, &rows[i], TOP + i * ROW);
	if (limited) {
		fprintf(c->out, "<path class=\"limit\" d=\"M%d %.1fv14\"/>\n", CHART_LEFT,
			bottom + 28);
		chart_text(c, CHART_LEFT + 8, bottom + 40, "start", "limit");
	}
	chart_close(c);
}
