// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - all figures of a snapshot as one object on one line; kstats-bpf-formats(5)
 * describes it. Times are in nanoseconds, regardless of the unit that was asked for.
 */
#include "render/formats.h"

#include <errno.h>

#include "result/dist.h"
#include "result/ledger.h"
#include "render/text.h"
#include "result/recording_json.h"
#include "result/snapshot_json.h"

#define REPORT_FORMAT "kstats-bpf report"
#define REPORT_VERSION 1

/* The name of a figure: that of a duration has its unit in it. */
static const char *trace_json_name_of(const struct dist *d, const char *in_ns, const char *name)
{
	return d->is_time ? in_ns : name;
}

static struct json_object *trace_json_make_bounds(struct dist_bounds b)
{
	struct json_object *o = json_object_new_object();

	if (!json_add_u64(o, "lo", b.lo) && !json_add_u64(o, "hi", b.hi))
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *make_double(double v)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", v);
	return json_object_new_double_s(v, text);
}

static struct json_object *make_quantiles(const struct dist *d)
{
	struct json_object *o = json_object_new_object();
	int err = 0, i;

	for (i = 0; i < TEXT_QUANTILES; i++)
		err |= json_add(
			o, text_quantiles[i].name,
			trace_json_make_bounds(dist_quantile(d, text_quantiles[i].millionths)));
	return json_made(o, err);
}

static int add_figures(struct json_object *o, const struct dist *d)
{
	const struct dist_bounds sum = { dist_u64(d->sum_lo), dist_u64(d->sum_hi) };
	int err = json_add_u64(o, "samples", d->samples);

	if (!d->samples)
		return err;
	err |= json_add(o, trace_json_name_of(d, "sum_ns", "sum"), trace_json_make_bounds(sum));
	err |= json_add(o, trace_json_name_of(d, "mean_ns", "mean"), make_double(dist_mean(d)));
	err |= json_add(o, trace_json_name_of(d, "min_ns", "min"),
			trace_json_make_bounds(dist_quantile(d, 0)));
	err |= json_add(o, trace_json_name_of(d, "max_ns", "max"),
			trace_json_make_bounds(dist_quantile(d, DIST_ONE)));
	err |= json_add(o, trace_json_name_of(d, "quantiles_ns", "quantiles"), make_quantiles(d));
	return err;
}

static struct json_object *make_slot(const struct dist *d, const struct dist_row *row)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "slot", row->slot);

	err |= json_add_u64(o, trace_json_name_of(d, "first_ns", "first"), row->value.lo);
	err |= json_add_u64(o, trace_json_name_of(d, "last_ns", "last"), row->value.hi);
	err |= json_add_u64(o, "samples", row->samples);
	err |= json_add_u64(o, trace_json_name_of(d, "sum_ns", "sum"), dist_u64(row->sum));
	err |= json_add_u64(o, trace_json_name_of(d, "avg_ns", "avg"), row->avg);
	err |= json_add_u64(o, "cumulative", row->cumulative);
	return json_made(o, err);
}

static int add_slots(struct json_object *to, const struct dist *d)
{
	struct json_object *slots = json_object_new_array();
	struct dist_row row = DIST_ROW_BEGIN;
	int err = 0;

	while (!err && dist_next(d, &row))
		err = json_push(slots, make_slot(d, &row));
	return err | json_add(to, "slots", slots);
}

static int push_cpu(struct json_object *cpus, const struct snapshot *s, uint32_t node, uint32_t cpu)
{
	struct json_object *o = NULL;
	struct dist d;
	int err = dist_open(&d, s, node, cpu);

	if (!err && d.samples) {
		o = json_object_new_object();
		err = json_add_u64(o, "cpu", cpu);
		err |= add_figures(o, &d);
		err |= json_push(cpus, o);
	}
	dist_close(&d);
	return err;
}

static int add_cpus(struct json_object *to, const struct snapshot *s, uint32_t node)
{
	struct json_object *cpus = json_object_new_array();
	uint32_t cpu;
	int err = 0;

	for (cpu = 0; !err && counts_next_cpu(s->nodes[node].counts, &cpu); cpu++)
		err = push_cpu(cpus, s, node, cpu);
	return err | json_add(to, "cpus", cpus);
}

static int trace_json_add_ledger(struct json_object *to, const struct snapshot *s, uint32_t node)
{
	struct json_object *o = snapshot_json_ledger(s, node);
	int err = json_add_u64(o, "recorded", ledger_recorded(s, node));

	err |= json_add_u64(o, "lost", ledger_lost(s, node));
	err |= json_add(o, "balance", json_object_new_int64(ledger_balance(s, node)));
	return err | json_add(to, "ledger", o);
}

static struct json_object *trace_json_make_node(const struct snapshot *s, uint32_t i,
						const struct render_options *options)
{
	struct json_object *o = json_object_new_object();
	int err = snapshot_json_node(o, s, i);
	struct dist d;

	if (options->subtract_floor)
		err |= json_add_u64(o, "floor_subtracted_ns", s->nodes[i].subtract_ns);
	err |= dist_open(&d, s, i, DIST_ALL_CPUS);
	if (!err) {
		err = add_figures(o, &d);
		err |= add_slots(o, &d);
		err |= add_cpus(o, s, i);
	}
	if (!err && ledger_is_owner(s, i))
		err = trace_json_add_ledger(o, s, i);
	dist_close(&d);
	return json_made(o, err);
}

static struct json_object *trace_json_make_head(const struct recording *rec,
						const struct render_options *options)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", REPORT_FORMAT);

	err |= json_add_u64(o, "version", REPORT_VERSION);
	err |= json_add_u64(o, "period", options->period);
	err |= json_add_text(o, "source", rec->source);
	err |= recording_json_about(o, rec);
	err |= snapshot_json_span(o, &rec->whole->span);
	return json_made(o, err);
}

/* Node by node: all of them together could take gigabytes. */
int render_json(FILE *out, const struct recording *rec, const struct render_options *o)
{
	const struct snapshot *s = rec->whole;
	struct json_out w = { .out = out };
	uint32_t i;

	json_out_open(&w, NULL, '{');
	json_out_members(&w, trace_json_make_head(rec, o));
	json_out_open(&w, "nodes", '[');
	for (i = 0; !w.err && i < s->n_nodes; i++)
		json_out_push(&w, trace_json_make_node(s, i, o));
	json_out_close(&w, ']');
	json_out_close(&w, '}');
	return json_out_line(&w) ? -EIO : 0;
}
