// SPDX-License-Identifier: GPL-2.0-only
/* trace_drawn.c - only what is drawn of recordings of functions: a section for each distribution.
 */
#include <errno.h>
#include <string.h>

#include "report/costs.h"
#include "report/figures.h"
#include "report/priv.h"

static void drawn_add_head(struct report *r, const struct report_drawings *x, const struct dist *d)
{
	char count[UNITS_TEXT], mean[UNITS_TEXT], floor[UNITS_TEXT], p50[FIGURES_RANGE],
		p99[FIGURES_RANGE], first[64] = "";

	if (d->subtract_ns)
		snprintf(first, sizeof(first),
			 "less a floor of %s: ", units_duration(floor, d->subtract_ns, x->unit));
	else if (costs_is_stepped(x->rec->whole, x->node))
		snprintf(first, sizeof(first), "with a single-stepped probe: ");
	if (d->samples)
		report_say(r, REPORT_PLAIN, "%s%s samples, mean %s, p50 %s, p99 %s", first,
			   units_count(count, d->samples),
			   units_duration(mean, dist_mean(d), x->unit),
			   figures_range(p50, dist_quantile(d, 500000), x->unit),
			   figures_range(p99, dist_quantile(d, 990000), x->unit));
	else
		report_say(r, REPORT_PLAIN, "%sno samples", first);
}

/* @source: the name of the recording if there are several, or NULL. */
static int drawn_add(struct report *r, const struct report_drawings *x, const char *source)
{
	struct dist d;
	int err = dist_open(&d, x->rec->whole, x->node, DIST_ALL_CPUS);
	struct report_part *p;

	report_begin(r, x->rec->whole->nodes[x->node].name);
	if (source && r->n)
		r->parts[r->n - 1].text = strdup(source);
	if (!err)
		drawn_add_head(r, x, &d);
	p = !err && d.samples ? report_part_add(r, REPORT_DRAWINGS) : NULL;
	if (p)
		p->drawings = *x;
	report_end(r);
	dist_close(&d);
	return err;
}

int report_trace_drawn(struct report *r, const struct report_set *recs)
{
	struct report_drawings x;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < recs->n; i++) {
		x.rec = recs->recs[i];
		x.unit = snapshot_unit(x.rec->whole, r->look->unit);
		for (x.node = 0; !err && x.node < x.rec->whole->n_nodes; x.node++)
			err = drawn_add(r, &x, recs->n > 1 ? x.rec->source : NULL);
	}
	return err;
}
