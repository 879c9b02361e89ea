/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * key.bpf.h - the open starts of pairs that are joined by a key, in a hash table of our
 * own. In: keys. Out: the time of the start that belongs to an end. Called by
 * interval.bpf.h; user space reads the table in src/store/flight.c.
 *
 * The kernel's hash map reuses the memory of a removed element at once, even while another
 * CPU still holds its address. In this table nothing is removed: a place is free or open,
 * and changes state by one compare-and-exchange of its word. The word never has the same
 * value twice. So a program that reads the word, then the key, and then exchanges that word
 * owns the start of that key. No step waits for another CPU or task.
 *
 * A key has one open place, unless two of its starts run at the same time. Each bucket
 * counts the starts in progress and the starts that have begun. A start that was not alone
 * searches the buckets again after opening its place, and supersedes all open starts of its
 * key but the newest. Of two starts, the one that opens its place last sees the other.
 */
#ifndef KSTATS_KEY_BPF_H
#define KSTATS_KEY_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "loop.bpf.h"
#include "store.bpf.h"

#define END_TRIES 3 /* searches by an end while starts keep changing its key */
#define ANY_TIME (~0ULL) /* later than all starts */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space when pairing by key */
	__type(key, __u32);
	__type(value, struct kstats_keys);
} keys SEC(".maps");

/* The bucket that a key belongs to, or the bucket @next places after it. */
static __always_inline struct kstats_keys *bucket_of(__u64 key, __u32 next)
{
	__u32 i = (kstats_key_bucket(key) + next) & (KSTATS_KEY_BUCKETS - 1);

	return bpf_map_lookup_elem(&keys, &i);
}

static __always_inline __u64 place_word(const struct kstats_place *p)
{
	return *(const volatile __u64 *)&p->word;
}

/*
 * The word of an open place of @key, or 0. The key is compared first, since it rules out
 * most places, and again after reading the word, since it may have changed in between.
 */
static __always_inline __u64 place_open(const struct kstats_place *p, __u64 key)
{
	__u64 word;

	if (*(const volatile __u64 *)&p->key != key)
		return 0;
	word = place_word(p);
	if (!kstats_place_is_open(word) || *(const volatile __u64 *)&p->key != key)
		return 0;
	return word;
}

/* Both return 0 on success: a number instead of a bool gives the verifier fewer paths. */
static __always_inline __u64 place_change(struct kstats_place *p, __u64 from, __u64 to)
{
	return __sync_val_compare_and_swap(&p->word, from, to) ^ from;
}

static __always_inline __u64 place_free(struct kstats_place *p, __u64 word)
{
	return place_change(p, word, kstats_place_word(kstats_place_ns(word), KSTATS_PLACE_FREE));
}

static __always_inline bool bucket_overflowed(const struct kstats_keys *b)
{
	return *(const volatile __u64 *)&b->state & KSTATS_BUCKET_OVERFLOWED;
}

#ifndef KEY_CLOCK /* a test defines a clock whose times contain the key */
#define KEY_CLOCK(key) bpf_ktime_get_ns()
#define KEY_CLOCK_STEP 1
#endif

/* The word of a place that opens now; later than @word, so that no value occurs twice. */
static __always_inline __u64 word_now(__u64 key, __u64 word)
{
	__u64 ns = KEY_CLOCK(key), last = kstats_place_ns(word);

	if (ns <= last)
		ns += (last - ns) / KEY_CLOCK_STEP * KEY_CLOCK_STEP + KEY_CLOCK_STEP;
	return kstats_place_word(ns, KSTATS_PLACE_OPEN);
}

/* Open @p for @key. False if it is not free, or if another start was faster. */
static __always_inline bool place_claim(struct kstats_place *p, __u64 key)
{
	__u64 word = place_word(p);

	if (!kstats_place_is_free(word) || place_change(p, word, word | KSTATS_PLACE_FILLING))
		return false;
	*(volatile __u64 *)&p->key = key;
	/* The exchange is a barrier: later reads see what others opened before it. */
	__sync_lock_test_and_set(&p->word, word_now(key, word));
	return true;
}

/* ---- all buckets of a key: rare ---- */

/*
 * The verifier goes through each of the functions that are not static once, and not at every
 * call. Up to 6.7 it also goes through those that are never called: where nothing is joined
 * by a key, they end at once.
 */
#ifndef BY_KEY /* a test has nothing else */
extern const volatile __u32 pairing;
#define BY_KEY (pairing == KSTATS_BY_KEY)
#endif

/* The word of the newest open start of @key that began before @ns, or 0. */
__noinline __u64 chain_newest(__u64 key, __u64 ns)
{
	__u64 newest = 0, word;
	struct kstats_keys *b;
	__u64 i, way;

	if (!BY_KEY)
		return 0;
	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		if (!b)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way)) {
			word = place_open(&b->places[way], key);
			if (word > newest && kstats_place_ns(word) <= ns)
				newest = word;
		}
		if (!bucket_overflowed(b))
			break;
	}
	return newest;
}

