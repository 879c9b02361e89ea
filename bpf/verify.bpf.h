/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verify.bpf.h - does the start that an end has found belong to the same call? In: the
 * hook's guard, filled in by user space, and the kernel's own counters. Out: yes or no.
 * Called by interval.bpf.h.
 *
 * The kernel skips a program that is already running on the CPU. If it skips the end of
 * one call and the start of the next, the second end finds the first start. Two things
 * cause this:
 *
 * - An interrupt arrives while a program runs. The kernel then skips that program for all
 *   calls inside the interrupt. So an end in an interrupt checks whether its start program
 *   is being skipped at this moment.
 * - A task is preempted inside a program, on kernels that allow it. The kernel then skips
 *   calls of other tasks on that CPU. A task that was not switched out since the start has
 *   lost none. For any other task, the kernel's counts of skipped programs must be the same
 *   as at the start.
 */
#ifndef KSTATS_VERIFY_BPF_H
#define KSTATS_VERIFY_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "arch.bpf.h"
#include "insn.bpf.h"
#include "kstats_abi.h"
#include "loop.bpf.h"

#define GOLDEN 0x9e3779b1 /* 2^32 divided by the golden ratio: a multiplier for hashing */

#define FRAME_FACTOR 0x9e3779b97f4a7c15 /* the same of 2^64 */

const volatile bool may_doubt; /* a start may belong to another call: see is_sure() */
const volatile __u32 n_possible_cpus;
const volatile __u32 n_points; /* of a pair of several points: the guards of all */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* hooks; set by user space */
	__type(key, __u32);
	__type(value, struct kstats_guard);
} guards SEC(".maps");

/* The counts of each CPU, as an end on that CPU last read them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* hooks; set by user space */
	__type(key, __u32);
	__type(value, struct kstats_seen);
} guards_seen SEC(".maps");

/* Used for its address only: its distance to other per-CPU memory is the same on each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} here SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kstats_heres);
} heres SEC(".maps");

/* Whether @at is on the task's own stack, so that no interrupt is running. */
static __always_inline bool on_stack_of(const struct task_struct *task, __u32 at)
{
	return (address_low(task->stack) ^ at) < ARCH_STACK_SIZE;
}

/* How often the task has been switched out. */
static __always_inline __u32 switches_of(const struct task_struct *task)
{
	return (__u32)task->nvcsw + (__u32)task->nivcsw;
}

/* The same combined with the task, so that no two tasks share a value. */
static __always_inline __u32 switches_of_whom(const struct task_struct *task)
{
	return switches_of(task) + address_low(task) * GOLDEN;
}

/* Index of the hook's guard; patched before a copy of the program is loaded. */
static __always_inline __u32 guard_index(void)
{
	__u64 word;

	INSN_PATCHED(word, KSTATS_GUARD_MAGIC);
	return word;
}

static __always_inline struct kstats_guard *guard_patched(void)
{
	__u32 i = guard_index();

	return bpf_map_lookup_elem(&guards, &i);
}

static __always_inline bool guard_skips_start(const struct kstats_guard *guard)
{
	__u32 cpu = bpf_get_smp_processor_id(), active = 0, zero = 0;
	struct kstats_heres *h = bpf_map_lookup_elem(&heres, &zero);

	if (!guard || !guard->active || !h || cpu >= KSTATS_CPUS_MAX)
		return false;
	bpf_probe_read_kernel(&active, sizeof(active), (void *)(h->at[cpu] + guard->active));
	return active;
}

/* Does the kernel skip the hook's start on this CPU at this moment? */
static __noinline bool start_is_skipped(void)
{
	return guard_skips_start(guard_patched());
}

/* The guard of one of several points. */
static __always_inline struct kstats_guard *guard_of(__u64 point)
{
	__u32 i = point;

	return bpf_map_lookup_elem(&guards, &i);
}

/* The same of several starts: of any of them. */
static __noinline bool any_start_is_skipped(void)
{
	__u64 i;

	for (i = 0; i < KSTATS_POINTS_MAX && i < n_points; i = loop_next(i))
		if (guard_skips_start(guard_of(i)))
			return true;
	return false;
}

