/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * start.bpf.h - settings of pairing, and the starts of calls and pairs. In: start events with the
 * hook word, what identifies the call, and the key. Out: open stamps, and ledger counters in the
 * cells. Called by interval.bpf.h and kstats.bpf.c.
 */
#ifndef KSTATS_START_BPF_H
#define KSTATS_START_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "by.bpf.h"
#include "cpu.bpf.h"
#include "expr.bpf.h"
#include "filter.bpf.h"
#include "first.bpf.h"
#include "forget.bpf.h"
#include "kept.bpf.h"
#include "key.bpf.h"
#include "callees.bpf.h"
#include "stack.bpf.h"
#include "store.bpf.h"
#include "verify.bpf.h"

#define ERRNO_MAX 4095
#define CLOCKS_APART_NS 1000000 /* more than the clocks of two CPUs differ */

const volatile __u32 pairing = KSTATS_BY_TASK;
const volatile bool is_pair; /* start and end are different points */
const volatile bool by_gap;
const volatile bool by_ret; /* return values are needed */
const volatile bool split_ret;
const volatile __u32 ret_op = KSTATS_RET_ANY;
const volatile __s64 ret_value;
const volatile __u64 min_ns;
const volatile __u32 unverified_at; /* the first node for unverified samples; 0: none */
const volatile __u32 n_of_owner = 1; /* other nodes of each function or pair */
const volatile bool points_leave_out; /* some starts have conditions of their own */
const volatile bool cookie_may_be_old; /* the cookie may still hold the start of another call */

/* Programs record only while this is set; user space sets and clears it. */
__u32 kstats_on;

/*
 * Cut a value to the width of its type, since the upper bits of the register are
 * undefined. A pointer stays as it is: the verifier allows no arithmetic on it.
 */
static __always_inline __u64 narrow(__u64 v, __u32 bytes, bool is_signed)
{
	__u32 shift = 64 - 8 * bytes;

	if (!bytes || bytes >= 8)
		return v;
	/* Stops the compiler from computing both sides and choosing one. */
	asm volatile("" : "+r"(v));
	if (is_signed)
		return (__s64)(v << shift) >> shift;
	return v << shift >> shift;
}

/* The verifier allows no arithmetic on a pointer, but treats a value from memory as a number. */
static __always_inline __u64 pointer_number(__u64 pointer)
{
	volatile __u64 kept = pointer;
	__u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), (const void *)&kept);
	return number;
}

static __always_inline __u64 hook_key(const struct event *ev)
{
	if (hook_word(ev) & KSTATS_HOOK_KEY_POINTER)
		return pointer_number(ev->key);
	return narrow(ev->key, hook_word(ev) >> KSTATS_HOOK_KEY_SHIFT & 0xff, false);
}

static __always_inline __s64 hook_ret(const struct event *ev)
{
	return narrow(ev->ret, hook_word(ev) >> KSTATS_HOOK_RET_SHIFT & 0xff,
		      hook_word(ev) & KSTATS_HOOK_SIGNED);
}

/*
 * Counts the events of calls that a filter leaves out, since the programs run for them
 * too. Counted only where the overhead is estimated (--limit overhead), in half calls,
 * because one point of a pair may occur far more often than the other.
 */
const volatile bool count_others;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} others SEC(".maps");

static __always_inline void others_count(__u64 halves)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&others, &zero);

	if (n)
		store_add(n, halves);
}

static __always_inline __u64 event_key(const struct event *ev, void *ctx, bool asks, __u64 *key)
{
	if (asks && key_by_expr)
		return key_outcome(ctx, key);
	*key = hook_key(ev);
	return KSTATS_EXPR_YES;
}

/* ---- start ---- */

