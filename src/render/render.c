// SPDX-License-Identifier: GPL-2.0-only
/* render.c - the table of formats. */
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/costs.h"
#include "render/formats.h"

const struct render_format render_formats[] = {
	{ "summary", "figures, shape and ledger on one screen (default)", render_summary, NULL,
	  false },
	{ "hist", "a row for every occupied slot", render_hist, NULL, false },
	{ "classic", "a row for every slot and CPU, for grep and gnuplot", render_classic, NULL,
	  false },
	{ "json", "everything, one object a report", render_json, NULL, false },
	{ "csv", "a row for every occupied slot, for spreadsheets", render_csv, NULL, false },
	{ "hgrm", "percentiles, for HdrHistogram's plotters", render_hgrm, NULL, false },
	{ "openmetrics", "for Prometheus, in seconds", NULL, render_openmetrics, true },
	{ "html", "a page with drawings that needs nothing else", NULL, render_html, false },
	{ "svg", "the drawings alone", NULL, render_svg, false },
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

static int write_all(const struct render_format *f, FILE *out, const struct render_set *recs,
		     const struct render_options *o)
{
	struct render_options each = *o;
	size_t i;
	int err = 0;

	if (f->all)
		return f->all(out, recs, o);
	each.titled |= recs->n > 1;
	for (i = 0; i < recs->n; i++)
		each.units |= *recs->recs[i]->whole->unit != '\0';
	for (i = 0; !err && i < recs->n; i++) {
		each.unit = snapshot_unit(recs->recs[i]->whole, o->unit);
		err = f->one(out, recs->recs[i], &each);
		each.continued = true;
	}
	return err;
}

/* Formats get a view of the recordings, which stay as they were measured. */
static int write_subtracted(const struct render_format *f, FILE *out, const struct render_set *recs,
			    const struct render_options *o)
{
	struct costs_view *views = calloc(recs->n, sizeof(*views));
	const struct recording **shown = calloc(recs->n, sizeof(*shown));
	const struct render_set set = { recs->n, shown };
	int err = views && shown ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < recs->n; i++) {
		err = costs_subtract(&views[i], recs->recs[i]);
		shown[i] = &views[i].recording;
	}
	if (!err)
		err = write_all(f, out, &set, o);
	for (i = 0; views && i < recs->n; i++)
		costs_view_close(&views[i]);
	free(views);
	free(shown);
	return err;
}

/* A view of a recording without its last distributions if these are empty. */
struct shown {
	struct recording recording;
	struct snapshot whole;
};

static void show(struct shown *view, const struct recording *rec)
{
	view->recording = *rec;
	view->whole = *rec->whole;
	view->recording.whole = &view->whole;
	while (view->whole.n_nodes > 1 && snapshot_is_hidden(rec->whole, view->whole.n_nodes - 1))
		view->whole.n_nodes--;
}

int render_write(const struct render_format *f, FILE *out, const struct render_set *recs,
		 const struct render_options *o)
{
	struct shown *views = calloc(recs->n + 1, sizeof(*views));
	const struct recording **shown = calloc(recs->n + 1, sizeof(*shown));
	const struct render_set set = { recs->n, shown };
	struct render_options all = *o;
	int err = views && shown ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < recs->n; i++) {
		show(&views[i], recs->recs[i]);
		shown[i] = &views[i].recording;
		all.keyed |= snapshot_has_keys(recs->recs[i]->whole);
	}
	if (!err && o->subtract_floor && recs->n)
		err = write_subtracted(f, out, &set, &all);
	else if (!err)
		err = write_all(f, out, &set, &all);
	free(views);
	free(shown);
	return err;
}
