// SPDX-License-Identifier: GPL-2.0-only
/* html_series.c - a series as a drawing: points to the right, values upwards. */
#include <math.h>

#include "format/priv.h"
#include "format/draw/chart.h"
#include "format/frame.h"
#include "util/units.h"

#define DOT 3.5
#define DOT_NEW 6.0

struct series_plot {
	struct chart chart;
	const struct report_series *s;
	struct axis y;
};

static double series_x(const struct series_plot *p, double i)
{
	double n = p->s->n > 1 ? p->s->n - 1 : 1;

	return CHART_LEFT + 12 + i / n * (CHART_RIGHT - CHART_LEFT - 24);
}

static double series_y(const struct series_plot *p, double value)
{
	return axis_at(&p->y, value);
}

static struct axis series_axis(const struct report_series *s)
{
	struct axis a = { .lo = INFINITY, .begin = CHART_BOTTOM, .end = CHART_TOP };
	size_t i;

	for (i = 0; i < s->n; i++) {
		a.lo = fmin(a.lo, s->points[i].value);
		a.hi = fmax(a.hi, s->points[i].value);
	}
	a.hi = fmax(a.hi, s->limit);
	axis_widen(&a);
	return a;
}

/* From the last point that may be before the step to the first that may be after it. */
static void series_step(const struct series_plot *p, const struct report_step *step)
{
	double left = series_x(p, step->lo - 1.0), right = series_x(p, step->hi);

	fprintf(p->chart.out,
		"<rect class=\"heat\" fill-opacity=\"0.15\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
		"height=\"%d\"><title>",
		left, CHART_TOP, right - left, CHART_BOTTOM - CHART_TOP);
	html_text(p->chart.out, step->text);
	fprintf(p->chart.out, "</title></rect>\n<path class=\"mark\" d=\"M%.1f %dV%d\"/>\n",
		series_x(p, step->at - 0.5), CHART_TOP, CHART_BOTTOM);
}

static void series_levels(const struct series_plot *p)
{
	size_t i, k = 0, end;

	fputs("<path class=\"curve\" d=\"", p->chart.out);
	for (i = 0; i < p->s->n; i = end) {
		end = k < p->s->n_steps ? p->s->steps[k++].at : p->s->n;
		fprintf(p->chart.out, "M%.1f %.1fH%.1f", series_x(p, i) - 4,
			series_y(p, p->s->points[i].level), series_x(p, end - 1.0) + 4);
	}
	fputs("\"/>\n", p->chart.out);
}

/* What the new set must not exceed. */
static void series_limit(const struct series_plot *p)
{
	char value[UNITS_TEXT], text[UNITS_TEXT + 16];

	if (p->s->limit <= 0)
		return;
	fprintf(p->chart.out, "<path class=\"limit\" d=\"M%d %.1fH%d\"/>\n", CHART_LEFT,
		series_y(p, p->s->limit), CHART_RIGHT);
	snprintf(text, sizeof(text), "limit %s", units_duration(value, p->s->limit, p->s->unit));
	chart_text(&p->chart, CHART_RIGHT, CHART_TOP - 6, "end", text);
	fprintf(p->chart.out, "<path class=\"limit\" d=\"M%d %dh24\"/>\n", CHART_RIGHT - 134,
		CHART_TOP - 10);
}

static void series_points(const struct series_plot *p)
{
	const struct report_point *at;
	char value[UNITS_TEXT];
	size_t i;

	for (i = 0; i < p->s->n; i++) {
		at = &p->s->points[i];
		fprintf(p->chart.out,
			"<circle class=\"dot\" r=\"%.1f\" cx=\"%.1f\" cy=\"%.1f\"><title>",
			at->is_new ? DOT_NEW : DOT, series_x(p, i), series_y(p, at->value));
		html_text(p->chart.out, at->name);
		fprintf(p->chart.out, ", %s: %s</title></circle>\n", at->when,
			units_duration(value, at->value, p->s->unit));
	}
}

void html_series(FILE *out, const struct report_series *s)
{
	struct series_plot p = { { .out = out, .unit = s->unit }, s, series_axis(s) };
	size_t i;

	fputs("<div class=\"one\">", out);
	chart_open(&p.chart, CHART_HEIGHT, "Series: duration by set");
	chart_axis_y(&p.chart, &p.y);
	for (i = 0; i < s->n_steps; i++)
		series_step(&p, &s->steps[i]);
	series_levels(&p);
	series_limit(&p);
	series_points(&p);
	chart_text(&p.chart, CHART_LEFT, CHART_BOTTOM + 20, "start", s->points[0].when);
	chart_text(&p.chart, CHART_RIGHT, CHART_BOTTOM + 20, "end", s->points[s->n - 1].when);
	chart_close(&p.chart);
	fputs("</div>\n", out);
}
