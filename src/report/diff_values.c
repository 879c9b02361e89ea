// SPDX-License-Identifier: GPL-2.0-only
/* diff_values.c - two sets of runs as named values; kstats-bpf-formats(5) describes them. */
#include "report/priv.h"
#include "util/units.h"

#define DIFF_FORMAT "kstats-bpf diff"
#define DIFF_VERSION 1

static int diff_add_cost(struct json_object *o, const struct compare_side *s)
{
	struct costs one = { .n = 1, .rows = (struct cost *)s->cost };
	int err = json_add_text(o, "method", s->method);

	return s->cost ? err | json_add(o, "calibration", costs_json(&one)) : err;
}

static struct json_object *diff_make_side(const struct compare_side *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "runs", s->runs);
	bool is_time = units_is_time(s->unit);

	err |= json_add_u64(o, "samples", s->samples);
	if (!is_time)
		err |= json_add_text(o, "unit", s->unit);
	if (s->runs) {
		err |= json_add_double(o, is_time ? "value_ns" : "value", compare_shown(s), 9);
		err |= json_add_double(o, "spread", s->spread, 9);
		err |= json_add_u64(o, is_time ? "lo_ns" : "lo", s->bounds.lo);
		err |= json_add_u64(o, is_time ? "hi_ns" : "hi", s->bounds.hi);
	}
	if (s->method)
		err |= diff_add_cost(o, s);
	return json_made(o, err);
}

static const char *diff_order_name(enum compare_order order)
{
	static const char *const names[] = {
		[COMPARE_UNORDERED] = "unknown",
		[COMPARE_IN_TURN] = "in turn",
		[COMPARE_MIXED] = "mixed",
		[COMPARE_APART] = "apart",
	};

	return names[order];
}

static struct json_object *diff_make_row(const struct compare_row *row)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", row->name);

	err |= json_add_text(o, "metric", row->metric->name);
	err |= json_add(o, "before", diff_make_side(&row->a));
	err |= json_add(o, "after", diff_make_side(&row->b));
	if (row->a.runs && row->b.runs)
		err |= json_add_double(o, "change", row->change, 9);
	if (row->across && row->a.cost && row->b.cost) {
		err |= json_add_double(o, "floors_lo", row->shift_lo, 9);
		err |= json_add_double(o, "floors_hi", row->shift_hi, 9);
	}
	if (row->known) {
		err |= json_add_double(o, "change_lo", row->lo, 9);
		err |= json_add_double(o, "change_hi", row->hi, 9);
		err |= json_add_double(o, "confidence", row->confidence, 9);
		err |= json_add_double(o, "p", row->p, 9);
		err |= json_add_text(o, "order", diff_order_name(row->order));
		err |= json_add(o, "paired", json_object_new_boolean(row->paired));
	} else if (row->a.few + row->b.few) {
		err |= json_add_u64(o, "samples_needed",
				    compare_samples_needed(row->metric->millionths));
	}
	return json_made(o, err);
}

static struct json_object *diff_make_head(const struct compare *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", DIFF_FORMAT);

	if (*c->machines)
		err |= json_add_text(o, "machines", c->machines);
	return json_made(o, err | json_add_u64(o, "version", DIFF_VERSION));
}

void report_diff_values(const struct report *r, struct json_out *w)
{
	struct json_object *missing = json_object_new_array();
	const struct compare *c = r->of;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < c->n_missing; i++)
		err = json_push_text(missing, c->missing[i]);
	json_out_open(w, NULL, '{');
	json_out_members(w, diff_make_head(c));
	json_out_open(w, "rows", '[');
	for (i = 0; !w->err && i < c->n; i++)
		json_out_push(w, diff_make_row(&c->rows[i]));
	json_out_close(w, ']');
	json_out_add(w, "only_on_one_side", json_made(missing, err));
	json_out_close(w, '}');
}
