/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * by.bpf.h - a distribution for each key of --by. In: the words of a key, and the node that they
 * belong to. Out: the node of the key, which gets its number when the key first comes. Called by
 * interval.bpf.h.
 *
 * Keys are in one table that only grows. Whoever finds a free place claims it by one exchange,
 * writes the key, and then its number, so a place with a number never changes again. No lock is
 * held: an interrupt or an NMI may come between any two instructions. A place that is being
 * filled counts as one of another key, so nobody waits. Where it is of the same key, the key gets
 * a second place and number, and user space adds both.
 */
#ifndef KSTATS_BY_BPF_H
#define KSTATS_BY_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "expr.bpf.h"
#include "frames.bpf.h"
#include "loop.bpf.h"
#include "waits.bpf.h"

const volatile __u32 by_words; /* of a key; 0: no keys */
const volatile __u32 by_comms; /* as bits: the words at which the name of a task begins */
const volatile bool by_at_start; /* a call's key belongs to its entry, else to its end */
const volatile bool by_may_fail; /* some events may have no key */
const volatile __u32 by_first; /* node of the first key */
const volatile __u32 by_most; /* keys that get a node of their own */
const volatile __u32 by_shift; /* 64 less the bits of a place's number */
const volatile __u32 by_bits; /* of a cookie: those that hold the number of a key */

__u32 by_taken; /* number of keys so far */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* user space reads the keys where they are */
	__uint(max_entries, 1); /* set by user space, as is the size of a key */
	__type(key, __u32);
	__type(value, struct kstats_by);
} by_keys SEC(".maps");

/** struct by_words - the words of a key; those behind by_words are 0, or not set */
struct by_words {
	__u64 at[KSTATS_BY_WORDS];
};

EXPR_FUNCTION(expr_by, KSTATS_EXPR_BY_MAGIC)

/* Do something for the index of each word in use. */
#define BY_EACH_WORD(i, todo) LOOP_EACH(i, KSTATS_BY_WORDS, by_words, todo)

/* The upper bits depend on all bits. */
static __always_inline __u64 by_hash(const struct by_words *key, __u32 node)
{
	__u64 hash = node;

	BY_EACH_WORD(i, hash = (hash ^ key->at[i]) * KSTATS_BY_GOLDEN);
	return hash;
}

static __always_inline __u32 by_number(const struct kstats_by *b)
{
	return *(const volatile __u32 *)&b->number;
}

/* @b: has a number. */
static __always_inline bool by_is(const struct kstats_by *b, const struct by_words *key, __u32 node)
{
	if (b->node != node)
		return false;
	BY_EACH_WORD(i, if (b->words[i] != key->at[i]) return false);
	return true;
}

/* Puts the key into a place that was claimed. Returns its node. */
static __always_inline __u32 by_fill(struct kstats_by *b, const struct by_words *key, __u32 node)
{
	__u32 n = __sync_fetch_and_add(&by_taken, 1);
	__u32 own = n < by_most ? by_first + n : node;

	b->node = node;
	BY_EACH_WORD(i, b->words[i] = key->at[i]);
	/* The exchange is a barrier: whoever sees the number sees the key. */
	__sync_lock_test_and_set(&b->number, own + KSTATS_BY_NUMBER);
	return own;
}

/* Bits below the first byte that is 0; all if there is none. */
static __always_inline __u64 text_bits(__u64 word)
{
	__u64 ends = (word - 0x0101010101010101) & ~word & 0x8080808080808080;

	return ends ? (ends & -ends) - 1 : ~0ULL;
}

/*
 * A task's name may be changed while it is read. All bytes behind the end of the name are cleared,
 * so that no two keys look the same.
 */
static __always_inline void by_clean(struct by_words *key)
{
	BY_EACH_WORD(
		i, if (i + 1 < KSTATS_BY_WORDS && by_comms >> i & 1) {
			__u64 bits = text_bits(key->at[i]);

			key->at[i] &= bits;
			key->at[i + 1] &= bits == ~0ULL ? text_bits(key->at[i + 1]) : 0;
		});
}

/*
 * Goes from place to place until the key or a free place is found. The verifier goes through what
 * is not static only once, and not from each state of the caller.
 */
