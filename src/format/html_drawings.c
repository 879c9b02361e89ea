// SPDX-License-Identifier: GPL-2.0-only
/* html_drawings.c - a distribution of a recording in every way it can be drawn. */
#include "format/draw/chart.h"
#include "format/priv.h"

static int drawings_put(const struct chart *c, const struct report_drawings *x,
			const struct dist *d)
{
	int err;

	fputs("<div class=\"charts tall\">\n<div><h3>Distribution: share of samples in each 1% "
	      "of the value</h3>\n",
	      c->out);
	err = chart_distribution(c, d);
	fputs("</div>\n<div><h3>Cumulative</h3>\n", c->out);
	chart_percentiles(c, d);
	if (!err && x->rec->n_periods) {
		fputs("</div>\n<div><h3>Over time</h3>\n", c->out);
		err = chart_intervals(c, x->rec, x->node, d);
	}
	if (!err) {
		fputs("</div>\n<div><h3>By CPU</h3>\n", c->out);
		err = chart_cpus(c, x->rec->whole, x->node, d);
	}
	fputs("</div></div>\n", c->out);
	return err;
}

int html_drawings(FILE *out, const struct report_drawings *x)
{
	const struct chart c = { .out = out, .unit = x->unit };
	struct dist d;
	int err = dist_open(&d, x->rec->whole, x->node, DIST_ALL_CPUS);

	if (!err)
		err = drawings_put(&c, x, &d);
	dist_close(&d);
	return err;
}
