// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - all figures of memory events as one object on one line; kstats-bpf-formats(5)
 * describes it.
 */
#include "render/kmem/priv.h"

#include <errno.h>
#include <stdlib.h>

#include "kmem/json.h"
#include "kmem/pairs.h"

#define REPORT_FORMAT "kstats-bpf kmem report"
#define REPORT_VERSION 1
#define SIZE_BITS 3 /* resolution of sizes */

static struct json_object *kmem_json_finish(struct json_object *o, int err)
{
	return json_made(o, err);
}

static struct json_object *kmem_json_make_bounds(uint64_t lo, uint64_t hi)
{
	struct json_object *o = json_object_new_object();

	return kmem_json_finish(o, json_add_u64(o, "lo", lo) | json_add_u64(o, "hi", hi));
}

/* ---- distributions ---- */

static struct json_object *make_slots(const struct dist *d, const char *first, const char *last)
{
	struct json_object *slots = json_object_new_array(), *slot;
	struct dist_row row = DIST_ROW_BEGIN;
	int err = 0;

	while (!err && dist_next(d, &row)) {
		slot = json_object_new_object();
		err = json_add_u64(slot, first, row.value.lo);
		err |= json_add_u64(slot, last, row.value.hi);
		err |= json_add_u64(slot, "samples", row.samples);
		err |= json_push(slots, slot);
	}
	return kmem_json_finish(slots, err);
}

static int add_bytes(struct json_object *to, const char *key, const struct kmem_report *r,
		     const struct kmem_entry *e, enum kmem_measure what)
{
	struct dist d;
	int err = kmem_bytes(&d, &r->table, e, what, SIZE_BITS);

	if (!err)
		err = json_add(to, key, make_slots(&d, "first_bytes", "last_bytes"));
	dist_close(&d);
	return err;
}

static struct json_object *make_lifetimes(const struct dist *d)
{
	struct json_object *o = json_object_new_object(), *quantiles = json_object_new_object();
	struct dist_bounds b;
	int err = json_add_u64(o, "samples", d->samples), i;

	for (i = 0; i < TEXT_QUANTILES; i++) {
		b = dist_quantile(d, text_quantiles[i].millionths);
		err |= json_add(quantiles, text_quantiles[i].name,
				kmem_json_make_bounds(b.lo, b.hi));
	}
	err |= json_add_u64(o, "mean_ns", dist_mean(d));
	b = dist_quantile(d, 0);
	err |= json_add(o, "min_ns", kmem_json_make_bounds(b.lo, b.hi));
	b = dist_quantile(d, DIST_ONE);
	err |= json_add(o, "max_ns", kmem_json_make_bounds(b.lo, b.hi));
	err |= json_add(o, "quantiles_ns", quantiles);
	err |= json_add(o, "slots", make_slots(d, "first_ns", "last_ns"));
	return kmem_json_finish(o, err);
}

/* ---- entries ---- */

static int kmem_json_add_sums(struct json_object *o, const struct kmem_sums *s)
{
	int err = json_add_u64(o, "count", s->count);

	err |= json_add_u64(o, "requested_bytes", s->req);
	err |= json_add_u64(o, "allocated_bytes", s->alloc);
	err |= json_add_u64(o, "wasted_bytes", s->waste);
	if (s->short_count)
		err |= json_add_u64(o, "given_too_little", s->short_count);
	return err;
}

static struct json_object *make_live(const struct kmem_sums *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "count", s->live);

	err |= json_add_u64(o, "requested_bytes", s->live_req);
	err |= json_add_u64(o, "allocated_bytes", s->live_alloc);
	if (s->live) {
		err |= json_add_u64(o, "mean_age_ns", s->live_age_ns / s->live);
		err |= json_add_u64(o, "oldest_ns", s->live_oldest_ns);
	}
	return kmem_json_finish(o, err);
}

static int add_others(struct json_object *o, uint64_t cpu, uint64_t numa, uint64_t task)
{
	int err = json_add_u64(o, "on_other_cpu", cpu);

	err |= json_add_u64(o, "on_other_numa", numa);
	return err | json_add_u64(o, "by_other_task", task);
}

static struct json_object *make_freed(const struct kmem_sums *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "count", s->freed);

	err |= json_add_u64(o, "unverified", s->unverified);
	return kmem_json_finish(o, err | add_others(o, s->other_cpu, s->other_numa, s->other_task));
}

static int add_lives(struct json_object *o, const struct kmem_report *r, const struct kmem_entry *e)
{
	struct dist d;
	int err = json_add(o, "live", make_live(&e->sums));

	err |= json_add(o, "freed", make_freed(&e->sums));
	if (err || !e->n_lifes)
		return err;
	err = kmem_lifetimes(&d, &r->table, e);
	if (!err)
		err = json_add(o, "lifetimes", make_lifetimes(&d));
	dist_close(&d);
	return err;
}

