/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why.bpf.h - single calls (kstats-bpf why). In: the end of a call that was recorded, with its
 * parts. Out: a record of it, if it is long or was chosen at its start; counts of all calls, by
 * thread and processor; samples of tasks in long calls. Called by interval.bpf.h.
 *
 * Records are in a pool that all CPUs share: whoever records claims the next place by one exchange,
 * fills it in, and marks it; user space reads it and frees it. No lock is held, so that an
 * interrupt or an NMI may come at any instruction. A place that user space has not freed yet, or
 * that a preempted task still fills in, is left alone: if that is so a few times, the record is
 * counted as lost.
 */
#ifndef KSTATS_WHY_BPF_H
#define KSTATS_WHY_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "args.bpf.h"
#include "callees.bpf.h"
#include "expr.bpf.h"
#include "frames.bpf.h"
#include "loop.bpf.h"
#include "parts.bpf.h"
#include "stack.bpf.h"
#include "store.bpf.h"
#include "waits.bpf.h"

#define WHY_TRIES 4 /* places of the pool that a record is tried in */

const volatile __u32 why_args; /* arguments that the end of a call can read */
const volatile bool why_shows; /* there are expressions whose values are kept with a call */

/* User space moves them. */
__u64 why_threshold_ns; /* calls of this duration or more leave a record */
__u64 why_base_ns; /* calls of this duration or more are in the tail; 0: nothing is counted yet */
__u32 why_chance; /* of each call to leave a record, however long it is: in 2^32 */
__s32 why_budget; /* so many of these are left; user space fills it up from time to time */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space: KSTATS_WHY_RECORDS */
	__type(key, __u32);
	__type(value, struct kstats_why_record);
} why_records SEC(".maps");

/* For each CPU so many places as KSTATS_WHY_PLACES_BITS tell. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space */
	__type(key, __u32);
	__type(value, struct kstats_why_count);
} why_counts SEC(".maps");

__u32 why_next __attribute__((aligned(64))); /* number of the next record, modulo their number */
__u32 why_states[KSTATS_WHY_RECORDS];
__u64 why_lost[KSTATS_WHY_LOST_N];

static __always_inline void why_lose(enum kstats_why_lost what)
{
	__sync_fetch_and_add(&why_lost[what], 1);
}

/* ---- records ---- */

/* Returns the number of a record that is now the caller's, and 1 more; 0: there is none. */
static __noinline __u32 why_claim(enum kstats_why_lost what)
{
	__u32 at;
	__u64 i;

	for (i = 0; i < WHY_TRIES; i = loop_next(i)) {
		at = __sync_fetch_and_add(&why_next, 1) & (KSTATS_WHY_RECORDS - 1);
		if (!__sync_val_compare_and_swap(&why_states[at], KSTATS_WHY_FREE,
						 KSTATS_WHY_FILLING))
			return at + 1;
	}
	why_lose(what);
	return 0;
}

/* An exchange is a barrier: whoever sees the mark sees the record. */
static __always_inline void why_publish(__u32 at)
{
	__sync_lock_test_and_set(&why_states[at & (KSTATS_WHY_RECORDS - 1)], KSTATS_WHY_FULL);
}

static __always_inline struct kstats_why_record *why_at(__u32 at)
{
	return bpf_map_lookup_elem(&why_records, &at);
}

static __always_inline void why_set_who(struct kstats_why_record *r)
{
	__u64 id = bpf_get_current_pid_tgid();

	r->tid = id;
	r->tgid = id >> 32;
	r->uid = bpf_get_current_uid_gid();
	r->cgroup = bpf_get_current_cgroup_id();
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	r->cpu_end = bpf_get_smp_processor_id();
}

