/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.bpf.h - where the time of a call goes (--parts). In: starts and ends of calls, switches
 * and wakeups of tasks, interrupts. Out: the parts of a call's duration. Called by interval.bpf.h;
 * the programs that follow tasks are at the end, those on interrupts in parts_irq.bpf.h.
 *
 * A task with an open call has a place, which adds up its time off the processor. A call's parts
 * are the differences of these sums between its start and its end, and it ran for the rest of its
 * duration. So the parts add up, whatever is nested.
 *
 * The scheduler's programs run while a lock is held that they have in common: a task is switched
 * out, woken, and switched in one after the other. The task itself only writes while it runs.
 */
#ifndef KSTATS_PARTS_BPF_H
#define KSTATS_PARTS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_parts.h"
#include "event.bpf.h"
#include "loop.bpf.h"
#include "stack.bpf.h"
#include "store.bpf.h"
#include "verify.bpf.h"
#include "waits.bpf.h"

#define PARTS_NO_CPU (~0U) /* where a call began of which no start is kept */
#define PARTS_NO_PLACE (~0U)

const volatile bool with_parts;
const volatile bool parts_numbered; /* others keep something for each place */
const volatile __u32 parts_at; /* node of the first part of the first function or pair */
const volatile __u32 parts_shift; /* 32 less the bits of a bucket's number */

/* States of a task, see the kernel's sched.h. */
#define TASK_IS_UNINTERRUPTIBLE 0x2
#define TASK_IS_NOLOAD 0x400 /* a thread of the kernel that has nothing to do */
#define TASK_WAITS_FOR_RTLOCK 0x1000

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space */
	__type(key, __u32);
	__type(value, struct kstats_parts_bucket);
} parts SEC(".maps");

/** struct parts_open - a call that is about to begin */
struct parts_open {
	struct kstats_parts *p; /* place of the task; NULL: there is none left */
	__u64 at; /* number of the call in it */
	__u32 ident; /* as in struct event */
	__u32 node;
	bool is_pair;
	bool claims; /* the place is given back at this call's end */
};

/** struct parts_look - a task at an end */
struct parts_look {
	struct kstats_parts *p;
	const struct task_struct *task; /* only with_why */
	__u64 irq_ns; /* shortly before the end, as all it has is to be in the call */
	struct kstats_parts_sums sums; /* shortly after it */
};

/** struct parts_split - a duration in parts */
struct parts_split {
	__u64 ns[KSTATS_PART_TIMES]; /* by enum kstats_part */
	__u16 left; /* the task left the processor */
	__u16 known; /* the call has parts */
	__u32 cpu; /* processor at its start; only with_why */
};

static __always_inline struct kstats_parts_bucket *parts_bucket(__u32 task_low)
{
	__u32 i = task_low * GOLDEN >> parts_shift;

	return bpf_map_lookup_elem(&parts, &i);
}

/* The place of a task, or NULL if it has no open call. */
static __always_inline struct kstats_parts *parts_of(const struct task_struct *task)
{
	struct kstats_parts_bucket *b = parts_bucket(address_low(task));
	__u32 i;

	/* Usually no task with an open call has an address like this one. */
	if (!b || !*(volatile __u64 *)&b->used)
		return NULL;
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_PARTS_WAYS; i++)
		if (*(volatile __u64 *)&b->owner[i] == (__u64)task)
			return &b->parts[i];
	return NULL;
}

static __always_inline struct kstats_parts_call *parts_call(struct kstats_parts *p, __u64 at)
{
	struct kstats_parts_call *c = &p->calls[at & (KSTATS_STACK_DEPTH - 1)];

	/* Makes the compiler use one address for all members. */
	asm("" : "+r"(c));
	return c;
}

/* ---- calls ---- */

/*
 * The place @i is now the current task's. An interrupt may have taken one before that, which was
 * free by then, and have lost its end: the first of both is the one that is found. So is it by all
 * interrupts from here on. Returns it.
 */
