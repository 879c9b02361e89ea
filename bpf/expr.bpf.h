/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr.bpf.h - the conditions of --if and the expressions of --key and --value. In: the context of
 * an event. Out: whether the event is measured, its key, and its sample. Called by start.bpf.h and
 * interval.bpf.h.
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

static __always_inline void expr_count(struct kstats_cell *cell, __u64 outcome)
{
	store_count(cell, outcome == KSTATS_EXPR_NO         ? KSTATS_IF
			  : outcome == KSTATS_EXPR_DIVISION ? KSTATS_DIVISION
			  : outcome == KSTATS_EXPR_NEGATIVE ? KSTATS_NEGATIVE
							    : KSTATS_UNREADABLE);
}

#endif /* KSTATS_EXPR_BPF_H */
