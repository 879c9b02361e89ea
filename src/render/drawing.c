// SPDX-License-Identifier: GPL-2.0-only
/*
 * drawing.c - only the drawings of recordings, as one SVG. Each distribution has a row of
 * two drawings; the intervals and the CPUs are shown in a page only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/costs.h"
#include "render/draw/chart.h"
#include "render/formats.h"
#include "render/html.h"
#include "render/text.h"

#define HEAD 46 /* above the drawings of a row */
#define ROW (HEAD + CHART_HEIGHT)
#define GAP 20
#define WIDTH (2 * CHART_WIDTH + GAP)

static size_t count_rows(const struct render_set *recs)
{
	size_t n = 0, i;

	for (i = 0; i < recs->n; i++)
		n += recs->recs[i]->whole->n_nodes;
	return n;
}

static void svg_print_head(FILE *out, const struct recording *rec, uint32_t node,
			   const struct dist *d, const struct render_options *o)
{
	char count[UNITS_TEXT], mean[UNITS_TEXT], floor[UNITS_TEXT], p50[TEXT_RANGE],
		p99[TEXT_RANGE];

	if (o->titled) {
		fputs(" <tspan>", out);
		html_text(out, rec->source);
		fputs("</tspan>", out);
	}
	fprintf(out, "</text>\n<text x=\"10\" y=\"40\">");
	if (d->subtract_ns)
		fprintf(out,
			"less a floor of %s: ", units_duration(floor, d->subtract_ns, o->unit));
	else if (costs_is_stepped(rec->whole, node))
		fputs("with a single-stepped probe: ", out);
	if (d->samples)
		fprintf(out, "%s samples, mean %s, p50 %s, p99 %s", units_count(count, d->samples),
			units_duration(mean, dist_mean(d), o->unit),
			text_range(p50, dist_quantile(d, 500000), o->unit),
			text_range(p99, dist_quantile(d, 990000), o->unit));
	else
		fputs("no samples", out);
	fputs("</text>\n", out);
}

static int svg_print_row(FILE *out, const struct recording *rec, uint32_t node, double y,
			 const struct render_options *o)
{
	struct chart c = { .out = out, .unit = o->unit, .nested = true, .y = HEAD };
	struct dist d;
	int err = dist_open(&d, rec->whole, node, DIST_ALL_CPUS);

	fprintf(out, "<g transform=\"translate(0 %g)\">\n<text class=\"title\" x=\"10\" y=\"20\">",
		y);
	html_text(out, rec->whole->nodes[node].name);
	svg_print_head(out, rec, node, &d, o);
	if (!err && d.samples) {
		chart_distribution(&c, &d);
		c.x = CHART_WIDTH + GAP;
		chart_percentiles(&c, &d);
	}
	fputs("</g>\n", out);
	dist_close(&d);
	return err;
}

int render_svg(FILE *out, const struct render_set *recs, const struct render_options *o)
{
	struct render_options each = *o;
	double height = count_rows(recs) * (double)ROW, y = 0;
	uint32_t node;
	size_t i;
	int err = 0;

	each.titled = recs->n > 1;
	fprintf(out,
		"<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%g\" viewBox=\"0 0 %d %g\">\n<style>",
		WIDTH, height, WIDTH, height);
	html_style(out);
	fputs("svg text.title{fill:var(--fg);font-weight:600;font-size:16px}</style>\n"
	      "<rect width=\"100%\" height=\"100%\" style=\"fill:var(--bg)\"/>\n",
	      out);
	for (i = 0; i < recs->n; i++) {
		each.unit = snapshot_unit(recs->recs[i]->whole, o->unit);
		for (node = 0; !err && node < recs->recs[i]->whole->n_nodes; node++, y += ROW)
			err = svg_print_row(out, recs->recs[i], node, y, &each);
	}
	fputs("</svg>\n", out);
	return err || ferror(out) ? -EIO : 0;
}
