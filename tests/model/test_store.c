// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_store.c - slots in cells and in blocks: is each value counted once, and in its slot,
 * whatever comes in between? Comes in: nothing, or how often as long to go on. Goes out: TAP.
 * Called by model.t.
 *
 * A program does not run inside itself on one processor. Where each node has a program of its own,
 * its counters need no atomic instruction; else any program may come upon another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_abi.h"
#include "store.h"

#define NODES 3
#define PROGRAMS 4
#define BITS 5
#define SLOTS KSTATS_N_SLOTS(BITS)
#define TASKS 4
#define MEAN 20

extern char cells[], blocks[], map_cells[], map_blocks[];
extern const volatile bool is_alone, map_is_alone;
extern const volatile __u32 kstats_bits, kstats_n_map, map_bits, map_n, blocks_of_cpu;

/** struct shape - a store, and what is recorded */
static const struct shape {
	const char *name;
	bool in_blocks;
	bool alone; /* each node has a program of its own */
	__u32 pool; /* blocks of a processor */
	int powers; /* values are below 2 to this */
} shapes[] = {
	{ "cells, a program for each node", .alone = true, .powers = 60 },
	{ "cells, programs share nodes", .powers = 60 },
	{ "cells, few slots", .powers = 3 },
	{ "blocks, a program for each node", .in_blocks = true, .alone = true, 200, 60 },
	{ "blocks, programs share nodes", .in_blocks = true, .pool = 200, .powers = 60 },
	{ "blocks, few slots", .in_blocks = true, .pool = 200, .powers = 3 },
	{ "blocks, too few of them", .in_blocks = true, .pool = 8, .powers = 60 },
};

static const struct shape *shape;
static __u64 row;
static bool active[MACHINE_CPUS][PROGRAMS];
static struct kstats_slot told[NODES][SLOTS];
static __u64 n_told, n_lost;
static char wrong[200];

void model_exchanged(void *at, __u64 old)
{
}

void model_adds(void *at)
{
}

void model_clock(__u64 ns)
{
}

void model_touched(void *map, __u32 i)
{
}

static void record(int program)
{
	__u64 dice = machine_chance(&row);
	__u64 v = dice >> 4 & ((1ULL << (1 + (dice & 0xffff) % shape->powers)) - 1);
	__u32 node = program % NODES, slot = kstats_slot_index(v, BITS);
	bool *here = &active[machine.cpu][program];

	if (*here)
		return;
	*here = true;
	machine_task()->in_program++;
	(shape->in_blocks ? store_in_blocks : store_in_cells)(node, v);
	machine_task()->in_program--;
	*here = false;
	told[node][slot].samples++;
	told[node][slot].sum += kstats_slot_scale(v, slot, BITS);
	n_told++;
}

static void work(void *n)
{
	__u64 i;

	for (i = 0; i < (__u64)n; i++) {
		record(machine_chance(&row) % (shape->alone ? NODES : PROGRAMS));
		machine_point();
	}
}

static void fire(void)
{
	__u64 dice = machine_chance(&row);
	enum machine_level level = MACHINE_SOFTIRQ + dice % 3;

	machine.next = machine.at + 1 + (dice >> 8) % (2 * MEAN);
	if (dice & 4)
		machine_other_cpu();
	else if (dice & 8)
		machine_may_preempt() && machine_sleep(false);
	else if (machine_may_interrupt(level))
		machine_interrupt(level, work, (void *)(1 + (dice >> 32) % 3));
}

/* ---- what is found ---- */

static struct kstats_cell *cell_of(int cpu, int node)
{
	struct machine_map *m = machine_map_of(shape->in_blocks ? cells : map_cells);

	return (struct kstats_cell *)(m->values + ((__u64)cpu * m->entries + node) * m->size);
}

/* The slot in the chain of blocks of a distribution on one processor; NULL: it has no block. */
static const struct kstats_slot *slot_in_blocks(int cpu, int node, __u32 i)
{
	const struct kstats_block *b = (struct kstats_block *)machine_map_of(blocks)->values;
	__u32 n = *(__u32 *)((char *)cell_of(cpu, node)->blocks + kstats_block_place(i));

	for (; n; n = b[n].next)
		if (kstats_block_has(b[n].tag, i))
			return &b[n].slots[kstats_block_slot(i)];
	return NULL;
}