__noinline __u32 by_search(struct by_words *key, __u32 node)
{
	__u32 number, place, at;
	struct kstats_by *b;
	__u64 i;

	if (!by_words || !key)
		return node;
	if (by_comms)
		by_clean(key);
	at = by_hash(key, node) >> by_shift;
	for (i = 0; i < KSTATS_BY_TRIES; i = loop_next(i)) {
		place = (at + i) & (~0ULL >> by_shift);
		b = bpf_map_lookup_elem(&by_keys, &place);
		if (!b)
			break;
		number = by_number(b);
		if (!number) {
			if (*(volatile __u32 *)&by_taken >= by_most)
				break;
			if (!__sync_val_compare_and_swap(&b->number, 0, KSTATS_BY_FILLING))
				return by_fill(b, key, node);
		}
		if (number >= KSTATS_BY_NUMBER && by_is(b, key, node))
			return number - KSTATS_BY_NUMBER;
	}
	return node;
}

/* Of what is given to a function that is not static, all has to be set. */
static __always_inline void by_clear_rest(struct by_words *key)
{
	__u32 i;

	_Pragma("clang loop unroll(full)") for (i = 0; i < KSTATS_BY_WORDS; i++) if (i >= by_words)
		key->at[i] = 0;
}

/* The node of a key, or @node if there is none left. */
static __always_inline __u32 by_node(struct by_words *key, __u32 node)
{
	__u32 at = by_hash(key, node) >> by_shift;
	struct kstats_by *b = bpf_map_lookup_elem(&by_keys, &at);
	__u32 number;

	if (!b) /* never; for the verifier */
		return node;
	number = by_number(b);
	if (number >= KSTATS_BY_NUMBER && by_is(b, key, node))
		return number - KSTATS_BY_NUMBER;
	by_clear_rest(key);
	return by_search(key, node);
}

static __noinline int by_fill_frames(void *ctx, struct by_words *key, enum event_place place)
{
	bool at_entry = place == EVENT_USER && by_user_calls;

	BY_EACH_WORD(i, if (by_kstacks >> i & 1) key->at[i] = frames_id(ctx, false, false);
		     else if (by_ustacks >> i & 1) key->at[i] = frames_id(ctx, true, at_entry);
		     else if (by_callers >> i & 1) key->at[i] = caller_of(ctx, place));
	return 0;
}

/* Sets @own, the node of this event's key, only if the outcome is KSTATS_EXPR_YES. */
static __always_inline __u64 by_outcome(void *ctx, __u64 duration, const struct event *ev,
					__u32 *own)
{
	struct by_words key;
	__u64 outcome;

	outcome = expr_by(ctx, key.at, duration);
	if (outcome != KSTATS_EXPR_YES)
		return outcome;
	if (by_kstacks | by_ustacks | by_callers)
		by_fill_frames(ctx, &key, ev->place);
	*own = by_node(&key, hook_node(ev));
	return outcome;
}

/* The same where the key needs what was kept of the start. */
static __always_inline __u64 by_outcome_kept(void *ctx, __u64 duration, const struct event *ev,
					     __u32 *own, const struct start *start)
{
	struct {
		__u64 switches;
		__u64 kept[KSTATS_KEPT_WORDS];
		struct by_words key;
	} asked;
	__u64 outcome;

	if (kept_words)
		kept_copy(asked.kept, start->kept);
	if (counts_switches)
		asked.switches = switches_since(start);
	outcome = expr_by(ctx, asked.key.at, duration);
	if (outcome != KSTATS_EXPR_YES)
		return outcome;
	if (by_kstacks | by_ustacks | by_callers)
		by_fill_frames(ctx, &asked.key, ev->place);
	*own = by_node(&asked.key, hook_node(ev));
	return outcome;
}

/* ---- a time and the number of a key in one word ---- */

static __always_inline __u64 by_cookie(__u64 ns, __u32 own)
{
	return ns << by_bits | (own < by_first ? 0 : own - by_first + 1);
}

static __always_inline __u32 by_cookie_node(__u64 cookie, __u32 node)
{
	__u64 n = cookie & ~(~0ULL << by_bits);

	return n ? by_first + n - 1 : node;
}

/*
 * The time: its upper bits are those of a time shortly before now. It is right for calls of up
 * to 3 days with the most keys, and of up to 208 days with 256.
 */
static __always_inline __u64 by_cookie_ns(__u64 cookie, __u64 now)
{
	__s64 age = (now << by_bits) - (cookie & ~0ULL << by_bits);

	/* Slightly later than now where another CPU's clock is ahead. */
	return now - (age >> by_bits);
}

#endif /* KSTATS_BY_BPF_H */
