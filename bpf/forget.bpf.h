/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forget.bpf.h - starts that do not count: their ends must find neither a start of their own nor
 * one that was left behind before. In: what identifies the call. Out: marks in place of starts, and
 * what becomes of older starts in the ledger. Called by start.bpf.h.
 */
#ifndef KSTATS_FORGET_BPF_H
#define KSTATS_FORGET_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "by.bpf.h"
#include "expr.bpf.h"
#include "filter.bpf.h"
#include "key.bpf.h"
#include "loop.bpf.h"
#include "stack.bpf.h"
#include "store.bpf.h"

/* Whether some starts may be left out: else the kernel need not verify what becomes of them. */
static __always_inline bool starts_leave_out(void)
{
	return who_later || if_at_start || by_at_start;
}

/*
 * Put a mark in place of starts at this frame. stack_unwind() does not see these where a start in
 * an interrupt lies above them, which lost its end. Its place may be that of an open call.
 * It is not static: so the kernel verifies its loop once, and not for each state of the caller.
 */
__noinline int stack_mark(struct kstats_stack *st, __u32 ident, __u32 node)
{
	struct kstats_stamp *e;
	__u64 i, top, start;

	if (!st || !starts_leave_out())
		return 0;
	top = *(volatile __u64 *)&st->top;
	for (i = 1; i <= KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = stack_at(st, top - i);
		start = *(volatile __u64 *)&e->start_ns;
		if (!start && *(volatile __u64 *)&st->top != top)
			continue;
		if (!start || unwound(ident, e->ident))
			return 0;
		if (e->ident != ident || e->node != node || start == KSTATS_START_MARK)
			continue;
		if (__sync_val_compare_and_swap(&e->start_ns, start, KSTATS_START_MARK) == start &&
		    start >= epoch_ns)
			store_count_node(node, KSTATS_END_MISSED);
	}
	return 0;
}

/* Of calls only those with the same frame have to go, and what is above: they are over. */
static __always_inline void call_forget(const struct event *ev)
{
	struct kstats_stack *st = stack_if_any(bpf_get_current_task_btf());
	__u64 top;

	if (!st)
		return;
	top = *(volatile __u64 *)&st->top;
	if (may_be_over(stack_at(st, top - 1), ev->ident)) {
		stack_unwind(st, ev->ident, hook_node(ev));
		stack_mark(st, ev->ident, hook_node(ev));
	}
}

/*
 * Ends of a pair take the newest start, so this one has to be there, with a mark. @older: only
 * where a start that counts is open.
 */
static __noinline int pair_forget(__u32 level, __u32 node, bool is_several, bool older)
{
	struct event ev = {
		.ident = level,
		.has_hook = true,
		.hook = node,
		.is_pair = true,
		.is_several = is_several,
	};
	struct kstats_stack *st = older ? stack_if_any(bpf_get_current_task_btf())
					: stack_of(bpf_get_current_task_btf(), true);

	if (st && (!older || stack_has_open(st, level)))
		stack_push(st, &ev, MARK_NODE, NULL, NULL);
	return 0;
}

static __noinline int key_forget(__u64 key, __u32 node)
{
	if (key_end_take(key, node, ANY_TIME))
		store_count_node(node, KSTATS_AGAIN);
	return 0;
}

#endif /* KSTATS_FORGET_BPF_H */
