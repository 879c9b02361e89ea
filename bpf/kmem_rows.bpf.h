/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_rows.bpf.h - allocations by call site, size and cache. In: an allocation. Out: its row,
 * counted. Called by kmem.bpf.c.
 */
#ifndef KSTATS_KMEM_ROWS_BPF_H
#define KSTATS_KMEM_ROWS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "kmem_table.bpf.h"
#include "kstats_abi.h"
#include "loop.bpf.h"

#define KMEM_SIZE_MAX ((1ULL << 30) - 1) /* the field of the size has 30 bits */
#define KMEM_PAGE 4096

/**
 * struct kmem_alloc - an allocation
 * @kind: enum kstats_kmem_kind
 * @site: lower half of the call site's address
 * @ptr: the object
 * @what: second word of the row
 * @req: bytes requested; 0 for caches, whose size the cache tells
 * @gfp: flags
 * @node: NUMA node that was asked for
 * @cpu: where
 */
struct kmem_alloc {
	__u32 kind;
	__u32 site;
	__u64 ptr;
	__u64 what;
	__u64 req;
	__u32 gfp;
	__u32 node;
	__u64 cpu;
};

/* The words of a row. */
struct kmem_key {
	__u64 site;
	__u64 what;
	__u64 by[KSTATS_KMEM_BY_WORDS];
};

/* ---- caches ---- */

static __always_inline struct kstats_kmem_cache *cache_at(__u64 at)
{
	struct kstats_kmem_cache *c = table_of(&caches);

	SET_AND(at, CACHES_ALL);
	return &c[at];
}

static __always_inline __u64 cache_place(__u64 cache, __u64 cpu)
{
	__u64 at = (cache * KMEM_GOLDEN >> 40) & (KSTATS_KMEM_CACHES - 1);

	if (SETTING(STRIPE_MASK)) {
		SET_AND(cpu, STRIPE_MASK);
		at |= cpu << KSTATS_KMEM_CACHES_BITS;
	}
	return at;
}

static __always_inline void cache_describe(struct kstats_kmem_cache *c, struct kmem_cache *cache)
{
	const char *name = NULL;

	bpf_core_read(&c->object_size, sizeof(c->object_size), &cache->object_size);
	bpf_core_read(&c->size, sizeof(c->size), &cache->size);
	bpf_core_read(&name, sizeof(name), &cache->name);
	bpf_probe_read_kernel_str(c->name, sizeof(c->name), name);
}

/*
 * The verifier goes through each of the functions that are not static once, and not at every call,
 * with all that it knows there. Of their arguments it knows nothing, so a pointer may be NULL. They
 * return a number, as 6.1 demands. Up to 6.7 it also goes through those that nothing calls, so
 * they end at once where a setting makes them superfluous.
 */

/* Adds frees to a cache if the place is its own, or is free and becomes so. */
__noinline int cache_try(__u64 cache, __u64 at, __u64 frees)
{
	struct kstats_kmem_cache *c = cache_at(at);

	if (!word_claim(&c->cache, cache))
		return false;
	__sync_fetch_and_add(&c->frees, frees);
	if (!c->size)
		cache_describe(c, (struct kmem_cache *)cache);
	return true;
}

/* Finds or makes the place of a cache and adds frees to it. False: there is no room. */
__noinline int cache_find(__u64 cache, __u64 at, __u64 frees)
{
	__u64 i;

	for (i = 0; i < KSTATS_KMEM_PROBES; i = loop_next(i)) {
		if (cache_try(cache, at, frees))
			return true;
		at = (at & ~(KSTATS_KMEM_CACHES - 1ULL)) | ((at + 1) & (KSTATS_KMEM_CACHES - 1ULL));
	}
	return false;
}

static __always_inline void cache_freed(__u64 cache, __u64 cpu, __u64 frees)
{
	__u64 at = cache_place(cache, cpu);
	struct kstats_kmem_cache *c = cache_at(at);

	if (c->cache == cache && c->size)
		__sync_fetch_and_add(&c->frees, frees);
	else
		cache_find(cache, at, frees);
}

/* ---- rows ---- */

#define ROW_NO_CACHE (KSTATS_KMEM_NO_ROW + 1ULL) /* no row, since its cache has no place */

