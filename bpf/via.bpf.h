/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * via.bpf.h - points that a pair passes on its way (--via). In: events at these points, and the
 * start that an end has found. Out: the time of each in what is kept of the start; the stages
 * between them. Called by interval.bpf.h and points.bpf.h.
 *
 * A point reads the clock before it looks for the start. So if another start has taken the place
 * of that one before the time is written, the time is earlier than this start, and is none of it.
 */
#ifndef KSTATS_VIA_BPF_H
#define KSTATS_VIA_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "start.bpf.h"

const volatile __u32 n_vias; /* points on the way */
const volatile __u32 via_at; /* node of the first stage; the last is that of calls in @again */

#define VIA_TRIES 4 /* each needs another processor that passes the same point of the same pair */

/* Which of the values that are kept is of the point @nth. */
static __always_inline __u64 via_word(__u64 nth)
{
	return (KSTATS_KEPT_WORDS - 1 - nth) & (KSTATS_KEPT_WORDS - 1);
}

/** struct via_start - the start that passes a point */
struct via_start {
	__u64 ns; /* its time */
	const struct kstats_place *place; /* where it is, with a key; or NULL */
	__u64 key;
	__u64 word; /* of the place, as long as the start is there */
};

/* @start passes a point at @now. With --first the first time counts. */
static __always_inline void via_note(__u64 *word, const struct via_start *start, __u64 now)
{
	__u64 start_ns = start->ns, i, was, ns;

	for (i = 0; i < VIA_TRIES; i = loop_next(i)) {
		was = *(volatile __u64 *)word;
		/* What was read may be of a start that has come into its place. */
		if (start->place && place_open(start->place, start->key) != start->word)
			return;
		ns = was & ~KSTATS_VIA_AGAIN;
		if (ns < start_ns)
			ns = now;
		else
			ns = (first_counts == (ns < now) ? ns : now) | KSTATS_VIA_AGAIN;
		if (__sync_val_compare_and_swap(word, was, ns) == was)
			return;
	}
}

/* The start that counts is the one that an end would take now. */
static __noinline void via_pass_key(__u64 key, __u64 now, __u64 nth)
{
	__u64 word = first_counts ? chain_oldest(key, now) : chain_newest(key, now);
	struct via_start start = { .ns = kstats_place_ns(word), .key = key, .word = word };
	struct kstats_kept_keys *kept;
	struct kstats_keys *b;
	__u64 i, way;

	for (i = 0; word && i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		kept = kept_bucket(key, i);
		if (!b || !kept)
			return;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way)) {
			if (place_open(&b->places[way], key) != word)
				continue;
			start.place = &b->places[way];
			via_note(&kept->words[way][via_word(nth)], &start, now);
			return;
		}
		if (!bucket_overflowed(b))
			return;
	}
}

/* The same: see stack_find_pair(). */
static __noinline void via_pass_task(__u32 level, __u64 now, __u64 nth)
{
	struct kstats_stack *st = stack_of(bpf_get_current_task_btf(), false);
	struct kstats_kept_ring *kept = kept_of(false);
	struct via_start start = {};
	struct kstats_stamp *e;
	__u64 i, top;

	if (!st || !kept)
		return;
	top = *(volatile __u64 *)&st->top;
	for (i = 1; i <= KSTATS_STACK_DEPTH; i = loop_next(i)) {
		e = stack_at(st, top - i);
		start.ns = *(volatile __u64 *)&e->start_ns;
		if (!start.ns || stamp_ns(start.ns) > now)
			continue;
		if (e->ident == level)
			via_note(&kept->words[(top - i) & (KSTATS_STACK_DEPTH - 1)][via_word(nth)],
				 &start, now);
		if (e->ident == level || level != KSTATS_LEVEL_TASK)
			return;
	}
}

/* An event at a point on the way. In place of a node, its hook has the number of the point. */
static __always_inline void via_pass(const struct event *ev, void *ctx)
{
	__u64 now, key;

	if (!kstats_on || own_outcome(ctx) != KSTATS_EXPR_YES)
		return;
	if (count_others)
		others_count(1);
	now = bpf_ktime_get_ns();
	if (ev->pairing != KSTATS_BY_KEY)
		via_pass_task(ev->ident, now, hook_node(ev));
	else if (event_key(ev, ctx, true, &key) == KSTATS_EXPR_YES)
		via_pass_key(key, now, hook_node(ev));
}

/*
 * The stages of a pair that was recorded. One begins where the one before it has ended, and so they
 * add up to the duration, whatever was not passed, or not in this order.
 */
static __noinline void via_record(const struct start *start, __u64 duration)
{
	__u64 from = start->ns, to = from + duration, again = 0, word, at;
	__u32 k;

#pragma clang loop unroll(full)
	for (k = 0; k < KSTATS_VIAS_MAX; k++) {
		word = start->kept[via_word(k)];
		at = word & ~KSTATS_VIA_AGAIN;
		if (k >= n_vias || at < from || at > to)
			continue;
		store_sample_node(via_at + k, at - from);
		again |= word & KSTATS_VIA_AGAIN;
		from = at;
	}
	store_sample_node(via_at + n_vias, to - from);
	if (again)
		store_sample_node(via_at + n_vias + 1, duration);
}

#endif /* KSTATS_VIA_BPF_H */
