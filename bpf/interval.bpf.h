/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval.bpf.h - pairing of start and end, and the ledger. In: start and end
 * events with the hook word, what identifies the call, and the key. Out:
 * samples and ledger counters in the cells. Starts are in start.bpf.h. Called by kstats.bpf.c.
 *
 * Every start event is counted once in KSTATS_STARTED and ends in exactly one
 * other place: a sample, a ledger counter, or an open stamp.
 */
#ifndef KSTATS_INTERVAL_BPF_H
#define KSTATS_INTERVAL_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "cpu.bpf.h"
#include "start.bpf.h"
#include "via.bpf.h"
#include "why.bpf.h"

/* ---- end ---- */

/* True for an end in an interrupt whose start was skipped: any start it finds is another call's. */
static __always_inline bool is_orphan(const struct event *ev, const struct task_struct *task)
{
	if (ev->is_symmetric)
		return false;
	if (ev->is_pair ? ev->ident == KSTATS_LEVEL_TASK : on_stack_of(task, ev->at))
		return false;
	return ev->is_several ? any_start_is_skipped() : start_is_skipped();
}

/* @st: the stack of the current task, or NULL if it was not looked up yet */
static __always_inline void end_by_task(const struct event *ev, struct kstats_stack *st, __u64 now,
					bool asks, struct start *start)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	if (!st)
		st = stack_of(task, false);

	if (!st)
		return;
	if (is_orphan(ev, task)) {
		/* Its start may be there, made by another point: no later end may take that. */
		if (ev->is_several)
			stack_drop_interrupts(st, *(volatile __u64 *)&st->top, now);
		return;
	}
	stack_pop(st, ev, now, asks && by_at_start, start);
	if (start->ns < epoch_ns || ((asks || who_later) && (__s64)start->ns <= KSTATS_START_MARK))
		start->ns = 0;
}

/*
 * If is_alone, a start in an interrupt may come between the read and the clearing of the
 * stamp. It counts the start that is taken here as superseded, and its own stamp is cleared
 * instead, so the counts stay right. Where a start may be preempted before it sets its own
 * stamp, or sets none, since it is left out, an end must not take what that start has counted.
 */
static __always_inline void end_by_cpu(struct kstats_cell *cell, const struct event *ev, __u64 now,
				       bool asks, struct start *start)
{
	volatile __u64 *at = &cell->start_ns;
	__u64 was = *at, ns = ev->is_several ? was & ~KSTATS_CPU_INTERRUPT : was;

	if (!was || !cpu_is_of(cell, was, ev->ident, ev->is_several))
		return;
	if (is_orphan(ev, bpf_get_current_task_btf())) {
		if (ev->is_several && ns <= now &&
		    __sync_val_compare_and_swap(&cell->start_ns, was, 0) == was)
			store_count(cell, KSTATS_END_MISSED);
		return;
	}
	/* Of an interrupt or a task that came upon this program. Frames are told apart by ident. */
	if (ev->is_pair ? ns > now : ns == KSTATS_START_TAKEN)
		return;
	if (may_doubt) {
		start->switches = cell->switches;
	} else if (is_alone && !asks && !who_later) {
		*at = 0;
		start->ns = ns;
		return;
	}
	/* Else it was superseded in the meantime. */
	if (__sync_val_compare_and_swap(&cell->start_ns, was, 0) == was)
		start->ns = ns;
}

/* Returns 0 if the entry was skipped, by the kernel or by kprobe_session_both(). */
static __always_inline void end_by_cookie(const struct event *ev, __u64 now, bool asks,
					  struct start *start)
{
	start->ns = *ev->cookie;
	if (asks && by_at_start && start->ns) {
		start->by = by_cookie_node(start->ns, hook_node(ev));
		start->ns = by_cookie_ns(start->ns, now);
	}
	if (start->ns < epoch_ns || (ev->is_framed && start->ns > now + CLOCKS_APART_NS))
		start->ns = 0;
}

/* An end whose key cannot be read is one without a start. */
static __always_inline __u64 end_by_key(const struct event *ev, __u64 now, void *ctx, bool asks,
					__u64 *kept)
{
	__u64 key, start;

	if (event_key(ev, ctx, asks, &key) != KSTATS_EXPR_YES)
		return 0;
	if (ev->is_several && kept_words) {
		start = key_end_kept(key, hook_node(ev), now, kept);
		return start >= epoch_ns ? start : 0;
	}
	start = ev->is_several && first_counts ? key_end_first(key, hook_node(ev), now)
					       : key_end_take(key, hook_node(ev), now);
	return start >= epoch_ns ? start : 0;
}

static __always_inline bool ret_is_error(const struct event *ev)
{
	__s64 v = hook_ret(ev);

	if (hook_word(ev) & KSTATS_HOOK_POINTER)
		return !v || (__u64)v >= (__u64)-ERRNO_MAX;
	return v < 0;
}