static struct json_object *make_entry(const struct kmem_report *r, const struct kmem_entry *e)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "kind", kmem_kind_name(e->kind));

	err |= json_add_text(o, "name", e->name);
	if (e->line)
		err |= json_add_text(o, "line", e->line);
	if (e->cache)
		err |= json_add_text(o, "cache", e->cache);
	err |= json_add(o, "size_bytes", kmem_json_make_bounds(e->size, e->last));
	err |= json_add(o, "given_bytes", kmem_json_make_bounds(e->each, e->each_last));
	err |= kmem_json_add_sums(o, &e->sums);
	err |= add_bytes(o, "requested", r, e, KMEM_REQUESTED);
	err |= add_bytes(o, "wasted", r, e, KMEM_WASTED);
	if (r->k->lifetimes)
		err |= add_lives(o, r, e);
	return kmem_json_finish(o, err);
}

static struct json_object *kmem_json_make_entries(const struct kmem_report *r)
{
	struct json_object *entries = json_object_new_array();
	int err = 0;
	size_t i;

	for (i = 0; !err && i < r->table.n; i++)
		err = json_push(entries, make_entry(r, &r->table.entries[i]));
	return kmem_json_finish(entries, err);
}

/* ---- the whole ---- */

static struct json_object *make_totals(const struct kmem *k)
{
	struct json_object *o = json_object_new_object(), *total;
	struct kmem_sums s;
	int err = 0, kind;

	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		if (!kmem_is_seen(k, kind))
			continue;
		s = kmem_total(k, kind);
		total = json_object_new_object();
		err |= kmem_json_add_sums(total, &s);
		if (k->lifetimes) {
			err |= json_add(total, "live", make_live(&s));
			err |= json_add(total, "freed", make_freed(&s));
		}
		err |= json_add(o, kmem_kind_name(kind), total);
	}
	return kmem_json_finish(o, err);
}

static struct json_object *kmem_json_make_pair(const struct kmem *k, const struct kmem_pair *p)
{
	struct json_object *o = json_object_new_object();
	const char *from = p->from < k->n_sites ? k->sites[p->from].name : "";
	int err = json_add_text(o, "allocated_in", from);

	err |= json_add_text(o, "freed_in", k->sites[p->to].name);
	err |= json_add_text(o, "by", kmem_free_name(p->how));
	err |= json_add_u64(o, "count", p->count);
	return kmem_json_finish(o, err | add_others(o, p->other_cpu, p->other_numa, p->other_task));
}

static struct json_object *make_pairs(const struct kmem *k)
{
	struct json_object *o = json_object_new_array();
	struct kmem_pair *pairs;
	size_t n, i;
	int err = kmem_pairs(k, &pairs, &n);

	for (i = 0; !err && i < n; i++)
		err = json_push(o, kmem_json_make_pair(k, &pairs[i]));
	free(pairs);
	return kmem_json_finish(o, err);
}

static struct json_object *make_account(const struct kmem *k)
{
	const struct kmem_account a = kmem_account(k);
	const struct {
		const char *key;
		uint64_t n;
	} terms[] = {
		{ "allocations", a.seen },
		{ "in_rows", a.rows },
		{ "no_row", a.no_row },
		{ "freed", a.freed },
		{ "unverified", a.unverified },
		{ "live", a.live },
		{ "free_not_seen", a.reused },
		{ "not_followed", a.no_live },
		{ "frees", a.frees },
		{ "matched", a.matched },
		{ "null", a.null },
		{ "unknown", a.unknown },
		{ "skipped", a.skipped },
	};
	struct json_object *o = json_object_new_object();
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(terms) / sizeof(*terms); i++)
		err |= json_add_u64(o, terms[i].key, terms[i].n);
	err |= json_add(o, "closes", json_object_new_boolean(kmem_account_closes(&a)));
	return kmem_json_finish(o, err);
}

static struct json_object *make_programs(const struct kmem *k)
{
	struct json_object *programs = json_object_new_array(), *o;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < k->n_programs; i++) {
		o = json_object_new_object();
		err = json_add_text(o, "event", k->programs[i].event);
		err |= json_add_text(o, "method", k->programs[i].method);
		err |= json_add_text(o, "why", k->programs[i].why);
		err |= json_add_u64(o, "skipped", k->programs[i].skipped);
		err |= json_push(programs, o);
	}
	return kmem_json_finish(programs, err);
}

static struct json_object *make_report(const struct kmem_report *r)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", REPORT_FORMAT);

	err |= json_add_u64(o, "version", REPORT_VERSION);
	err |= json_add_u64(o, "period", r->o->base.period);
	err |= json_add_text(o, "source", r->k->source);
	err |= kmem_json_about(o, r->k);
	err |= json_add(o, "totals", make_totals(r->k));
	err |= json_add_text(o, "rows_by", kmem_group_names[r->table.group]);
	err |= json_add(o, "rows", kmem_json_make_entries(r));
	err |= kmem_json_periods(o, r->k);
	if (r->k->lifetimes)
		err |= json_add(o, "pairs", make_pairs(r->k));
	err |= json_add(o, "account", make_account(r->k));
	err |= json_add(o, "programs", make_programs(r->k));
	return kmem_json_finish(o, err);
}

int render_kmem_json(FILE *out, const struct kmem *k, const struct render_kmem_options *o)
{
	struct kmem_report r = { .out = out, .k = k, .o = o };
	struct json_object *report = NULL;
	int err = kmem_table_make(&r.table, k, o->group, o->sort);

	if (!err)
		report = make_report(&r);
	err = report ? json_write_line(report, out) : -EIO;
	json_object_put(report);
	kmem_table_free(&r.table);
	return err ? -EIO : 0;
}
