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
#include "report/account.h"
#include "report/costs.h"
#include "report/keys.h"
#include "report/figures.h"
#include "report/priv.h"
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
	struct report *r;
	const struct report_look *o;
	const char *unit;
	const struct recording *rec; /* all keys are together in it */
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
	report_fact(((struct trace_page *)ctx)->r, name, text);
}

static uint64_t page_covered(const struct trace_page *p)
{
	return p->rec->whole->span.end_ns - p->rec->whole->span.begin_ns;
}

static const char *page_text(const char *text)
{
	return text ? text : "";
}

static void page_add_about(struct trace_page *p)
{
	const struct snapshot *s = p->rec->whole;
	char time[UNITS_TEXT], text[512], warning[ACCOUNT_TEXT], stepped[COSTS_WARNING];
	bool why = s->backend_reason && *s->backend_reason;

	if (account_warning(s, warning))
		report_say(p->r, REPORT_BAD, "%s", warning);
	if (costs_warning(p->rec, stepped))
		report_say(p->r, REPORT_PLAIN, "%s", stepped);
	snprintf(text, sizeof(text), "%s on Linux %s; %s backend%s%s%s; %s%s; bits %u",
		 units_duration(time, page_covered(p), "auto"), page_text(s->kernel),
		 page_text(s->backend), why ? " (" : "", why ? s->backend_reason : "",
		 why ? ")" : "", about_paired(s), page_text(s->pairing), s->bits);
	report_fact(p->r, "time", text);
	about_each(p->rec, true, &(struct about){ page_tell_fact, p });
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
	const struct snapshot *s = p->rec->whole;
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

	report_cell(p->r, units_duration(text, ns, p->unit), NULL);
}

static int page_add_row(const struct trace_page *p, const struct page_row *row)
{
	char count[UNITS_TEXT];
	struct dist d;
	int err = dist_open(&d, p->rec->whole, row->node, DIST_ALL_CPUS);

	report_cell(p->r, p->rec->whole->nodes[row->node].name, NULL);
	report_cell_to(p->r, p->first_id + row->node);
	report_cell(p->r, units_count(count, d.samples), NULL);
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
	report_table_begin(p->r, columns);
	for (i = 0; !err && i < p->n; i++)
		if (p->rows[i].samples)
			err = page_add_row(p, &p->rows[i]);
	return err;
}

/* ---- a distribution ---- */

static void page_begin(const struct trace_page *p, uint32_t node)
{
	const struct snapshot_node *n = &p->rec->whole->nodes[node];
	struct report_part *part = report_part_add(p->r, REPORT_BEGIN);
	bool owner = ledger_is_owner(p->rec->whole, node);

	if (!part)
		return;
	part->id = p->first_id + node;
	part->name = strdup(page_text(n->name));
	if (asprintf(&part->text, "%s%s%s%s%s%s", page_text(n->what), owner ? ", by " : "",
		     owner ? page_text(n->method) : "", owner ? " (" : "",
		     owner ? page_text(n->reason) : "", owner ? ")" : "") < 0)
		part->text = NULL;
	if (!part->name || !part->text)
		p->r->err = -ENOMEM;
}

static void page_figure_duration(const struct trace_page *p, const char *name, double ns)
{
	char text[UNITS_TEXT];

	report_figure(p->r, name, units_duration(text, ns, p->unit));
}

static void page_figure_quantile(const struct trace_page *p, const char *name, const struct dist *d,
				 uint32_t millionths)
{
	char range[FIGURES_RANGE];

	report_figure(p->r, name, figures_range(range, dist_quantile(d, millionths), p->unit));
}

static void page_add_figures(const struct trace_page *p, const struct dist *d)
{
	char text[UNITS_TEXT];
	int i;

	report_figure(p->r, "count", units_count(text, d->samples));
	report_figure(p->r, "rate", units_rate(text, d->samples, page_covered(p)));
	page_figure_duration(p, "mean", dist_mean(d));
	page_figure_duration(p, "total", dist_total(d));
	page_figure_quantile(p, "min", d, 0);
	for (i = 0; i < FIGURES_QUANTILES; i++)
		page_figure_quantile(p, figures_quantiles[i].name, d,
				     figures_quantiles[i].millionths);
	page_figure_quantile(p, "max", d, DIST_ONE);
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
	struct report_keys keys = { p->keys, p->rec->whole, owner, p->unit, 0, NULL };
	int err = page_find_keys(p, &keys);
	char heading[KEYS_HEADING], text[KEYS_HEADING + 32];
	struct report_part *part;

	if (err || !keys.n) {
		free(keys.rows);
		return err;
	}
	snprintf(text, sizeof(text), "%s, sorted by %s", keys_heading(p->keys, owner, heading),
		 sort_names[p->o->sort]);
	report_label(p->r, text);
	report_say(p->r, REPORT_SOFT,
		   "All have the same axis and the same scale, and equal areas are equal shares of "
		   "the samples of a key. The lines are p50 and p99; bars that are higher than the "
		   "scale have a stroke on top.%s",
		   page_has_rest(&keys) ? " Other: the keys beyond --limit keys." : "");
	part = report_part_add(p->r, REPORT_KEYS);
	if (part)
		part->keys = keys;
	else
		free(keys.rows);
	return report_draw_keys(p->r, p->keys, owner);
}

