// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem_diff_values.c - two sets of recordings of memory events as named values: all rows, with the
 * sums of both sides and what they are divided by.
 */
#include "report/priv.h"

#define KMEM_DIFF_FORMAT "kstats-bpf kmem diff"
#define KMEM_DIFF_VERSION 1

static struct json_object *kmem_diff_make_side(const struct kmem_sums *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "count", s->count);

	err |= json_add_u64(o, "requested_bytes", s->req);
	err |= json_add_u64(o, "allocated_bytes", s->alloc);
	err |= json_add_u64(o, "wasted_bytes", s->waste);
	err |= json_add_u64(o, "live", s->live);
	err |= json_add_u64(o, "live_allocated_bytes", s->live_alloc);
	return json_made(o, err);
}

static struct json_object *kmem_diff_make_row(const struct kmem_change *row)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "kind", kmem_kind_name(row->kind));

	err |= json_add_text(o, "name", row->name);
	err |= json_add(o, "before", kmem_diff_make_side(&row->a));
	err |= json_add(o, "after", kmem_diff_make_side(&row->b));
	return json_made(o, err);
}

static struct json_object *kmem_diff_make_head(const struct kmem_compare *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", KMEM_DIFF_FORMAT);

	err |= json_add_u64(o, "version", KMEM_DIFF_VERSION);
	err |= json_add_text(o, "rows_by", c->group.by);
	err |= json_add_text(o, "sorted_by", kmem_sort_names[c->sort]);
	err |= json_add(o, "matched_by_function", json_object_new_boolean(c->functions));
	err |= json_add(o, "per_second", json_object_new_boolean(c->per_second));
	err |= json_add_u64(o, "lost_before", c->lost_a);
	err |= json_add_u64(o, "lost_after", c->lost_b);
	err |= json_add_double(o, "divide_before_by", c->unit_a, 9);
	err |= json_add_double(o, "divide_after_by", c->unit_b, 9);
	return json_made(o, err);
}

void report_kmem_diff_values(const struct report *r, struct json_out *w)
{
	const struct kmem_compare *c = r->of;
	size_t i;

	json_out_open(w, NULL, '{');
	json_out_members(w, kmem_diff_make_head(c));
	json_out_open(w, "totals", '[');
	for (i = 1; i <= KMEM_KINDS; i++)
		json_out_push(w, kmem_diff_make_row(&c->totals[i]));
	json_out_close(w, ']');
	json_out_open(w, "rows", '[');
	for (i = 0; !w->err && i < c->n; i++)
		json_out_push(w, kmem_diff_make_row(&c->rows[i]));
	json_out_close(w, ']');
	json_out_close(w, '}');
}
