// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem_values.c - memory events as named values: all figures; kstats-bpf-formats(5) describes
 * them. They are written one by one, since all of them together are large.
 */
#include <stdlib.h>

#include "kmem/account.h"
#include "kmem/document.h"
#include "kmem/pairs.h"
#include "kmem/periods.h"
#include "report/kmem.h"

#define KMEM_VALUES_FORMAT "kstats-bpf kmem report"
#define KMEM_VALUES_VERSION 1
#define SIZE_BITS 3 /* resolution of sizes */

/* ---- distributions ---- */

static void kmem_values_slots(struct json_out *w, const char *key, const struct dist *d,
			      const char *first, const char *last)
{
	struct dist_row row = DIST_ROW_BEGIN;

	json_out_open(w, key, '[');
	while (dist_next(d, &row)) {
		json_out_open(w, NULL, '{');
		json_out_u64(w, first, row.value.lo);
		json_out_u64(w, last, row.value.hi);
		json_out_u64(w, "samples", row.samples);
		json_out_close(w, '}');
	}
	json_out_close(w, ']');
}

static void kmem_values_bytes(struct json_out *w, const char *key, const struct kmem_table *t,
			      const struct kmem_entry *e, enum kmem_measure what)
{
	struct dist d;

	if (kmem_bytes(&d, t, e, what, SIZE_BITS))
		json_out_push(w, NULL);
	else
		kmem_values_slots(w, key, &d, "first_bytes", "last_bytes");
	dist_close(&d);
}

static void kmem_values_lifetimes(struct json_out *w, const struct kmem_table *t,
				  const struct kmem_entry *e)
{
	struct dist d;

	if (kmem_lifetimes(&d, t, e)) {
		json_out_push(w, NULL);
	} else {
		json_out_open(w, "lifetimes", '{');
		json_out_u64(w, "samples", d.samples);
		json_out_u64(w, "mean_ns", dist_mean(&d));
		values_bounds(w, "min_ns", dist_quantile(&d, 0));
		values_bounds(w, "max_ns", dist_quantile(&d, DIST_ONE));
		values_quantiles(w, "quantiles_ns", &d);
		kmem_values_slots(w, "slots", &d, "first_ns", "last_ns");
		json_out_close(w, '}');
	}
	dist_close(&d);
}

/* ---- sums ---- */

static void kmem_values_sums(struct json_out *w, const struct kmem_sums *s)
{
	json_out_u64(w, "count", s->count);
	json_out_u64(w, "requested_bytes", s->req);
	json_out_u64(w, "allocated_bytes", s->alloc);
	json_out_u64(w, "wasted_bytes", s->waste);
	if (s->short_count)
		json_out_u64(w, "given_too_little", s->short_count);
}

static void kmem_values_others(struct json_out *w, uint64_t cpu, uint64_t numa, uint64_t task)
{
	json_out_u64(w, "on_other_cpu", cpu);
	json_out_u64(w, "on_other_numa", numa);
	json_out_u64(w, "by_other_task", task);
}

static void kmem_values_lives(struct json_out *w, const struct kmem_sums *s)
{
	json_out_open(w, "live", '{');
	json_out_u64(w, "count", s->live);
	json_out_u64(w, "requested_bytes", s->live_req);
	json_out_u64(w, "allocated_bytes", s->live_alloc);
	if (s->live) {
		json_out_u64(w, "mean_age_ns", s->live_age_ns / s->live);
		json_out_u64(w, "oldest_ns", s->live_oldest_ns);
	}
	json_out_close(w, '}');
	json_out_open(w, "freed", '{');
	json_out_u64(w, "count", s->freed);
	json_out_u64(w, "unverified", s->unverified);
	kmem_values_others(w, s->other_cpu, s->other_numa, s->other_task);
	json_out_close(w, '}');
}

static void kmem_values_totals(struct json_out *w, const struct kmem *k)
{
	struct kmem_sums s;
	int kind;

	json_out_open(w, "totals", '{');
	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		if (!kmem_is_seen(k, kind))
			continue;
		s = kmem_total(k, kind);
		json_out_open(w, kmem_kind_name(kind), '{');
		kmem_values_sums(w, &s);
		if (k->lifetimes)
			kmem_values_lives(w, &s);
		json_out_close(w, '}');
	}
	json_out_close(w, '}');
}

/* ---- rows ---- */

static void kmem_values_entry(struct json_out *w, const struct kmem_table *t,
			      const struct kmem_entry *e)
{
	json_out_open(w, NULL, '{');
	json_out_text(w, "kind", kmem_kind_name(e->kind));
	json_out_text(w, "name", e->name);
	if (e->line)
		json_out_text(w, "line", e->line);
	if (e->cache)
		json_out_text(w, "cache", e->cache);
	values_bounds(w, "size_bytes", (struct dist_bounds){ e->size, e->last });
	values_bounds(w, "given_bytes", (struct dist_bounds){ e->each, e->each_last });
	kmem_values_sums(w, &e->sums);
	kmem_values_bytes(w, "requested", t, e, KMEM_REQUESTED);
	kmem_values_bytes(w, "wasted", t, e, KMEM_WASTED);
	if (t->k->lifetimes)
		kmem_values_lives(w, &e->sums);
	if (t->k->lifetimes && e->n_lifes)
		kmem_values_lifetimes(w, t, e);
	json_out_close(w, '}');
}

