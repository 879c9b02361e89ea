/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * first.bpf.h - the open starts of pairs that are joined by a key, where of several starts before
 * an end the first counts. In: keys. Out: the time of the start that belongs to an end. Called by
 * start.bpf.h and interval.bpf.h. The table is that of key.bpf.h.
 */
#ifndef KSTATS_FIRST_BPF_H
#define KSTATS_FIRST_BPF_H

#include "key.bpf.h"

/* The word of the oldest open start of @key that began before @ns, or 0. */
__noinline __u64 chain_oldest(__u64 key, __u64 ns)
{
	__u64 oldest = 0, word;
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
			if (word && (!oldest || word < oldest) && kstats_place_ns(word) <= ns)
				oldest = word;
		}
		if (!bucket_overflowed(b))
			break;
	}
	return oldest;
}

/* Whether the start with this word is open. */
__noinline __u32 chain_has(__u64 key, __u64 wanted)
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
			if (place_open(&b->places[way], key) == wanted)
				return 1;
		if (!bucket_overflowed(b))
			break;
	}
	return 0;
}

/*
 * The same as chain_settle() where the first counts: the starts of @key that are younger than the
 * word @oldest, and began before @ns, are counted as started again. An end may take the oldest
 * meanwhile, and starts that come then count: so it must be open after the younger one was.
 */
__noinline __u32 chain_settle_first(__u64 key, __u64 oldest, __u64 ns, __u32 node)
{
	struct kstats_keys *b;
	bool seen = false;
	__u64 i, way;
	__u64 word;

	if (!BY_KEY || !oldest)
		return 0;
	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		if (!b)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way)) {
			word = place_open(&b->places[way], key);
			if (!word || word < oldest || kstats_place_ns(word) > ns)
				continue;
			if ((word != oldest || seen) && chain_has(key, oldest) &&
			    !place_free(&b->places[way], word))
				store_count_node(node, KSTATS_AGAIN);
			seen |= word == oldest;
		}
		if (!bucket_overflowed(b))
			break;
	}
	return 0;
}

/* Free the start with this word. Returns 1 if that worked. */
__noinline __u32 chain_take(__u64 key, __u64 word)
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
			if (place_open(&b->places[way], key) == word &&
			    !place_free(&b->places[way], word))
				return 1;
		if (!bucket_overflowed(b))
			break;
	}
	return 0;
}

/*
 * Open a start of @key, unless one is open. Of two that come at the same time, each sees the
 * other, and the older one stays.
 */
static __noinline void key_start_first(__u64 key, __u32 node)
{
	struct kstats_keys *b = bucket_of(key, 0);
	__u64 before;

	if (!b) /* never; for the verifier */
		return;
	before = __sync_fetch_and_add(&b->state, KSTATS_BUCKET_START);
	if (chain_oldest(key, ANY_TIME))
		store_count_node(node, KSTATS_AGAIN);
	else if (!chain_claim(key))
		store_count_node(node, KSTATS_FULL);
	if (bucket_is_busy(before) || *(volatile __u64 *)&b->state != before + KSTATS_BUCKET_START)
		chain_settle_first(key, chain_oldest(key, ANY_TIME), ANY_TIME, node);
	__sync_fetch_and_sub(&b->state, 1);
}

/* Take the oldest open start of @key that began before @ns. Returns its time, or 0. */
static __noinline __u64 key_end_first(__u64 key, __u32 node, __u64 ns)
{
	__u64 oldest, try;

	for (try = 0; try < END_TRIES; try = loop_next(try)) {
		oldest = chain_oldest(key, ns);
		chain_settle_first(key, oldest, ns, node);
		if (oldest && chain_take(key, oldest))
			return kstats_place_ns(oldest);
	}
	return 0;
}

#endif /* KSTATS_FIRST_BPF_H */
