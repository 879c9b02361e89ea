// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_rows.c - recordings of functions as rows for programs: one for every slot that has samples.
 * A distribution without samples has one row with an empty slot. The ledger is not there.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/costs.h"
#include "report/priv.h"

/* What a row is of. */
struct trace_line {
	const struct report_look *o;
	const struct recording *rec;
	const struct snapshot_node *node;
	const char *key; /* the values of its key, as in its name: a column to sort by */
	bool stepped;
	int cpu; /* or DIST_ALL_CPUS */
};

static void trace_rows_tell(struct report_rows *to, const struct trace_line *line,
			    const struct dist_row *row)
{
	const enum report_value_kind known = row->samples ? REPORT_COUNT : REPORT_NONE;
	const enum report_value_kind cpu = line->cpu < 0 ? REPORT_WORD : REPORT_COUNT;
	const struct snapshot *s = line->rec->whole;
	const struct report_look *o = line->o;
	const struct report_value cells[] = {
		{ "period", REPORT_COUNT, .n = o->period },
		{ "node", REPORT_TEXT, .text = line->node->name },
		{ "kind", REPORT_WORD, .text = snapshot_kind_name(s, line->node->kind) },
		{ "what", REPORT_TEXT, .text = line->node->what },
		{ "cpu", cpu, .n = line->cpu, .text = "all" },
		{ "slot", known, .n = row->slot },
		{ o->units ? "first" : "first_ns", known, .n = row->value.lo },
		{ o->units ? "last" : "last_ns", known, .n = row->value.hi },
		{ "samples", REPORT_COUNT, .n = row->samples },
		{ o->units ? "sum" : "sum_ns", REPORT_COUNT, .n = dist_u64(row->sum) },
		{ o->units ? "avg" : "avg_ns", known, .n = row->avg },
		{ "cumulative", REPORT_COUNT, .n = row->cumulative },
		{ "recording", REPORT_TEXT, .text = line->rec->source },
		{ o->subtract_floor ? "floor_subtracted_ns" : NULL, REPORT_COUNT,
		  .n = line->node->subtract_ns },
		{ o->units ? "unit" : NULL, REPORT_WORD, .text = snapshot_unit(s, "ns") },
		{ o->keyed ? "by" : NULL, REPORT_TEXT, .text = line->key },
		{ o->stepped ? "single_stepped" : NULL, REPORT_WORD,
		  .text = line->stepped ? "yes" : "no" },
	};

	to->row(to, cells, sizeof(cells) / sizeof(*cells));
}

/* The rows of one CPU of a distribution, or of all CPUs. */
static int trace_rows_dist(struct report_rows *to, const struct trace_line *line, uint32_t node)
{
	struct dist_row row = DIST_ROW_BEGIN;
	struct dist d;
	int err = dist_open(&d, line->rec->whole, node, line->cpu);

	if (!err && !d.samples && line->cpu == DIST_ALL_CPUS)
		trace_rows_tell(to, line, &row);
	while (!err && dist_next(&d, &row))
		trace_rows_tell(to, line, &row);
	dist_close(&d);
	return err;
}

static char *trace_rows_key(const struct tags *by)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < by->n; i++)
		fprintf(f, "%s%s", i ? "," : "", by->rows[i].value);
	return f && !fclose(f) ? text : NULL;
}

static int trace_rows_node(struct report_rows *to, struct trace_line line, uint32_t node)
{
	char *key = trace_rows_key(&line.node->by);
	uint32_t cpu;
	int err;

	if (!key)
		return -ENOMEM;
	line.key = key;
	err = trace_rows_dist(to, &line, node);
	for (cpu = 0; !err && line.o->per_cpu_rows && counts_next_cpu(line.node->counts, &cpu);
	     cpu++) {
		line.cpu = cpu;
		err = trace_rows_dist(to, &line, node);
	}
	free(key);
	return err;
}

int report_trace_rows(const struct report *r, struct report_rows *to)
{
	const struct recording *rec = report_recording(r);
	const struct snapshot *s = rec->whole;
	const struct snapshot_node none = {};
	struct trace_line line = { r->look, rec, &none, "", false, DIST_ALL_CPUS };
	uint32_t i;
	int err = 0;

	trace_rows_tell(to, &line, &(struct dist_row){});
	for (i = 0; !err && i < s->n_nodes; i++) {
		line.node = &s->nodes[i];
		line.stepped = r->look->stepped && costs_is_stepped(s, i);
		err = trace_rows_node(to, line, i);
	}
	return err;
}
