// SPDX-License-Identifier: GPL-2.0-only
/*
 * percpu.bpf.c - starts and ends of --key cpu without events, on one cell that all CPUs
 * share: what two CPUs do to it at once is also what tasks do that preempt each other on
 * one CPU. In: struct percpu_run. Out: the same, filled. Run by percpu.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "interval.bpf.h"
#include "percpu.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kstats_cell);
} cell SEC(".maps");

static long start(__u32 i, struct percpu_run *r)
{
	struct event ev = { .pairing = KSTATS_BY_CPU, .ident = r->ident };
	__u32 zero = 0;
	struct kstats_cell *c = bpf_map_lookup_elem(&cell, &zero);

	if (!c)
		return 1;
	start_by_cpu(c, &ev);
	r->done++;
	return 0;
}

static long end(__u32 i, struct percpu_run *r)
{
	struct event ev = { .pairing = KSTATS_BY_CPU, .ident = r->ident, .is_symmetric = true };
	__u32 zero = 0;
	struct kstats_cell *c = bpf_map_lookup_elem(&cell, &zero);
	struct start found = {};

	if (!c)
		return 1;
	end_by_cpu(c, &ev, bpf_ktime_get_ns(), false, &found);
	if (found.ns)
		r->done++;
	return 0;
}

SEC("syscall")
int percpu_starts(struct percpu_run *ctx)
{
	struct percpu_run r = *ctx;

	bpf_loop(r.n, start, &r, 0);
	*ctx = r;
	return 0;
}

SEC("syscall")
int percpu_ends(struct percpu_run *ctx)
{
	struct percpu_run r = *ctx;

	bpf_loop(r.n, end, &r, 0);
	*ctx = r;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
