// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_page.c - recordings of functions as a page: a table of all distributions, and a section
 * with figures, drawings and the ledger of each. Those with the largest totals come first; those
 * without samples are folded. Keys of --by are small drawings in the section of their owner.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/about.h"
#include "report/keys.h"
#include "report/priv.h"
#include "report/trace.h"
#include "result/ledger.h"

/* A view of a recording without its keys. */
struct folded {
	struct recording recording; /* owns its intervals alone */
	struct snapshot whole;
};

/* What a page owns beside its report. */
struct trace_pages {
	char *title;
	size_t n;
	struct folded **folded;
};

/* A distribution, and where its section stands. */
struct page_row {
	uint32_t node;
	bool owner_empty;
	double figure; /* of its owner: the rows are sorted by it */
	uint32_t owner;
	uint64_t samples;
};

/* The recording whose part of the page is made. */
struct trace_page {
	struct trace_of x; /* all keys are together in its recording */
	const struct report_look *o;
	const struct snapshot *keys; /* the whole of it with its keys, or NULL */
	unsigned int first_id; /* of its sections */
	size_t n;
	struct page_row *rows; /* owned */
};

/* ---- without keys ---- */

static void page_close_folded(struct folded *f)
{
	if (f)
		recording_free_periods(&f->recording);
	free(f);
}

static int page_fold_period(struct folded *f, const struct recording *rec, size_t i)
{
	struct snapshot *s = recording_bare_period(rec, i), *folded = s ? snapshot_fold(s) : NULL;
	int err = folded ? recording_add_period(&f->recording, folded) : -ENOMEM;

	snapshot_free(folded);
	snapshot_free(s);
	return err;
}

static struct folded *page_fold(const struct recording *rec)
{
	struct folded *f = calloc(1, sizeof(*f));
	size_t i;
	int err = 0;

	if (!f)
		return NULL;
	*f = (struct folded){ .recording = *rec, .whole = *rec->whole };
	f->recording.periods = NULL;
	f->recording.n_periods = 0;
	f->recording.spool = NULL;
	f->recording.whole = &f->whole;
	f->whole.n_nodes = snapshot_plain(rec->whole);
	for (i = 0; !err && i < rec->n_periods; i++)
		err = page_fold_period(f, rec, i);
	if (!err)
		return f;
	page_close_folded(f);
	return NULL;
}

static void page_release(void *own)
{
	struct trace_pages *x = own;
	size_t i;

	for (i = 0; i < x->n; i++)
		page_close_folded(x->folded[i]);
	free(x->folded);
	free(x->title);
	free(x);
}

/* ---- the recording ---- */

static void page_tell_fact(void *ctx, const char *name, const char *text)
{
	report_fact(ctx, name, text);
}

static const char *trace_page_text(const char *text)
{
	return text ? text : "";
}

static void page_add_about(struct trace_page *p)
{
	char *made;

	trace_warn(&p->x);
	made = trace_made(&p->x, "");
	if (made)
		report_fact(p->x.r, "time", made);
	free(made);
	about_each(p->x.rec, true, &(struct about){ page_tell_fact, p->x.r });
}

/* ---- the order ---- */

/* Unverified samples, of which there are none; the section of an owner has its ledger. */
static bool page_leaves_out(const struct snapshot *s, uint32_t node)
{
	return s->nodes[node].kind != SNAPSHOT_KEY && !snapshot_is_rest(s, node) &&
	       snapshot_is_hidden(s, node);
}