static __always_inline struct kstats_kmem_row *row_at(__u64 at)
{
	struct kstats_kmem_row *r = table_of(&rows);

	SET_AND(at, ROWS_ALL);
	return &r[at];
}

/* Do something for the index of each word of a key. */
#define BY_EACH(i, todo) LOOP_EACH(i, KSTATS_KMEM_BY_WORDS, SETTING(BY), todo)

static __always_inline bool row_is(const struct kstats_kmem_row *r, const struct kmem_key *k)
{
	if (r->site != k->site || r->what != k->what)
		return false;
	BY_EACH(i, if (r->by[i] != k->by[i]) return false);
	return true;
}

static __always_inline bool row_claim(struct kstats_kmem_row *r, const struct kmem_key *k)
{
	if (!word_claim(&r->site, k->site) || !word_claim(&r->what, k->what))
		return false;
	BY_EACH(i, if (!word_claim(&r->by[i], k->by[i])) return false);
	return true;
}

/* Whether a place is the row of a key, or is free and becomes so. */
__noinline int row_try(const struct kmem_key *k, __u64 at)
{
	return k && row_claim(row_at(at), k);
}

/*
 * The row of a key, which is not at its first place, or is not there yet. A cache is described
 * before its row can be seen: an interrupt may count in the row at once. Without a description
 * nobody knows the size of the row's objects, so there is no row either.
 */
__noinline __u64 row_find(const struct kmem_key *k, __u64 at, __u64 cpu)
{
	__u64 i;

	if (!k)
		return KSTATS_KMEM_NO_ROW;
	if (KSTATS_KMEM_KIND_OF(k->site) == KSTATS_KMEM_CACHE &&
	    !cache_find(k->what, cache_place(k->what, cpu), 0))
		return ROW_NO_CACHE;
	for (i = 0; i < KSTATS_KMEM_PROBES; i = loop_next(i)) {
		if (row_try(k, at))
			return at;
		at = KMEM_NEXT(at, ROWS_MASK);
	}
	return KSTATS_KMEM_NO_ROW;
}

/* Sizes above KSTATS_KMEM_EXACT share a row by slots. */
static __always_inline __u64 size_field(__u64 req)
{
	if (req > KSTATS_KMEM_EXACT) {
		req = kstats_slot_first(kstats_slot_index(req, KSTATS_KMEM_BITS), KSTATS_KMEM_BITS);
		if (req > KMEM_SIZE_MAX)
			req = KMEM_SIZE_MAX;
	}
	return req;
}

/* What it was given, and what it asked for if that is not known. False: it cannot be read. */
static __always_inline bool given_of(__u64 kind, __u64 what, __u64 *req, __u64 *given)
{
	struct kmem_cache *cache = (struct kmem_cache *)what;
	__u32 object_size = 0, size = 0;
	bool failed = false;

	if (kind == KSTATS_KMEM_CACHE) {
		failed = bpf_core_read(&object_size, sizeof(object_size), &cache->object_size);
		failed |= bpf_core_read(&size, sizeof(size), &cache->size);
		*req = object_size;
		*given = size;
	} else {
		*given = kind == KSTATS_KMEM_KMALLOC ? what : *req;
	}
	return !failed;
}

/* Counts @n allocations that found no room. */
__noinline int row_missed(__u64 cpu, __u64 kind, __u64 req, __u64 what, __u64 n)
{
	__u64 given;

	given_of(kind, what, &req, &given);
	if (kind < KSTATS_KMEM_KMALLOC || kind > KSTATS_KMEM_PAGES) /* never; for the verifier */
		return 0;
	kmem_add(cpu, KSTATS_KMEM_N_NO_ROW + kind - 1, n);
	kmem_add(cpu, KSTATS_KMEM_REQ_NO_ROW + kind - 1, n * req);
	kmem_add(cpu, KSTATS_KMEM_ALLOC_NO_ROW + kind - 1, n * given);
	return 0;
}

/* A key that needs no expression; none of its words is KSTATS_KMEM_BY_CHANGED. */
static __always_inline void key_words(const struct kmem_alloc *a, __u64 *by)
{
	__u64 key = SETTING(KEY);

	if (key == KSTATS_KMEM_KEY_COMM)
		bpf_get_current_comm(by, 2 * sizeof(*by));
	else
		by[0] = key == KSTATS_KMEM_KEY_GFP    ? a->gfp
			: key == KSTATS_KMEM_KEY_NODE ? a->node
						      : a->cpu;
}