static __noinline __u32 parts_keep_first(__u32 i)
{
	__u64 me = bpf_get_current_task(), k;
	struct kstats_parts_bucket *b = parts_bucket((__u32)me);

	if (!b) /* never; for the verifier */
		return i;
	for (k = 0; k < KSTATS_PARTS_WAYS && k < i; k = loop_next(k)) {
		if (*(volatile __u64 *)&b->owner[k] != me)
			continue;
		__sync_lock_test_and_set(&b->owner[i & (KSTATS_PARTS_WAYS - 1)], 0);
		return k;
	}
	return i;
}

/*
 * Take a free place for the call @o. An interrupt may come in between and take one for a call of
 * its own: it gives that back at the call's end.
 */
static __noinline void parts_claim(struct parts_open *o)
{
	__u64 me = bpf_get_current_task(), was;
	struct kstats_parts_bucket *b = parts_bucket((__u32)me);
	__u32 i, first;

	if (!b) /* never; for the verifier */
		return;
	/* Before the place is taken, and undone if it is not: an interrupt finds what is owned. */
	__sync_fetch_and_add(&b->used, 1);
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_PARTS_WAYS; i++) {
		was = *(volatile __u64 *)&b->owner[i];
		if (!was)
			was = __sync_val_compare_and_swap(&b->owner[i], 0, me);
		if (was && was != me)
			continue;
		first = i && !was ? parts_keep_first(i) : i;
		o->p = &b->parts[first & (KSTATS_PARTS_WAYS - 1)];
		o->claims = !was && first == i;
		/* Whoever has it later finds the same number. */
		if (parts_numbered && !o->p->number)
			o->p->number =
				((__u32)me * GOLDEN >> parts_shift) * KSTATS_PARTS_WAYS + first + 1;
		if (!o->claims)
			break;
		o->p->in_ns = bpf_ktime_get_ns();
		return;
	}
	__sync_fetch_and_add(&b->used, -1);
}

static __noinline void parts_give_back(void)
{
	__u64 me = bpf_get_current_task();
	struct kstats_parts_bucket *b = parts_bucket((__u32)me);
	__u32 i;

	if (!b) /* never; for the verifier */
		return;
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_PARTS_WAYS; i++) {
		if (*(volatile __u64 *)&b->owner[i] != me)
			continue;
		b->parts[i].top = 0;
		b->parts[i].claim_ns = b->parts[i].waits_ns = 0;
		/* An exchange is a barrier: the next owner finds the place empty. */
		__sync_lock_test_and_set(&b->owner[i], 0);
		__sync_fetch_and_add(&b->used, -1);
		return;
	}
}

/*
 * The verifier goes through each of the functions that are not static once, and not at every call,
 * with all that it knows there. Of their arguments it knows nothing, so a pointer may be NULL. Up
 * to 6.7 it also goes through those that nothing calls, so they end at once without parts.
 */

/* Look further down for the call that began at @ns. Returns its number and 1 more, or 0. */
__noinline __u64 parts_search(struct kstats_parts *p, __u64 top, __u64 ns)
{
	__u64 i;

	if (!with_parts || !p)
		return 0;
	for (i = 2; i <= KSTATS_STACK_DEPTH; i = loop_next(i))
		if (parts_call(p, top - i)->start_ns == ns)
			return top - i + 1;
	return 0;
}

/* What parts_drop() has found. */
enum parts_dropped {
	PARTS_NONE, /* no call */
	PARTS_OPEN, /* a call that may be open */
	PARTS_OVER, /* a call that is over */
	PARTS_OVER_CLAIMS, /* the same, for which the task took its place */
};

