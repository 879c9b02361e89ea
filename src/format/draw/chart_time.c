// SPDX-License-Identifier: GPL-2.0-only
/* chart_time.c - amounts over time as bars. */
#include "format/draw/chart.h"

#include <math.h>

#include "report/figures.h"

static void time_draw_bar(const struct chart *c, const struct axis *time, const struct axis *values,
			  const struct report_bar *bar)
{
	double left = axis_at(time, bar->begin_ns), right = axis_at(time, bar->end_ns);
	double top = axis_at(values, bar->value), end = axis_at(values, bar->part);
	const struct dist_bounds span = { bar->begin_ns, bar->end_ns };
	char range[FIGURES_RANGE], amount[UNITS_TEXT];

	if (bar->value <= 0)
		return;
	fprintf(c->out,
		"<rect class=\"bar\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
		"<title>%s: %s%s</title></rect>\n",
		left, top, fmax(right - left - (right - left > 4), 0.5), values->begin - top,
		figures_range(range, span, "auto"), units_bytes(amount, bar->value),
		c->rate ? "/s" : "");
	if (bar->part > 0)
		fprintf(c->out,
			"<rect class=\"dot\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
			"height=\"%.1f\"/>\n",
			left, end, fmax(right - left - (right - left > 4), 0.5),
			values->begin - end);
}

void chart_time(const struct chart *c, const char *label, const struct report_bar *bars, size_t n)
{
	struct axis time = { 0, bars[n - 1].end_ns, CHART_LEFT, CHART_RIGHT, false };
	struct axis values = { 0, 1, CHART_BOTTOM, CHART_TOP, false };
	struct chart bytes = *c;
	size_t i;

	bytes.unit = "bytes";
	for (i = 0; i < n; i++)
		values.hi = fmax(values.hi, bars[i].value);
	chart_open(c, CHART_HEIGHT, label);
	chart_axis_x(c, &time, CHART_TOP, CHART_BOTTOM);
	chart_axis_y(&bytes, &values);
	for (i = 0; i < n; i++)
		time_draw_bar(c, &time, &values, &bars[i]);
	chart_close(c);
}
