/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callees.bpf.h - the time of a call in the functions that it calls (--callees). In: starts and
 * ends of calls, and of their callees. Out: samples of each callee, and of the call itself. Called
 * by start.bpf.h and interval.bpf.h; the programs on callees are at the end.
 *
 * A callee is in progress from its entry to its return. What it calls in turn is part of it, so at
 * most one is in progress in each call, and their times do not overlap. The call itself has the
 * rest of its duration. So they add up.
 *
 * All of it is in the place that the call's task has for its parts. Only calls on the task's own
 * stack are divided: what runs in an interrupt lies on another one.
 */
#ifndef KSTATS_CALLEES_BPF_H
#define KSTATS_CALLEES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_callees.h"
#include "parts.bpf.h"

const volatile __u32 n_callees; /* functions that are traced within calls */
const volatile __u32 callees_at; /* node of the call itself; then callees, then calls undivided */
const volatile __u32 callees_guard; /* number of the guard of the first callee */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries,
	       1); /* set by user space: KSTATS_CALLEES_DEPTH for each place of a task */
	__type(key, __u32);
	__type(value, struct kstats_callees);
} callees SEC(".maps");

/*
 * What an end has found. The kernel never runs a program inside itself on one CPU, and there is one
 * program for all ends.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kstats_callees);
} callees_found SEC(".maps");

/* Those of the call with the number @at of a task's place. */
static __always_inline struct kstats_callees *callees_of(const struct kstats_parts *p, __u64 at)
{
	__u32 i = (p->number - 1) * KSTATS_CALLEES_DEPTH + (at & (KSTATS_CALLEES_DEPTH - 1));

	return bpf_map_lookup_elem(&callees, &i);
}

/* The call began at @ns. An interrupt may come in between and have a call of its own, elsewhere. */
static __noinline void callees_begin(const struct parts_open *o, __u64 ns)
{
	struct kstats_callees *c;
	__u32 i;

	if (!o->p || !ns)
		return;
	c = callees_of(o->p, o->at);
	if (!c)
		return;
	/* First: whoever reads what an outer call has left here sees that it is gone. */
	*(volatile __u64 *)&c->call_ns = 0;
#pragma clang loop unroll(full)
	for (i = 0; i < KSTATS_CALLEES_MAX; i++)
		*(volatile __u64 *)&c->ns[i] = 0;
	c->ident = 0;
	c->is_lost = 0;
	c->called = 0;
	*(volatile __u64 *)&c->call_ns = ns;
}

/* What is not static is verified as in parts.bpf.h. */

/* Before the place is given back: keep what is known of the call that began at @ns. */
__noinline int callees_end(struct kstats_parts *p, __u64 ns)
{
	__u32 zero = 0, i;
	struct kstats_callees *found = bpf_map_lookup_elem(&callees_found, &zero);
	struct kstats_callees *c;
	__u64 top, at;

	if (!n_callees || !found)
		return 0;
	found->call_ns = 0;
	if (!p)
		return 0;
	top = *(volatile __u64 *)&p->top;
	for (at = 1; at <= KSTATS_CALLEES_DEPTH; at = loop_next(at)) {
		c = callees_of(p, top - at);
		if (!c || *(volatile __u64 *)&c->call_ns != ns)
			continue;
#pragma clang loop unroll(full)
		for (i = 0; i < KSTATS_CALLEES_MAX; i++)
			found->ns[i] = *(volatile __u64 *)&c->ns[i];
		found->called = c->called;
		/* At their ends, programs of a session do not know the frame of the call. */
		found->ident = parts_call(p, top - at)->ident;
		/* One that is in progress has lost its end. */
		found->is_lost = c->is_lost | c->ident;
		/* Interrupts that lose many ends may have used it for another call. */
		found->call_ns = *(volatile __u64 *)&c->call_ns;
		return 0;
	}
	return 0;
}

/* ---- what the kernel skips ---- */

/*
 * May a program on a callee have been skipped since the call began? A task that did not leave its
 * processor can have lost something on that one only.
 */
static __noinline bool callees_skipped_since(__u64 start_ns, bool left)
{
	__u32 cpu = bpf_get_smp_processor_id(), own = callees_guard, zero = 0;
	struct kstats_seen *seen = bpf_map_lookup_elem(&guards_seen, &own);
	struct kstats_heres *h = bpf_map_lookup_elem(&heres, &zero);
	struct kstats_guard *kept = guard_of(own), *guard;
	__u64 sum = 0, i;

	if (!seen || !h || !kept || cpu >= KSTATS_CPUS_MAX)
		return true;
	for (i = 0; i < KSTATS_CALLEES_MAX && i < n_callees; i = loop_next(i)) {
		guard = guard_of(own + i);
		if (guard)
			sum += left ? guard_sum(guard) : guard_sum_here(guard, h->at[cpu]);
	}
	if (left) {
		if (sum == *(volatile __u64 *)&kept->skipped)
			return *(volatile __u64 *)&kept->since_ns > start_ns;
		guard_renew(kept, sum);
		return true;
	}
	if (sum == seen->skipped)
		return seen->since_ns > start_ns;
	seen->skipped = sum;
	seen->since_ns = bpf_ktime_get_ns();
	return true;
}

