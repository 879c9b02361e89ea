/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.bpf.h - the open calls of each task, a ring of stamps. In: starts and ends. Out:
 * the start that belongs to an end; stamps that are given up on the way go into the ledger.
 * Called by start.bpf.h, forget.bpf.h, interval.bpf.h and kstats.bpf.c.
 */
#ifndef KSTATS_STACK_BPF_H
#define KSTATS_STACK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "event.bpf.h"
#include "loop.bpf.h"
#include "stack_of.bpf.h"
#include "store.bpf.h"

static __always_inline struct kstats_stamp *stack_at(struct kstats_stack *st, __u64 i)
{
	struct kstats_stamp *e = &st->stamps[i & (KSTATS_STACK_DEPTH - 1)];

	/* Makes the compiler use one address for all members. */
	asm("" : "+r"(e));
	return e;
}

/* Whether no call is open. An interrupt may drop the one on top of others, and lowers top then. */
static __always_inline bool stack_is_empty(struct kstats_stack *st)
{
	__u64 top = *(volatile __u64 *)&st->top;

	return !*(volatile __u64 *)&stack_at(st, top - 1)->start_ns &&
	       *(volatile __u64 *)&st->top == top;
}

/* The time of a start, or of a mark that has one. */
static __always_inline __u64 stamp_ns(__u64 start)
{
	return start & ~KSTATS_MARK_TIMED;
}

static __always_inline bool stamp_counts(__u64 start)
{
	return kstats_stamp_counts(start, epoch_ns);
}

/* If both frames are on one stack: is the one at @inner gone when the one at @outer runs? */
static __always_inline bool unwound(__u32 inner, __u32 outer)
{
	return inner < outer && (inner ^ outer) < ARCH_STACK_SIZE;
}

/*
 * May the call of this open entry be over when a new call at @ident starts? Not if it is a
 * caller: its frame then lies higher on the same stack.
 */
static __always_inline bool may_be_over(const struct kstats_stamp *e, __u32 ident)
{
	return e->start_ns && e->ident - ident - 1 >= ARCH_STACK_SIZE - 1;
}

/*
 * A call is over if its frame is gone, or if a new call of the same function has that frame.
 * A call in an interrupt is over once the task itself runs.
 */
static __always_inline bool is_over(const struct kstats_stamp *e, __u32 ident, __u32 node,
				    bool is_task)
{
	if ((e->ident ^ ident) >= ARCH_STACK_SIZE)
		return is_task;
	return e->ident < ident || (e->ident == ident && e->node == node);
}

/*
 * The verifier goes through each of these functions once, since they are not static, and
 * not at every call with all that is known there. So it knows nothing of their arguments: a
 * pointer may be NULL. They return a number, as 6.1 demands.
 */

/*
 * Free an entry whose end will not be seen, and count it as @id of enum kstats_ledger. @start: what
 * the caller found there; an interrupt may since use the entry for another start, which has another
 * time. Returns whether it was open.
 */
__noinline int stamp_drop(struct kstats_stamp *e, __u64 start, __u32 id)
{
	__u32 node;

	if (!e || id >= KSTATS_LEDGER_SPACE)
		return 0;
	node = *(volatile __u32 *)&e->node;
	if (!start || __sync_val_compare_and_swap(&e->start_ns, start, 0) != start)
		return 0;
	if (stamp_counts(start))
		store_count_node(node, id);
	return 1;
}

/*
 * Drop entries of calls that are over. Returns the new top. An interrupt may do the same
 * meanwhile, so top is read again at the end. It goes to another round of the ring, by which a
 * start that an interrupt came upon sees that top was lowered.
 */
__noinline __u64 stack_unwind(struct kstats_stack *st, __u32 ident, __u32 node)
{
	bool is_task = on_stack_of(bpf_get_current_task_btf(), ident);
	struct kstats_stamp *e;
	__u64 i, top, start;

	if (!st)
		return 0;
	top = *(volatile __u64 *)&st->top;
	for (i = 0; i < KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = stack_at(st, top - 1);
		start = *(volatile __u64 *)&e->start_ns;
		if (!start || !is_over(e, ident, node, is_task) ||
		    !stamp_drop(e, start, KSTATS_END_MISSED))
			break;
		top += 2 * KSTATS_STACK_DEPTH - 1;
		*(volatile __u64 *)&st->top = top;
	}
	return *(volatile __u64 *)&st->top;
}

