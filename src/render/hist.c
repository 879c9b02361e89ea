// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist.c - a row for every slot that has samples, of every node, without merging: values,
 * samples, share, and behind the bar the cumulative share.
 */
#include <errno.h>
#include <stdlib.h>

#include "result/ledger.h"
#include "render/bars.h"
#include "report/costs.h"
#include "render/render.h"
#include "render/summary/summary.h"

static int hist_print_slots(const struct report *r, uint32_t node)
{
	const struct cost *cost = recording_cost(r->rec, node);
	struct bar *rows = calloc(2 * kstats_n_slots(r->s->bits), sizeof(*rows));
	struct dist_row row = DIST_ROW_BEGIN;
	char percent[UNITS_TEXT];
	int32_t last = -1;
	struct dist d;
	size_t n = 0;
	int err = dist_open(&d, r->s, node, DIST_ALL_CPUS);

	if (!rows)
		err = -ENOMEM;
	for (; !err && dist_next(&d, &row); n++) {
		if (n && row.first != last + 1)
			rows[n++].skipped = true;
		last = row.slot;
		rows[n].value = row.value;
		rows[n].samples = row.samples;
		rows[n].below = costs_below(cost, &d, row.value.hi);
		units_percent(percent, row.cumulative, d.samples);
		snprintf(rows[n].note, BAR_NOTE, "%.*s", BAR_NOTE - 1, percent);
	}
	if (!err)
		bars_draw(r->out, r->o, rows, n);
	dist_close(&d);
	free(rows);
	return err;
}

static int hist_print_node(const struct report *r, uint32_t node)
{
	int err = 0;

	fputc('\n', r->out);
	report_title(r, node);
	if (r->dists[node].samples)
		err = hist_print_slots(r, node);
	else
		report_empty(r, node);
	if (ledger_is_owner(r->s, node)) {
		report_cost(r, node);
		report_ledger(r, node);
	}
	return err;
}

int render_hist(FILE *out, const struct recording *rec, const struct report_look *o)
{
	const struct snapshot *s = rec->whole;
	struct report r;
	uint32_t i;
	int err = report_open(&r, out, rec, o);

	if (!err)
		report_head(&r);
	for (i = 0; !err && i < s->n_nodes; i++)
		err = hist_print_node(&r, i);
	if (o->period)
		fputc('\n', out);
	report_close(&r);
	return err || ferror(out) ? -EIO : 0;
}