/* ---- the ledger ---- */

static void page_add_terms(const struct trace_page *p, struct report_part *part,
			   const struct account *a, bool of_started)
{
	int id, i;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (ledger_rows[id].of_started == of_started && id != KSTATS_STARTED &&
		    a->ledger[id])
			report_term(p->r, part, of_started ? "+" : "and", a->ledger[id],
				    ledger_rows[id].label, ledger_rows[id].explain);
	}
}

static void page_add_ledger(const struct trace_page *p, uint32_t node)
{
	const struct cost *cost = recording_cost(p->rec, node);
	char text[ACCOUNT_TEXT], words[COSTS_TEXT];
	struct account a = {};
	struct report_part *part;

	if (cost) {
		report_label(p->r, "floor");
		report_say(p->r, REPORT_PLAIN, "%s", costs_text(cost, p->unit, words));
	}
	account_add(&a, p->rec->whole, node);
	part = report_part_add(p->r, REPORT_LEDGER);
	if (!part)
		return;
	part->text = strdup("ledger");
	report_term(p->r, part, "", a.ledger[KSTATS_STARTED], "started", NULL);
	report_term(p->r, part, "=", a.recorded, "recorded", NULL);
	page_add_terms(p, part, &a, true);
	page_add_terms(p, part, &a, false);
	part->ledger.good = account_good(&a);
	part->ledger.verdict = strdup(account_verdict(&a, p->rec->whole->span.final, text));
	if (!part->text || !part->ledger.verdict)
		p->r->err = -ENOMEM;
}

/* ---- the sections ---- */

static int page_add_samples(const struct trace_page *p, uint32_t node)
{
	struct report_part *part;
	struct dist d;
	int err = dist_open(&d, p->rec->whole, node, DIST_ALL_CPUS);

	if (!err)
		page_add_figures(p, &d);
	dist_close(&d);
	part = report_part_add(p->r, REPORT_DRAWINGS);
	if (part)
		part->drawings = (struct report_drawings){ p->rec, node, p->unit };
	if (!err && p->keys && ledger_is_owner(p->rec->whole, node))
		err = page_add_keys(p, node);
	return err;
}

static int page_add_section(const struct trace_page *p, const struct page_row *row)
{
	int err = 0;

	page_begin(p, row->node);
	if (row->samples)
		err = page_add_samples(p, row->node);
	else
		report_say(p->r, REPORT_PLAIN, "No samples. %s",
			   account_why_empty(p->rec->whole, row->node));
	if (ledger_is_owner(p->rec->whole, row->node))
		page_add_ledger(p, row->node);
	report_end(p->r);
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
	report_fold(p->r, "%zu without samples", p->n - some);
	for (i = 0; !err && i < p->n; i++)
		if (!p->rows[i].samples)
			err = page_add_section(p, &p->rows[i]);
	report_unfold(p->r);
	return err;
}

/* ---- the page ---- */

static int page_add(struct trace_page *p)
{
	int err;

	p->unit = snapshot_unit(p->rec->whole, p->o->unit);
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
		err = asprintf(&text, "%s and %u more", page_text(s->nodes[0].name), n - 1);
	else
		err = asprintf(&text, "%s%s%s", page_text(s->nodes[0].name),
			       snapshot_has_keys(s) ? " " : "",
			       snapshot_has_keys(s) ? keys_heading(s, -1, heading) : "");
	return err < 0 ? NULL : text;
}

static int page_add_recording(struct report *r, struct trace_pages *own,
			      const struct recording *rec, unsigned int *id)
{
	struct trace_page p = { .r = r, .o = r->look, .rec = rec, .first_id = *id };
	struct folded *f;

	if (snapshot_has_keys(rec->whole)) {
		f = page_fold(rec);
		if (!f)
			return -ENOMEM;
		own->folded[own->n++] = f;
		p.rec = &f->recording;
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
			part->name = strdup(page_text(recs->recs[i]->source));
		err = page_add_recording(r, own, recs->recs[i], &id);
	}
	return err;
}