/* Give up a start of an interrupt that began up to @ns. */
__noinline int stamp_drop_interrupt(struct kstats_stamp *e, __u64 ns)
{
	__u64 start;

	if (!e)
		return 0;
	start = *(volatile __u64 *)&e->start_ns;
	if (stamp_ns(start) > ns || e->ident == KSTATS_LEVEL_TASK)
		return 0;
	return stamp_drop(e, start, KSTATS_END_MISSED);
}

/*
 * Give up all of them, and the oldest first: an end in an interrupt must find none that is older
 * than one that was given up, whose end it may be.
 */
__noinline int stack_drop_interrupts(struct kstats_stack *st, __u64 top, __u64 ns)
{
	__u64 i;

	if (!st)
		return 0;
	for (i = 0; i < KSTATS_STACK_DEPTH; i = loop_next(i))
		stamp_drop_interrupt(stack_at(st, top + i), ns);
	return 0;
}

/*
 * Why a start is given up whose place another one needs. If places all around the ring are open,
 * so are the others.
 */
static __always_inline enum kstats_ledger stack_reason(struct kstats_stack *st, __u64 top)
{
	if (stack_at(st, top + 1)->start_ns && stack_at(st, top + 5)->start_ns &&
	    stack_at(st, top + 9)->start_ns && stack_at(st, top + 13)->start_ns)
		return KSTATS_NESTED;
	return KSTATS_END_MISSED;
}

/*
 * Make the place below @top this start's own, where it was not free or interrupts have moved top.
 * Only a place above an empty one that top has passed is safe from interrupts. But interrupts may
 * have left a start there before top passed it, and others may have dropped it and lowered top.
 * Whatever they have left there is over, since they are.
 */
#define CLAIM_TRIES 3 /* each needs three more interrupts, which lose their ends */

__noinline int stack_claim(struct kstats_stack *st, __u64 top)
{
	__u64 i, start;
	struct kstats_stamp *e;

	if (!st)
		return 0;
	e = stack_at(st, top - 1);
	for (i = 0; i < CLAIM_TRIES; i = loop_next(i)) {
		start = *(volatile __u64 *)&e->start_ns;
		if (start)
			stamp_drop(e, start, stack_reason(st, top - 1));
		else if (*(volatile __u64 *)&st->top - top < KSTATS_STACK_DEPTH)
			break;
		*(volatile __u64 *)&st->top = top;
	}
	return 0;
}

/*
 * In a pair, an end in an interrupt may take an older start while one is made, and lower top. It is
 * put back once that start is there: from then on such an end finds it first, and takes none.
 */
static __always_inline void stack_top_again(struct kstats_stack *st, __u64 top)
{
	if (*(volatile __u64 *)&st->top != top)
		*(volatile __u64 *)&st->top = top;
}

#define MARK_NODE (~0U) /* has no ledger, so that nobody counts a mark that is given up */

/* What a new start gets in place of its time, where the node is that of marks. */
static __always_inline __u64 start_time(__u32 level, __u32 node)
{
	/* Only those of interrupts may come upon an end, which tells them from older ones by it. */
	if (node == MARK_NODE)
		return level == KSTATS_LEVEL_TASK ? KSTATS_START_MARK
						  : bpf_ktime_get_ns() | KSTATS_MARK_TIMED;
	return bpf_ktime_get_ns();
}

/* Fill in the entry below @top for a start, but for its time. */
static __always_inline void stack_fill(struct kstats_stack *st, __u64 top, const struct event *ev,
				       __u32 node, const __u32 *by, struct kstats_kept_ring *kept)
{
	struct kstats_stamp *e = stack_at(st, top - 1);
	__u64 place = (top - 1) & (KSTATS_STACK_DEPTH - 1);

	e->ident = ev->ident;
	e->node = node;
	if (keeps_switches)
		st->switches[place] = switches_of(bpf_get_current_task_btf());
	if (by)
		st->by[place] = *by;
	if (kept)
		kept_copy(kept->words[place], ev->words);
}

/*
 * The place below @top is not free (@was), or an interrupt has moved top. If another start is being
 * made there, which this one came upon, that one keeps the place, and this one goes above it. A
 * start that an interrupt left there is given up, or the oldest one where the ring is full. So are
 * all starts of interrupts that are older than it, or all up to now if there was none: they may lie
 * anywhere around this place, and no end may find one that is older than one that was given up.
 * Returns top above the place to use.
 */
#define PLACE_TRIES 4 /* a task, a softirq, an interrupt and an NMI may each make a start */