/* ---- samples ---- */

/*
 * Of a call that was recorded. No callee takes longer than what is left of
 * the call. Callees in interrupts are not followed: others come on top of them on the same stack,
 * and the kernel may skip both programs on one. What is recorded is left for callees_keep().
 */
__noinline int callees_record(__u64 start_ns, __u64 duration, const struct parts_split *split)
{
	__u32 zero = 0, last = callees_at + n_callees + 1;
	struct kstats_callees *found = bpf_map_lookup_elem(&callees_found, &zero);
	__u64 ns, i;

	if (!n_callees || !split)
		return 0;
	if (!found || found->call_ns != start_ns || found->is_lost ||
	    !on_stack_of(bpf_get_current_task_btf(), found->ident) ||
	    (may_doubt && callees_skipped_since(start_ns, !split->known || split->left))) {
		store_sample_node(last, duration);
		if (found)
			found->call_ns = 0;
		return 0;
	}
	for (i = 0; i < KSTATS_CALLEES_MAX && i < n_callees; i = loop_next(i)) {
		if (!(found->called >> i & 1))
			continue;
		ns = found->ns[i & KSTATS_CALLEES_MAX];
		if (ns > duration)
			ns = duration;
		found->ns[i & KSTATS_CALLEES_MAX] = ns;
		duration -= ns;
		store_sample_node(callees_at + 1 + i, ns);
	}
	found->ns[KSTATS_CALLEES_MAX] = duration;
	store_sample_node(callees_at, duration);
	return 0;
}

/* The same into the record of the call, if it was divided; see struct kstats_why_record. */
static __always_inline bool callees_keep(__u64 start_ns, __u64 ns[KSTATS_CALLEES_MAX + 1])
{
	__u32 zero = 0, i;
	const struct kstats_callees *found = bpf_map_lookup_elem(&callees_found, &zero);

	if (!found || found->call_ns != start_ns)
		return false;
#pragma clang loop unroll(full)
	for (i = 0; i <= KSTATS_CALLEES_MAX; i++)
		ns[i] = found->ns[i];
	return true;
}

/* ---- programs on callees: loaded only if they are asked for ---- */

/*
 * The innermost open call of the current task whose frame lies above @at on the same stack: so @at
 * is within it. Above it may lie calls in interrupts whose ends were skipped. Returns its number
 * and 1 more, or 0.
 */
__noinline __u64 callees_search(struct kstats_parts *p, __u32 at)
{
	struct kstats_parts_call *call;
	__u64 i, top;

	if (!n_callees || !p)
		return 0;
	top = *(volatile __u64 *)&p->top;
	for (i = 1; i <= KSTATS_STACK_DEPTH; i = loop_next(i)) {
		call = parts_call(p, top - i);
		if (*(volatile __u64 *)&call->start_ns && unwound(at, call->ident))
			return top - i + 1;
	}
	return 0;
}

static __always_inline struct kstats_callees *callees_around(__u32 at)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct kstats_parts *p = on_stack_of(task, at) ? parts_of(task) : NULL;
	__u64 found = p ? callees_search(p, at) : 0;
	struct kstats_callees *c = found ? callees_of(p, found - 1) : NULL;

	return c && c->call_ns == parts_call(p, found - 1)->start_ns ? c : NULL;
}

SEC("?fentry")
int callee_enter(void *ctx)
{
	__u32 at = address_low(ctx), nth = hook_patched();
	struct kstats_callees *c = callees_around(at);

	if (!c || nth >= KSTATS_CALLEES_MAX)
		return 0;
	if (c->ident > at)
		return 0; /* another callee calls it */
	c->is_lost |= c->ident;
	c->nth = nth;
	c->ident = at;
	c->since_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?fexit")
int callee_leave(void *ctx)
{
	__u32 at = address_low(ctx), nth = hook_patched();
	__u64 now = bpf_ktime_get_ns();
	struct kstats_callees *c = callees_around(at);

	if (!c || nth >= KSTATS_CALLEES_MAX || c->ident > at)
		return 0;
	/* Nothing that is in progress lies deeper than this. */
	if (c->ident != at || c->nth != nth) {
		c->is_lost = 1;
		c->ident = 0;
		return 0;
	}
	c->ns[nth] += parts_since(now, c->since_ns);
	c->called |= 1U << nth;
	c->ident = 0;
	return 0;
}

#endif /* KSTATS_CALLEES_BPF_H */
