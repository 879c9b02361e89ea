// SPDX-License-Identifier: GPL-2.0-only
/*
 * svg.c - only the drawings of recordings, as one picture. Each distribution has a row of two
 * drawings; the intervals and the CPUs are shown in a page only.
 */
#include <errno.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"

#define HEAD 46 /* above the drawings of a row */
#define ROW (HEAD + CHART_DIST_HEIGHT)
#define GAP 20
#define WIDTH (2 * CHART_WIDTH + GAP)

static size_t svg_count_rows(const struct report *r)
{
	size_t n = 0, i;

	for (i = 0; i < r->n; i++)
		n += r->parts[i].kind == REPORT_BEGIN;
	return n;
}

static void svg_begin_row(FILE *out, const struct report_part *p, double y)
{
	fprintf(out, "<g transform=\"translate(0 %g)\">\n<text class=\"title\" x=\"10\" y=\"20\">",
		y);
	html_text(out, p->name);
	if (p->text) {
		fputs(" <tspan>", out);
		html_text(out, p->text);
		fputs("</tspan>", out);
	}
	fputs("</text>\n", out);
}

static int svg_drawings(FILE *out, const struct report_drawings *x)
{
	struct chart c = { .out = out, .unit = x->unit, .nested = true, .y = HEAD };
	struct dist d;
	int err = dist_open(&d, x->rec->whole, x->node, DIST_ALL_CPUS);

	if (!err)
		err = chart_distribution(&c, &d);
	if (!err) {
		c.x = CHART_WIDTH + GAP;
		chart_percentiles(&c, &d);
	}
	dist_close(&d);
	return err;
}

static int svg_part(FILE *out, const struct report_part *p, double *y)
{
	switch (p->kind) {
	case REPORT_BEGIN:
		svg_begin_row(out, p, *y);
		return 0;
	case REPORT_SENTENCE:
		fputs("<text x=\"10\" y=\"40\">", out);
		html_text(out, p->text);
		fputs("</text>\n", out);
		return 0;
	case REPORT_DRAWINGS:
		return svg_drawings(out, &p->drawings);
	case REPORT_END:
		fputs("</g>\n", out);
		*y += ROW;
		return 0;
	default:
		return 0;
	}
}

int format_svg(FILE *out, const struct report *r)
{
	double height = svg_count_rows(r) * (double)ROW, y = 0;
	size_t i;
	int err = r->err;

	fprintf(out,
		"<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%g\" viewBox=\"0 0 %d %g\">\n<style>",
		WIDTH, height, WIDTH, height);
	html_style(out);
	fputs("svg text.title{fill:var(--fg);font-weight:600;font-size:16px}</style>\n"
	      "<rect width=\"100%\" height=\"100%\" style=\"fill:var(--bg)\"/>\n",
	      out);
	for (i = 0; !err && i < r->n; i++)
		err = svg_part(out, &r->parts[i], &y);
	fputs("</svg>\n", out);
	return err || ferror(out) ? -EIO : 0;
}
