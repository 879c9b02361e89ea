// SPDX-License-Identifier: GPL-2.0-only
/* page.c - results as an HTML page without external files; see verdict.h. */
#include "render/verdict/verdict.h"

#include <errno.h>
#include <math.h>

#include "render/draw/chart.h"
#include "render/html.h"
#include "render/verdict/history.h"
#include "util/units.h"

#define DOT 3.5
#define DOT_NEW 6.0

/* ---- results ---- */

static void print_result(FILE *out, const struct check *c, const struct check_result *r)
{
	static const char *const classes[CHECK_VERDICTS] = { "good", "bad", "soft" };
	char text[VERDICT_METHODS];

	fprintf(out, "<p><span class=\"%s\">%s</span> ",
		classes[verdict_fails(c, r) ? CHECK_FAIL : r->verdict],
		check_verdict_name(r->verdict));
	html_text(out, r->name);
	fputs(": ", out);
	html_text(out, r->rule->text);
	fputs("<br>", out);
	html_text(out, r->why);
	if (r->next[0]) {
		fputs("<br>", out);
		html_text(out, r->next);
	}
	if (verdict_methods(r, text)) {
		fputs("<br>", out);
		html_text(out, text);
	}
	fputs("</p>\n", out);
}

/* ---- series ---- */

/* A series as a drawing: sets to the right, durations upwards. */
struct plot {
	const struct chart *chart;
	const struct history *h;
	const struct history_row *row;
	struct axis y;
};

static double at_x(const struct plot *p, double i)
{
	double n = p->row->n > 1 ? p->row->n - 1 : 1;

	return CHART_LEFT + 12 + i / n * (CHART_RIGHT - CHART_LEFT - 24);
}

static double at_y(const struct plot *p, double log)
{
	return axis_at(&p->y, exp(log));
}

static struct axis axis_of(const struct history_row *row)
{
	struct axis a = { .lo = INFINITY, .begin = CHART_BOTTOM, .end = CHART_TOP };
	double margin;
	size_t i;

	for (i = 0; i < row->n; i++) {
		a.lo = fmin(a.lo, exp(row->points[i].log));
		a.hi = fmax(a.hi, exp(row->points[i].log));
	}
	margin = fmax((a.hi - a.lo) / 8, a.hi / 1000);
	a.lo -= margin;
	a.hi += margin;
	return a;
}

/* From the last set that may be before the step to the first that may be after it. */
static void draw_step(const struct plot *p, const struct history_step *step)
{
	double left = at_x(p, step->lo - 1), right = at_x(p, step->hi);
	char text[HISTORY_TEXT];

	fprintf(p->chart->out,
		"<rect class=\"heat\" fill-opacity=\"0.15\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
		"height=\"%d\"><title>",
		left, CHART_TOP, right - left, CHART_BOTTOM - CHART_TOP);
	html_text(p->chart->out, history_step_text(p->h, p->row, step, text));
	fprintf(p->chart->out, "</title></rect>\n<path class=\"mark\" d=\"M%.1f %dV%d\"/>\n",
		at_x(p, step->at - 0.5), CHART_TOP, CHART_BOTTOM);
}

static void draw_levels(const struct plot *p)
{
	size_t i, k = 0, end;

	fputs("<path class=\"curve\" d=\"", p->chart->out);
	for (i = 0; i < p->row->n; i = end) {
		end = k < p->row->n_steps ? p->row->steps[k++].at : p->row->n;
		fprintf(p->chart->out, "M%.1f %.1fH%.1f", at_x(p, i) - 4,
			at_y(p, history_level(p->row, i)), at_x(p, end - 1.0) + 4);
	}
	fputs("\"/>\n", p->chart->out);
}

