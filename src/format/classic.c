// SPDX-License-Identifier: GPL-2.0-only
/*
 * classic.c - the text format of the original kstats, byte for byte, for scripts that grep
 * and plot its columns. Slots without samples are left out. If there are several nodes or
 * periods, a comment line that begins with '#' precedes each.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/priv.h"
#include "util/text.h"
#include "result/dist.h"

#define MILLION 1000000

/* Number of samples in the slots so far, and in all slots; for a CPU, also its next slot. */
struct progress {
	uint64_t seen;
	uint64_t total;
	struct counts_cursor at;
};

static void classic_print_row(FILE *out, const struct dist_row *row, char mark, uint32_t cpu,
			      const struct progress *p)
{
	uint64_t part = (unsigned __int128)p->seen * MILLION / p->total;

	fprintf(out, "slot %-3d CPU%c %-4d count %8lu avg %8lu p %c.%06lu\n", (int)row->slot, mark,
		(int)cpu, (unsigned long)row->samples, (unsigned long)row->avg,
		p->seen == p->total ? '1' : '0', (unsigned long)(part % MILLION));
}

static void classic_print_cpus(FILE *out, const struct snapshot *s, uint32_t node,
			       const struct dist_row *all, struct progress *cpus)
{
	uint64_t subtract = s->nodes[node].subtract_ns;
	struct counts_cursor *at;
	struct dist_row row;
	uint32_t cpu;

	for (cpu = 0; cpu < s->n_cpus; cpu++) {
		row = (struct dist_row){ .slot = all->slot };
		at = &cpus[cpu].at;
		for (; at->place != COUNTS_END && at->slot <= all->slot; counts_next(at)) {
			row.samples += at->count.samples;
			if (at->count.samples)
				row.avg = dist_slot_avg(&at->count, at->slot, s->bits);
		}
		if (!row.samples)
			continue;
		row.avg = row.avg > subtract ? row.avg - subtract : 0;
		cpus[cpu].seen += row.samples;
		classic_print_row(out, &row, ' ', cpu, &cpus[cpu]);
	}
}

static void begin_cpus(const struct snapshot *s, uint32_t node, struct progress *cpus)
{
	struct counts_cursor at = counts_begin(s->nodes[node].counts, COUNTS_ALL_CPUS);
	uint32_t cpu;

	while (counts_next(&at))
		cpus[at.cpu].total += at.count.samples;
	for (cpu = 0; cpu < s->n_cpus; cpu++) {
		cpus[cpu].at = counts_begin(s->nodes[node].counts, cpu);
		counts_next(&cpus[cpu].at);
	}
}

static int classic_print_node(FILE *out, const struct snapshot *s, uint32_t node)
{
	struct progress *cpus = calloc(s->n_cpus, sizeof(*cpus)), all;
	struct dist_row row = DIST_ROW_BEGIN;
	struct dist d = {};
	int err = cpus ? dist_open(&d, s, node, DIST_ALL_CPUS) : -ENOMEM;

	if (err)
		goto out;
	begin_cpus(s, node, cpus);
	while (dist_next(&d, &row)) {
		classic_print_cpus(out, s, node, &row, cpus);
		all = (struct progress){ .seen = row.cumulative, .total = d.samples };
		classic_print_row(out, &row, 'S', s->n_cpus, &all);
	}
out:
	dist_close(&d);
	free(cpus);
	return err;
}

int format_classic(FILE *out, const struct report *r)
{
	const struct recording *rec = report_recording(r);
	const struct snapshot *s = rec->whole;
	uint32_t i;
	int err = 0;

	format_comments(out, rec, r->look);
	for (i = 0; !err && i < s->n_nodes; i++) {
		if (s->n_nodes > 1)
			text_comment(out, "", s->nodes[i].name);
		err = classic_print_node(out, s, i);
	}
	return err || ferror(out) ? -EIO : 0;
}
