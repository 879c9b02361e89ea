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
#include "kstats_abi.h"

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

static __always_inline bool id_listed(const volatile __u32 *ids, __u32 n, __u32 id)
{
	__u32 i;

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

static __always_inline bool command_is(__u64 task)
{
	return bpf_map_lookup_elem(&command_tasks, &task);
}

/* Whether a filter may let pass some calls of a task only. */
static __always_inline bool who_may_change(void)
{
	return who_by_cpu || who_by_comm || who_cgroup_level;
}

/* Reads the current task only where a filter needs it. */
static __always_inline bool who_passes(void)
{
	if (!who_any)
		return true;
	if (who_n_pids && !id_listed(who_pids, who_n_pids, bpf_get_current_task_btf()->tgid))
		return false;
	if (who_n_tids && !id_listed(who_tids, who_n_tids, bpf_get_current_task_btf()->pid))
		return false;
	if (who_by_cpu && !cpu_listed())
		return false;
	if (who_by_comm && !comm_is(bpf_get_current_task_btf()))
		return false;
	if (who_cgroup_level &&
	    bpf_get_current_ancestor_cgroup_id(who_cgroup_level) != who_cgroup_id)
		return false;
	if (who_by_command && !command_is((__u64)bpf_get_current_task_btf()))
		return false;
	return true;
}

#endif /* KSTATS_FILTER_BPF_H */