static __always_inline bool ret_wanted(const struct event *ev)
{
	__s64 v = hook_ret(ev);
	bool is_signed = hook_word(ev) & KSTATS_HOOK_SIGNED;
	bool less = is_signed ? v < ret_value : (__u64)v < (__u64)ret_value;

	switch (ret_op) {
	case KSTATS_RET_LT:
		return less;
	case KSTATS_RET_LE:
		return less || v == ret_value;
	case KSTATS_RET_EQ:
		return v == ret_value;
	case KSTATS_RET_NE:
		return v != ret_value;
	case KSTATS_RET_GE:
		return !less;
	case KSTATS_RET_GT:
		return !less && v != ret_value;
	}
	return true;
}

/*
 * Does the start certainly belong to this call? With a key it may come from any task and
 * any CPU. Points of a pair in interrupts may belong to two interrupts, one nested in the
 * other.
 */
static __always_inline bool is_sure(const struct event *ev, const struct start *start)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	if (ev->cookie)
		return !cookie_may_be_old || !skipped_since(start->ns);
	if (ev->is_pair && ev->ident != KSTATS_LEVEL_TASK) {
		if (!ev->is_several)
			return !skipped_here_since(start->ns, false);
		if (!any_by_bpf_calls())
			return !any_skipped_here_since(start->ns);
	} else if (!may_doubt) {
		return true;
	}
	/* A task that was preempted inside one start holds that one up, and not the others. */
	if (ev->is_several)
		return !any_skipped_since(start->ns);
	if (pairing == KSTATS_BY_TASK && start->switches == switches_of(task))
		return true;
	if (pairing == KSTATS_BY_CPU && start->switches == switches_of_whom(task))
		return true;
	return !skipped_since(start->ns);
}

/* @cell: of the event's node; NULL if it was not looked up */
static __always_inline void end_count(struct kstats_cell *cell, const struct event *ev,
				      enum kstats_ledger id)
{
	if (!cell)
		cell = store_cell(hook_node(ev));
	if (cell)
		store_add(&cell->ledger[id], 1);
}

static __always_inline void end_expr_count(struct kstats_cell *cell, const struct event *ev,
					   __u64 outcome)
{
	if (!cell)
		cell = store_cell(hook_node(ev));
	if (cell)
		expr_count(cell, outcome);
}

/* The cell of a sample's key; NULL if the sample is counted elsewhere. */
static __always_inline struct kstats_cell *by_cell(struct kstats_cell *cell, const struct event *ev,
						   const struct start *start, __u64 duration,
						   void *ctx, __u32 *node)
{
	__u64 outcome;

	*node = start->by;

	if (!by_at_start) {
		outcome = needs_start(ev) ? by_outcome_kept(ctx, duration, ev, node, start)
					  : by_outcome(ctx, duration, ev, node);
		if (outcome != KSTATS_EXPR_YES) {
			end_expr_count(cell, ev, outcome);
			return NULL;
		}
	}
	return store_cell(*node);
}

/* Counts the sample as unverified and records it in the distribution of such samples. */
static __noinline void sample_keep_apart(__u32 node, __u64 ns)
{
	struct kstats_cell *cell = store_cell(unverified_at + node / n_of_owner);

	store_count_node(node, KSTATS_UNVERIFIED);
	if (cell && unverified_at)
		store_sample(cell, ns);
}

static __always_inline void sample_record(struct kstats_cell *cell, const struct event *ev,
					  const struct start *start, __u64 ns, void *ctx, bool asks,
					  const struct parts_look *look, struct parts_split *split)
{
	__u64 duration = ns, outcome;
	__u32 node = hook_node(ev);

	if (ev->has_ret && !ret_wanted(ev)) {
		end_count(cell, ev, KSTATS_RET);
		return;
	}
	if (ns < min_ns) {
		end_count(cell, ev, KSTATS_SHORT);
		return;
	}
	if (asks && if_at_end) {
		outcome =
			needs_start(ev) ? end_outcome_kept(ctx, &ns, start) : end_outcome(ctx, &ns);
		if (outcome != KSTATS_EXPR_YES) {
			end_expr_count(cell, ev, outcome);
			return;
		}
	}
	if ((may_doubt || ev->is_pair) && !is_sure(ev, start)) {
		sample_keep_apart(hook_node(ev), ns);
		return;
	}
	if (ev->has_ret && split_ret && ret_is_error(ev)) {
		cell = store_cell(hook_node(ev) + 1);
		if (!cell)
			return;
	}
	if (asks && by_words) {
		cell = by_cell(cell, ev, start, ns, ctx, &node);
		if (!cell)
			return;
	}
	store_sample(cell, ns);
	if (asks && with_parts)
		parts_record(split, hook_node(ev) / n_of_owner, duration);
	if (asks && with_parts && n_callees)
		callees_record(start->ns, duration, split);
	if (ev->is_several && n_vias)
		via_record(start, duration);
	if (asks && with_why)
		why_end(ev, ctx, start, duration, node, look, split);
}

/* @start: receives the start of the end, or the time 0; it is zero-filled */
static __always_inline void find_start(struct kstats_cell *cell, struct kstats_stack *st,
				       const struct event *ev, __u64 now, void *ctx, bool asks,
				       struct start *start)
{
	if (ev->cookie)
		end_by_cookie(ev, now, asks, start);
	else if (ev->pairing == KSTATS_BY_KEY)
		start->ns = end_by_key(ev, now, ctx, asks, start->kept);
	else if (ev->pairing == KSTATS_BY_CPU)
		end_by_cpu(cell, ev, now, asks, start);
	else
		end_by_task(ev, st, now, asks, start);
}

