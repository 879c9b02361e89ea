// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - recordings in a format: what all formats are given of them. */
#include <errno.h>
#include <stdlib.h>

#include "format/format.h"
#include "report/costs.h"

/* A recording with single calls is shown by what they say, in formats that have it. */
static bool trace_tells_why(const struct format *f, const struct report_set *recs)
{
	return recs->n == 1 && recs->recs[0]->why && f->kinds & REPORT_WHY;
}

static int trace_write_report(const struct format *f, FILE *out, const struct report_set *recs,
			      const struct report_look *o)
{
	struct report r;
	int err;

	if (trace_tells_why(f, recs))
		report_why(&r, recs, o, f->detail);
	else
		report_trace(&r, recs, o, f->detail);
	err = format_write(f, out, &r);
	report_free(&r);
	return err;
}

static int trace_write_all(const struct format *f, FILE *out, const struct report_set *recs,
			   const struct report_look *o)
{
	struct report_look each = *o;
	struct report_set one = { 1, recs->recs };
	size_t i;
	int err = 0;

	if (f->together)
		return trace_write_report(f, out, recs, o);
	each.titled |= recs->n > 1;
	for (i = 0; i < recs->n; i++)
		each.units |= *recs->recs[i]->whole->unit != '\0';
	for (; !err && one.recs < recs->recs + recs->n; one.recs++) {
		each.unit = snapshot_unit(one.recs[0]->whole, o->unit);
		err = trace_write_report(f, out, &one, &each);
		each.continued = true;
	}
	return err;
}

/* Formats get a view of the recordings, which stay as they were measured. */
static int trace_write_subtracted(const struct format *f, FILE *out, const struct report_set *recs,
				  const struct report_look *o)
{
	struct costs_view *views = calloc(recs->n, sizeof(*views));
	const struct recording **shown = calloc(recs->n, sizeof(*shown));
	const struct report_set set = { recs->n, shown };
	int err = views && shown ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < recs->n; i++) {
		err = costs_subtract(&views[i], recs->recs[i]);
		shown[i] = &views[i].recording;
	}
	if (!err)
		err = trace_write_all(f, out, &set, o);
	for (i = 0; views && i < recs->n; i++)
		costs_view_close(&views[i]);
	free(views);
	free(shown);
	return err;
}

/* A view of a recording with totals of keys, and without its last distributions if these are empty.
 */
struct shown {
	struct recording recording;
	struct snapshot *total; /* owned; only if there are keys */
	struct snapshot whole;
};

static int trace_show(struct shown *view, const struct recording *rec)
{
	bool keyed = snapshot_has_keys(rec->whole);
	const struct snapshot *s;

	view->total = keyed ? snapshot_total(rec->whole) : NULL;
	if (keyed && !view->total)
		return -ENOMEM;
	s = keyed ? view->total : rec->whole;
	view->recording = *rec;
	view->whole = *s;
	view->recording.whole = &view->whole;
	while (view->whole.n_nodes > 1 && snapshot_is_hidden(s, view->whole.n_nodes - 1))
		view->whole.n_nodes--;
	return 0;
}

int format_trace(const struct format *f, FILE *out, const struct report_set *recs,
		 const struct report_look *o)
{
	struct shown *views = calloc(recs->n + 1, sizeof(*views));
	const struct recording **shown = calloc(recs->n + 1, sizeof(*shown));
	const struct report_set set = { recs->n, shown };
	struct report_look all = *o;
	int err = views && shown ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < recs->n; i++) {
		err = trace_show(&views[i], recs->recs[i]);
		shown[i] = &views[i].recording;
		all.keyed |= views[i].total != NULL;
		all.stepped |= costs_any_stepped(recs->recs[i]->whole);
	}
	if (!err && o->subtract_floor && recs->n)
		err = trace_write_subtracted(f, out, &set, &all);
	else if (!err)
		err = trace_write_all(f, out, &set, &all);
	for (i = 0; views && i < recs->n; i++)
		snapshot_free(views[i].total);
	free(views);
	free(shown);
	return err;
}
