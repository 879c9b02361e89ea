// SPDX-License-Identifier: GPL-2.0-only
/* render.c - the table of formats; see render.h. */
#include "render/render.h"

#include <string.h>

#include "render/formats.h"

const struct render_format render_formats[] = {
	{ "summary", "figures, shape and ledger on one screen (default)", render_summary, NULL },
	{ "hist", "a row for every occupied slot", render_hist, NULL },
	{ "classic", "a row for every slot and CPU, for grep and gnuplot", render_classic, NULL },
	{ "json", "everything, one object a report", render_json, NULL },
	{ "csv", "a row for every occupied slot, for spreadsheets", render_csv, NULL },
	{ "hgrm", "percentiles, for HdrHistogram's plotters", render_hgrm, NULL },
	{ "openmetrics", "for Prometheus, in seconds", NULL, render_openmetrics },
	{ "html", "a page with drawings that needs nothing else", NULL, render_html },
	{ "svg", "the drawings alone", NULL, render_svg },
	{},
};

const struct render_format *render_find(const char *name)
{
	const struct render_format *f;

	for (f = render_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

int render_write(const struct render_format *f, FILE *out, const struct render_set *recs,
		 const struct render_options *o)
{
	struct render_options each = *o;
	size_t i;
	int err = 0;

	if (f->all)
		return f->all(out, recs, o);
	each.titled |= recs->n > 1;
	for (i = 0; !err && i < recs->n; i++) {
		err = f->one(out, recs->recs[i], &each);
		each.continued = true;
	}
	return err;
}
