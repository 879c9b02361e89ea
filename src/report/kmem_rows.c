// SPDX-License-Identifier: GPL-2.0-only
/* kmem_rows.c - memory events as rows for programs: one for each entry of the table. */
#include "report/kmem.h"

/* What a row is of. */
struct kmem_line {
	const struct kmem_table *t;
	const struct kmem_entry *e;
	const char *by;
	unsigned int period;
	bool part; /* what an interval added, of which less is known */
};

static void kmem_rows_tell(struct report_rows *to, const struct kmem_line *line)
{
	const struct kmem_table *t = line->t;
	const struct kmem_entry *e = line->e;
	const struct kmem_sums *s = &e->sums;
	const enum report_value_kind sized = line->part ? REPORT_NONE : REPORT_COUNT;
	const enum report_value_kind lives = t->k->lifetimes ? REPORT_COUNT : REPORT_NONE;
	const enum report_value_kind known = line->part ? REPORT_NONE : lives;
	const enum report_value_kind live = s->live ? known : REPORT_NONE;
	const enum report_value_kind freed = s->freed ? known : REPORT_NONE;
	const struct dist_bounds p50 = kmem_life_quantile(t, e, 500000);
	const struct dist_bounds p99 = kmem_life_quantile(t, e, 990000);
	const struct report_value cells[] = {
		{ "period", REPORT_COUNT, .n = line->period },
		{ "by", REPORT_TEXT, .text = line->by },
		{ "kind", REPORT_WORD, .text = kmem_kind_name(e->kind) },
		{ "name", REPORT_TEXT, .text = e->name },
		{ "line", REPORT_TEXT, .text = e->line },
		{ "cache", REPORT_TEXT, .text = e->cache },
		{ "size_first", sized, .n = e->size },
		{ "size_last", sized, .n = e->last },
		{ "given_first", sized, .n = e->each },
		{ "given_last", sized, .n = e->each_last },
		{ "count", REPORT_COUNT, .n = s->count },
		{ "requested_bytes", REPORT_COUNT, .n = s->req },
		{ "allocated_bytes", REPORT_COUNT, .n = s->alloc },
		{ "wasted_bytes", REPORT_COUNT, .n = s->waste },
		{ "live", lives, .n = s->live },
		{ "live_requested_bytes", known, .n = s->live_req },
		{ "live_allocated_bytes", lives, .n = s->live_alloc },
		{ "live_mean_age_ns", live, .n = s->live ? s->live_age_ns / s->live : 0 },
		{ "live_oldest_ns", live, .n = s->live_oldest_ns },
		{ "freed", known, .n = s->freed },
		{ "lifetime_mean_ns", freed, .n = s->freed ? s->life_ns / s->freed : 0 },
		{ "lifetime_p50_first_ns", freed, .n = p50.lo },
		{ "lifetime_p50_last_ns", freed, .n = p50.hi },
		{ "lifetime_p99_first_ns", freed, .n = p99.lo },
		{ "lifetime_p99_last_ns", freed, .n = p99.hi },
		{ "freed_on_other_cpu", known, .n = s->other_cpu },
		{ "freed_on_other_numa", known, .n = s->other_numa },
		{ "freed_by_other_task", known, .n = s->other_task },
		{ "unverified", known, .n = s->unverified },
		{ "recording", REPORT_TEXT, .text = t->k->source },
	};

	to->row(to, cells, sizeof(cells) / sizeof(*cells));
}

static void kmem_rows_part(struct report_rows *to, const struct kmem_table *t,
			   const struct kmem_part *p)
{
	const struct kmem_site *site = p->site == KMEM_ALL_SITES ? NULL : &t->k->sites[p->site];
	const char *name = site ? site->name : kmem_kind_name(p->kind);
	const struct kmem_entry e = {
		.kind = p->kind,
		.name = (char *)name,
		.line = site ? site->line : NULL,
		.sums = { .count = p->count,
			  .req = p->req,
			  .alloc = p->alloc,
			  .waste = p->alloc > p->req ? p->alloc - p->req : 0,
			  .live = p->live,
			  .live_alloc = p->live_alloc },
	};

	kmem_rows_tell(to,
		       &(struct kmem_line){ t, &e, site ? "site" : "kind", p->period + 1, true });
}

int report_kmem_rows(const struct report *r, struct report_rows *to)
{
	const struct kmem_tables *tables = r->own;
	const struct report_kmem_look *o = r->how;
	const struct kmem_table *t = &tables->tables[0];
	const struct kmem_entry none = {};
	struct kmem_line line = { t, &none, t->group.by, o->base.period, false };
	size_t i;

	kmem_rows_tell(to, &line);
	for (i = 0; o->periods && i < t->k->n_parts; i++)
		kmem_rows_part(to, t, &t->k->parts[i]);
	for (i = 0; i < t->n; i++) {
		line.e = &t->entries[i];
		kmem_rows_tell(to, &line);
	}
	return 0;
}
