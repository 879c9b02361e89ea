// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine.c [FUNCTIONS [SAMPLES]] - memory and time that a large machine takes: many
 * functions on 256 CPUs, each with 100 slots in use on every CPU and up to SAMPLES
 * samples in a slot. The counts are made up, and enter a snapshot as those of a store
 * do. Goes out: a line for each step, WHAT<tab>MS<tab>MB<tab>BYTES: time of the
 * processor, the most memory that was resident so far, and this for each slot in use.
 * Called by `make bench-machine` and tests/cli/machine.t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/fixture.h"
#include "kstats_abi.h"
#include "format/format.h"

#define FUNCTIONS 1000
#define CPUS 256
#define IN_USE 100
#define FIRST 200 /* slots from 2.3 us to 20 us */

struct machine {
	unsigned int functions;
	uint64_t samples;
	double begin_ms;
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* The most that was resident so far, in bytes. */
static double most_resident(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	if (!kib)
		abort();
	return kib * 1024.0;
}

static void tell(struct machine *m, const char *what)
{
	double most = most_resident();

	printf("%s\t%.0f\t%.0f\t%.1f\n", what, now_ms() - m->begin_ms, most / 1e6,
	       most / ((double)m->functions * CPUS * IN_USE));
	m->begin_ms = now_ms();
}

/* ---- counts ---- */

/* One cell as a store has it; every slot in use grows from one reading to the next. */
static uint64_t fill_cell(const struct machine *m, struct kstats_slot *slots, uint64_t *random,
			  unsigned int reading)
{
	uint64_t n, sum = 0;
	uint32_t i;

	for (i = FIRST; i < FIRST + IN_USE; i++) {
		n = 1 + fixture_random(random) % m->samples;
		n += reading * (1 + n / 10);
		slots[i].samples = n;
		slots[i].sum = n * kstats_slot_scale(kstats_slot_first(i, KSTATS_BITS_MAX), i,
						     KSTATS_BITS_MAX);
		sum += n;
	}
	return sum;
}

static void fill(const struct machine *m, struct snapshot *s, unsigned int reading)
{
	static struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
	struct counts_writer w = {};
	struct snapshot_node *node;
	uint64_t random = 1;
	uint32_t cpu;

	for (node = s->nodes; node < s->nodes + s->n_nodes; node++) {
		for (cpu = 0; cpu < CPUS; cpu++) {
			node->ledger[KSTATS_STARTED] += fill_cell(m, slots, &random, reading);
			counts_add_cpu(&w, cpu, slots, KSTATS_N_SLOTS_MAX);
		}
		if (counts_end(&w, &node->counts))
			abort();
	}
	counts_writer_free(&w);
}

/* @reading: 0 for the first; later ones count on. */
static struct snapshot *read_all(const struct machine *m, unsigned int reading)
{
	struct snapshot *s = fixture_new(KSTATS_BITS_MAX, CPUS, m->functions);

	s->span.end_ns += reading * 1000000000ULL;
	fill(m, s, reading);
	return s;
}

/* ---- what is done with them ---- */

static void summarize(const struct snapshot *s)
{
	const struct report_look o = { .unit = "auto", .width = 80 };
	struct recording view = { .runs = 1, .whole = (struct snapshot *)s };
	const struct recording *recs[] = { &view };
	const struct report_set set = { .n = 1, .recs = recs };
	const struct format *f = format_next(NULL, REPORT_TRACE);
	FILE *out = fopen("/dev/null", "w");

	while (strcmp(f->name, "summary"))
		f++;
	if (!out || format_trace(f, out, &set, &o) || fclose(out))
		abort();
}

static struct recording *record(struct snapshot *whole)
{
	const struct recording_machine machine = { .cpu = "", .clock = "", .build_id = "" };
	struct recording *r = recording_new(whole);

	if (!r || recording_set_machine(r, &machine))
		abort();
	return r;
}

static void merge(struct snapshot *a, struct snapshot *b)
{
	struct recording *into = record(a), *from = record(b);
	struct error e = {};

	if (recording_merge(into, from, &e))
		abort();
	recording_free(into);
	recording_free(from);
}

int main(int argc, char **argv)
{
	struct machine m = {
		.functions = argc > 1 ? strtoul(argv[1], NULL, 10) : FUNCTIONS,
		.samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000,
	};
	struct snapshot *base, *now, *diff;

	if (!m.functions || !m.samples)
		return 2;
	base = read_all(&m, 0);
	tell(&m, "a snapshot");
	summarize(base);
	tell(&m, "its summary");
	now = read_all(&m, 1);
	diff = snapshot_since(now, base, NULL);
	snapshot_free(base);
	if (!diff)
		abort();
	tell(&m, "an interval");
	summarize(diff);
	tell(&m, "its summary");
	merge(now, diff);
	tell(&m, "a merge of both");
	return 0;
}