__noinline __u64 stack_place(struct kstats_stack *st, __u64 top, __u64 was, __u32 node)
{
	__u64 i, now = bpf_ktime_get_ns();

	if (!st)
		return 0;
	for (i = 1; was == KSTATS_START_TAKEN && i < PLACE_TRIES; i = loop_next(i)) {
		top++;
		was = __sync_lock_test_and_set(&stack_at(st, top - 1)->start_ns,
					       KSTATS_START_TAKEN);
	}
	if (stamp_counts(was))
		store_count_node(node, stack_reason(st, top - 1));
	if (was)
		now = stamp_ns(was);
	stack_drop_interrupts(st, top, now);
	*(volatile __u64 *)&st->top = top;
	return top;
}

/*
 * The same as stack_push() among several points, where starts and ends may come upon a start. So
 * its place is taken first: from then on ends leave top above it, and starts go above it.
 */
static __always_inline __u64 stack_push_several(struct kstats_stack *st, const struct event *ev,
						__u32 node, const __u32 *by,
						struct kstats_kept_ring *kept)
{
	__u64 top = *(volatile __u64 *)&st->top + 1, was, ns;

	*(volatile __u64 *)&st->top = top;
	was = __sync_lock_test_and_set(&stack_at(st, top - 1)->start_ns, KSTATS_START_TAKEN);
	if (was || *(volatile __u64 *)&st->top != top)
		top = stack_place(st, top, was, hook_node(ev));
	stack_fill(st, top, ev, node, by, kept);
	ns = start_time(ev->ident, node);
	*(volatile __u64 *)&stack_at(st, top - 1)->start_ns = ns;
	return ns;
}

/*
 * Top moves before the entry is filled, so that a start in an interrupt between the two
 * takes the next entry; its end has come before this start goes on. In a pair only ends can
 * interrupt here: the kernel runs no program inside itself, and one program handles all
 * starts of the pair. @node: of the start, or MARK_NODE. @by: the node of its key, or NULL. @kept:
 * where what its end needs goes, or NULL. Returns the time of the start.
 */
static __always_inline __u64 stack_push(struct kstats_stack *st, const struct event *ev, __u32 node,
					const __u32 *by, struct kstats_kept_ring *kept)
{
	__u64 top = *(volatile __u64 *)&st->top;
	struct kstats_stamp *e;
	__u64 ns;

	if (ev->is_several)
		return stack_push_several(st, ev, node, by, kept);
	if (!ev->is_pair &&
	    (may_be_over(stack_at(st, top - 1), ev->ident) || *(volatile __u64 *)&st->top != top))
		top = stack_unwind(st, ev->ident, hook_node(ev));
	*(volatile __u64 *)&st->top = top + 1;
	e = stack_at(st, top);
	if (e->start_ns || (!ev->is_pair && *(volatile __u64 *)&st->top != top + 1))
		stack_claim(st, top + 1);
	stack_fill(st, top + 1, ev, node, by, kept);
	ns = start_time(ev->ident, node);
	*(volatile __u64 *)&e->start_ns = ns;
	if (ev->is_pair)
		stack_top_again(st, top + 1);
	return ns;
}

/*
 * Make the entry @place steps below @top the topmost. Entries above it belong to calls
 * whose end was not seen.
 */
__noinline int stack_drop_above(struct kstats_stack *st, __u64 top, __u64 place)
{
	struct kstats_stamp *e;
	__u64 i;

	if (!st)
		return 0;
	for (i = 1; i < KSTATS_STACK_DEPTH && i < place; i = loop_next(i)) {
		e = stack_at(st, top - i);
		stamp_drop(e, *(volatile __u64 *)&e->start_ns, KSTATS_END_MISSED);
	}
	*(volatile __u64 *)&st->top = top - place + 1;
	return 0;
}

/*
 * What a search returns: the place that was found; 0 if there is none. Any number is a place, since
 * top goes below 0 where a start is found behind the others in the ring.
 */
#define FOUND_AT(place) ((place) << 1 | 1)
#define FOUND_PLACE(found) ((__u64)((__s64)(found) >> 1))

/*
 * Where top belongs once the start at @place is taken: above the newest of the starts in interrupts
 * that came upon the end, after @now, the time of the end; and above a start that is being made.
 */