static void draw_points(const struct plot *p)
{
	char value[UNITS_TEXT], when[HISTORY_TIME];
	const struct history_set *set;
	size_t i;

	for (i = 0; i < p->row->n; i++) {
		set = history_set_of(p->h, p->row, i);
		fprintf(p->chart->out,
			"<circle class=\"dot\" r=\"%.1f\" cx=\"%.1f\" cy=\"%.1f\"><title>",
			p->row->points[i].set + 1 == p->h->sets.n ? DOT_NEW : DOT, at_x(p, i),
			at_y(p, p->row->points[i].log));
		html_text(p->chart->out, set->name);
		fprintf(p->chart->out, ", %s: %s</title></circle>\n", history_time(set, when),
			units_duration(value, exp(p->row->points[i].log), p->row->unit));
	}
}

static void draw_series(const struct plot *p)
{
	const struct history_row *row = p->row;
	char when[HISTORY_TIME];
	size_t i;

	chart_open(p->chart, CHART_HEIGHT, "Series: duration by set");
	chart_axis_y(p->chart, &p->y);
	for (i = 0; i < row->n_steps; i++)
		draw_step(p, &row->steps[i]);
	draw_levels(p);
	draw_points(p);
	chart_text(p->chart, CHART_LEFT, CHART_BOTTOM + 20, "start",
		   history_time(history_set_of(p->h, row, 0), when));
	chart_text(p->chart, CHART_RIGHT, CHART_BOTTOM + 20, "end",
		   history_time(history_set_of(p->h, row, row->n - 1), when));
	chart_close(p->chart);
}

static void print_sets(FILE *out, const struct history *h, const struct history_row *row)
{
	char value[UNITS_TEXT], when[HISTORY_TIME], change[UNITS_TEXT];
	const struct history_set *set;
	size_t i;

	fputs("<details><summary>all sets</summary><div class=\"wide\"><table>\n"
	      "<tr><th>set</th><th>recorded (UTC)</th><th>runs</th><th>",
	      out);
	html_text(out, row->metric);
	fputs("</th><th>to the one before</th></tr>\n", out);
	for (i = 0; i < row->n; i++) {
		set = history_set_of(h, row, i);
		fputs("<tr><td class=\"text\">", out);
		html_text(out, set->name);
		*change = '\0';
		if (i)
			units_change(change, expm1(row->points[i].log - row->points[i - 1].log), 1);
		fprintf(out, "</td><td>%s</td><td>%zu</td><td>%s</td><td>%s</td></tr>\n",
			history_time(set, when), row->points[i].runs,
			units_duration(value, exp(row->points[i].log), row->unit), change);
	}
	fputs("</table></div></details>\n", out);
}

static void print_series(FILE *out, const struct history *h, const struct history_row *row)
{
	const struct chart chart = { .out = out, .unit = row->unit };
	const struct plot plot = { &chart, h, row, axis_of(row) };
	char text[HISTORY_TEXT];
	size_t i;

	fputs("<section>\n<h2>", out);
	html_text(out, row->name);
	fputc(' ', out);
	html_text(out, row->metric);
	fputs("</h2>\n", out);
	for (i = 0; i < row->n_steps; i++) {
		fputs("<p>", out);
		html_text(out, history_step_text(h, row, &row->steps[i], text));
		fputs("</p>\n", out);
	}
	if (!row->n_steps)
		fputs("<p>no step is shown</p>\n", out);
	if (row->n)
		draw_series(&plot);
	print_sets(out, h, row);
	fputs("</section>\n", out);
}

int verdict_html(FILE *out, const struct check *c, const struct compare_set *runs)
{
	size_t i;

	html_begin(out, "Verdict");
	fprintf(out, "<h1>%s</h1>\n", check_verdict_name(c->verdict));
	for (i = 0; i < c->n; i++)
		print_result(out, c, &c->results[i]);
	if (c->series.n)
		fputs("<p class=\"soft\">Each dot is a set of runs, the large one is the new set. "
		      "A step is at the line; shaded: where else it may be.</p>\n",
		      out);
	if (c->series.sets.left_out)
		fprintf(out, "<p>%zu earlier %s left out: one was not recorded alike</p>\n",
			c->series.sets.left_out,
			c->series.sets.left_out == 1 ? "set is" : "sets are");
	for (i = 0; i < c->series.n; i++)
		print_series(out, &c->series, &c->series.rows[i]);
	html_end(out);
	return ferror(out) ? -EIO : 0;
}
