/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hits.bpf.h - the hits of kprobes, which tell what the kernel skipped and a program's own count
 * does not. In: the kernel's counts of a kprobe's hits, and our count of the runs of its program.
 * Out: struct kstats_hits. Called by kstats.bpf.c.
 *
 * Up to 6.6 no kprobe program has such a count. The kernel counts a hit before it decides whether
 * to run the program, so
 *	skipped = hits - runs
 * On each kernel, kprobes that are hit while another is handled are counted apart from these.
 */
#ifndef KSTATS_HITS_BPF_H
#define KSTATS_HITS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "kstats_abi.h"
#include "loop.bpf.h"
#include "verify.bpf.h"

#define HIT_TRIES 16

const volatile bool count_runs; /* of kprobe programs */
__u64 here_base; /* the per-CPU address of @here; set by user space */

/* How often each program has run, by place: see struct kstats_hits. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* two for each probe; set by user space */
	__type(key, __u32);
	__type(value, __u64);
} runs SEC(".maps");

/* The places of our kprobe programs, by the programs' numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user space */
	__type(key, __u32);
	__type(value, __u32);
} hit_places SEC(".maps");

/* The kernel never runs a kprobe program inside another on one CPU, so this needs no lock. */
static __always_inline void run_count(__u32 is_end)
{
	__u32 place;
	__u64 *n;

	if (!count_runs)
		return;
	place = 2 * guard_index() + is_end;
	n = bpf_map_lookup_elem(&runs, &place);
	if (n)
		*(volatile __u64 *)n += 1;
}

/** struct hit_sum - what hit_sum_cpu() works with */
struct hit_sum {
	__u32 place; /* of the program */
	__u64 nhit; /* distance of the kernel's count of hits from a CPU's "here" */
	__u64 skipped; /* sum over the CPUs so far */
};

/*
 * Hits less runs on one CPU. A hit whose program is about to run is too much, and so are the
 * hits between the two reads; so the least of several tries is taken. It is never too small.
 */
static long hit_sum_cpu(__u32 cpu, struct hit_sum *sum)
{
	__u64 *run = bpf_map_lookup_percpu_elem(&runs, &sum->place, cpu), i, had, hits;
	__u32 zero = 0;
	struct kstats_heres *h = bpf_map_lookup_elem(&heres, &zero);
	__s64 least = 0;

	if (!run || !h || cpu >= KSTATS_CPUS_MAX)
		return 1;
	for (i = 0; i < HIT_TRIES; i = loop_next(i)) {
		had = *(volatile __u64 *)run;
		hits = 0;
		bpf_probe_read_kernel(&hits, sizeof(hits), (void *)(h->at[cpu] + sum->nhit));
		if (!i || (__s64)(hits - had) < least)
			least = hits - had;
	}
	sum->skipped += least;
	return 0;
}

/* The kprobe behind a link of a perf event. */
static __always_inline struct trace_kprobe *link_kprobe(struct bpf_link *link)
{
	struct perf_event *event =
		BPF_CORE_READ((struct bpf_perf_link *)link, perf_file, private_data);
	struct trace_event_call *call = BPF_CORE_READ(event, tp_event);
	struct trace_probe_event *tpe =
		(void *)call - bpf_core_field_offset(struct trace_probe_event, call);
	struct list_head *first = BPF_CORE_READ(tpe, probes.next);

	return (void *)first - bpf_core_field_offset(struct trace_probe, list) -
	       bpf_core_field_offset(struct trace_kprobe, tp);
}

/* Tell the guard of the kprobe where the kernel counts its hits inside another. */
static __always_inline void guard_tell(const struct trace_kprobe *tk, __u32 place)
{
	__u32 i = place / 2;
	struct kstats_guard *guard = bpf_map_lookup_elem(&guards, &i);

	if (guard)
		guard->missed_at[place & 1] =
			(__u64)tk + bpf_core_field_offset(struct trace_kprobe, rp.kp.nmissed);
}

static __always_inline void hits_read(struct trace_kprobe *tk, __u32 place,
				      struct kstats_hits *hits)
{
	struct hit_sum sum = { .place = place };

	sum.nhit = (__u64)BPF_CORE_READ(tk, nhit) - here_base;
	bpf_loop(n_possible_cpus, hit_sum_cpu, &sum, 0);
	hits->place = place;
	hits->skipped = sum.skipped;
	hits->missed = BPF_CORE_READ(tk, rp.kp.nmissed) + BPF_CORE_READ(tk, rp.nmissed);
}

#endif /* KSTATS_HITS_BPF_H */
