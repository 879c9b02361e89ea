// SPDX-License-Identifier: GPL-2.0-only
/*
 * step.c - what one record costs, all in the cache: as the BPF programs do it, run
 * by the kernel in a loop, and the same arithmetic in a loop of C. Goes out: lines
 * WHAT<tab>NS, net of the loop. Called by step.sh.
 */
#include <bpf/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kstats_abi.h"
#include "record.skel.h"

#define SAMPLE 12345
#define BITS KSTATS_BITS_MAX /* what `trace` uses */
#define REPEAT 5000000

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* ns for each run; the kernel's own account of it has no fractions. */
static double repeat(struct bpf_program *prog)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = REPEAT);
	double begin = now_ns();

	if (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts))
		return -1;
	return (now_ns() - begin) / REPEAT;
}

/* It is the sum of all CPUs that must be right: the kernel may have moved us. */
static unsigned long counted(struct record_bpf *skel)
{
	int cpu, n_cpus = libbpf_num_possible_cpus();
	struct kstats_cell *cells = calloc(n_cpus, sizeof(*cells));
	__u32 first = 0, slot = kstats_slot_index(SAMPLE, BITS);
	unsigned long n = 0;

	if (!cells || bpf_map__lookup_elem(skel->maps.cells, &first, sizeof(first), cells,
					   n_cpus * sizeof(*cells), 0))
		return 0;
	for (cpu = 0; cpu < n_cpus; cpu++)
		n += cells[cpu].slots[slot].samples;
	free(cells);
	return n;
}

static int bpf_step(const char *what, bool alone)
{
	struct record_bpf *skel = record_bpf__open();
	double around, record;

	if (!skel)
		return -1;
	bpf_program__set_autoload(skel->progs.around, false);
	bpf_program__set_autoload(skel->progs.record, false);
	skel->rodata->is_alone = alone;
	skel->bss->sample = SAMPLE;
	if (record_bpf__load(skel))
		return -1;
	around = repeat(skel->progs.repeat_around);
	record = repeat(skel->progs.repeat_record);
	if (around < 0 || record < 0 || counted(skel) != REPEAT)
		return -1;
	printf("%s\t%.2f\n", what, record - around);
	record_bpf__destroy(skel);
	return 0;
}

static inline void c_record(struct kstats_slot *slots, __u64 v, bool locked)
{
	__u32 i = kstats_slot_index(v, BITS);
	__u64 scaled = kstats_slot_scale(v, i, BITS);

	if (locked) {
		__atomic_fetch_add(&slots[i].samples, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&slots[i].sum, scaled, __ATOMIC_RELAXED);
	} else {
		slots[i].samples++;
		slots[i].sum += scaled;
	}
}

static int c_step(const char *what, bool locked)
{
	static struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
	__u32 i, slot = kstats_slot_index(SAMPLE, BITS);
	double begin, empty, full;
	__u64 v = SAMPLE;

	memset(slots, 0, sizeof(slots));
	begin = now_ns();
	for (i = 0; i < REPEAT; i++)
		asm volatile("" : "+r"(v) : : "memory");
	empty = now_ns() - begin;
	begin = now_ns();
	for (i = 0; i < REPEAT; i++) {
		asm volatile("" : "+r"(v) : : "memory");
		c_record(slots, v, locked);
	}
	full = now_ns() - begin;
	if (slots[slot].samples != REPEAT)
		return -1;
	printf("%s\t%.2f\n", what, (full - empty) / REPEAT);
	return 0;
}

int main(void)
{
	if (bpf_step("kstats-bpf, the node's only program", true) ||
	    bpf_step("kstats-bpf, --merge: locked", false) ||
	    c_step("the same arithmetic in C", false) ||
	    c_step("the same arithmetic in C, locked", true)) {
		fprintf(stderr, "bench/step: cannot run the programs, or they counted wrong\n");
		return 1;
	}
	return 0;
}