/* Drop the topmost call if it is over: see is_over(). Returns an enum parts_dropped. */
__noinline int parts_drop(struct kstats_parts *p, __u32 ident, __u32 node, __u32 is_task)
{
	struct kstats_parts_call *c;
	struct kstats_stamp was = {};
	__u64 top;
	int found;

	if (!with_parts || !p)
		return PARTS_NONE;
	top = *(volatile __u64 *)&p->top - 1;
	c = parts_call(p, top);
	was.ident = c->ident;
	was.node = c->node;
	if (!*(volatile __u64 *)&c->start_ns)
		return PARTS_NONE;
	if (!is_over(&was, ident, node, is_task))
		return PARTS_OPEN;
	found = c->claims ? PARTS_OVER_CLAIMS : PARTS_OVER;
	*(volatile __u64 *)&c->start_ns = 0;
	*(volatile __u64 *)&p->top = top;
	return found;
}

/*
 * Drop calls whose end was not seen, as when a program leaves them by longjmp(). The
 * new call is the outermost one in place of that for which the task took its place, or whose number
 * others have taken, nested deeper than is kept: then nothing below it is known to be open. But
 * below it may be one that begins: where tasks are preempted inside programs, functions of the
 * scheduler are called there. Ends that were skipped in interrupts are found by the next call of
 * the task itself: a call in an interrupt may have come upon one that begins. Points of a pair have
 * no frames. Returns whether the new call is the outermost one in place of another.
 */
__noinline int parts_unwind(struct kstats_parts *p, __u32 ident, __u32 node)
{
	bool is_task = on_stack_of(bpf_get_current_task_btf(), ident);
	__u64 i;
	int found;

	if (!with_parts || !p)
		return 0;
	for (i = 0; i < KSTATS_STACK_DEPTH; i = loop_next(i)) {
		found = parts_drop(p, ident, node, is_task);
		if (found == PARTS_OPEN)
			return 0;
		if (found == PARTS_OVER_CLAIMS)
			return 1;
		if (found == PARTS_NONE)
			break;
	}
	return p->claim_ns && !parts_search(p, *(volatile __u64 *)&p->top, p->claim_ns);
}

/* A task takes the next call's number before it fills it in: an interrupt has the one above. */
static __always_inline void parts_begin(struct parts_open *o, const struct event *ev)
{
	o->p = parts_of(bpf_get_current_task_btf());
	o->ident = ev->at;
	o->node = hook_node(ev);
	o->is_pair = ev->is_pair;
	o->claims = false;
	if (!o->p)
		parts_claim(o);
	if (!o->p)
		return;
	if (!o->claims && !ev->is_pair &&
	    (ev->place == EVENT_USER || on_stack_of(bpf_get_current_task_btf(), ev->at)))
		o->claims = parts_unwind(o->p, o->ident, o->node);
	o->at = *(volatile __u64 *)&o->p->top;
	*(volatile __u64 *)&o->p->top = o->at + 1;
}

/*
 * The task's sums at @ns, which is now, or shortly ago. False if it was switched in since then, and
 * so was off the processor after @ns: some kernels preempt tasks inside programs.
 */
static __always_inline bool parts_sums(struct kstats_parts *p, __u64 ns,
				       struct kstats_parts_sums *sums)
{
	__u32 i;

	for (i = 0; i < KSTATS_PARTS_OFF; i++)
		sums->off_ns[i] = *(volatile __u64 *)&p->sums.off_ns[i];
	sums->switches = *(volatile __u64 *)&p->sums.switches;
	/* Last: a switch before this is seen. */
	return *(volatile __u64 *)&p->in_ns <= ns;
}

/* The call began at @ns; 0: it did not begin. */
static __always_inline void parts_began(const struct parts_open *o, __u64 ns)
{
	struct kstats_parts *p = o->p;
	struct kstats_parts_call *c;

	if (!p)
		return;
	if (!ns) {
		*(volatile __u64 *)&p->top = o->at;
		if (o->claims)
			parts_give_back();
		return;
	}
	c = parts_call(p, o->at);
	c->known = parts_sums(p, ns, &c->sums);
	c->irq_ns = *(volatile __u64 *)&p->irq_ns;
	c->claims = o->claims;
	c->ident = o->ident;
	c->node = o->node;
	if (with_why)
		c->cpu = bpf_get_smp_processor_id();
	if (o->claims)
		p->claim_ns = ns;
	/* Of a pair it is not known which call lost its end, so the last one counts. */
	if (with_why && (o->claims || o->is_pair))
		p->waits_ns = ns;
	*(volatile __u64 *)&c->start_ns = ns;
}