static int page_by_figure(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	if (x->owner_empty != y->owner_empty)
		return x->owner_empty ? 1 : -1;
	if (x->figure != y->figure)
		return x->figure < y->figure ? 1 : -1;
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* What belongs to a function stays with it. */
static int page_sort(struct trace_page *p)
{
	const struct snapshot *s = p->x.rec->whole;
	double *figures = calloc(s->n_nodes + 1, sizeof(*figures));
	uint64_t *samples = calloc(s->n_nodes + 1, sizeof(*samples));
	struct dist d;
	uint32_t i, owner;
	int err = figures && samples ? 0 : -ENOMEM;

	p->rows = calloc(s->n_nodes + 1, sizeof(*p->rows));
	for (i = 0; !err && i < s->n_nodes; i++) {
		err = dist_open(&d, s, i, DIST_ALL_CPUS);
		samples[i] = d.samples;
		figures[i] = keys_figure(&d, p->o->sort);
		dist_close(&d);
	}
	for (p->n = 0, i = 0; !err && p->rows && i < s->n_nodes; i++) {
		owner = s->nodes[i].owner;
		if (!page_leaves_out(s, i))
			p->rows[p->n++] = (struct page_row){ i, !samples[owner], figures[owner],
							     owner, samples[i] };
	}
	free(figures);
	free(samples);
	if (p->rows)
		qsort(p->rows, p->n, sizeof(*p->rows), page_by_figure);
	return p->rows ? err : -ENOMEM;
}

/* ---- the table ---- */

static void page_cell_duration(const struct trace_page *p, double ns)
{
	char text[UNITS_TEXT];

	report_cell(p->x.r, units_duration(text, ns, p->x.unit), NULL);
}

static int page_add_row(const struct trace_page *p, const struct page_row *row)
{
	char count[UNITS_TEXT];
	struct dist d;
	int err = dist_open(&d, p->x.rec->whole, row->node, DIST_ALL_CPUS);

	report_cell(p->x.r, p->x.rec->whole->nodes[row->node].name, NULL);
	report_cell_to(p->x.r, p->first_id + row->node);
	report_cell(p->x.r, units_count(count, d.samples), NULL);
	page_cell_duration(p, dist_mean(&d));
	page_cell_duration(p, dist_quantile(&d, 990000).hi);
	page_cell_duration(p, dist_total(&d));
	dist_close(&d);
	return err;
}

/* Of all distributions that have samples, if there are many. */
static int page_add_table(const struct trace_page *p)
{
	static const struct report_column columns[] = {
		{ .heading = "distribution", .kind = REPORT_NAME },
		{ .heading = "count" },
		{ .heading = "mean" },
		{ .heading = "p99 up to" },
		{ .heading = "total" },
		{},
	};
	size_t i, n = 0;
	int err = 0;

	for (i = 0; i < p->n; i++)
		n += p->rows[i].samples > 0;
	if (n < 2)
		return 0;
	report_table_begin(p->x.r, columns);
	for (i = 0; !err && i < p->n; i++)
		if (p->rows[i].samples)
			err = page_add_row(p, &p->rows[i]);
	return err;
}

/* ---- keys ---- */

static int keys_by_figure(const void *a, const void *b)
{
	const struct report_key *x = a, *y = b;

	if (x->figure != y->figure)
		return x->figure < y->figure ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* One distribution is open at a time: there may be thousands of large ones. */
static int page_find_keys(const struct trace_page *p, struct report_keys *keys)
{
	struct dist d;
	uint32_t i;
	int err = 0;

	keys->rows = calloc(p->keys->n_nodes, sizeof(*keys->rows));
	if (!keys->rows)
		return -ENOMEM;
	for (i = 0; !err && i < p->keys->n_nodes; i++) {
		if (!keys_belong(p->keys, i, keys->owner))
			continue;
		err = dist_open(&d, p->keys, i, DIST_ALL_CPUS);
		if (!err && d.samples)
			keys->rows[keys->n++] =
				(struct report_key){ i, keys_figure(&d, p->o->sort), d.samples };
		dist_close(&d);
	}
	qsort(keys->rows, keys->n, sizeof(*keys->rows), keys_by_figure);
	return err;
}

static bool page_has_rest(const struct report_keys *keys)
{
	size_t i;

	for (i = 0; i < keys->n; i++)
		if (keys->of->nodes[keys->rows[i].node].kind == SNAPSHOT_OTHER)
			return true;
	return false;
}

static int page_add_keys(const struct trace_page *p, uint32_t owner)
{
	struct report_keys keys = { p->keys, p->x.rec->whole, owner, p->x.unit, 0, NULL };
	int err = page_find_keys(p, &keys);
	char heading[KEYS_HEADING], text[KEYS_HEADING + 32];
	struct report_part *part;

	if (err || !keys.n) {
		free(keys.rows);
		return err;
	}
	err = report_draw_keys(p->x.r, p->keys, owner);
	snprintf(text, sizeof(text), "%s, sorted by %s", keys_heading(p->keys, owner, heading),
		 sort_names[p->o->sort]);
	report_label(p->x.r, text);
	report_say(p->x.r, REPORT_SOFT,
		   "All have the same axis and the same scale, and equal areas are equal shares of "
		   "the samples of a key. The lines are p50 and p99; bars that are higher than the "
		   "scale have a stroke on top.%s",
		   page_has_rest(&keys) ? " Other: the keys beyond --limit keys." : "");
	part = report_part_add(p->x.r, REPORT_KEYS);
	if (part)
		part->keys = keys;
	else
		free(keys.rows);
	return err;
}

/* ---- the sections ---- */

static int page_add_samples(const struct trace_page *p, uint32_t node)
{
	struct report_part *part;
	struct dist d;
	int err = dist_open(&d, p->x.rec->whole, node, DIST_ALL_CPUS);

	if (!err)
		trace_figures(&p->x, &d);
	dist_close(&d);
	part = report_part_add(p->x.r, REPORT_DRAWINGS);
	if (part)
		part->drawings = (struct report_drawings){ p->x.rec, node, p->x.unit, false };
	if (!err && p->keys && ledger_is_owner(p->x.rec->whole, node))
		err = page_add_keys(p, node);
	return err;
}

/* What an owner has beside its distribution. */
static int page_add_owner(const struct trace_page *p, uint32_t node)
{
	int err = trace_divided(&p->x, p->x.rec->whole, node);

	if (!err)
		err = trace_unverified(&p->x, node);
	trace_floor(&p->x, node);
	trace_ledger(&p->x, node);
	return err;
}

static int page_add_section(const struct trace_page *p, const struct page_row *row)
{
	int err = 0;

	trace_begin(&p->x, row->node, p->first_id + row->node);
	if (row->samples)
		err = page_add_samples(p, row->node);
	else
		trace_empty(&p->x, row->node);
	if (!err && ledger_is_owner(p->x.rec->whole, row->node))
		err = page_add_owner(p, row->node);
	report_end(p->x.r);
	return err;
}

static int page_add_sections(const struct trace_page *p)
{
	size_t i, some = 0;
	int err = 0;

	for (i = 0; i < p->n; i++)
		some += p->rows[i].samples > 0;
	for (i = 0; !err && i < p->n; i++)
		if (p->rows[i].samples || !some)
			err = page_add_section(p, &p->rows[i]);
	if (err || !some || some == p->n)
		return err;
	report_fold(p->x.r, "%zu without samples", p->n - some);
	for (i = 0; !err && i < p->n; i++)
		if (!p->rows[i].samples)
			err = page_add_section(p, &p->rows[i]);
	report_unfold(p->x.r);
	return err;
}

/* ---- the page ---- */

static int page_add(struct trace_page *p)
{
	int err;

	p->x.unit = snapshot_unit(p->x.rec->whole, p->o->unit);
	page_add_about(p);
	err = page_sort(p);
	if (!err)
		err = page_add_table(p);
	if (!err)
		err = page_add_sections(p);
	free(p->rows);
	return err;
}

/* Distributions with a section. */
static uint32_t page_count(const struct snapshot *s)
{
	uint32_t n = 0, i;

	for (i = 0; i < s->n_nodes; i++)
		n += s->nodes[i].kind < SNAPSHOT_KEY && !page_leaves_out(s, i);
	return n;
}

static char *page_title(const struct report_set *recs)
{
	const struct snapshot *s = recs->recs[0]->whole;
	char heading[KEYS_HEADING], *text = NULL;
	uint32_t n = page_count(s);
	int err;

	if (recs->n > 1)
		err = asprintf(&text, "%zu recordings", recs->n);
	else if (n > 1)
		err = asprintf(&text, "%s and %u more", trace_page_text(s->nodes[0].name), n - 1);
	else
		err = asprintf(&text, "%s%s%s", trace_page_text(s->nodes[0].name),
			       snapshot_has_keys(s) ? " " : "",
			       snapshot_has_keys(s) ? keys_heading(s, -1, heading) : "");
	return err < 0 ? NULL : text;
}

static int page_add_recording(struct report *r, struct trace_pages *own,
			      const struct recording *rec, unsigned int *id)
{
	struct trace_page p = { .x = { .r = r, .rec = rec }, .o = r->look, .first_id = *id };
	struct folded *f;

	if (snapshot_has_keys(rec->whole)) {
		f = page_fold(rec);
		if (!f)
			return -ENOMEM;
		own->folded[own->n++] = f;
		p.x.rec = &f->recording;
		p.keys = rec->whole;
	}
	*id += rec->whole->n_nodes;
	return page_add(&p);
}

int report_trace_page(struct report *r, const struct report_set *recs)
{
	struct trace_pages *own = calloc(1, sizeof(*own));
	struct report_part *part;
	unsigned int id = 1;
	size_t i;
	int err;

	if (!own)
		return -ENOMEM;
	r->own = own;
	r->release = page_release;
	own->title = page_title(recs);
	own->folded = calloc(recs->n, sizeof(*own->folded));
	err = own->title && own->folded ? 0 : -ENOMEM;
	r->title = own->title;
	for (i = 0; !err && i < recs->n; i++) {
		part = recs->n > 1 ? report_part_add(r, REPORT_TITLE) : NULL;
		if (part)
			part->name = strdup(trace_page_text(recs->recs[i]->source));
		err = page_add_recording(r, own, recs->recs[i], &id);
	}
	return err;
}
