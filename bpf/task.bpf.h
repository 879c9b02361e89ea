/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.bpf.h - the slot that a task finds by its own address, without a call. In: a task. Out:
 * its slot, if the task owns it. Called by filter.bpf.h and stack.bpf.h.
 */
#ifndef KSTATS_TASK_BPF_H
#define KSTATS_TASK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "kstats_abi.h"

const volatile __u32 task_slot_shift; /* 32 less the bits of a task slot's number */

/*
 * A task slot holds the stamps of one task, and tells that a task is of the measured command. If
 * another task owns the slot, a task uses tables, which takes longer; the slot counts their
 * entries. A task keeps its slot as long as it lives.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* makes the elements begin on a page */
	__uint(max_entries, 1); /* set by user space when pairing by task, or with a command */
	__type(key, __u32);
	__type(value, struct kstats_task_slot);
} task_slots SEC(".maps");

/*
 * The lower half of an address. The verifier allows no arithmetic on the address itself,
 * but treats a 32-bit copy as a number.
 */
static __always_inline __u32 address_low(const void *p)
{
	__u32 low;

	INSN_LOW(low, p);
	return low;
}

/* By address, since a thread's number changes when it calls exec(). */
static __always_inline struct kstats_task_slot *task_slot_of(const struct task_struct *task)
{
	__u32 i = kstats_task_slot_index(address_low(task), task_slot_shift);

	return bpf_map_lookup_elem(&task_slots, &i);
}

static __always_inline bool task_slot_is_of(const struct kstats_task_slot *task_slot,
					    const struct task_struct *task)
{
	return task_slot && task_slot->owner == (__u64)task;
}

/* Whether a table may have an entry of a task that does not own this slot of its. */
static __always_inline bool task_slot_has_guests(const struct kstats_task_slot *task_slot)
{
	return task_slot && *(volatile __u64 *)&task_slot->guests;
}

/*
 * Put a task that does not own its slot into a table, unless it is there. The slot says so before.
 * Returns 0 if the task was not there.
 */
static __always_inline long task_put(struct kstats_task_slot *task_slot, void *table,
				     const __u64 *task, const void *value)
{
	long err;

	__sync_fetch_and_add(&task_slot->guests, 1);
	err = bpf_map_update_elem(table, task, value, BPF_NOEXIST);
	if (err)
		__sync_fetch_and_add(&task_slot->guests, -1);
	return err;
}

static __always_inline void task_remove(struct kstats_task_slot *task_slot, void *table,
					const __u64 *task)
{
	if (!bpf_map_delete_elem(table, task))
		__sync_fetch_and_add(&task_slot->guests, -1);
}

#endif /* KSTATS_TASK_BPF_H */
