/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deep.bpf.h - calls of kprobe sessions that are nested deeper than the kernel keeps. In: the
 * kernel's count for each task of calls for whose return it had no room. Out: their sum over the
 * tasks that have ended, and a row for each other task. Included by kstats.bpf.c.
 *
 * From 6.14 on, each task has room for some 70 returns of all functions that are traced in this
 * way. The kernel runs no program for further calls. It counts them in the task.
 */
#ifndef KSTATS_DEEP_BPF_H
#define KSTATS_DEEP_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "calls.bpf.h"
#include "filter.bpf.h"
#include "interval.bpf.h"

#define TASK_EXITING 4 /* PF_EXITING of the kernel */

/* An iterator shows the tasks of our PID namespace alone; then its first step walks all tasks. */
const volatile bool deep_in_container;

__u64 deep_ended; /* such calls of measured tasks that have ended since the start */

/* The counts of tasks at the start, by their address; filled by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u32);
} deep_before SEC(".maps");

SEC("tp_btf/sched_process_exit")
int task_deep(__u64 *ctx)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u32 n = task->trace_overrun.counter, *before;
	__u64 key = (__u64)task;

	if (!n)
		return 0;
	before = bpf_map_lookup_elem(&deep_before, &key);
	if (before)
		n -= *before < n ? *before : n;
	bpf_map_delete_elem(&deep_before, &key);
	/* Also while nothing is recorded: user space sets the sum to 0 at the start. */
	if (who_passes())
		__sync_fetch_and_add(&deep_ended, n);
	return 0;
}

static void write_row(struct seq_file *seq, const struct task_struct *task)
{
	struct kstats_deep row = {};

	if (task->flags & TASK_EXITING)
		return;
	row.task = (__u64)task;
	row.start_time = task->start_time;
	row.calls = task->trace_overrun.counter;
	if (row.calls)
		bpf_seq_write(seq, &row, sizeof(row));
}

/* On kernels without sessions no call is nested too deep. */
#ifdef KSTATS_SESSION
#define ALL_THREADS 1 /* BPF_TASK_ITER_ALL_THREADS of the kernel */

static void write_all(struct seq_file *seq)
{
	struct task_struct *task;
	struct bpf_iter_task all;

	bpf_iter_task_new(&all, NULL, ALL_THREADS);
	while ((task = bpf_iter_task_next(&all)))
		write_row(seq, task);
	bpf_iter_task_destroy(&all);
}
#else
static void write_all(struct seq_file *seq)
{
}
#endif

/* The other tasks with such calls, as a stream of struct kstats_deep. */
SEC("iter/task")
int task_depths(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!deep_in_container) {
		if (task)
			write_row(ctx->meta->seq, task);
	} else if (!ctx->meta->seq_num && task) {
		write_all(ctx->meta->seq);
	}
	return 0;
}

#endif /* KSTATS_DEEP_BPF_H */
