// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_screen.c - a recording of functions as a text: what fits a screen, or every slot. A few
 * distributions are shown in full; of many there is a table, and one ledger.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/about.h"
#include "report/costs.h"
#include "report/keys.h"
#include "report/priv.h"
#include "report/trace.h"
#include "result/ledger.h"
#include "result/parts.h"

#define FULL_MAX 4 /* more distributions are rows of a table */
#define SORTED_BY 32 /* room for "sorted by total" */

/* What a screen owns beside its report. */
struct screen_own {
	struct snapshot *bare; /* owned; without parts, or NULL: there are none */
	struct recording keyed; /* views: with keys, without parts; */
	struct recording plain; /* and without keys */
	struct snapshot whole; /* of @plain */
	char sorted[SORTED_BY];
	char headings[FULL_MAX + 1][KEYS_HEADING];
};

/* A screen that is being made. */
struct screen {
	struct trace_of x;
	const struct report_look *o;
	struct screen_own *own;
	bool keys; /* there are some */
	const struct snapshot *all; /* with the parts of durations; NULL: there are none */
};

static void screen_release(void *own)
{
	struct screen_own *x = own;

	snapshot_free(x->bare);
	free(x);
}

/* ---- the recording ---- */

static void screen_add_fact(void *ctx, const char *name, const char *text)
{
	report_fact(ctx, name, text);
}

/* Whoever is measuring knows time, machine and tags. */
static void screen_add_head(const struct trace_of *x, const struct report_look *o)
{
	char period[32] = "", *made;
	struct report_part *part = o->titled ? report_part_add(x->r, REPORT_TITLE) : NULL;

	if (part) {
		part->name = strdup(x->rec->source ? x->rec->source : "");
		x->r->err = part->name ? x->r->err : -ENOMEM;
	}
	trace_warn(x);
	if (o->period)
		snprintf(period, sizeof(period), "period %u, ", o->period);
	made = trace_made(x, period);
	if (made)
		report_say(x->r, REPORT_SOFT, "%s", made);
	free(made);
	part = report_part_add(x->r, REPORT_FACTS);
	if (part)
		part->tone = REPORT_SOFT;
	about_each(x->rec, x->rec->source && !o->period, &(struct about){ screen_add_fact, x->r });
}

/* ---- a distribution ---- */

static int screen_add_samples(const struct screen *s, uint32_t node)
{
	struct report_part *part;
	struct dist d;
	int err = dist_open(&d, s->x.rec->whole, node, DIST_ALL_CPUS);

	if (!err)
		trace_figures(&s->x, &d);
	dist_close(&d);
	part = report_part_add(s->x.r, REPORT_DRAWINGS);
	if (part)
		part->drawings = (struct report_drawings){ s->x.rec, node, s->x.unit, false };
	return !err && s->o->per_cpu_rows ? trace_cpu_rows(&s->x, node) : err;
}

static int screen_add_keys(const struct screen *s, int owner)
{
	struct trace_of keyed = s->x;
	char *heading = s->own->headings[owner + 1];

	keyed.rec = &s->own->keyed;
	keys_heading(keyed.rec->whole, owner, heading);
	return trace_key_rows(&keyed, owner, heading);
}

static int screen_add_section(const struct screen *s, uint32_t node)
{
	const struct snapshot *whole = s->x.rec->whole;
	bool owner = ledger_is_owner(whole, node);
	int err = 0;

	trace_begin(&s->x, node, 0);
	if (s->keys && owner)
		err = screen_add_keys(s, node);
	if (!counts_samples(whole->nodes[node].counts))
		trace_empty(&s->x, node);
	else if (!err)
		err = screen_add_samples(s, node);
	if (!err && owner && s->all)
		err = trace_divided(&s->x, s->all, node);
	if (!err && owner) {
		err = trace_unverified(&s->x, node);
		trace_floor(&s->x, node);
		trace_ledger(&s->x, node);
	}
	report_end(s->x.r);
	return err;
}