__noinline __u64 stack_top_above(struct kstats_stack *st, __u64 place, __u64 now)
{
	__u64 i, start, next, newest = now, above = 0, taken = 0, open;

	if (!st)
		return 0;
	open = *(volatile __u64 *)&st->top - place;
	if (open >= KSTATS_STACK_DEPTH)
		open = 0;
	for (i = 0; i < KSTATS_STACK_DEPTH; i = loop_next(i)) {
		start = *(volatile __u64 *)&stack_at(st, place + i)->start_ns;
		next = loop_forget(i + 1, start);
		if (start == KSTATS_START_TAKEN) {
			if (next <= open)
				taken = next;
		} else if (stamp_ns(start) > newest) {
			newest = stamp_ns(start);
			above = next;
		}
	}
	return place + (above > taken ? above : taken);
}

/*
 * Find the newest start of the pair at this level that began before @ns. There may be holes: an end
 * may interrupt a start, and a start an end. While the task itself runs, open starts of interrupts
 * have lost their ends, those below as well.
 */
__noinline __u64 stack_find_pair(struct kstats_stack *st, __u32 level, __u64 ns)
{
	__u64 i, top, start, place, above;
	struct kstats_stamp *e;

	if (!st)
		return 0;
	top = *(volatile __u64 *)&st->top;
	for (i = 1; i <= KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = stack_at(st, top - i);
		start = *(volatile __u64 *)&e->start_ns;
		if (!start || stamp_ns(start) > ns)
			continue;
		if (e->ident == level)
			goto found;
		if (level == KSTATS_LEVEL_TASK)
			continue;
		/* The start of this end may lie below, and must stay for no later end. */
		stack_drop_interrupts(st, top, ns);
		return 0;
	}
	return 0;
found:
	if (level == KSTATS_LEVEL_TASK)
		stack_drop_interrupts(st, top, ns);
	/* What was dropped makes room for others, unless an interrupt needs top where it is. */
	place = top - i;
	above = stack_top_above(st, place, ns);
	__sync_val_compare_and_swap(&st->top, top, above == place ? place + 1 : above);
	return FOUND_AT(place);
}

/*
 * Find the start of this very call and make it the topmost. There are holes where an interrupt has
 * dropped entries meanwhile, and then it has changed top. Else nothing below a hole is open, and
 * what comes behind it in the ring lies above top.
 */
__noinline __u64 stack_find_call(struct kstats_stack *st, __u32 ident, __u32 node)
{
	struct kstats_stamp *e;
	__u64 i, top;

	if (!st)
		return 0;
	top = *(volatile __u64 *)&st->top;
	for (i = 1; i <= KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = stack_at(st, top - i);
		if (!e->start_ns && *(volatile __u64 *)&st->top != top)
			continue;
		if (!e->start_ns || unwound(ident, e->ident))
			return 0;
		if (e->ident == ident && e->node == node)
			goto found;
	}
	return 0;
found:
	if (e->start_ns == KSTATS_START_MARK)
		return 0;
	stack_drop_above(st, top, i);
	return FOUND_AT(top - i);
}

/*
 * Put top back above starts that came upon the end. One more may have come at @place since top was
 * lowered, below older ones: all older ones are given up, or a later end would take one of them.
 */
__noinline int stack_raise(struct kstats_stack *st, __u64 place, __u64 now)
{
	__u64 start, top = stack_top_above(st, place, now);

	if (!st || __sync_val_compare_and_swap(&st->top, place, top) == place || top == place)
		return 0;
	start = *(volatile __u64 *)&stack_at(st, place)->start_ns;
	stack_drop_interrupts(st, place, stamp_ns(start) - 1);
	return 0;
}

/* Lower top first: only starts may interrupt the end of a pair, and they do not look at others. */
static __always_inline void stack_lower(struct kstats_stack *st, __u64 place, __u64 now,
					bool searched)
{
	*(volatile __u64 *)&st->top = place;
	if (searched || *(volatile __u64 *)&stack_at(st, place + 1)->start_ns > now)
		stack_raise(st, place, now);
}

/*
 * The same where ends may interrupt an end, as among several points: they must find the starts that
 * lie above. So top is moved at once, and anew if an interrupt has moved it, or has left a start
 * above.
 */
#define LOWER_TRIES 3 /* each needs an interrupt that leaves a start or drops one */

__noinline int stack_lower_several(struct kstats_stack *st, __u64 place, __u64 now)
{
	__u64 i, top, was;

	if (!st)
		return 0;
	for (i = 0; i < LOWER_TRIES; i = loop_next(i)) {
		was = *(volatile __u64 *)&st->top;
		top = stack_top_above(st, place, now);
		if (__sync_val_compare_and_swap(&st->top, was, top) == was &&
		    stamp_ns(*(volatile __u64 *)&stack_at(st, top)->start_ns) <= now)
			return 0;
	}
	*(volatile __u64 *)&st->top = stack_top_above(st, place, now);
	return 0;
}