/* Returns the time of the start; 0 if there is no room for it, or an older one counts. */
static __always_inline __u64 start_by_task(const struct event *ev, const __u32 *by)
{
	struct kstats_stack *st = stack_of(bpf_get_current_task_btf(), true);
	struct kstats_kept_ring *kept = NULL;

	if (st && ev->is_several && kept_words)
		kept = kept_of(true);
	if (!st || (ev->is_several && kept_words && !kept))
		store_count_node(hook_node(ev), KSTATS_BUSY);
	else if (ev->is_several && first_counts && stack_has_open(st, ev->ident))
		store_count_node(hook_node(ev), KSTATS_AGAIN);
	else
		return stack_push(st, ev, hook_node(ev), by, kept);
	return 0;
}

static __always_inline void start_by_key(struct kstats_cell *cell, const struct event *ev,
					 void *ctx, bool asks)
{
	__u64 key, outcome = event_key(ev, ctx, asks, &key);

	if (outcome != KSTATS_EXPR_YES)
		expr_count(cell, outcome);
	else if (ev->is_several && kept_words)
		key_start_kept(key, hook_node(ev), ev->words, first_counts);
	else if (ev->is_several && first_counts)
		key_start_first(key, hook_node(ev));
	else
		key_start_open(key, hook_node(ev));
}

/*
 * Record the time from the last end on this CPU to this start, if no call in between was skipped.
 */
static __always_inline void gap_record(struct kstats_cell *cell, __u32 node)
{
	__u64 last = __sync_lock_test_and_set(&cell->last_end_ns, 0);
	__u64 now = bpf_ktime_get_ns();
	struct kstats_cell *gap;

	if (!last || skipped_here_since(last, true))
		return;
	gap = store_cell(node + 1 + split_ret);
	if (gap)
		store_sample(gap, now > last ? now - last : 0);
}

/*
 * This start does not count: its end must find neither a start of its own nor one that was left
 * behind before. @filtered: a filter leaves it out, as it does most others.
 */
static __always_inline void start_forget(const struct event *ev, void *ctx, bool asks,
					 bool filtered)
{
	__u64 key;

	if (ev->pairing == KSTATS_BY_CPU)
		cpu_forget(hook_node(ev), ev->ident, ev->is_pair, ev->is_several);
	else if (ev->pairing == KSTATS_BY_TASK && ev->is_pair)
		pair_forget(ev->ident, hook_node(ev), ev->is_several, filtered);
	else if (ev->pairing == KSTATS_BY_TASK)
		call_forget(ev);
	else if (event_key(ev, ctx, asks, &key) == KSTATS_EXPR_YES)
		key_forget(key, hook_node(ev));
}

/*
 * The condition does not hold, or has no answer. The end of this event must find neither a start
 * of its own nor one that was left behind before. A cookie is empty unless it is set.
 */
static __always_inline void start_leave_out(const struct event *ev, void *ctx, __u64 outcome)
{
	struct kstats_cell *cell = outcome == KSTATS_EXPR_NO ? NULL : store_cell(hook_node(ev));

	if (count_others && outcome == KSTATS_EXPR_NO)
		others_count(ev->is_pair ? 1 : 2);
	if (cell) {
		store_add(&cell->ledger[KSTATS_STARTED], 1);
		expr_count(cell, outcome);
	}
	/* The start that is open counts, whatever comes behind it. */
	if (ev->cookie || (ev->is_several && first_counts))
		return;
	start_forget(ev, ctx, true, false);
}

/*
 * Whether a filter leaves this event out that may answer otherwise at the other end of the call: a
 * task that never had an open call has none that this event could end or supersede.
 */
static __always_inline bool is_without_calls(void)
{
	return !stack_is_marked(bpf_get_current_task_btf()) && !call_passes();
}

/* Whether a filter leaves out all calls of this task, or this one. @halves: to count */
static __always_inline bool is_of_others(__u64 halves)
{
	__u32 who = who_first;

	if (who == KSTATS_WHO_CHANGING)
		return is_without_calls();
	if (!task_is_left_out(who))
		return false;
	if (who > KSTATS_WHO_COUNTED && halves && kstats_on)
		others_count(halves);
	return true;
}

