// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks.c - slots in blocks: every slot at every resolution, pools that are too small,
 * interrupts while a block is taken, and threads that share a cell and a pool. BPF programs
 * write, the store of kstats-bpf reads. Prints TAP. Run by blocks.t.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "blocks.skel.h"
#include "kstats_abi.h"
#include "store/priv.h"

#define THREADS 4
#define SAMPLES 200000 /* of each thread */

struct world {
	struct blocks_bpf *skel;
	struct store st;
	struct snapshot *s;
	struct kstats_slot want[KSTATS_N_SLOTS_MAX];
	unsigned int bits;
};

static int number, failed;

static void say(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++number, what);
	failed |= !ok;
}

static void close_world(struct world *w)
{
	store_close(&w->st);
	snapshot_free(w->s);
	blocks_bpf__destroy(w->skel);
	free(w);
}

/* @blocks: of each pool */
static struct world *open_many(unsigned int bits, uint32_t blocks, bool one_pool, uint32_t n_nodes)
{
	struct world *w = calloc(1, sizeof(*w));
	size_t cell = store_cell_size(bits, false, true);
	int n_cpus = libbpf_num_possible_cpus();
	struct store_setup setup = { .bits = bits, .n_nodes = n_nodes };
	struct error e = {};

	w->bits = bits;
	w->skel = blocks_bpf__open();
	w->s = snapshot_new(bits, n_cpus, n_nodes);
	if (!w->skel || !w->s)
		exit(99);
	w->skel->rodata->kstats_bits = bits;
	w->skel->rodata->blocks_of_cpu = blocks;
	w->skel->rodata->one_pool = one_pool;
	bpf_map__set_value_size(w->skel->maps.cells, cell);
	bpf_map__set_value_size(w->skel->maps.shared, cell);
	bpf_map__set_max_entries(w->skel->maps.cells, n_nodes);
	bpf_map__set_max_entries(w->skel->maps.blocks, blocks * n_cpus);
	if (blocks_bpf__load(w->skel))
		exit(98);
	setup.cells_fd = bpf_map__fd(w->skel->maps.cells);
	setup.blocks_fd = bpf_map__fd(w->skel->maps.blocks);
	if (store_open(&w->st, &setup, &e))
		exit(97);
	return w;
}

static struct world *open_world(unsigned int bits, uint32_t blocks, bool one_pool)
{
	return open_many(bits, blocks, one_pool, 1);
}

static int run_in(const struct world *w, uint32_t node, uint64_t value, uint64_t step, uint64_t n)
{
	struct blocks_run r = { .value = value, .step = step, .n = n, .node = node };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &r, .ctx_size_in = sizeof(r));

	return bpf_prog_test_run_opts(bpf_program__fd(w->skel->progs.blocks_record), &opts);
}

static int run(const struct world *w, uint64_t value, uint64_t step, uint64_t n)
{
	return run_in(w, 0, value, step, n);
}

static void want(struct world *w, uint64_t value, uint32_t n)
{
	uint32_t i = kstats_slot_index(value, w->bits);

	w->want[i].samples += n;
	w->want[i].sum += n * kstats_slot_scale(value, i, w->bits);
}

static void record(struct world *w, uint64_t value, uint32_t n)
{
	want(w, value, n);
	failed |= run(w, value, 0, n);
}

/* Whether a walk finds exactly the slots that are wanted. */
static bool as_wanted(const struct world *w, const struct counts *counts)
{
	struct counts_cursor at = counts_begin(counts, COUNTS_ALL_CPUS);
	uint64_t left = 0, i;

	for (i = 0; i < KSTATS_N_SLOTS_MAX; i++)
		left += w->want[i].samples != 0;
	while (counts_next(&at)) {
		if (memcmp(&at.count, &w->want[at.slot], sizeof(at.count)))
			return false;
		left--;
	}
	return !left;
}

static bool read_back(struct world *w)
{
	struct error e = {};

	return !store_read(&w->st, w->s, &e) && as_wanted(w, w->s->nodes[0].counts);
}

static uint64_t no_room(const struct world *w)
{
	return w->s->nodes[0].ledger[KSTATS_NO_ROOM];
}

/* Blocks taken from all pools. */
static uint32_t taken(const struct world *w)
{
	const struct kstats_block *blocks = w->st.blocks.at;
	uint32_t i, n = 0;

	for (i = 0; i < w->st.blocks.n; i += w->skel->rodata->blocks_of_cpu)
		n += blocks[i].next;
	return n;
}

static bool all_slots(unsigned int bits)
{
	uint32_t i, n = KSTATS_N_BLOCKS(bits);
	struct world *w = open_world(bits, n + 1, false);
	bool ok;

	/* The last slot that a sample can have comes first, so that chains have all orders. */
	for (i = kstats_n_slots(bits) - 1; i-- > 0;) {
		record(w, kstats_slot_first(i, bits), 1 + i % 3);
		record(w, kstats_slot_last(i, bits), 1);
	}
	record(w, ~0ULL, 5);
	ok = read_back(w) && !no_room(w) && taken(w) == n;
	close_world(w);
	return ok;
}

static void test_all_slots(void)
{
	unsigned int bits;
	bool ok = true;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++)
		ok &= all_slots(bits);
	say(ok, "every slot, with as many blocks as there are");
}

static void test_any(void)
{
	struct world *w = open_world(5, 128, false);
	uint64_t v = 1;
	int i;

	for (i = 0; i < 3000; i++) {
		v = v * 6364136223846793005 + 1442695040888963407;
		record(w, v >> (i % 64), 1 + i % 5);
	}
	say(read_back(w) && !no_room(w), "samples in no order");
	close_world(w);
}

