/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.bpf.h - which tasks are measured. In: settings, constant once loaded, so
 * that the kernel removes unused code. Out: yes or no for the current task.
 * Called by interval.bpf.h.
 */
#ifndef KSTATS_FILTER_BPF_H
#define KSTATS_FILTER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "kstats_abi.h"
#include "kstats_who.h"

const volatile bool who_any; /* at least one of the filters below is set */
const volatile __u32 who_n_pids;
const volatile __u32 who_pids[KSTATS_IDS_MAX];
const volatile __u32 who_n_tids;
const volatile __u32 who_tids[KSTATS_IDS_MAX];
const volatile bool who_by_comm;
const volatile char who_comm[KSTATS_COMM_LEN];
const volatile bool who_by_cpu;
const volatile __u64 who_cpus[KSTATS_CPUS_MAX / 64];
const volatile __u32 who_cgroup_level; /* 0: no cgroup filter */
const volatile __u64 who_cgroup_id;
const volatile bool who_by_command;

/*
 * Which filters each program asks before all else: enum kstats_who. Those give a task one answer
 * for all its calls, so an end need not know whether its start was left out. User space forgets the
 * tasks of a command only after it has moved epoch_ns.
 */
const volatile __u32 who_first;
const volatile bool who_later; /* there are filters that are not asked before all else */

/*
 * The tasks of the measured command, by address: a PID may be reused before its task is
 * freed, and differs between namespaces. task_birth() decides for each new task whether
 * it belongs to the command.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by user space where there is a command */
	__type(key, __u64);
	__type(value, __u8);
} command_tasks SEC(".maps");

/*
 * The same by home, as kstats_home_add() writes it. So most tasks are told apart without a search.
 */
__u64 command_homes[KSTATS_HOMES];

static __always_inline bool id_listed(const volatile __u32 *ids, __u32 n, __u32 id)
{
	__u32 i;

	if (n == 1) /* the usual case */
		return ids[0] == id;
	for (i = 0; i < KSTATS_IDS_MAX && i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static __always_inline bool comm_is(const struct task_struct *task)
{
	int i;

	for (i = 0; i < KSTATS_COMM_LEN; i++) {
		char c = task->comm[i];

		if (c != who_comm[i])
			return false;
		if (!c)
			break;
	}
	return true;
}

static __always_inline bool cpu_listed(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	if (cpu >= KSTATS_CPUS_MAX)
		return false;
	return who_cpus[cpu / 64] >> (cpu % 64) & 1;
}

static __always_inline __u64 *command_home(const struct task_struct *task)
{
	return &command_homes[kstats_home(address_low(task))];
}

static __noinline bool command_lists(__u64 task)
{
	return bpf_map_lookup_elem(&command_tasks, &task);
}

static __always_inline bool command_is(const struct task_struct *task)
{
	__u64 home = *(volatile __u64 *)command_home(task);

	if (home == (__u64)task)
		return true;
	return home - 1 < KSTATS_HOME_MOST && command_lists((__u64)task);
}

/* Filters whose answer for a task never changes: start and end of a call have the same. */
static __always_inline bool task_passes(const struct task_struct *task)
{
	if (who_n_pids && !id_listed(who_pids, who_n_pids, task->tgid))
		return false;
	return !who_by_command || command_is(task);
}

/*
 * Whether a filter leaves all calls of the current task out. @who is the constant who_first:
 * the kernel removes all branches but one.
 */
static __always_inline bool task_is_left_out(__u32 who)
{
	if (who == KSTATS_WHO_ANY || who == KSTATS_WHO_CHANGING)
		return false;
	if (who == KSTATS_WHO_COMMAND)
		return !command_is(bpf_get_current_task_btf());
	if (who == KSTATS_WHO_PROCESS)
		return bpf_get_current_task_btf()->tgid != who_pids[0];
	return !task_passes(bpf_get_current_task_btf());
}

/* The other filters. Reads the current task only where one needs it. */
static __always_inline bool call_passes(void)
{
	if (who_n_tids && !id_listed(who_tids, who_n_tids, bpf_get_current_task_btf()->pid))
		return false;
	if (who_by_cpu && !cpu_listed())
		return false;
	if (who_by_comm && !comm_is(bpf_get_current_task_btf()))
		return false;
	return !who_cgroup_level ||
	       bpf_get_current_ancestor_cgroup_id(who_cgroup_level) == who_cgroup_id;
}

static __always_inline bool who_passes(void)
{
	return !who_any || (task_passes(bpf_get_current_task_btf()) && call_passes());
}

#endif /* KSTATS_FILTER_BPF_H */
