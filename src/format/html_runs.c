// SPDX-License-Identifier: GPL-2.0-only
/* html_runs.c - a figure of all runs as points: those of both sides differ in shape as well. */
#include <math.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"
#include "report/figures.h"

struct runs_plot {
	struct chart chart;
	const struct report_runs *runs;
	struct axis y;
};

static double runs_x(const struct runs_plot *p, size_t i)
{
	double n = p->runs->n;

	return CHART_LEFT + (i + 0.5) / n * (CHART_RIGHT - CHART_LEFT);
}

static struct axis runs_axis(const struct report_runs *r)
{
	struct axis a = { .lo = INFINITY, .begin = CHART_BOTTOM, .end = CHART_TOP };
	size_t i;

	for (i = 0; i < r->n; i++) {
		a.lo = fmin(a.lo, r->runs[i].value);
		a.hi = fmax(a.hi, r->runs[i].value);
	}
	/* A limit far away would flatten the points. */
	if (r->limit > 0 && r->limit < a.hi + 4 * (a.hi - a.lo) + a.hi / 4)
		a.hi = fmax(a.hi, r->limit);
	if (r->limit > 0 && r->limit > a.lo / 2)
		a.lo = fmin(a.lo, r->limit);
	axis_widen(&a);
	a.lo = fmax(a.lo, 0);
	return a;
}

static void runs_point(const struct runs_plot *p, size_t i)
{
	const struct report_run *run = &p->runs->runs[i];
	char value[UNITS_TEXT], range[FIGURES_RANGE];
	double x = runs_x(p, i), y = axis_at(&p->y, run->value);

	if (run->after)
		fprintf(p->chart.out, "<path class=\"dot\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\">", x,
			y - 5);
	else
		fprintf(p->chart.out, "<circle class=\"ring\" r=\"4\" cx=\"%.1f\" cy=\"%.1f\">", x,
			y);
	fprintf(p->chart.out, "<title>%s, run %zu: %s (%s)</title></%s>\n",
		run->after ? "after" : "before", run->place,
		units_duration(value, run->value, p->runs->unit),
		figures_range(range, (struct dist_bounds){ run->lo, run->hi }, p->runs->unit),
		run->after ? "path" : "circle");
}

static bool runs_have(const struct report_runs *r, bool after)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->runs[i].after == after)
			return true;
	return false;
}

static void runs_limit(const struct runs_plot *p)
{
	double y = axis_at(&p->y, p->runs->limit);
	char value[UNITS_TEXT], text[UNITS_TEXT + 16];

	if (p->runs->limit <= 0)
		return;
	if (y <= CHART_BOTTOM && y >= CHART_TOP)
		fprintf(p->chart.out, "<path class=\"limit\" d=\"M%d %.1fH%d\"/>\n", CHART_LEFT, y,
			CHART_RIGHT);
	snprintf(text, sizeof(text), "limit %s%s",
		 units_duration(value, p->runs->limit, p->runs->unit),
		 y > CHART_BOTTOM ? ", below"
		 : y < CHART_TOP  ? ", above"
				  : "");
	fprintf(p->chart.out, "<path class=\"limit\" d=\"M%d %dh22\"/>\n", CHART_LEFT + 165,
		CHART_BOTTOM + 16);
	chart_text(&p->chart, CHART_LEFT + 195, CHART_BOTTOM + 20, "start", text);
}

/* Which is which. */
static void runs_key(const struct runs_plot *p)
{
	double y = CHART_BOTTOM + 16;
	bool both = runs_have(p->runs, false) && runs_have(p->runs, true);

	if (both) {
		fprintf(p->chart.out, "<circle class=\"ring\" r=\"4\" cx=\"%d\" cy=\"%g\"/>\n",
			CHART_LEFT + 6, y);
		chart_text(&p->chart, CHART_LEFT + 16, y + 4, "start", "before");
		fprintf(p->chart.out, "<path class=\"dot\" d=\"M%d %gl5 5l-5 5l-5 -5z\"/>\n",
			CHART_LEFT + 90, y - 5);
		chart_text(&p->chart, CHART_LEFT + 100, y + 4, "start", "after");
	} else {
		chart_text(&p->chart, CHART_LEFT, y + 4, "start", "runs by time");
	}
	runs_limit(p);
}

void html_runs(FILE *out, const struct report_runs *r)
{
	struct runs_plot p = { { .out = out, .unit = r->unit }, r, runs_axis(r) };
	size_t i;

	chart_open(&p.chart, CHART_HEIGHT, "Runs: the figure of each, by time");
	chart_axis_y(&p.chart, &p.y);
	for (i = 0; i < r->n; i++)
		runs_point(&p, i);
	runs_key(&p);
	chart_close(&p.chart);
}
