/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr.bpf.h - the conditions of --if and the expressions of --key and --value. In: the context of
 * an event. Out: whether the event is measured, its key, and its sample; for a start that is not
 * measured, its end must find no start. Called by interval.bpf.h.
 */
#ifndef KSTATS_EXPR_BPF_H
#define KSTATS_EXPR_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "key.bpf.h"
#include "stack.bpf.h"
#include "store.bpf.h"

const volatile bool if_at_start; /* starts have a condition */
const volatile bool if_at_end; /* ends have one */
const volatile bool by_value; /* ends have a value, which is the sample */
const volatile bool value_is_fixed; /* the value at one point is a constant, without a condition */
const volatile __u64 value_fixed; /* that number */
const volatile bool counts_switches; /* expressions at an end need the switches of the call */
const volatile bool key_by_expr; /* the key is no parameter, but an expression */

/*
 * Whether the condition is evaluated before this program and before that of the other end: both
 * then see only calls for which it is true. Patched before a copy of the program is loaded.
 */
static __always_inline bool is_gated(void)
{
	__u64 word;

	INSN_PATCHED(word, KSTATS_GATE_MAGIC);
	return word;
}

EXPR_FUNCTION(expr_start, KSTATS_EXPR_START_MAGIC)
EXPR_FUNCTION(expr_end, KSTATS_EXPR_END_MAGIC)
EXPR_FUNCTION(expr_key, KSTATS_EXPR_KEY_MAGIC)
EXPR_FUNCTION(expr_point, KSTATS_EXPR_POINT_MAGIC)
EXPR_FUNCTION(expr_keep, KSTATS_EXPR_KEEP_MAGIC)

static __always_inline __u64 start_outcome(void *ctx)
{
	return expr_start(ctx, (__u64 *)opaque(0), opaque(0));
}

/* @sample: the duration; receives the value, if there is one and the outcome is KSTATS_EXPR_YES */
static __always_inline __u64 end_outcome(void *ctx, __u64 *sample)
{
	__u64 value = 0, outcome;

	if (!by_value)
		return expr_end(ctx, (__u64 *)opaque(0), *sample);
	outcome = expr_end(ctx, &value, *sample);
	*sample = value;
	return outcome;
}

/* The same of one point, where there is no duration. Sets @value only with KSTATS_EXPR_YES. */
static __always_inline __u64 point_outcome(void *ctx, bool at_end, __u64 *value)
{
	__u64 number = 0, outcome;

	if (value_is_fixed) {
		*value = value_fixed;
		return KSTATS_EXPR_YES;
	}
	outcome = at_end ? expr_end(ctx, &number, opaque(0)) : expr_start(ctx, &number, opaque(0));
	*value = number;
	return outcome;
}

/* Sets @key only if the outcome is KSTATS_EXPR_YES. */
static __always_inline __u64 key_outcome(void *ctx, __u64 *key)
{
	__u64 value = 0, outcome = expr_key(ctx, &value, opaque(0));

	*key = value;
	return outcome;
}

/* How often the task has left the processor since the start. */
static __always_inline __u64 switches_since(const struct start *start)
{
	return (__u32)(switches_of(bpf_get_current_task_btf()) - start->switches);
}

/* Whether expressions at an end need something of its start. */
static __always_inline bool needs_start(const struct event *ev)
{
	return ev->is_several || counts_switches;
}

/** struct asked - where a value goes, behind what was kept of the start: see EXPR_KEPT_AT */
struct asked {
	__u64 switches;
	__u64 kept[KSTATS_KEPT_WORDS];
	__u64 value;
};

/* The same as end_outcome() where needs_start(). */
static __always_inline __u64 end_outcome_kept(void *ctx, __u64 *sample, const struct start *start)
{
	struct asked asked = {};
	__u64 outcome;

	if (kept_words)
		__builtin_memcpy(asked.kept, start->kept, sizeof(asked.kept));
	if (counts_switches)
		asked.switches = switches_since(start);
	outcome = expr_end(ctx, &asked.value, *sample);
	if (by_value)
		*sample = asked.value;
	return outcome;
}

/* The values of a start that its end needs. */
static __always_inline __u64 keep_outcome(void *ctx, __u64 *words)
{
	return kept_exprs ? expr_keep(ctx, words, opaque(0)) : KSTATS_EXPR_YES;
}

/* The condition of one point among several, which decides whether the event is that point. */
static __always_inline __u64 own_outcome(void *ctx)
{
	return expr_point(ctx, (__u64 *)opaque(0), opaque(0));
}

#define MARK_NODE (~0U) /* has no ledger, so that nobody counts a mark that is given up */

static __always_inline void expr_count(struct kstats_cell *cell, __u64 outcome)
{
	store_count(cell, outcome == KSTATS_EXPR_NO         ? KSTATS_IF
			  : outcome == KSTATS_EXPR_DIVISION ? KSTATS_DIVISION
			  : outcome == KSTATS_EXPR_NEGATIVE ? KSTATS_NEGATIVE
							    : KSTATS_UNREADABLE);
}

/*
 * Ends of a pair take the newest start, so this one has to be there, with a mark. Only those of
 * interrupts may come upon an end, which tells them from older ones by their time.
 */
static __always_inline void mark_push(const struct event *ev)
{
	struct kstats_stack *st = stack_of(bpf_get_current_task_btf(), true);
	__u64 top, dropped = 0, mark = KSTATS_START_MARK;
	struct kstats_stamp *e;

	if (!st)
		return;
	top = *(volatile __u64 *)&st->top;
	*(volatile __u64 *)&st->top = top + 1;
	e = stack_at(st, top);
	if (e->start_ns)
		dropped = stack_claim(st, top + 1);
	e->ident = ev->ident;
	e->node = MARK_NODE;
	if (ev->ident != KSTATS_LEVEL_TASK)
		mark = bpf_ktime_get_ns() | KSTATS_MARK_TIMED;
	*(volatile __u64 *)&e->start_ns = mark;
	if (!ev->is_several)
		stack_top_again(st, top + 1);
	else if (dropped)
		stack_drop_interrupts(st, top + 1, stamp_ns(dropped));
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

	if (!st)
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

static __noinline int cpu_forget(__u32 node, __u32 ident, bool is_pair)
{
	struct kstats_cell *cell = store_cell(node);

	if (!cell || *(volatile __u32 *)&cell->ident != ident)
		return 0;
	if (*(volatile __u64 *)&cell->start_ns && __sync_lock_test_and_set(&cell->start_ns, 0))
		store_count(cell, is_pair ? KSTATS_AGAIN : KSTATS_SUPERSEDED);
	return 0;
}

#endif /* KSTATS_EXPR_BPF_H */
