// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_values.c - recordings of functions as named values: all figures of a snapshot;
 * kstats-bpf-formats(5) describes them. Times are in nanoseconds, regardless of the unit that was
 * asked for. They are written one by one: all of them together could take gigabytes.
 */
#include <stdio.h>

#include "report/priv.h"
#include "result/ledger.h"
#include "result/recording_json.h"
#include "result/snapshot_json.h"

#define TRACE_VALUES_FORMAT "kstats-bpf report"
#define TRACE_VALUES_VERSION 1

/* The name of a figure: that of a duration has its unit in it. */
static const char *trace_values_name(const struct dist *d, const char *in_ns, const char *name)
{
	return d->is_time ? in_ns : name;
}

static void trace_values_mean(struct json_out *w, const struct dist *d)
{
	double mean = dist_mean(d);
	char text[64];

	snprintf(text, sizeof(text), "%.3f", mean);
	json_out_add(w, trace_values_name(d, "mean_ns", "mean"),
		     json_object_new_double_s(mean, text));
}

static void trace_values_figures(struct json_out *w, const struct dist *d)
{
	const struct dist_bounds sum = { dist_u64(d->sum_lo), dist_u64(d->sum_hi) };

	json_out_u64(w, "samples", d->samples);
	if (!d->samples)
		return;
	values_bounds(w, trace_values_name(d, "sum_ns", "sum"), sum);
	trace_values_mean(w, d);
	values_bounds(w, trace_values_name(d, "min_ns", "min"), dist_quantile(d, 0));
	values_bounds(w, trace_values_name(d, "max_ns", "max"), dist_quantile(d, DIST_ONE));
	values_quantiles(w, trace_values_name(d, "quantiles_ns", "quantiles"), d);
}

static void trace_values_slots(struct json_out *w, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;

	json_out_open(w, "slots", '[');
	while (!w->err && dist_next(d, &row)) {
		json_out_open(w, NULL, '{');
		json_out_u64(w, "slot", row.slot);
		json_out_u64(w, trace_values_name(d, "first_ns", "first"), row.value.lo);
		json_out_u64(w, trace_values_name(d, "last_ns", "last"), row.value.hi);
		json_out_u64(w, "samples", row.samples);
		json_out_u64(w, trace_values_name(d, "sum_ns", "sum"), dist_u64(row.sum));
		json_out_u64(w, trace_values_name(d, "avg_ns", "avg"), row.avg);
		json_out_u64(w, "cumulative", row.cumulative);
		json_out_close(w, '}');
	}
	json_out_close(w, ']');
}

static void trace_values_cpu(struct json_out *w, const struct snapshot *s, uint32_t node,
			     uint32_t cpu)
{
	struct dist d;

	if (dist_open(&d, s, node, cpu)) {
		json_out_push(w, NULL);
	} else if (d.samples) {
		json_out_open(w, NULL, '{');
		json_out_u64(w, "cpu", cpu);
		trace_values_figures(w, &d);
		json_out_close(w, '}');
	}
	dist_close(&d);
}

static void trace_values_ledger(struct json_out *w, const struct snapshot *s, uint32_t node)
{
	uint64_t told[KSTATS_LEDGER_N];
	int id, i;

	ledger_told(s, node, told);
	json_out_open(w, "ledger", '{');
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (told[id] || !ledger_rows[id].rare)
			json_out_u64(w, ledger_rows[id].key, told[id]);
	}
	json_out_u64(w, "recorded", ledger_recorded(s, node));
	json_out_u64(w, "lost", ledger_lost(s, node));
	json_out_add(w, "balance", json_object_new_int64(ledger_balance(s, node)));
	json_out_close(w, '}');
}

static struct json_object *trace_values_what(const struct snapshot *s, uint32_t node)
{
	struct json_object *o = json_object_new_object();

	return json_made(o, snapshot_json_node(o, s, node));
}

static void trace_values_node(struct json_out *w, const struct snapshot *s, uint32_t node,
			      const struct report_look *o)
{
	struct dist d;
	uint32_t cpu;

	json_out_open(w, NULL, '{');
	json_out_members(w, trace_values_what(s, node));
	if (o->subtract_floor)
		json_out_u64(w, "floor_subtracted_ns", s->nodes[node].subtract_ns);
	if (dist_open(&d, s, node, DIST_ALL_CPUS)) {
		json_out_push(w, NULL);
	} else {
		trace_values_figures(w, &d);
		trace_values_slots(w, &d);
	}
	dist_close(&d);
	json_out_open(w, "cpus", '[');
	for (cpu = 0; !w->err && counts_next_cpu(s->nodes[node].counts, &cpu); cpu++)
		trace_values_cpu(w, s, node, cpu);
	json_out_close(w, ']');
	if (ledger_is_owner(s, node))
		trace_values_ledger(w, s, node);
	json_out_close(w, '}');
}

static struct json_object *trace_values_about(const struct recording *rec)
{
	struct json_object *o = json_object_new_object();
	int err = recording_json_about(o, rec);

	return json_made(o, err | snapshot_json_span(o, &rec->whole->span));
}

void report_trace_values(const struct report *r, struct json_out *w)
{
	const struct recording *rec = report_recording(r);
	uint32_t i;

	json_out_open(w, NULL, '{');
	json_out_text(w, "format", TRACE_VALUES_FORMAT);
	json_out_u64(w, "version", TRACE_VALUES_VERSION);
	json_out_u64(w, "period", r->look->period);
	json_out_text(w, "source", rec->source);
	json_out_members(w, trace_values_about(rec));
	json_out_open(w, "nodes", '[');
	for (i = 0; !w->err && i < rec->whole->n_nodes; i++)
		trace_values_node(w, rec->whole, i, r->look);
	json_out_close(w, ']');
	json_out_close(w, '}');
}