static __always_inline __u64 row_none(const struct kmem_alloc *a, __u64 n)
{
	row_missed(a->cpu, a->kind, a->req, a->what, n);
	return KSTATS_KMEM_NO_ROW;
}

/* Counts @n allocations; @by: their key. Returns the index of their row, or KSTATS_KMEM_NO_ROW. */
static __always_inline __u64 row_count(const struct kmem_alloc *a, const __u64 *by, __u64 n)
{
	struct kmem_key k = { .what = a->what };
	struct kstats_kmem_row *r;
	__u64 at, hash, sum = 0;

	k.site = a->site | KSTATS_KMEM_ROW_KIND(a->kind);
	if (a->kind == KSTATS_KMEM_KMALLOC)
		k.site |= size_field(a->req) << 32;
	hash = k.site + k.what;
	if (SETTING(BY)) {
		if (SETTING(KEY))
			key_words(a, k.by);
		else
			BY_EACH(i, k.by[i] = by[i];
				if (by[i] == KSTATS_KMEM_BY_CHANGED) return row_none(a, n));
		/* Keys whose words have one sum must not come to one place. */
		BY_EACH(i, k.by[i] ^= KSTATS_KMEM_BY_CHANGED; sum = (sum + k.by[i]) * KMEM_GOLDEN);
		hash ^= sum;
	}
	at = KMEM_PLACE(hash, a->cpu, ROWS_MASK, ROWS_BITS);
	r = row_at(at);
	if (!row_is(r, &k)) {
		struct kmem_key slow = k;

		at = row_find(&slow, at, a->cpu);
		if (at == ROW_NO_CACHE)
			kmem_add(a->cpu, KSTATS_KMEM_N_NO_CACHE, n);
		if (at >= KSTATS_KMEM_NO_ROW)
			return row_none(a, n);
		r = row_at(at);
	}
	__sync_fetch_and_add(&r->count, n);
	if (a->kind == KSTATS_KMEM_KMALLOC && a->req > KSTATS_KMEM_EXACT)
		__sync_fetch_and_add(&r->req, a->req);
	return at;
}

/* ---- expressions ---- */

EXPR_FUNCTION(expr_alloc, KSTATS_EXPR_BY_MAGIC)

#define ASKS_FOR(name) (SETTING(ASKS) & 1ULL << KSTATS_KMEM_##name)

/* Only names that are asked for are set. @by: the key, only if the outcome is KSTATS_EXPR_YES. */
static __always_inline __u64 alloc_outcome(const struct kmem_alloc *a, __u64 *by)
{
	__u64 names[KSTATS_KMEM_NAMES], req = a->req, given;

	if (ASKS_FOR(SIZE) || ASKS_FOR(GIVEN)) {
		if (!given_of(a->kind, a->what, &req, &given))
			return KSTATS_EXPR_UNREADABLE;
		names[KSTATS_KMEM_SIZE] = req;
		names[KSTATS_KMEM_GIVEN] = given;
	}
	if (ASKS_FOR(ORDER))
		names[KSTATS_KMEM_ORDER] = a->kind == KSTATS_KMEM_PAGES ? a->what - 1 : 0;
	if (ASKS_FOR(GFP_FLAGS))
		names[KSTATS_KMEM_GFP_FLAGS] = a->gfp;
	if (ASKS_FOR(NODE))
		names[KSTATS_KMEM_NODE] = a->node;
	return expr_alloc(names, by, opaque(0));
}

/* Whether @n allocations are to be counted, and under which key. Else says why they are not. */
static __always_inline bool is_asked(const struct kmem_alloc *a, __u64 *by, __u64 n)
{
	__u64 outcome = alloc_outcome(a, by);

	if (outcome == KSTATS_EXPR_YES)
		return true;
	kmem_add(a->cpu,
		 outcome == KSTATS_EXPR_NO         ? KSTATS_KMEM_N_IF
		 : outcome == KSTATS_EXPR_DIVISION ? KSTATS_KMEM_N_DIVISION
						   : KSTATS_KMEM_N_UNREADABLE,
		 n);
	return false;
}

#endif /* KSTATS_KMEM_ROWS_BPF_H */
