/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * others.bpf.h - calls that are left out: how many there are, and their ends. In: an end. Out:
 * whether it is of such a call. Called by interval.bpf.h.
 */
#ifndef KSTATS_OTHERS_BPF_H
#define KSTATS_OTHERS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "filter.bpf.h"
#include "stack.bpf.h"
#include "store.bpf.h"
#include "task.bpf.h"

/*
 * Counts the events of calls that a filter leaves out, since the programs run for them
 * too. Counted only where the overhead is estimated (--max-overhead), in half calls,
 * because one point of a pair may occur far more often than the other.
 */
const volatile bool count_others;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} others SEC(".maps");

static __always_inline void others_count(__u64 halves)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&others, &zero);

	if (n)
		store_add(n, halves);
}

/* Programs that ask may have filters or not; of others there are twins. */
static __always_inline bool has_filters(const struct event *ev, bool asks)
{
	return asks ? who_any : ev->filters;
}

/* @st: receives the stack of the task where it is found on the way. */
static __always_inline bool start_passes(const struct event *ev, struct kstats_stack **st)
{
	const struct task_struct *task;
	struct kstats_task_slot *task_slot;

	if (!who_only_command || ev->cookie || ev->pairing != KSTATS_BY_TASK)
		return who_matches();
	task = bpf_get_current_task_btf();
	task_slot = task_slot_of(task);
	if (!task_slot_is_of(task_slot, task))
		return command_is_guest(task_slot, task);
	*st = &task_slot->stack;
	return true;
}

/*
 * Whether calls of a task may be open. A task of no command, and an idle one, which never owns a
 * slot, are told apart without a search, too. @task_slot: to which the task's address leads
 */
static __always_inline bool task_may_have_stack(const struct kstats_task_slot *task_slot,
						const struct task_struct *task)
{
	if (task_slot_is_of(task_slot, task) || task_slot_has_guests(task_slot))
		return true;
	return !who_by_command && !task->pid;
}

/*
 * Whether a filter leaves this end out, and it surely has no start: that is told without a search.
 * A filter may have let the start pass, and leave the task out now. @st: receives the stack of the
 * task where that is known then.
 */
static __always_inline bool end_is_left_out(const struct event *ev, struct kstats_stack **st)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct kstats_task_slot *task_slot;

	if (!ev->cookie && ev->pairing != KSTATS_BY_TASK)
		return false;
	if (who_n_pids && !process_passes(task))
		return true;
	if (ev->cookie)
		return !*ev->cookie && !who_matches();
	task_slot = task_slot_of(task);
	if (task_slot_is_of(task_slot, task)) {
		*st = &task_slot->stack;
		return false;
	}
	return !task_may_have_stack(task_slot, task) && (who_by_command || !who_matches());
}

#endif /* KSTATS_OTHERS_BPF_H */