/* Sum of a per-CPU count of skipped runs over all CPUs. */
static __noinline __u64 misses_sum(__u64 distance)
{
	struct kstats_heres *h;
	__u64 sum = 0, one, cpu;
	__u32 n = n_possible_cpus, zero = 0;

	h = bpf_map_lookup_elem(&heres, &zero);

	if (!h)
		return 0;
	for (cpu = 0; cpu < KSTATS_CPUS_MAX && cpu < n; cpu = loop_next(cpu)) {
		one = 0;
		bpf_probe_read_kernel(&one, sizeof(one), (void *)(h->at[cpu] + distance));
		sum += one;
	}
	return sum;
}

/* The kernel's count of kprobes hit inside another is one for all CPUs. */
static __always_inline __u64 missed_count(__u64 at)
{
	__u64 n = 0;

	if (at)
		bpf_probe_read_kernel(&n, sizeof(n), (void *)at);
	return n;
}

/* @since_ns only grows, and before @skipped is written: a reader never trusts too old a start. */
static __always_inline void guard_renew(struct kstats_guard *guard, __u64 sum)
{
	__u64 now = bpf_ktime_get_ns(), was = *(volatile __u64 *)&guard->since_ns;

	if (was < now && __sync_val_compare_and_swap(&guard->since_ns, was, now) == was)
		__sync_lock_test_and_set(&guard->skipped, sum);
}

/*
 * Up to 6.6 the kernel does not count which kprobe programs it skips. But it skips them
 * after a preemption only if the preempted task is inside bpf(2). So these calls are
 * counted instead.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64); /* address of a task inside bpf(2) */
	__type(value, __u8);
} bpf_callers SEC(".maps");

__u64 bpf_calls_open;
__u64 bpf_calls_ns; /* when the last such call began or ended */

#define BPF_CALLS_TRIES 8

/* If others change the time on every try, it is set to the maximum: no start is sure any more. */
static __noinline void bpf_calls_changed(void)
{
	__u64 now, was, i;

	for (i = 0; i < BPF_CALLS_TRIES; i = loop_next(i)) {
		was = *(volatile __u64 *)&bpf_calls_ns;
		now = bpf_ktime_get_ns();
		if (was >= now || __sync_val_compare_and_swap(&bpf_calls_ns, was, now) == was)
			return;
	}
	__sync_lock_test_and_set(&bpf_calls_ns, -1);
}