/* Whether the ends of calls that were left out at their start are seen here. */
static __always_inline bool leaves_out(bool asks)
{
	return asks && ((by_at_start && by_may_fail) || (if_at_start && !is_gated()));
}

/* Count an end without a start. It begins a gap like any other end. */
static __always_inline void end_alone(struct kstats_cell *cell, const struct event *ev, __u64 now,
				      bool asks)
{
	if (!who_passes()) {
		if (count_others && ev->is_pair)
			others_count(1);
		return;
	}
	/* It may be the end of a start that was left out. */
	if (leaves_out(asks) || (ev->is_several && points_leave_out)) {
		if (count_others && ev->is_pair)
			others_count(1);
		return;
	}
	end_count(cell, ev, KSTATS_UNMATCHED);
	if (by_gap && cell)
		cell->last_end_ns = now;
}

/* A call that was left out has no start, so its end need not read the clock. */
static __always_inline bool looks_first(const struct event *ev, bool asks)
{
	if (ev->cookie)
		return who_any || leaves_out(asks);
	if (ev->pairing != KSTATS_BY_TASK || ev->is_pair)
		return false;
	return who_later || (leaves_out(asks) && !by_at_start);
}

/*
 * Whether this surely is the end of a call that was left out. @st: receives the stack of the task
 * in programs that ask; the others look it up again, so that they need no register for it.
 */
static __always_inline bool end_was_left_out(const struct event *ev, struct kstats_stack **st,
					     bool asks)
{
	const struct task_struct *task;

	if (ev->cookie)
		return !*ev->cookie && ((who_any && !who_passes()) || leaves_out(asks));
	task = bpf_get_current_task_btf();
	if (asks)
		*st = stack_if_any(task);
	if (asks ? *st && !stack_is_empty(*st) : stack_is_marked(task))
		return false;
	return (who_later && !call_passes()) || leaves_out(asks);
}

/* Whether the event is this point of several. @own: receives what its condition comes to. */
static __always_inline bool end_is_here(void *ctx, __u64 *own)
{
	*own = own_outcome(ctx);
	if (*own == KSTATS_EXPR_NO && count_others)
		others_count(1);
	return *own != KSTATS_EXPR_NO;
}

/*
 * 0 in place of what is below it. Of several points, the value is read from memory: the verifier of
 * 6.1 otherwise takes what it knows of it on one path for all, and drops code that others need.
 * With why there is no branch, or the verifier goes through all that follows for each side of it;
 * for that, the compiler must not know the sign.
 */
static __always_inline __u64 not_negative(const struct event *ev, __u64 ns)
{
	__u64 sign = (__s64)ns >> 63;

	if (ev->is_several)
		return pointer_number(ns & ~sign);
	if (!with_why)
		return (__s64)ns < 0 ? 0 : ns;
	asm("" : "+r"(sign));
	return ns & ~sign;
}

static __always_inline void interval_end(const struct event *ev, void *ctx, bool asks)
{
	struct kstats_stack *st = NULL;
	struct kstats_cell *cell = NULL;
	__u64 own = KSTATS_EXPR_YES;
	struct parts_split split;
	struct parts_look look;
	struct start start = {};
	__u64 now;

	if (!kstats_on)
		return;
	if (ev->is_several && !end_is_here(ctx, &own))
		return;
	if (looks_first(ev, asks) && end_was_left_out(ev, &st, asks))
		return;
	if (asks && with_parts)
		parts_look(&look);
	now = bpf_ktime_get_ns();
	if (asks && with_parts)
		parts_see(&look, now, &split);
	/* The sample goes to another cell. */
	if (!asks || !by_words || by_gap || ev->pairing == KSTATS_BY_CPU) {
		cell = store_cell(hook_node(ev));
		if (!cell)
			return;
	}
	find_start(cell, st, ev, now, ctx, asks, &start);
	if (!start.ns) {
		if (!ev->cancels)
			end_alone(cell, ev, now, asks);
		return;
	}
	if (asks && with_parts && (own != KSTATS_EXPR_YES || ev->cancels))
		parts_end(&look, start.ns, 0, &split);
	if (ev->is_several && own != KSTATS_EXPR_YES) {
		end_expr_count(cell, ev, own);
		return;
	}
	if (ev->cancels) {
		end_count(cell, ev, KSTATS_CANCELLED);
		return;
	}
	if (by_gap && cell)
		cell->last_end_ns = now;
	/* An NMI or another CPU may read a clock that is slightly behind. */
	now = not_negative(ev, now - start.ns);
	if (asks && with_parts && n_callees)
		callees_end(look.p, start.ns);
	if (asks && with_parts)
		parts_end(&look, start.ns, now, &split);
	sample_record(cell, ev, &start, now, ctx, asks, &look, &split);
}

#endif /* KSTATS_INTERVAL_BPF_H */