/* The same of a start, and of an end: both points of a pair count. */
static __always_inline bool start_is_of_others(void)
{
	return is_of_others(is_pair ? 1 : 2);
}

static __always_inline bool end_is_of_others(void)
{
	return is_of_others(is_pair ? 1 : 0);
}

/*
 * Whether a filter leaves out this call, where the kernel keeps a word for each: nothing has to be
 * forgotten, so nothing else is looked up before.
 */
static __always_inline bool call_is_of_others(void)
{
	if (!who_any || !(task_is_left_out(who_first) || (who_later && !call_passes())))
		return false;
	if (count_others && kstats_on)
		others_count(2);
	return true;
}

/*
 * A filter leaves this start out, and its end must not take an older one. An older one at the frame
 * of this call has lost its end.
 */
static __always_inline void start_filtered(const struct event *ev, void *ctx, bool asks)
{
	if (count_others)
		others_count(ev->is_pair ? 1 : 2);
	if (ev->is_several && (first_counts || own_outcome(ctx) == KSTATS_EXPR_NO))
		return;
	start_forget(ev, ctx, asks, true);
}

/* Whether the event is this point of several. One whose condition has no answer is counted. */
static __always_inline bool start_is_here(const struct event *ev, void *ctx)
{
	__u64 outcome = own_outcome(ctx);

	if (outcome == KSTATS_EXPR_YES)
		return true;
	if (outcome != KSTATS_EXPR_NO)
		start_leave_out(ev, ctx, outcome);
	else if (count_others)
		others_count(1);
	return false;
}

/* True if the event was counted and its end is needed. @asks: see PROGRAM(). */
static __always_inline bool interval_start(struct event *ev, void *ctx, bool asks)
{
	__u64 words[KSTATS_KEPT_WORDS] = {};
	struct parts_open parts;
	__u64 outcome, ns = 0;
	__u32 by = 0;
	struct kstats_cell *cell;

	if (!kstats_on)
		return false;
	if (!ev->is_asked && who_later && !who_passes()) {
		start_filtered(ev, ctx, asks);
		return false;
	}
	if (ev->is_several && !start_is_here(ev, ctx))
		return false;
	if (asks && if_at_start && !is_gated()) {
		outcome = start_outcome(ctx);
		if (outcome != KSTATS_EXPR_YES) {
			start_leave_out(ev, ctx, outcome);
			return false;
		}
	}
	if (ev->is_several && kept_words) {
		outcome = keep_outcome(ctx, words);
		if (outcome != KSTATS_EXPR_YES) {
			start_leave_out(ev, ctx, outcome);
			return false;
		}
		ev->words = words;
	}
	if (asks && by_at_start) {
		outcome = by_outcome(ctx, opaque(0), ev, &by);
		if (outcome != KSTATS_EXPR_YES) {
			start_leave_out(ev, ctx, outcome);
			return false;
		}
	}
	cell = store_cell(hook_node(ev));
	if (!cell)
		return false;
	store_add(&cell->ledger[KSTATS_STARTED], 1);
	if (by_gap)
		gap_record(cell, hook_node(ev));
	if (asks && with_parts)
		parts_begin(&parts, ev);
	if (ev->cookie) {
		ns = bpf_ktime_get_ns();
		*ev->cookie = asks && by_at_start ? by_cookie(ns, by) : ns;
	} else if (ev->pairing == KSTATS_BY_KEY)
		start_by_key(cell, ev, ctx, asks);
	else if (ev->pairing == KSTATS_BY_CPU)
		start_by_cpu(cell, ev);
	else
		ns = start_by_task(ev, asks && by_at_start ? &by : NULL);
	if (asks && with_parts)
		parts_began(&parts, ns);
	if (asks && with_parts && n_callees)
		callees_begin(&parts, ns);
	return true;
}

#endif /* KSTATS_START_BPF_H */
