/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.bpf.h - with --key cpu, the open start of each processor, in the cell of its node there. In:
 * starts. Out: that start; one that another one supersedes goes into the ledger. Called by
 * start.bpf.h, forget.bpf.h and interval.bpf.h.
 */
#ifndef KSTATS_CPU_BPF_H
#define KSTATS_CPU_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "event.bpf.h"
#include "key.bpf.h"
#include "stack_of.bpf.h"
#include "store.bpf.h"
#include "verify.bpf.h"

/*
 * Among several points, starts and ends may come upon a start. So the start and its level are one
 * word, which is exchanged at once; elsewhere the level, or the frame, is beside it.
 */
static __always_inline __u64 cpu_level(__u32 level)
{
	return level == KSTATS_LEVEL_TASK ? 0 : KSTATS_CPU_INTERRUPT;
}

/* Whether the open start is of this level, or in this frame. @was: its word, as it was read */
static __always_inline bool cpu_is_of(const struct kstats_cell *cell, __u64 was, __u32 ident,
				      bool is_several)
{
	if (is_several)
		return (was & KSTATS_CPU_INTERRUPT) == cpu_level(ident);
	return *(volatile __u32 *)&cell->ident == ident;
}

/*
 * One of several starts. If the place has another start by now, that is the newer one. If it has
 * none any more, an end has taken the one that was there, and this start comes after that end.
 */
static __always_inline void start_by_cpu_several(struct kstats_cell *cell, const struct event *ev)
{
	__u64 was = *(volatile __u64 *)&cell->start_ns, there = was;
	__u64 word = bpf_ktime_get_ns() | cpu_level(ev->ident);

	if (!first_counts || !was)
		there = __sync_val_compare_and_swap(&cell->start_ns, was, word);
	if (was && !there)
		there = __sync_val_compare_and_swap(&cell->start_ns, 0, word);
	if (there)
		store_count(cell, KSTATS_AGAIN);
}

/* How a start is counted that another one supersedes. */
static __always_inline enum kstats_ledger cpu_reason(bool is_pair)
{
	return is_pair ? KSTATS_AGAIN : KSTATS_SUPERSEDED;
}

/* Whether a start was there that counts; nobody counts one that is being made. */
static __always_inline bool cpu_took(__u64 was)
{
	return was && was != KSTATS_START_TAKEN;
}

/*
 * Where several functions have one node, a call of another one may come upon this start, and so may
 * its end. So the place is taken first. Where another one has taken it since, this start is
 * superseded; and the other one is as well if it now has the frame of this one.
 */
static __always_inline void start_by_cpu_beside(struct kstats_cell *cell, const struct event *ev)
{
	if (cpu_took(__sync_lock_test_and_set(&cell->start_ns, KSTATS_START_TAKEN)))
		store_count(cell, KSTATS_SUPERSEDED);
	*(volatile __u32 *)&cell->ident = ev->ident;
	if (may_doubt)
		cell->switches = switches_of_whom(bpf_get_current_task_btf());
	if (__sync_val_compare_and_swap(&cell->start_ns, KSTATS_START_TAKEN, bpf_ktime_get_ns()) ==
	    KSTATS_START_TAKEN)
		return;
	store_count(cell, KSTATS_SUPERSEDED);
	if (*(volatile __u32 *)&cell->ident == ev->ident &&
	    cpu_took(__sync_lock_test_and_set(&cell->start_ns, 0)))
		store_count(cell, KSTATS_SUPERSEDED);
}

/*
 * Where one program alone makes the starts, the ident is written before the time, so that an end in
 * an interrupt does not take this start for its own. Ends only clear the time: so one that is 0
 * stays 0 until here.
 */
static __always_inline void start_by_cpu(struct kstats_cell *cell, const struct event *ev)
{
	volatile __u64 *start = &cell->start_ns;

	if (ev->is_several) {
		start_by_cpu_several(cell, ev);
		return;
	}
	if (!is_alone) {
		start_by_cpu_beside(cell, ev);
		return;
	}
	if (*start && __sync_lock_test_and_set(&cell->start_ns, 0))
		store_count(cell, cpu_reason(ev->is_pair));
	*(volatile __u32 *)&cell->ident = ev->ident;
	if (may_doubt)
		cell->switches = switches_of_whom(bpf_get_current_task_btf());
	*start = bpf_ktime_get_ns();
}

/* A start that does not count: no end may take an older one of its level, or in its frame. */
static __noinline int cpu_forget(__u32 node, __u32 ident, bool is_pair, bool is_several)
{
	struct kstats_cell *cell = store_cell(node);
	__u64 start;

	if (!cell)
		return 0;
	start = *(volatile __u64 *)&cell->start_ns;
	if (!start || !cpu_is_of(cell, start, ident, is_several))
		return 0;
	if (__sync_val_compare_and_swap(&cell->start_ns, start, 0) == start && cpu_took(start))
		store_count(cell, cpu_reason(is_pair));
	return 0;
}

#endif /* KSTATS_CPU_BPF_H */