/* The longest wait, if it lies in the call. Another task may have taken its place meanwhile. */
static __always_inline void why_set_wait(struct kstats_why_record *r, __u32 place)
{
	struct kstats_why_wait *w = wait_at(place);
	__u64 since;

	r->wait.ns = 0;
	if (!w)
		return;
	since = *(volatile __u64 *)&w->since_ns;
	if (since < r->start_ns || since > r->start_ns + r->duration_ns)
		return;
	bpf_probe_read_kernel(&r->wait, sizeof(r->wait), w);
	if (r->wait.task != bpf_get_current_task() || r->wait.since_ns != since ||
	    *(volatile __u64 *)&w->since_ns != since)
		r->wait.ns = 0;
}

/** struct why_call - a call that has just ended */
struct why_call {
	__u64 node; /* its distribution, or that of its key */
	__u64 start_ns;
	__u64 duration_ns;
	__u64 ret;
	__u64 args[KSTATS_WHY_ARGS];
	__u32 place; /* of its task among those with parts; PARTS_NO_PLACE: it has none */
	__u16 is_counted;
	__u16 is_chosen; /* as one of all calls, whatever its duration */
	__u32 record; /* number of its record, and 1 more; 0: it has none yet */
};

/*
 * The stacks are those of the current task, which needs no context: the verifier goes through this
 * function once, and not at the end of each program with all that is known there. Returns a number,
 * as it demands.
 */
__noinline int why_record(const struct why_call *call, const struct parts_split *split)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kstats_why_record *r;
	__u32 at, i;

	if (!call || !split)
		return 0;
	at = call->record ?: why_claim(KSTATS_WHY_LOST_CALLS);
	r = at ? why_at(at - 1) : NULL;
	if (!r)
		return 0;
	r->kind = KSTATS_WHY_CALL;
	r->is_split = split->known;
	r->is_chosen = call->is_chosen;
	r->is_counted = call->is_counted;
	r->node = call->node;
	r->start_ns = call->start_ns;
	r->duration_ns = call->duration_ns;
	r->ret = call->ret;
	r->cpu_begin = split->cpu;
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_WHY_ARGS; i++)
		r->args[i] = call->args[i];
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_PART_TIMES; i++)
		r->part_ns[i] = split->ns[i];
	r->is_divided = n_callees && callees_keep(call->start_ns, r->callee_ns);
	why_set_who(r);
	why_set_wait(r, call->place);
	r->n_stack = bpf_get_task_stack(task, r->stack, sizeof(r->stack), 0);
	r->n_user = bpf_get_task_stack(task, r->user, sizeof(r->user), BPF_F_USER_STACK);
	why_publish(at - 1);
	return 0;
}

EXPR_FUNCTION(expr_show, KSTATS_EXPR_SHOW_MAGIC)

/*
 * Values are written where they stay: the record is claimed before. Returns its number and 1 more;
 * 0: there is none.
 */
static __noinline __u32 why_show(void *ctx, __u64 duration, const struct start *start)
{
	__u32 at = why_claim(KSTATS_WHY_LOST_CALLS);
	struct kstats_why_record *r = at ? why_at(at - 1) : NULL;

	if (!r)
		return 0;
	if (kept_words)
		kept_copy(r->kept, start->kept);
	if (counts_switches)
		r->switches = switches_since(start);
	expr_show(ctx, r->shown, duration);
	return at;
}

/* As many arguments as the function has, up to KSTATS_WHY_ARGS. */
#define WHY_ARG(call, ctx, n)                                \
	do {                                                 \
		if (why_args > (n))                          \
			(call)->args[n] = trace_arg(ctx, n); \
	} while (0)

static __always_inline void why_see(struct why_call *call, const struct event *ev, void *ctx)
{
	if (!ev->is_trampoline) {
		call->ret = ev->ret;
		return;
	}
	bpf_get_func_ret(ctx, &call->ret);
	WHY_ARG(call, ctx, 0);
	WHY_ARG(call, ctx, 1);
	WHY_ARG(call, ctx, 2);
	WHY_ARG(call, ctx, 3);
	WHY_ARG(call, ctx, 4);
	WHY_ARG(call, ctx, 5);
}