/* Before the end reads the clock. */
static __always_inline void parts_look(struct parts_look *look)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	look->p = parts_of(task);
	if (with_why)
		look->task = task;
	if (look->p)
		look->irq_ns = *(volatile __u64 *)&look->p->irq_ns;
}

/* The end is at @ns. Of a task that was switched in since then, nothing is known. */
static __always_inline void parts_see(struct parts_look *look, __u64 ns, struct parts_split *split)
{
	split->known = look->p && parts_sums(look->p, ns, &look->sums);
}

/* No part is longer than what is left of the call: the clocks of two CPUs may differ slightly. */
static __always_inline void parts_subtract(const struct parts_look *look,
					   const struct kstats_parts_call *c, __u64 duration,
					   struct parts_split *split)
{
	__u64 ns;
	__u32 i;

	for (i = 0; i < KSTATS_PARTS_OFF; i++) {
		ns = look->sums.off_ns[i] - c->sums.off_ns[i];
		if (ns > duration)
			ns = duration;
		split->ns[KSTATS_PART_RUNNABLE + i] = ns;
		duration -= ns;
	}
	split->ns[KSTATS_PART_RUNNING] = duration;
	ns = look->irq_ns - c->irq_ns;
	split->ns[KSTATS_PART_INTERRUPTED] = ns < duration ? ns : duration;
	split->left = look->sums.switches != c->sums.switches;
	split->known &= c->known;
	split->cpu = with_why ? c->cpu : PARTS_NO_CPU;
}

/* All of it: the verifier lets no other function see what was never written. */
static __always_inline void parts_unknown(struct parts_split *split)
{
	__builtin_memset(split, 0, sizeof(*split));
	split->cpu = PARTS_NO_CPU;
}

/* The call that began at @ns is over, after @duration. */
static __noinline void parts_end(const struct parts_look *look, __u64 ns, __u64 duration,
				 struct parts_split *split)
{
	struct kstats_parts *p = look->p;
	struct kstats_parts_call *c;
	__u64 at;

	if (!p) {
		parts_unknown(split);
		return;
	}
	at = *(volatile __u64 *)&p->top - 1;
	if (parts_call(p, at)->start_ns != ns) {
		at = parts_search(p, at + 1, ns);
		if (!at) {
			parts_unknown(split);
			/* Others, nested deeper than the kernel keeps, have taken its number. */
			if (p->claim_ns == ns)
				parts_give_back();
			return;
		}
		at--;
	}
	c = parts_call(p, at);
	parts_subtract(look, c, duration, split);
	/* Interrupts that lose many ends may have used it for another call. */
	split->known &= *(volatile __u64 *)&c->start_ns == ns;
	*(volatile __u64 *)&c->start_ns = 0;
	/* From here on a call in an interrupt may take its number. */
	*(volatile __u64 *)&p->top = at;
	if (p->claim_ns == ns)
		parts_give_back();
}

/* ---- samples ---- */

/*
 * Of a call that was recorded: @nth is its function or pair. The verifier goes through what is not
 * static only once.
 */
__noinline int parts_record(const struct parts_split *split, __u32 nth, __u64 duration)
{
	__u32 first = parts_at + nth * KSTATS_PARTS_N;
	__u64 i;

	if (!with_parts || !split)
		return 0;
	if (!split->known) {
		store_sample_node(first + KSTATS_PART_UNSPLIT, duration);
		return 0;
	}
	for (i = 0; i < KSTATS_PART_TIMES; i = loop_next(i))
		store_sample_node(first + i, split->ns[i & 7]);
	if (split->left)
		store_sample_node(first + KSTATS_PART_LEFT, duration);
	return 0;
}