static void say(const char *what, int node, __u32 slot, __u64 is, __u64 must)
{
	if (!wrong[0])
		snprintf(wrong, sizeof(wrong), "%s of slot %u of node %d: %llu, and not %llu", what,
			 slot, node, is, must);
}

static void judge(void)
{
	const struct kstats_slot *s;
	__u64 lost[NODES] = {}, missing, samples, sum;
	int cpu, node;
	__u32 i;

	for (node = 0; node < NODES; node++) {
		for (cpu = 0; cpu < MACHINE_CPUS; cpu++)
			lost[node] += cell_of(cpu, node)->ledger[KSTATS_NO_ROOM];
		for (i = 0, missing = 0; i < SLOTS - 1; i++) {
			samples = sum = 0;
			for (cpu = 0; cpu < MACHINE_CPUS; cpu++) {
				s = shape->in_blocks ? slot_in_blocks(cpu, node, i)
						     : &cell_of(cpu, node)->slots[i];
				samples += s ? s->samples : 0;
				sum += s ? s->sum : 0;
			}
			missing += told[node][i].samples - samples;
			if (samples > told[node][i].samples ||
			    (!lost[node] && samples != told[node][i].samples))
				say("samples", node, i, samples, told[node][i].samples);
			if (!lost[node] && sum != told[node][i].sum)
				say("sum", node, i, sum, told[node][i].sum);
		}
		if (missing != lost[node])
			say("what found no room", node, 0, lost[node], missing);
		if (lost[node] && shape->pool > SLOTS / 16)
			say("no room in a large pool", node, 0, lost[node], 0);
		n_lost += lost[node];
	}
}

static void clear(void)
{
	if (shape->in_blocks) {
		machine_clear(cells);
		machine_clear(blocks);
	} else {
		machine_clear(map_cells);
	}
	memset(told, 0, sizeof(told));
	memset(active, 0, sizeof(active));
}

static void run(__u64 seed)
{
	int i;

	row = machine_mix(seed);
	clear();
	machine_begin(seed);
	MACHINE_SET(is_alone, shape->alone);
	MACHINE_SET(map_is_alone, shape->alone);
	MACHINE_SET(blocks_of_cpu, shape->pool);
	machine.preempts = false;
	for (i = 0; i < TASKS; i++)
		machine_add(i % MACHINE_CPUS, false, work, (void *)(4 + machine_chance(&row) % 12));
	machine.fire = fire;
	machine.next = 1 + machine_chance(&row) % MEAN;
	machine_go();
	judge();
}

static void maps_open(void)
{
	machine_map(cells, MACHINE_PERCPU, NODES, KSTATS_CELL_SIZE_BLOCKS);
	machine_map(map_cells, MACHINE_PERCPU, NODES, KSTATS_CELL_SIZE(SLOTS));
	machine_map(blocks, MACHINE_ARRAY, MACHINE_CPUS * 200, sizeof(struct kstats_block));
	machine_map(map_blocks, MACHINE_ARRAY, 1, sizeof(struct kstats_block));
	MACHINE_SET(kstats_bits, BITS);
	MACHINE_SET(map_bits, BITS);
	MACHINE_SET(map_n, SLOTS);
}

int main(int argc, char **argv)
{
	__u64 runs = 2000ULL * (argc > 1 ? atoi(argv[1]) : 1), seed;
	int n_tests = 0, n_failed = 0;

	maps_open();
	for (shape = shapes; shape < shapes + sizeof(shapes) / sizeof(shapes[0]); shape++) {
		if (n_failed && getenv("MODEL_FIRST"))
			break;
		wrong[0] = 0;
		n_told = n_lost = 0;
		for (seed = 1; seed <= runs && !wrong[0]; seed++)
			run(seed);
		printf("%s %d - stores: %s: %llu runs, %llu values, %llu without a place\n",
		       wrong[0] ? "not ok" : "ok", ++n_tests, shape->name, seed - 1, n_told,
		       n_lost);
		if (wrong[0])
			printf("# seed %llu: %s\n", seed - 1, wrong);
		n_failed += !!wrong[0];
	}
	printf("1..%d\n", n_tests);
	return !!n_failed;
}