/* ---- counts ---- */

/*
 * What is known of a task by its pointers. From 6.3 on the verifier looks through all types of the
 * kernel each time that it comes to where such a pointer is read, so that is done in few places.
 */
struct why_who {
	__u64 cred;
	__u64 cgroups;
};

/* A place that is free, or that is being filled in, has no credentials yet. */
static __always_inline bool why_is_of(const struct kstats_why_count *c,
				      const struct task_struct *task, const struct why_who *who)
{
	const __u64 *comm = (const __u64 *)task->comm;

	return *(const volatile __u64 *)&c->cred == who->cred && c->tid == task->pid &&
	       c->tgid == task->tgid && c->comm[0] == comm[0] && c->comm[1] == comm[1] &&
	       c->cgroups == who->cgroups;
}

/* Whether a place is the current thread's. Not inlined, so that the verifier sees it once. */
__noinline __u32 why_is_here(__u32 at)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct why_who who = { (__u64)task->cred, (__u64)task->cgroups };
	struct kstats_why_count *c = bpf_map_lookup_elem(&why_counts, &at);

	return c && why_is_of(c, task, &who);
}

static __always_inline __u32 why_place(__u32 tid, __u32 cpu)
{
	return (cpu << KSTATS_WHY_PLACES_BITS) + (tid * GOLDEN >> (32 - KSTATS_WHY_PLACES_BITS));
}

static __always_inline void why_set_counted(struct kstats_why_count *c,
					    const struct task_struct *task,
					    const struct why_who *who)
{
	c->tid = task->pid;
	c->tgid = task->tgid;
	why_comm(c->comm, task);
	c->cgroups = who->cgroups;
	c->uid = bpf_get_current_uid_gid();
	c->cgroup = bpf_get_current_cgroup_id();
	/* The exchange is a barrier: whoever sees these sees the rest. */
	__sync_lock_test_and_set(&c->cred, who->cred);
}

/*
 * Find or make the place of the current thread, near @first. A place that an interrupt came upon
 * while it is filled in counts as another thread's. Returns its number and 1 more; 0: there is
 * none.
 */
__noinline __u64 why_search(__u32 first)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct why_who who = { (__u64)task->cred, (__u64)task->cgroups };
	struct kstats_why_count *c;
	__u32 at;
	__u64 i;

	for (i = 0; i < KSTATS_WHY_TRIES; i = loop_next(i)) {
		at = (first & ~(KSTATS_WHY_TRIES - 1)) | ((first + i) & (KSTATS_WHY_TRIES - 1));
		c = bpf_map_lookup_elem(&why_counts, &at);
		if (!c)
			break;
		if (*(volatile __u32 *)&c->state == KSTATS_WHY_FREE &&
		    !__sync_val_compare_and_swap(&c->state, KSTATS_WHY_FREE, KSTATS_WHY_FILLING))
			why_set_counted(c, task, &who);
		if (why_is_of(c, task, &who))
			return (__u64)at + 1;
	}
	why_lose(KSTATS_WHY_LOST_COUNTS);
	return 0;
}

/* Not static: each of its branches would double the ways through what follows. */
__noinline __u32 why_slot(__u64 ns)
{
	return with_why ? kstats_slot_index(ns, KSTATS_WHY_BITS) : 0;
}

__noinline int why_count_tail(__u32 at, __u64 duration, __u64 base_ns)
{
	struct kstats_why_count *c = bpf_map_lookup_elem(&why_counts, &at);
	__u32 i = why_slot(duration) - why_slot(base_ns);

	if (!c)
		return 0;
	if (i >= KSTATS_WHY_TAIL)
		i = KSTATS_WHY_TAIL - 1;
	__sync_fetch_and_add(&c->tail[i & (KSTATS_WHY_TAIL - 1)], 1);
	return 0;
}