/* ---- tasks ---- */

static __always_inline __u64 parts_since(__u64 now, __u64 ns)
{
	return now > ns ? now - ns : 0;
}

/*
 * A task that is preempted, or that has found a signal on its way to sleep, waits for a
 * processor. The kernel gives its state as it was before it looked for signals.
 */
static __always_inline enum kstats_part parts_state(const struct task_struct *prev, bool preempt,
						    __u32 state)
{
	if (preempt || !state || !prev->__state)
		return KSTATS_PART_RUNNABLE;
	if (state & TASK_WAITS_FOR_RTLOCK ||
	    (state & TASK_IS_UNINTERRUPTIBLE && !(state & TASK_IS_NOLOAD)))
		return KSTATS_PART_BLOCKED;
	return KSTATS_PART_SLEEPING;
}

static __always_inline void parts_add(struct kstats_parts *p, __u64 now)
{
	__u32 i = p->state - KSTATS_PART_RUNNABLE;

	if (i < KSTATS_PARTS_OFF)
		p->sums.off_ns[i] += parts_since(now, p->since_ns);
}

/* Interrupts are off here, so the kernel skips none of them. */
SEC("tp_btf/sched_switch")
int parts_switch(__u64 *ctx)
{
	const struct task_struct *prev = (const struct task_struct *)ctx[1];
	struct task_struct *next = (struct task_struct *)ctx[2];
	struct kstats_parts *p = parts_of(prev);
	enum kstats_part state;

	if (p) {
		p->sums.switches++;
		state = parts_state(prev, ctx[0], ctx[3]);
		if (with_why && state != KSTATS_PART_RUNNABLE)
			wait_asleep(ctx, p);
		/* In this order: a waker on another CPU reads both without the lock. */
		*(volatile __u64 *)&p->since_ns = bpf_ktime_get_ns();
		__sync_lock_test_and_set(&p->state, state);
		if (with_why && state == KSTATS_PART_RUNNABLE)
			wait_preempted(p, next);
	}
	p = parts_of(next);
	if (p && p->state) {
		p->in_ns = bpf_ktime_get_ns();
		parts_add(p, p->in_ns);
		if (with_why && p->state == KSTATS_PART_RUNNABLE)
			wait_ran(p, next, prev, parts_since(p->in_ns, p->since_ns));
		p->state = KSTATS_PART_RUNNING;
	}
	return 0;
}

SEC("tp_btf/sched_wakeup")
int parts_wakeup(__u64 *ctx)
{
	struct kstats_parts *p = parts_of((const struct task_struct *)ctx[0]);
	__u64 now;

	if (!p || p->state < KSTATS_PART_SLEEPING)
		return 0;
	now = bpf_ktime_get_ns();
	parts_add(p, now);
	if (with_why)
		wait_ends(p, parts_since(now, p->since_ns));
	p->state = KSTATS_PART_RUNNABLE;
	p->since_ns = now;
	return 0;
}

/* A task that died inside a call gives its place back. */
SEC("tp_btf/sched_process_free")
int parts_free(__u64 *ctx)
{
	const struct task_struct *task = (const struct task_struct *)ctx[0];
	struct kstats_parts_bucket *b = parts_bucket(address_low(task));
	__u32 i;

	if (!b) /* never; for the verifier */
		return 0;
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_PARTS_WAYS; i++) {
		if (b->owner[i] != (__u64)task)
			continue;
		b->parts[i].top = 0;
		b->parts[i].claim_ns = b->parts[i].waits_ns = 0;
		b->parts[i].state = KSTATS_PART_RUNNING;
		__sync_lock_test_and_set(&b->owner[i], 0);
		__sync_fetch_and_add(&b->used, -1);
	}
	return 0;
}

#endif /* KSTATS_PARTS_BPF_H */
