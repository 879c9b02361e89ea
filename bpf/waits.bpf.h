/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.bpf.h - the longest time off the processor of each task with an open call, and who ended
 * it (kstats-bpf why). In: wakeups and switches of such tasks. Out: one wait in the task's place.
 * Called by parts.bpf.h and why.bpf.h.
 *
 * The stack of a task that sleeps is taken by whoever wakes it, before it can run. That leaves out
 * the functions of the scheduler and of sleeping locks, so the task itself takes the inner end of
 * it when it goes to sleep. Of one that waits for a processor none is taken: 6.1 warns if another
 * task looks at its kretprobes. A task has one place, so of nested calls the outermost one has its
 * longest wait for certain; one inside has none if a longer wait came before it. Of a pair it is
 * the innermost one.
 */
#ifndef KSTATS_WAITS_BPF_H
#define KSTATS_WAITS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_why.h"

const volatile bool with_why; /* single calls are recorded */

__u64 why_wait_ns; /* shorter waits are not looked at */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space: a place for each task that has parts */
	__type(key, __u32);
	__type(value, struct kstats_why_wait);
} why_waits SEC(".maps");

/* @place: number of the task's place */
static __always_inline struct kstats_why_wait *wait_at(__u32 place)
{
	return bpf_map_lookup_elem(&why_waits, &place);
}

static __always_inline struct kstats_why_wait *wait_of(const struct kstats_parts *p)
{
	return wait_at(p->number - 1);
}

static __always_inline void why_comm(__u64 *to, const struct task_struct *task)
{
	const __u64 *comm = (const __u64 *)task->comm;

	to[0] = comm[0];
	to[1] = comm[1];
}

/* Whether a wait that lasts for @ns is the longest since the outermost open call began. */
static __always_inline bool wait_is_longest(const struct kstats_parts *p,
					    const struct kstats_why_wait *w, __u64 ns)
{
	return ns >= why_wait_ns && (w->since_ns < p->waits_ns || ns > w->ns);
}

/* @task does not run. */
static __always_inline void wait_begins(struct kstats_why_wait *w, const struct kstats_parts *p,
					const struct task_struct *task, __u64 ns)
{
	w->task = (__u64)task;
	w->since_ns = p->since_ns;
	w->ns = ns;
	w->part = p->state;
	w->n_frames = w->n_other_frames = w->n_inner = 0;
}

/* The current task is about to sleep. */
static __noinline void wait_asleep(void *ctx, struct kstats_parts *p)
{
	struct kstats_why_wait *w = wait_of(p);

	if (w)
		w->n_asleep = bpf_get_stack(ctx, w->asleep, sizeof(w->asleep), 0);
}

/* The current task is about to wake @task, which has slept for @ns. */
static __noinline void wait_woken(void *ctx, struct kstats_parts *p, struct task_struct *task,
				  __u64 ns)
{
	struct kstats_why_wait *w = wait_of(p);

	if (!w || !wait_is_longest(p, w, ns))
		return;
	wait_begins(w, p, task, ns);
	w->n_frames = bpf_get_task_stack(task, w->frames, sizeof(w->frames), 0);
	w->n_inner = w->n_asleep;
	bpf_probe_read_kernel(w->inner, sizeof(w->inner), w->asleep);
	w->other = bpf_get_current_pid_tgid();
	bpf_get_current_comm(w->other_comm, sizeof(w->other_comm));
	w->n_other_frames = bpf_get_stack(ctx, w->other_frames, sizeof(w->other_frames), 0);
}

/* The wakeup comes slightly later, and ends the part. */
static __always_inline void wait_ends(const struct kstats_parts *p, __u64 ns)
{
	struct kstats_why_wait *w = wait_of(p);

	if (w && w->since_ns == p->since_ns)
		w->ns = ns;
}

static __always_inline void wait_note(struct kstats_why_wait *w, const struct kstats_parts *p,
				      const struct task_struct *other)
{
	w->next_since_ns = p->since_ns;
	w->next = other->pid;
	why_comm(w->next_comm, other);
}

/* A task is preempted, and @next runs in its place. */
static __always_inline void wait_preempted(const struct kstats_parts *p,
					   const struct task_struct *next)
{
	struct kstats_why_wait *w = wait_of(p);

	if (w)
		wait_note(w, p, next);
}

/*
 * @task has waited for a processor for @ns, and now gets it. In its place ran the one that
 * preempted it, or, if it was woken, at least @prev.
 */
static __noinline void wait_ran(struct kstats_parts *p, struct task_struct *task,
				const struct task_struct *prev, __u64 ns)
{
	struct kstats_why_wait *w = wait_of(p);

	if (!w || !wait_is_longest(p, w, ns))
		return;
	wait_begins(w, p, task, ns);
	if (w->next_since_ns != p->since_ns)
		wait_note(w, p, prev);
	w->other = w->next;
	w->other_comm[0] = w->next_comm[0];
	w->other_comm[1] = w->next_comm[1];
}

#endif /* KSTATS_WAITS_BPF_H */