/* ---- many ---- */

static void screen_add_floors(const struct screen *s)
{
	const struct costs *costs = &s->x.rec->costs;
	char text[COSTS_TEXT], *named;
	size_t i;

	for (i = 0; i < costs->n; i++) {
		named = NULL;
		if (asprintf(&named, "%s: %s", costs->rows[i].method,
			     costs_text(&costs->rows[i], s->x.unit, text)) < 0)
			named = NULL;
		report_fact(s->x.r, "floor", named ? named : "");
		free(named);
	}
}

static int screen_add_many(const struct screen *s)
{
	const struct snapshot *whole = s->x.rec->whole;
	uint32_t i;
	int err;

	snprintf(s->own->sorted, sizeof(s->own->sorted), "sorted by %s", sort_names[s->o->sort]);
	err = s->keys ? screen_add_keys(s, -1) : trace_rows(&s->x, s->own->sorted);
	if (!err && s->all)
		err = trace_shares(&s->x, s->all);
	for (i = 0; !err && s->all && i < whole->n_nodes; i++)
		if (ledger_is_owner(whole, i))
			err = trace_stages(&s->x, s->all, i);
	screen_add_floors(s);
	trace_ledgers(&s->x);
	return err;
}

/* ---- the screen ---- */

/* Make the views, so that what has tables of its own is not among the distributions. */
static int screen_open(struct screen *s, const struct recording *rec)
{
	struct screen_own *own = s->own;
	const struct snapshot *whole = rec->whole;

	if (snapshot_has_parts(rec->whole)) {
		s->all = rec->whole;
		whole = own->bare = snapshot_without_parts(rec->whole);
		if (!whole)
			return -ENOMEM;
	}
	s->keys = snapshot_has_keys(whole);
	own->keyed = own->plain = *rec;
	own->keyed.whole = (struct snapshot *)whole;
	own->whole = *whole;
	own->plain.whole = &own->whole;
	if (s->keys) {
		own->whole.n_nodes = snapshot_plain(whole);
		while (own->whole.n_nodes > 1 && snapshot_is_hidden(whole, own->whole.n_nodes - 1))
			own->whole.n_nodes--;
	}
	s->x.rec = &own->plain;
	return 0;
}

int report_trace_screen(struct report *r, const struct recording *rec)
{
	struct screen s = { .x = { .r = r, .unit = r->look->unit }, .o = r->look };
	uint32_t i;
	int err;

	s.own = calloc(1, sizeof(*s.own));
	if (!s.own)
		return -ENOMEM;
	r->own = s.own;
	r->release = screen_release;
	err = screen_open(&s, rec);
	if (err)
		return err;
	screen_add_head(&s.x, s.o);
	if (s.own->whole.n_nodes > FULL_MAX)
		return screen_add_many(&s);
	for (i = 0; !err && i < s.own->whole.n_nodes; i++)
		err = screen_add_section(&s, i);
	return err;
}

/* ---- every slot ---- */

static void slots_add_section(const struct trace_of *x, uint32_t node)
{
	struct report_part *part;

	trace_begin(x, node, 0);
	if (counts_samples(x->rec->whole->nodes[node].counts)) {
		part = report_part_add(x->r, REPORT_DRAWINGS);
		if (part)
			part->drawings = (struct report_drawings){ x->rec, node, x->unit, true };
	} else {
		trace_empty(x, node);
	}
	if (ledger_is_owner(x->rec->whole, node)) {
		trace_floor(x, node);
		trace_ledger(x, node);
	}
	report_end(x->r);
}

void report_trace_slots(struct report *r, const struct recording *rec)
{
	const struct trace_of x = { r, rec, r->look->unit };
	uint32_t i;

	screen_add_head(&x, r->look);
	for (i = 0; i < rec->whole->n_nodes; i++)
		slots_add_section(&x, i);
}
