/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack_of.bpf.h - where the open calls of each task are. In: the current task. Out: its ring of
 * stamps, and the values that are kept of its starts. Called by stack.bpf.h, start.bpf.h,
 * interval.bpf.h, forget.bpf.h and via.bpf.h.
 */
#ifndef KSTATS_STACK_OF_BPF_H
#define KSTATS_STACK_OF_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "task.bpf.h"
#include "verify.bpf.h"

/*
 * Stamps by the task's address. The kernel's task storage would not do, since only a task
 * iterator finds all of it, and inside a container that skips tasks outside.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by user space when pairing by task */
	__type(key, __u64);
	__type(value, struct kstats_stack);
} task_stacks SEC(".maps");

const struct kstats_stack no_calls; /* none is open */

/* Stamps of idle tasks, which never leave their CPU and all have the PID 0. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kstats_stack);
} idle_stacks SEC(".maps");

const volatile bool keeps_switches; /* starts are kept with how often their task was switched out */
const volatile __u32 kept_words; /* values of a start that its end needs; 0: none */
const volatile __u32 kept_exprs; /* those of them that are expressions, which come first */

/* Values of starts, by task slot, and by task for those without. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space where values are kept by task */
	__type(key, __u32);
	__type(value, struct kstats_kept_ring);
} kept_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by user space where values are kept by task */
	__type(key, __u64);
	__type(value, struct kstats_kept_ring);
} kept_tasks SEC(".maps");

const struct kstats_kept_ring no_words;

/*
 * Give the current task a slot or an entry in the table. An interrupt may run this code
 * first, at any point before the claim; the owner found is then this very task. A task can
 * have both in one case: the slot was another task's during the interrupt and became free
 * right after it. Calls that the interrupt left open in the table are then counted, but
 * find no end.
 */
static __always_inline struct kstats_stack *stack_new(struct kstats_task_slot *task_slot)
{
	__u64 me = bpf_get_current_task(), owner;

	if (task_slot) {
		owner = *(volatile __u64 *)&task_slot->owner;
		if (!owner)
			owner = __sync_val_compare_and_swap(&task_slot->owner, 0, me);
		if (!owner || owner == me)
			return &task_slot->stack;
	}
	bpf_map_update_elem(&task_stacks, &me, &no_calls, BPF_NOEXIST);
	return bpf_map_lookup_elem(&task_stacks, &me);
}

/* For a task that does not own @task_slot. An idle task never claims one. */
static __noinline struct kstats_stack *stack_elsewhere(struct kstats_task_slot *task_slot,
						       bool create)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u64 me = bpf_get_current_task();
	struct kstats_stack *st;
	__u32 zero = 0;

	/* Idle tasks come here at each start: the mark is not written again. */
	if (create && !stack_is_marked(task))
		*(volatile __u8 *)stack_mark_of(task) = 1;
	if (!task->pid)
		return bpf_map_lookup_elem(&idle_stacks, &zero);
	st = bpf_map_lookup_elem(&task_stacks, &me);
	if (st || !create)
		return st;
	return stack_new(task_slot);
}

/* The stack of the current task; a start sets @create to make one if needed. */
static __always_inline struct kstats_stack *stack_of(const struct task_struct *task, bool create)
{
	struct kstats_task_slot *task_slot = task_slot_of(task);

	if (task_slot_is_of(task_slot, task))
		return &task_slot->stack;
	return stack_elsewhere(task_slot, create);
}

/* The stack of the current task if it may have open calls; NULL for most others. */
static __always_inline struct kstats_stack *stack_if_any(const struct task_struct *task)
{
	return stack_is_marked(task) ? stack_of(task, false) : NULL;
}

/* Where the values of the current task's starts are; @create: make it if needed. */
static __noinline struct kstats_kept_ring *kept_of(bool create)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u32 i = address_low(task) * GOLDEN >> task_slot_shift;
	__u64 me = bpf_get_current_task();
	struct kstats_kept_ring *ring;

	if (task_slot_is_of(task_slot_of(task), task))
		return bpf_map_lookup_elem(&kept_slots, &i);
	ring = bpf_map_lookup_elem(&kept_tasks, &me);
	if (ring || !create)
		return ring;
	bpf_map_update_elem(&kept_tasks, &me, &no_words, BPF_NOEXIST);
	return bpf_map_lookup_elem(&kept_tasks, &me);
}

static __always_inline void kept_copy(__u64 *to, const __u64 *from)
{
	__u32 i;

#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_KEPT_WORDS; i++)
		*(volatile __u64 *)&to[i] = *(const volatile __u64 *)&from[i];
}

#endif /* KSTATS_STACK_OF_BPF_H */
