// SPDX-License-Identifier: GPL-2.0-only
/* html.c - two sets of runs as a page that needs nothing else. */
#include "render/diff/diff.h"

#include <errno.h>
#include <math.h>

#include "render/html.h"
#include "render/methods.h"
#include "render/text.h"
#include "util/units.h"

#define SHIFT_WIDTH 240
#define SHIFT_HEIGHT 18
#define SHIFT_EDGE 6 /* what is left free at both ends, for the dot */

static void print_side(FILE *out, const struct compare_side *side)
{
	char value[UNITS_TEXT], range[TEXT_RANGE];

	if (!side->runs)
		fputs("<td>-</td>", out);
	else
		fprintf(out, "<td>%s<br><span class=\"soft\">%s</span></td>",
			units_duration(value, side->value, side->unit),
			text_range(range, side->bounds, side->unit));
}

static double shift_at(double change, double scale)
{
	double at = SHIFT_WIDTH / 2.0 + change / scale * (SHIFT_WIDTH / 2.0 - SHIFT_EDGE);

	return fmin(fmax(at, 0), SHIFT_WIDTH);
}

/* The interval as a bar, the change as a dot, no change as the line in the middle. */
static void print_shift(FILE *out, const struct compare_row *row, double scale)
{
	double lo, hi;

	fputs("<td class=\"text\">", out);
	if (row->known && scale > 0) {
		lo = shift_at(row->lo, scale);
		hi = shift_at(row->hi, scale);
		fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" "
			"height=\"%d\" aria-label=\"interval of the change\">"
			"<path class=\"zero\" d=\"M%.1f 0V%d\"/>"
			"<rect class=\"bar\" x=\"%.1f\" y=\"6\" width=\"%.1f\" height=\"6\"/>"
			"<circle class=\"dot\" r=\"4\" cx=\"%.1f\" cy=\"9\"/></svg>",
			SHIFT_WIDTH, SHIFT_HEIGHT, SHIFT_WIDTH / 2.0, SHIFT_HEIGHT, lo,
			fmax(hi - lo, 1), shift_at(row->change, scale));
	}
	fputs("</td>", out);
}

static void print_row(FILE *out, const struct compare_row *row, double scale)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT], text[DIFF_SENTENCE];

	fprintf(out, "<tr><td>%s</td>", row->metric->name);
	print_side(out, &row->a);
	print_side(out, &row->b);
	if (row->a.runs && row->b.runs)
		fprintf(out, "<td>%s</td>", units_change(lo, row->change, 1));
	else
		fputs("<td></td>", out);
	if (row->known)
		fprintf(out, "<td>%s .. %s<br><span class=\"soft\">at %s</span></td>",
			units_change(lo, row->lo, 1), units_change(hi, row->hi, 1),
			diff_level(row, text));
	else
		fprintf(out, "<td class=\"soft\">%s</td>", diff_unknown(row, text));
	print_shift(out, row, scale);
	fputs("</tr>\n", out);
}

static void print_methods(FILE *out, const struct compare_row *row)
{
	char text[METHODS_TEXT];

	fputs("<dl><dt>before</dt><dd>", out);
	html_text(out, methods_side(&row->a, text));
	fputs("</dd><dt>after</dt><dd>", out);
	html_text(out, methods_side(&row->b, text));
	fputs("</dd><dt>floors</dt><dd>", out);
	html_text(out, methods_floors(row, text));
	fputs("</dd></dl>\n", out);
}

static void print_function(FILE *out, const struct compare_row *rows, size_t n)
{
	char sentence[DIFF_SENTENCE], a[UNITS_TEXT], b[UNITS_TEXT];
	double scale = diff_scale(rows, n);
	size_t i;

	fputs("<section>\n<h2>", out);
	html_text(out, rows->name);
	fputs("</h2>\n<p>", out);
	html_text(out, diff_sentence(rows, n, sentence));
	fputs("</p>\n<div class=\"wide\"><table class=\"fixed\">\n<tr><th></th><th>before</th>"
	      "<th>after</th><th>change</th><th>interval</th><th></th></tr>\n",
	      out);
	for (i = 0; i < n; i++)
		print_row(out, &rows[i], scale);
	fputs("</table></div>\n", out);
	if (rows->across)
		print_methods(out, rows);
	if (diff_warning(rows, n))
		fprintf(out, "<p>%s</p>\n", diff_warning(rows, n));
	fprintf(out,
		"<p class=\"soft\">%s samples in %zu run%s before, %s in %zu run%s "
		"after</p>\n</section>\n",
		units_count(a, rows->a.samples), rows->a.runs, units_plural(rows->a.runs),
		units_count(b, rows->b.samples), rows->b.runs, units_plural(rows->b.runs));
}

int diff_html(FILE *out, const struct compare *c)
{
	size_t i, n;

	html_begin(out, "Before and after");
	fputs("<h1>Before and after</h1>\n<p class=\"soft\">Runs are compared, not samples. "
	      "Below a figure: the slots that hold it in the runs. Interval: where the true "
	      "change lies, as far as the runs tell.</p>\n",
	      out);
	for (i = 0; i < c->n; i += n) {
		n = diff_rows(c, i);
		print_function(out, &c->rows[i], n);
	}
	for (i = 0; i < c->n_missing; i++) {
		fputs("<p>only on one side: ", out);
		html_text(out, c->missing[i]);
		fputs("</p>\n", out);
	}
	html_end(out);
	return ferror(out) ? -EIO : 0;
}