static __always_inline bool is_of(const struct kstats_stamp *e, const struct event *ev)
{
	return e->ident == ev->ident && (ev->is_pair || e->node == hook_node(ev));
}

/*
 * Take the start that belongs to an end, usually the newest. A start of a pair may interrupt
 * between reading and clearing the entry. If it finds no other entry, it drops this one
 * and is then cleared in its place, so the number of open starts stays right. A start of a pair
 * that came after @now, the time of the end, is another one's. @has_by: starts have the node of
 * their key. @start: filled in, if there is one; it is zero-filled. Not returned: the compiler
 * would keep copies of it, for which the stack has no room on 6.1.
 */
static __always_inline void stack_pop(struct kstats_stack *st, const struct event *ev, __u64 now,
				      bool has_by, struct start *start)
{
	__u64 top = *(volatile __u64 *)&st->top - 1;
	struct kstats_stamp *e = stack_at(st, top);
	__u64 ns = *(volatile __u64 *)&e->start_ns;
	struct kstats_kept_ring *kept;
	bool searched = false;

	if (!ev->is_pair && !ns && *(volatile __u64 *)&st->top == top + 1)
		return;
	if (!ns || !is_of(e, ev) || (ev->is_pair && ns > now)) {
		top = ev->is_pair ? stack_find_pair(st, ev->ident, now)
				  : stack_find_call(st, ev->ident, hook_node(ev));
		if (!top)
			return;
		searched = true;
		/* Not read again: an interrupt may have left a start above. */
		top = FOUND_PLACE(top);
		e = stack_at(st, top);
		ns = *(volatile __u64 *)&e->start_ns;
		/* Interrupts may have used the place for another start. */
		if (!is_of(e, ev) || (ev->is_pair && stamp_ns(ns) > now))
			return;
	}
	if (keeps_switches)
		start->switches = st->switches[top & (KSTATS_STACK_DEPTH - 1)];
	if (has_by)
		start->by = st->by[top & (KSTATS_STACK_DEPTH - 1)];
	if (ev->is_several && kept_words) {
		kept = kept_of(false);
		if (!kept)
			return;
		kept_copy(start->kept, kept->words[top & (KSTATS_STACK_DEPTH - 1)]);
	}
	if (ev->is_several) {
		/* An end at another point may interrupt this one, and take the same start. */
		if (__sync_val_compare_and_swap(&e->start_ns, ns, 0) != ns)
			return;
		stack_lower_several(st, top, now);
		start->ns = ns;
		return;
	}
	*(volatile __u64 *)&e->start_ns = 0;
	if (ev->is_pair)
		stack_lower(st, top, now, searched);
	else
		*(volatile __u64 *)&st->top = top;
	start->ns = ns;
}

/* Whether a start of the pair is open at this level. */
static __noinline int stack_has_open(struct kstats_stack *st, __u32 level)
{
	struct kstats_stamp *e;
	__u64 i, start;

	if (!st)
		return 0;
	for (i = 0; i < KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = stack_at(st, i);
		start = *(volatile __u64 *)&e->start_ns;
		if (stamp_counts(start) && e->ident == level)
			return 1;
	}
	return 0;
}

__noinline int stack_abandon(struct kstats_stack *st)
{
	struct kstats_stamp *e;
	__u64 i;

	if (!st)
		return 0;
	for (i = 0; i < KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = &st->stamps[i];
		stamp_drop(e, *(volatile __u64 *)&e->start_ns, KSTATS_TASK_GONE);
	}
	return 0;
}

/* Drop the open calls of a task that ends. With @freed the task will not run again. */
static __always_inline void task_abandon(struct task_struct *task, bool freed)
{
	struct kstats_task_slot *task_slot = task_slot_of(task);
	__u64 address = (__u64)task;
	struct kstats_stack *st;

	if (task_slot_is_of(task_slot, task)) {
		stack_abandon(&task_slot->stack);
		if (freed)
			task_slot->owner = 0;
	}
	st = bpf_map_lookup_elem(&task_stacks, &address);
	if (!st)
		return;
	stack_abandon(st);
	if (freed)
		bpf_map_delete_elem(&task_stacks, &address);
	if (freed && kept_words)
		bpf_map_delete_elem(&kept_tasks, &address);
}

#endif /* KSTATS_STACK_BPF_H */