static __always_inline void bpf_call_begins(void)
{
	__u64 me = bpf_get_current_task();
	__u8 one = 1;

	if (!bpf_map_update_elem(&bpf_callers, &me, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&bpf_calls_open, 1);
	bpf_calls_changed();
}

/* A call that is not in the map began before these programs were attached. */
static __always_inline void bpf_call_ends(void)
{
	__u64 me = bpf_get_current_task();

	bpf_calls_changed();
	if (!bpf_map_delete_elem(&bpf_callers, &me))
		__sync_fetch_and_add(&bpf_calls_open, -1);
}

/* May any task have been inside bpf(2) since @start_ns? */
static __always_inline bool bpf_called_since(__u64 start_ns)
{
	return *(volatile __u64 *)&bpf_calls_open || *(volatile __u64 *)&bpf_calls_ns > start_ns;
}

/* Programs of the hook that the kernel skipped so far, on all CPUs. */
static __always_inline __u64 guard_sum(const struct kstats_guard *guard)
{
	__u64 sum = misses_sum(guard->misses[0]);

	if (guard->misses[1])
		sum += misses_sum(guard->misses[1]);
	return sum + missed_count(guard->missed_at[0]) + missed_count(guard->missed_at[1]);
}

/* May a start or an end of the hook have been skipped since @start_ns, on any CPU? */
static __noinline bool skipped_since(__u64 start_ns)
{
	struct kstats_guard *guard = guard_patched();
	__u64 skipped, sum;

	if (!guard || !guard->misses[0])
		return true;
	if (guard->by_bpf_calls && bpf_called_since(start_ns))
		return true;
	skipped = *(volatile __u64 *)&guard->skipped;
	sum = guard_sum(guard);
	if (sum == skipped)
		return *(volatile __u64 *)&guard->since_ns > start_ns;
	guard_renew(guard, sum);
	return true;
}

/*
 * The same of several points: may any of their programs have been skipped? What was read last is
 * in the guard of the first.
 */
static __noinline bool any_skipped_since(__u64 start_ns)
{
	struct kstats_guard *kept = guard_of(0), *guard;
	__u64 skipped, sum = 0, i;

	if (!kept)
		return true;
	skipped = *(volatile __u64 *)&kept->skipped;
	for (i = 0; i < KSTATS_POINTS_MAX && i < n_points; i = loop_next(i)) {
		guard = guard_of(i);
		if (!guard || !guard->misses[0])
			return true;
		if (guard->by_bpf_calls && bpf_called_since(start_ns))
			return true;
		sum += guard_sum(guard);
	}
	if (sum == skipped)
		return *(volatile __u64 *)&kept->since_ns > start_ns;
	guard_renew(kept, sum);
	return true;
}

static __always_inline __u64 misses_here(__u64 here, __u64 distance)
{
	__u64 n = 0;

	if (distance)
		bpf_probe_read_kernel(&n, sizeof(n), (void *)(here + distance));
	return n;
}

/* The same as guard_sum(), of the CPU whose counters are at @here. */
static __always_inline __u64 guard_sum_here(const struct kstats_guard *guard, __u64 here)
{
	return misses_here(here, guard->misses[0]) + misses_here(here, guard->misses[1]) +
	       missed_count(guard->missed_at[0]) + missed_count(guard->missed_at[1]);
}

/*
 * The same for this CPU alone, where only programs of this CPU can have been skipped. No
 * lock is needed for what it has seen: an end never runs inside itself on one CPU. A start of a
 * gap may come in between, and then one more of them is not sure. @blindly: if the kernel does not
 * count what it skips, it has skipped nothing.
 */
static __noinline bool skipped_here_since(__u64 start_ns, bool blindly)
{
	__u32 i = guard_index(), cpu = bpf_get_smp_processor_id(), zero = 0;
	struct kstats_guard *guard = bpf_map_lookup_elem(&guards, &i);
	struct kstats_seen *seen = bpf_map_lookup_elem(&guards_seen, &i);
	struct kstats_heres *h = bpf_map_lookup_elem(&heres, &zero);
	__u64 skipped;

	if (guard && guard->by_bpf_calls)
		return skipped_since(start_ns);
	if (!guard || !seen || !h || (!guard->misses[0] && !blindly) || cpu >= KSTATS_CPUS_MAX)
		return true;
	skipped = guard_sum_here(guard, h->at[cpu]) + misses_here(h->at[cpu], guard->end_misses);
	if (skipped == seen->skipped)
		return seen->since_ns > start_ns;
	seen->skipped = skipped;
	seen->since_ns = bpf_ktime_get_ns();
	return true;
}

/* Whether calls of bpf(2) are counted for any of several points: see bpf_callers. */
static __noinline bool any_by_bpf_calls(void)
{
	struct kstats_guard *guard;
	__u64 i;

	for (i = 0; i < KSTATS_POINTS_MAX && i < n_points; i = loop_next(i)) {
		guard = guard_of(i);
		if (guard && guard->by_bpf_calls)
			return true;
	}
	return false;
}

/*
 * The same of several points, without any_by_bpf_calls(). What was read last belongs to the end
 * that reads. It does not call any_skipped_since(): the kernel limits what all functions that are
 * in progress have on the stack, and ends have much there.
 */
static __noinline bool any_skipped_here_since(__u64 start_ns)
{
	__u32 own = guard_index(), cpu = bpf_get_smp_processor_id(), zero = 0;
	struct kstats_seen *seen = bpf_map_lookup_elem(&guards_seen, &own);
	struct kstats_heres *h = bpf_map_lookup_elem(&heres, &zero);
	struct kstats_guard *guard;
	__u64 skipped = 0, i;

	if (!seen || !h || cpu >= KSTATS_CPUS_MAX)
		return true;
	for (i = 0; i < KSTATS_POINTS_MAX && i < n_points; i = loop_next(i)) {
		guard = guard_of(i);
		if (!guard || !guard->misses[0])
			return true;
		skipped += guard_sum_here(guard, h->at[cpu]);
	}
	if (skipped == seen->skipped)
		return seen->since_ns > start_ns;
	seen->skipped = skipped;
	seen->since_ns = bpf_ktime_get_ns();
	return true;
}

#endif /* KSTATS_VERIFY_BPF_H */