static void kmem_values_pairs(struct json_out *w, const struct kmem *k)
{
	struct kmem_pair *pairs;
	size_t n, i;

	if (kmem_pairs(k, &pairs, &n))
		json_out_push(w, NULL);
	json_out_open(w, "pairs", '[');
	for (i = 0; !w->err && i < n; i++) {
		json_out_open(w, NULL, '{');
		json_out_text(w, "allocated_in",
			      pairs[i].from < k->n_sites ? k->sites[pairs[i].from].name : "");
		json_out_text(w, "freed_in", k->sites[pairs[i].to].name);
		json_out_text(w, "by", kmem_free_name(pairs[i].how));
		json_out_u64(w, "count", pairs[i].count);
		kmem_values_others(w, pairs[i].other_cpu, pairs[i].other_numa, pairs[i].other_task);
		json_out_close(w, '}');
	}
	json_out_close(w, ']');
	free(pairs);
}

/* ---- over time ---- */

/* Those parts of an interval that are of all call sites, or the others. */
static void kmem_values_parts(struct json_out *w, const struct kmem *k, size_t period, size_t at,
			      bool all)
{
	const struct kmem_part *p = &k->parts[at];

	json_out_open(w, all ? "totals" : "rows", '[');
	for (; p < k->parts + k->n_parts && p->period == period; p++) {
		if ((p->site == KMEM_ALL_SITES) != all)
			continue;
		json_out_open(w, NULL, '{');
		json_out_text(w, "kind", kmem_kind_name(p->kind));
		if (!all)
			json_out_text(w, "name", k->sites[p->site].name);
		json_out_u64(w, "count", p->count);
		json_out_u64(w, "requested_bytes", p->req);
		json_out_u64(w, "allocated_bytes", p->alloc);
		if (k->lifetimes) {
			json_out_u64(w, "live", p->live);
			json_out_u64(w, "live_allocated_bytes", p->live_alloc);
		}
		json_out_close(w, '}');
	}
	json_out_close(w, ']');
}

static void kmem_values_periods(struct json_out *w, const struct kmem *k)
{
	size_t i, at = 0;

	json_out_open(w, "periods", '[');
	for (i = 0; i < k->n_periods; i++) {
		json_out_open(w, NULL, '{');
		json_out_u64(w, "begin_ns", kmem_period_begin(k, i) - k->span.begin_ns);
		json_out_u64(w, "end_ns", k->periods[i].end_ns - k->span.begin_ns);
		kmem_values_parts(w, k, i, at, true);
		kmem_values_parts(w, k, i, at, false);
		json_out_close(w, '}');
		while (at < k->n_parts && k->parts[at].period == i)
			at++;
	}
	json_out_close(w, ']');
}

/* ---- the whole ---- */

static void kmem_values_account(struct json_out *w, const struct kmem *k)
{
	const struct kmem_account a = kmem_account(k);

	json_out_open(w, "account", '{');
	json_out_u64(w, "allocations", a.seen);
	json_out_u64(w, "in_rows", a.rows);
	json_out_u64(w, "no_row", a.no_row);
	json_out_u64(w, "freed", a.freed);
	json_out_u64(w, "unverified", a.unverified);
	json_out_u64(w, "live", a.live);
	json_out_u64(w, "free_not_seen", a.reused);
	json_out_u64(w, "not_followed", a.no_live);
	json_out_u64(w, "frees", a.frees);
	json_out_u64(w, "matched", a.matched);
	json_out_u64(w, "null", a.null);
	json_out_u64(w, "unknown", a.unknown);
	json_out_u64(w, "skipped", a.skipped);
	json_out_add(w, "closes", json_object_new_boolean(kmem_account_closes(&a)));
	json_out_close(w, '}');
}

static void kmem_values_programs(struct json_out *w, const struct kmem *k)
{
	size_t i;

	json_out_open(w, "programs", '[');
	for (i = 0; i < k->n_programs; i++) {
		json_out_open(w, NULL, '{');
		json_out_text(w, "event", k->programs[i].event);
		json_out_text(w, "method", k->programs[i].method);
		json_out_text(w, "why", k->programs[i].why);
		json_out_u64(w, "skipped", k->programs[i].skipped);
		json_out_close(w, '}');
	}
	json_out_close(w, ']');
}

static struct json_object *kmem_values_about(const struct kmem *k)
{
	struct json_object *o = json_object_new_object();

	return json_made(o, kmem_json_about(o, k));
}

void report_kmem_values(const struct report *r, struct json_out *w)
{
	const struct kmem_tables *tables = r->own;
	const struct kmem_table *t = &tables->tables[0];
	size_t i;

	json_out_open(w, NULL, '{');
	json_out_text(w, "format", KMEM_VALUES_FORMAT);
	json_out_u64(w, "version", KMEM_VALUES_VERSION);
	json_out_u64(w, "period", r->look->period);
	json_out_text(w, "source", t->k->source);
	json_out_members(w, kmem_values_about(t->k));
	kmem_values_totals(w, t->k);
	json_out_text(w, "rows_by", t->group.by);
	json_out_open(w, "rows", '[');
	for (i = 0; !w->err && i < t->n; i++)
		kmem_values_entry(w, t, &t->entries[i]);
	json_out_close(w, ']');
	if (t->k->n_periods)
		kmem_values_periods(w, t->k);
	if (t->k->lifetimes)
		kmem_values_pairs(w, t->k);
	kmem_values_account(w, t->k);
	kmem_values_programs(w, t->k);
	json_out_close(w, '}');
}