/*
 * Count the open starts of @key that are older than the word @newest as started again and free
 * them; with @take also free the newest. Returns whether that worked. If two starts have
 * the same word, the first one found is the newest.
 */
__noinline __u32 chain_settle(__u64 key, __u64 newest, bool take, __u32 node)
{
	__u64 word, seen = 0, missed = newest;
	struct kstats_keys *b;
	__u64 i, way;

	if (!BY_KEY)
		return 0;
	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		if (!b)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way)) {
			word = place_open(&b->places[way], key);
			if (!word || word > newest)
				continue;
			if (word != newest || word == seen) {
				if (!place_free(&b->places[way], word))
					store_count_node(node, KSTATS_AGAIN);
				continue;
			}
			seen = word;
			if (take)
				missed = place_free(&b->places[way], word);
		}
		if (!bucket_overflowed(b))
			break;
	}
	return !missed;
}

/* Let this start take over the place of an open one, if there is one. */
__noinline __u32 chain_replace(__u64 key)
{
	struct kstats_keys *b;
	__u64 i, way;
	__u64 word;

	if (!BY_KEY)
		return 0;
	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		if (!b)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way)) {
			word = place_open(&b->places[way], key);
			if (word && !place_change(&b->places[way], word, word_now(key, word)))
				return 1;
		}
		if (!bucket_overflowed(b))
			break;
	}
	return 0;
}

/* A full bucket is marked as overflowed, for good, before a key goes into the next bucket. */
__noinline __u32 chain_claim(__u64 key)
{
	struct kstats_keys *b;
	__u64 i, way;

	if (!BY_KEY)
		return 0;
	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		if (!b)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way))
			if (place_claim(&b->places[way], key))
				return 1;
		if (!bucket_overflowed(b))
			__sync_fetch_and_or(&b->state, KSTATS_BUCKET_OVERFLOWED);
	}
	return 0;
}

static __noinline void chain_start(__u64 key, __u32 node)
{
	if (chain_replace(key))
		store_count_node(node, KSTATS_AGAIN);
	else if (!chain_claim(key))
		store_count_node(node, KSTATS_FULL);
}

static __noinline __u64 chain_end(__u64 key, __u32 node, __u64 ns)
{
	__u64 newest;
	__u64 try;

	for (try = 0; try < END_TRIES; try = loop_next(try)) {
		newest = chain_newest(key, ns);
		if (newest && chain_settle(key, newest, true, node))
			return kstats_place_ns(newest);
	}
	return 0;
}

/* ---- one bucket: the usual case ---- */

/* Whether starts are in progress there, or keys may be in the next bucket, too. */
static __always_inline bool bucket_is_busy(__u64 state)
{
	return (__u32)state;
}

static __always_inline bool bucket_has_open(const struct kstats_keys *b, __u64 key)
{
	__u32 way;

#pragma clang loop unroll(full)
	for (way = 0; way < KSTATS_KEY_WAYS; way++)
		if (place_open(&b->places[way], key))
			return true;
	return false;
}

static __always_inline bool bucket_claim(struct kstats_keys *b, __u64 key)
{
	__u32 way;

#pragma clang loop unroll(full)
	for (way = 0; way < KSTATS_KEY_WAYS; way++)
		if (place_claim(&b->places[way], key))
			return true;
	return false;
}

/* Open a start of @key; @node accounts for it. */
static __always_inline void key_start_open(__u64 key, __u32 node)
{
	struct kstats_keys *b = bucket_of(key, 0);
	__u64 before;

	if (!b) /* never; for the verifier */
		return;
	before = __sync_fetch_and_add(&b->state, KSTATS_BUCKET_START);
	if (bucket_is_busy(before) || bucket_has_open(b, key) || !bucket_claim(b, key))
		chain_start(key, node);
	if (bucket_is_busy(before) || *(volatile __u64 *)&b->state != before + KSTATS_BUCKET_START)
		chain_settle(key, chain_newest(key, ANY_TIME), false, node);
	__sync_fetch_and_sub(&b->state, 1);
}

/*
 * Take the open start of @key that began before @ns, the time of the end. Returns its time, or 0.
 * A start that came while the end's program ran belongs to a later end. A start opens the first
 * free place, so the first place with the key is the open one, except in the rare cases.
 */
static __always_inline __u64 key_end_take(__u64 key, __u32 node, __u64 ns)
{
	struct kstats_keys *b = bucket_of(key, 0);
	struct kstats_place *p;
	__u64 word;
	__u32 way;

	if (!b) /* never; for the verifier */
		return 0;
	if (bucket_is_busy(*(volatile __u64 *)&b->state))
		goto rare;
#pragma clang loop unroll(full)
	for (way = 0; way < KSTATS_KEY_WAYS; way++) {
		p = &b->places[way];
		if (*(volatile __u64 *)&p->key == key)
			goto found;
	}
	goto rare;
found:
	word = place_open(p, key);
	if (word && kstats_place_ns(word) <= ns && !place_free(p, word))
		return kstats_place_ns(word);
rare:
	return chain_end(key, node, ns);
}

#endif /* KSTATS_KEY_BPF_H */
