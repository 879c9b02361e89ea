// SPDX-License-Identifier: GPL-2.0-only
/*
 * csv.c - CSV by RFC 4180: a header row, and a row for every slot that has samples. A node
 * without samples has one row with an empty slot. The ledger is only in the JSON report.
 */
#include "render/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "result/dist.h"
#include "render/costs.h"
#include "render/text.h"

#define END "\r\n"
#define SUBTRACTED ",floor_subtracted_ns"
#define UNIT ",unit"
#define KEY ",by"
#define STEPPED ",single_stepped"

static const char header[] = "period,node,kind,what,cpu,slot,first_ns,last_ns,samples,sum_ns,"
			     "avg_ns,cumulative,recording";

/* Where a recording holds no durations. */
static const char header_units[] = "period,node,kind,what,cpu,slot,first,last,samples,sum,"
				   "avg,cumulative,recording";

/* Subject of a row; the CPU may be DIST_ALL_CPUS. */
struct place {
	uint32_t node;
	int cpu;
};

static void csv_print_begin(FILE *out, const struct snapshot *s, const struct place *at,
			    unsigned int period)
{
	const struct snapshot_node *node = &s->nodes[at->node];

	fprintf(out, "%u,", period);
	text_cell(out, node->name);
	fprintf(out, ",%s,", snapshot_kind_name(s, node->kind));
	text_cell(out, node->what);
	if (at->cpu == DIST_ALL_CPUS)
		fputs(",all,", out);
	else
		fprintf(out, ",%d,", at->cpu);
}

/* The values of the key, as in its name: a column of its own for a spreadsheet to sort by. */
static void csv_print_key(FILE *out, const struct tags *by)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < by->n; i++)
		fprintf(f, "%s%s", i ? "," : "", by->rows[i].value);
	if (f && fclose(f))
		text = NULL;
	fputc(',', out);
	text_cell(out, text);
	free(text);
}

static void print_end(FILE *out, const struct recording *rec, uint32_t node,
		      const struct render_options *o)
{
	if (rec->source)
		text_cell(out, rec->source);
	if (o->subtract_floor)
		fprintf(out, ",%" PRIu64, rec->whole->nodes[node].subtract_ns);
	if (o->units)
		fprintf(out, ",%s", snapshot_unit(rec->whole, "ns"));
	if (o->keyed)
		csv_print_key(out, &rec->whole->nodes[node].by);
	if (o->stepped)
		fputs(costs_is_stepped(rec->whole, node) ? ",yes" : ",no", out);
	fputs(END, out);
}

/* The rows of one CPU of a node, or of all CPUs. */
static int print_dist(FILE *out, const struct recording *rec, const struct place *at,
		      const struct render_options *o)
{
	struct dist_row row = DIST_ROW_BEGIN;
	struct dist d;
	int err = dist_open(&d, rec->whole, at->node, at->cpu);

	if (!err && !d.samples && at->cpu == DIST_ALL_CPUS) {
		csv_print_begin(out, rec->whole, at, o->period);
		fputs(",,,0,0,,0,", out);
		print_end(out, rec, at->node, o);
	}
	while (!err && dist_next(&d, &row)) {
		csv_print_begin(out, rec->whole, at, o->period);
		fprintf(out,
			"%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",",
			row.slot, row.value.lo, row.value.hi, row.samples, dist_u64(row.sum),
			row.avg, row.cumulative);
		print_end(out, rec, at->node, o);
	}
	dist_close(&d);
	return err;
}

int render_csv(FILE *out, const struct recording *rec, const struct render_options *o)
{
	const struct snapshot *s = rec->whole;
	struct place at;
	uint32_t cpu;
	int err = 0;

	if (!o->continued)
		fprintf(out, "%s%s%s%s%s" END, o->units ? header_units : header,
			o->subtract_floor ? SUBTRACTED : "", o->units ? UNIT : "",
			o->keyed ? KEY : "", o->stepped ? STEPPED : "");
	for (at.node = 0; !err && at.node < s->n_nodes; at.node++) {
		at.cpu = DIST_ALL_CPUS;
		err = print_dist(out, rec, &at, o);
		for (cpu = 0;
		     !err && o->per_cpu_rows && counts_next_cpu(s->nodes[at.node].counts, &cpu);
		     cpu++) {
			at.cpu = cpu;
			err = print_dist(out, rec, &at, o);
		}
	}
	return err || ferror(out) ? -EIO : 0;
}
