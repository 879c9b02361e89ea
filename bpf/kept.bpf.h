/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept.bpf.h - values of a start that its end needs, where starts are joined by a key.
 * In: keys and values. Out: the time and the values of the start that belongs to an end. Called by
 * start.bpf.h and interval.bpf.h. Those of tasks are in stack_of.bpf.h.
 *
 * The values of a start are written while its place is being filled, and so before anyone sees it
 * open. An end reads them before it frees the place: if that works, they were those of the start.
 */
#ifndef KSTATS_KEPT_BPF_H
#define KSTATS_KEPT_BPF_H

#include "first.bpf.h"
#include "stack.bpf.h"

/* By bucket and place of the table of keys. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space where values are kept by key */
	__type(key, __u32);
	__type(value, struct kstats_kept_keys);
} kept_keys SEC(".maps");

static __always_inline struct kstats_kept_keys *kept_bucket(__u64 key, __u32 next)
{
	__u32 i = (kstats_key_bucket(key) + next) & (KSTATS_KEY_BUCKETS - 1);

	return bpf_map_lookup_elem(&kept_keys, &i);
}

/* Open @p for @key, with its values. False if it is not free, or if another start was faster. */
static __always_inline bool place_claim_kept(struct kstats_place *p, __u64 key, __u64 *to,
					     const __u64 *words)
{
	__u64 word = place_word(p);

	if (!kstats_place_is_free(word) || place_change(p, word, word | KSTATS_PLACE_FILLING))
		return false;
	*(volatile __u64 *)&p->key = key;
	kept_copy(to, words);
	/* The exchange is a barrier: who sees the place open sees what was written before. */
	__sync_lock_test_and_set(&p->word, word_now(key, word));
	return true;
}

/* The same in all buckets of a key: see chain_claim(). */
static __noinline __u32 chain_claim_kept(__u64 key, const __u64 *words)
{
	struct kstats_kept_keys *kept;
	struct kstats_keys *b;
	__u64 i, way;

	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		kept = kept_bucket(key, i);
		if (!b || !kept)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way))
			if (place_claim_kept(&b->places[way], key, kept->words[way], words))
				return 1;
		if (!bucket_overflowed(b))
			__sync_fetch_and_or(&b->state, KSTATS_BUCKET_OVERFLOWED);
	}
	return 0;
}

/* Free the start with this word, and read its values. Returns 1 if that worked. */
static __noinline __u32 chain_take_kept(__u64 key, __u64 word, __u64 *words)
{
	struct kstats_kept_keys *kept;
	struct kstats_keys *b;
	__u64 i, way;

	for (i = 0; i < KSTATS_KEY_CHAIN; i = loop_next(i)) {
		b = bucket_of(key, i);
		kept = kept_bucket(key, i);
		if (!b || !kept)
			break;
		for (way = 0; way < KSTATS_KEY_WAYS; way = loop_next(way)) {
			if (place_open(&b->places[way], key) != word)
				continue;
			kept_copy(words, kept->words[way]);
			if (!place_free(&b->places[way], word))
				return 1;
		}
		if (!bucket_overflowed(b))
			break;
	}
	return 0;
}

/* A start takes a place of its own, so that nobody reads the values of one for another. */
static __noinline void key_start_kept(__u64 key, __u32 node, const __u64 *words, bool first)
{
	struct kstats_keys *b = bucket_of(key, 0);

	if (!b) /* never; for the verifier */
		return;
	__sync_fetch_and_add(&b->state, KSTATS_BUCKET_START);
	if (first && chain_oldest(key, ANY_TIME))
		store_count_node(node, KSTATS_AGAIN);
	else if (!chain_claim_kept(key, words)) {
		store_count_node(node, KSTATS_FULL);
		/* The one before is not the start of what comes now. */
		if (!first && chain_end(key, node, ANY_TIME))
			store_count_node(node, KSTATS_AGAIN);
	}
	if (first)
		chain_settle_first(key, chain_oldest(key, ANY_TIME), ANY_TIME, node);
	else
		chain_settle(key, chain_newest(key, ANY_TIME), false, node);
	__sync_fetch_and_sub(&b->state, 1);
}

/* Take the start of @key that counts and began before @ns. Returns its time, or 0. */
static __noinline __u64 key_end_kept(__u64 key, __u32 node, __u64 ns, __u64 *words)
{
	__u64 word, try;

	for (try = 0; try < END_TRIES; try = loop_next(try)) {
		word = first_counts ? chain_oldest(key, ns) : chain_newest(key, ns);
		if (first_counts)
			chain_settle_first(key, word, ns, node);
		else if (word)
			chain_settle(key, word, false, node);
		if (word && chain_take_kept(key, word, words))
			return kstats_place_ns(word);
	}
	return 0;
}

#endif /* KSTATS_KEPT_BPF_H */
