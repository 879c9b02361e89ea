// SPDX-License-Identifier: GPL-2.0-only
/* periods.c - memory events over time: the array of JSON, the rows of CSV. */
#include "render/kmem/priv.h"

#include <inttypes.h>

#include "kmem/periods.h"

/* ---- JSON ---- */

static struct json_object *kmem_periods_make_part(const struct kmem *k, const struct kmem_part *p)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "kind", kmem_kind_name(p->kind));

	if (p->site != KMEM_ALL_SITES)
		err |= json_add_text(o, "name", k->sites[p->site].name);
	err |= json_add_u64(o, "count", p->count);
	err |= json_add_u64(o, "requested_bytes", p->req);
	err |= json_add_u64(o, "allocated_bytes", p->alloc);
	if (k->lifetimes) {
		err |= json_add_u64(o, "live", p->live);
		err |= json_add_u64(o, "live_allocated_bytes", p->live_alloc);
	}
	return json_made(o, err);
}

/* The parts of an interval, which follow each other from @at on; moves @at behind them. */
static int add_parts(struct json_object *to, const struct kmem *k, size_t period, size_t *at)
{
	struct json_object *totals = json_object_new_array(), *rows = json_object_new_array();
	const struct kmem_part *p;
	int err = 0;

	for (; !err && *at < k->n_parts && k->parts[*at].period == period; ++*at) {
		p = &k->parts[*at];
		err = json_push(p->site == KMEM_ALL_SITES ? totals : rows,
				kmem_periods_make_part(k, p));
	}
	err |= json_add(to, "totals", totals);
	return err | json_add(to, "rows", rows);
}

int kmem_json_periods(struct json_object *to, const struct kmem *k)
{
	struct json_object *array, *o;
	size_t i, at = 0;
	int err = 0;

	if (!k->n_periods)
		return 0;
	array = json_object_new_array();
	for (i = 0; !err && i < k->n_periods; i++) {
		o = json_object_new_object();
		err = json_add_u64(o, "begin_ns", kmem_period_begin(k, i) - k->span.begin_ns);
		err |= json_add_u64(o, "end_ns", k->periods[i].end_ns - k->span.begin_ns);
		err |= add_parts(o, k, i, &at);
		err |= json_push(array, o);
	}
	return json_add(to, "periods", array) | err;
}

/* ---- CSV ---- */

void kmem_csv_part(const struct kmem_report *r, const struct kmem_part *p)
{
	bool all = p->site == KMEM_ALL_SITES;
	const struct kmem_site *site = all ? NULL : &r->k->sites[p->site];

	fprintf(r->out, "%" PRIu32 ",%s,%s,", p->period + 1, all ? "kind" : "site",
		kmem_kind_name(p->kind));
	text_cell(r->out, all ? kmem_kind_name(p->kind) : site->name);
	fputc(',', r->out);
	if (!all && site->line)
		text_cell(r->out, site->line);
	fprintf(r->out, ",,,,,,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", p->count, p->req,
		p->alloc, p->alloc > p->req ? p->alloc - p->req : 0);
	if (r->k->lifetimes)
		fprintf(r->out, "%" PRIu64 ",,%" PRIu64, p->live, p->live_alloc);
	else
		fputs(",,", r->out);
	fputs(",,,,,,,,,,,,,", r->out);
	if (r->k->source)
		text_cell(r->out, r->k->source);
	fputs("\r\n", r->out);
}