/* What the plan provides for: 7.5 blocks for each distribution, wherever its slots begin. */
static void test_hundred(void)
{
	struct world *w = open_many(5, 256 * 15 / 2 + 8, false, 256);
	uint32_t node, i, first = 1;
	struct error e = {};
	bool ok;

	for (node = 0; node < 256; node++) {
		w->s->nodes[node].owner = node;
		first = (first * 1103515245 + 12345) & 0x7fffffff;
		for (i = 0; i < 100; i++)
			failed |= run_in(w, node, kstats_slot_first(first % 1800 + i, 5), 0, 1);
	}
	ok = !store_read(&w->st, w->s, &e);
	for (node = 0; node < 256; node++)
		ok &= counts_samples(w->s->nodes[node].counts) == 100 &&
		      counts_slots(w->s->nodes[node].counts) == 100;
	printf("# %u blocks of 16 slots\n", taken(w));
	say(ok, "100 slots in each of 256 distributions, in the pool that the plan makes");
	close_world(w);
}

static void test_too_small(void)
{
	struct world *w = open_world(5, 4, false);
	uint64_t values[] = { 3, 1000, 1 << 20, 1 << 21, 1ULL << 40, 16 };
	struct error e = {};
	bool ok;
	int i;

	for (i = 0; i < 6; i++)
		failed |= run(w, values[i], 0, 11 + i);
	for (i = 0; i < 3; i++)
		record(w, values[i], 7);
	for (i = 0; i < 3; i++)
		want(w, values[i], 11 + i);
	ok = read_back(w) && no_room(w) == 14 + 15 + 16;
	say(ok && taken(w) == 3, "a pool of three blocks, and six that are needed");
	ok = !store_reset(&w->st, &e);
	memset(w->want, 0, sizeof(w->want));
	ok &= read_back(w) && !no_room(w) && !taken(w);
	record(w, values[5], 1);
	record(w, values[2], 1);
	record(w, values[2] + 1, 1);
	record(w, values[3], 1);
	say(ok && read_back(w) && taken(w) == 3, "a reset gives all blocks back");
	close_world(w);
}

static void test_interrupts(void)
{
	struct world *w = open_world(5, 6, false);
	uint64_t slot = 16 * 32;
	bool ok;

	w->skel->bss->interrupts = 1;
	record(w, 100, 3);
	ok = read_back(w) && taken(w) == 2;
	say(ok, "an interrupt takes a block for the same slots: both use one");
	close_world(w);

	w = open_world(5, 6, false);
	w->skel->bss->interrupts = 1;
	w->skel->bss->interrupt_tag = kstats_block_tag(kstats_slot_index(3, 5) + slot);
	record(w, 3, 2);
	ok = read_back(w) && taken(w) == 2;
	record(w, kstats_slot_first(kstats_slot_index(3, 5) + slot, 5), 5);
	ok &= read_back(w) && taken(w) == 2 && !no_room(w);
	say(ok, "an interrupt takes a block for other slots at the same place: each has its own");
	close_world(w);

	w = open_world(5, 3, false);
	record(w, 100, 1);
	w->skel->bss->taken_early = 1;
	failed |= run(w, 1 << 20, 0, 2);
	w->skel->bss->taken_early = 0;
	failed |= run(w, 1 << 20, 0, 3);
	ok = read_back(w) && no_room(w) == 5;
	say(ok, "an interrupt takes the last block");
	close_world(w);
}

/* ---- threads: what they do to one cell is more than what interrupts can do ---- */

struct worker {
	pthread_t thread;
	struct world *w;
	int number;
	int err;
};

static void *work(void *arg)
{
	struct worker *me = arg;
	uint64_t step = 1ULL << (me->number % 2 ? 3 : 40);

	/* Each goes over all powers of two, from opposite ends. */
	for (int i = 0; i < 60 && !me->err; i++)
		me->err = run(me->w, 1ULL << (me->number % 2 ? i : 59 - i), step,
			      SAMPLES / 60);
	return NULL;
}

static void want_all(struct world *w)
{
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < 60; i++)
			for (int n = 0; n < SAMPLES / 60; n++)
				want(w,
				     (1ULL << (t % 2 ? i : 59 - i)) +
					     n * (1ULL << (t % 2 ? 3 : 40)),
				     1);
}

static void test_threads(void)
{
	uint32_t n = KSTATS_N_BLOCKS(5) * THREADS + 8, zero = 0;
	struct world *w = open_world(5, n, true);
	struct worker workers[THREADS] = {};
	static struct kstats_cell cell;
	struct counts_writer writer = {};
	struct counts *counts = NULL;
	int i, err = 0;

	for (i = 0; !err && i < THREADS; i++) {
		workers[i] = (struct worker){ .w = w, .number = i };
		err = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	while (i-- > 0) {
		pthread_join(workers[i].thread, NULL);
		err |= workers[i].err;
	}
	err |= bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.shared), &zero, &cell);
	blocks_add_cpu(&w->st.blocks, &cell, 5, 0, &writer);
	err |= counts_end(&writer, &counts);
	want_all(w);
	printf("# %u blocks taken for %zu slots\n", taken(w), counts_slots(counts));
	say(!err && as_wanted(w, counts) && !cell.ledger[KSTATS_NO_ROOM],
	    "threads that share a cell and a pool");
	counts_drop(counts);
	counts_writer_free(&writer);
	close_world(w);
}

int main(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	libbpf_set_print(NULL);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	/* The first one: another pool lies behind its own. */
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	test_all_slots();
	test_any();
	test_hundred();
	test_too_small();
	test_interrupts();
	sched_setaffinity(0, sizeof(all), &all);
	test_threads();
	printf("1..%d\n", number);
	return failed;
}
