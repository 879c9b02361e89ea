/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.bpf.h - where a task's own address leads to, without a call. In: a task. Out: its slot, and
 * whether it may have open calls. Called by stack_of.bpf.h.
 */
#ifndef KSTATS_TASK_BPF_H
#define KSTATS_TASK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "kstats_abi.h"
#include "kstats_who.h"
#include "verify.bpf.h"

const volatile __u32 task_slot_shift; /* 32 less the bits of a task slot's number */

/*
 * A task slot holds the stamps of one task. The task's address leads to its slot,
 * without a call. If another task owns that slot, the task uses the table above, which
 * takes longer. A task keeps its slot as long as it lives.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* makes the elements begin on a page */
	__uint(max_entries, 1); /* set by user space when pairing by task */
	__type(key, __u32);
	__type(value, struct kstats_task_slot);
} task_slots SEC(".maps");

/* By address, since a thread's number changes when it calls exec(). */
static __always_inline struct kstats_task_slot *task_slot_of(const struct task_struct *task)
{
	__u32 i = address_low(task) * GOLDEN >> task_slot_shift;

	return bpf_map_lookup_elem(&task_slots, &i);
}

static __always_inline bool task_slot_is_of(const struct kstats_task_slot *task_slot,
					    const struct task_struct *task)
{
	return task_slot && task_slot->owner == (__u64)task;
}

/*
 * By home: whether a task that lives there was ever given a stack. So most tasks without one are
 * told apart without a search.
 */
__u8 homes_with_stack[KSTATS_HOMES];

static __always_inline __u8 *stack_mark_of(const struct task_struct *task)
{
	return &homes_with_stack[kstats_home(address_low(task))];
}

static __always_inline bool stack_is_marked(const struct task_struct *task)
{
	return *(volatile __u8 *)stack_mark_of(task);
}

#endif /* KSTATS_TASK_BPF_H */
