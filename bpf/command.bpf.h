/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.bpf.h - programs that follow the tasks of the measured command. In: new tasks. Out:
 * the table of filter.bpf.h. Included by the objects that have filters.
 */
#ifndef KSTATS_COMMAND_BPF_H
#define KSTATS_COMMAND_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "filter.bpf.h"

__u64 untracked_forks; /* tasks of the command that did not fit into the table */

static __always_inline void command_forget(const struct task_struct *task)
{
	__u64 address = (__u64)task;

	if (!command_is(task))
		return;
	if (!bpf_map_delete_elem(&command_tasks, &address))
		kstats_home_remove(command_home(task), address);
}

/*
 * The parent task runs this program before the new task runs, holding a scheduler lock with
 * interrupts off. Nothing can interrupt it, so the kernel never skips it; a program at
 * sched_process_fork may be skipped. If command_end() was not called, the table may still hold
 * the address of a freed task, which may now belong to a task outside the command.
 */
SEC("tp_btf/sched_wakeup_new")
int task_birth(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	__u64 address = (__u64)task;
	__u8 one = 1;

	command_forget(task);
	if (!command_is(bpf_get_current_task_btf()))
		return 0;
	if (bpf_map_update_elem(&command_tasks, &address, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&untracked_forks, 1);
	else
		kstats_home_add(command_home(task), address);
	return 0;
}

/* A task is freed: another one may get its address. */
static __always_inline void command_end(const struct task_struct *task)
{
	if (who_by_command)
		command_forget(task);
}

/* A task; user space sets the iterator to its number in its own PID namespace. */
SEC("iter/task")
int tell_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct kstats_task t = {};

	if (!task)
		return 0;
	t.address = (__u64)task;
	t.tgid = task->tgid;
	t.pid = task->pid;
	bpf_seq_write(ctx->meta->seq, &t, sizeof(t));
	return 0;
}

#endif /* KSTATS_COMMAND_BPF_H */