static __always_inline bool why_count(const struct task_struct *task, __u32 cpu, __u64 duration,
				      __u64 base_ns)
{
	__u32 at = why_place(task->pid, cpu);
	struct kstats_why_count *c;
	__u64 found;

	if (!why_is_here(at)) {
		found = why_search(at);
		if (!found)
			return false;
		at = found - 1;
	}
	c = bpf_map_lookup_elem(&why_counts, &at);
	if (!c)
		return false;
	store_add(&c->all, 1);
	if (duration >= base_ns)
		why_count_tail(at, duration, base_ns);
	return true;
}

/* ---- ends ---- */

/*
 * Each call has the same chance to be looked at, whatever came before it and whatever became of
 * it: its start is as good as a random number.
 */
static __always_inline bool why_is_chosen(__u64 start_ns)
{
	return (__u32)start_ns * GOLDEN < *(volatile __u32 *)&why_chance;
}

/* Where calls suddenly are more frequent, not all that are chosen leave a record. */
static __noinline __u64 why_spend(void)
{
	return __sync_fetch_and_add(&why_budget, -1) > 0;
}

/* Of a call that was recorded. @node: its distribution, or that of its key. */
static __always_inline void why_end(const struct event *ev, void *ctx, const struct start *start,
				    __u64 duration, __u32 node, const struct parts_look *look,
				    struct parts_split *split)
{
	__u64 base_ns = with_parts ? why_base_ns : 0;
	bool counted = base_ns, chosen = why_is_chosen(start->ns);
	struct why_call call;

	if (!with_parts) {
		__builtin_memset(split, 0, sizeof(*split));
		split->cpu = PARTS_NO_CPU;
	}
	if (counted)
		counted = why_count(look->task, split->cpu, duration, base_ns);
	if (duration < why_threshold_ns && (!chosen || !why_spend()))
		return;
	__builtin_memset(&call, 0, sizeof(call));
	if (why_shows) {
		call.record = why_show(ctx, duration, start);
		if (!call.record)
			return;
	}
	call.node = node;
	call.start_ns = start->ns;
	call.duration_ns = duration;
	call.place = with_parts && look->p ? look->p->number - 1 : PARTS_NO_PLACE;
	call.is_counted = counted;
	call.is_chosen = chosen;
	why_see(&call, ev, ctx);
	why_record(&call, split);
}

/* ---- tasks ---- */

/* In the waker's context; the wakeup itself may come by an interrupt of another CPU. */
SEC("tp_btf/sched_waking")
int why_waking(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct kstats_parts *p = parts_of(task);
	__u64 ns;

	if (!p || *(volatile __u64 *)&p->state < KSTATS_PART_SLEEPING)
		return 0;
	ns = parts_since(bpf_ktime_get_ns(), *(volatile __u64 *)&p->since_ns);
	if (ns >= why_wait_ns)
		wait_woken(ctx, p, task, ns);
	return 0;
}

/* On each CPU at a fixed frequency. */
SEC("perf_event")
int why_sample(void *ctx)
{
	struct kstats_parts *p = kstats_on ? parts_of(bpf_get_current_task_btf()) : NULL;
	struct kstats_why_record *r;
	__u64 start, ns;
	__u32 at;

	if (!p)
		return 0;
	start = *(volatile __u64 *)&p->waits_ns;
	ns = parts_since(bpf_ktime_get_ns(), start);
	if (!start || ns < why_threshold_ns)
		return 0;
	at = why_claim(KSTATS_WHY_LOST_SAMPLES);
	r = at ? why_at(at - 1) : NULL;
	if (!r)
		return 0;
	r->kind = KSTATS_WHY_SAMPLE;
	r->start_ns = start;
	r->duration_ns = ns;
	why_set_who(r);
	r->n_stack = bpf_get_stack(ctx, r->stack, sizeof(r->stack), 0);
	r->n_user = bpf_get_stack(ctx, r->user, sizeof(r->user), BPF_F_USER_STACK);
	why_publish(at - 1);
	return 0;
}

#endif /* KSTATS_WHY_BPF_H */
