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
	__u64 by[2];
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

/* Finds or makes the place of a cache and adds frees to it. False: there is no room. */
static __noinline int cache_find(__u64 cache, __u64 at, __u64 frees)
{
	struct kstats_kmem_cache *c;
	__u64 i;

	for (i = 0; i < KSTATS_KMEM_PROBES; i = loop_next(i)) {
		c = cache_at(at);
		if (word_claim(&c->cache, cache)) {
			__sync_fetch_and_add(&c->frees, frees);
			if (!c->size)
				cache_describe(c, (struct kmem_cache *)cache);
			return true;
		}
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

/* The dimension beside the site. No word of it is 0, which would look like a free place. */
static __always_inline void by_words(const struct kmem_alloc *a, __u64 by[2])
{
	__u64 how = SETTING(BY);

	if (how == KSTATS_KMEM_BY_COMM) {
		bpf_get_current_comm(by, 2 * sizeof(*by));
		by[0] = by[0] ? by[0] : ~0ULL;
		by[1] |= 1ULL << 63; /* the place of the last NUL */
		return;
	}
	by[0] = how == KSTATS_KMEM_BY_GFP ? a->gfp : how == KSTATS_KMEM_BY_NUMA ? a->node : a->cpu;
	by[0]++;
	by[1] = 1;
}

static __always_inline bool row_is(const struct kstats_kmem_row *r, const struct kmem_key *k)
{
	if (r->site != k->site || r->what != k->what)
		return false;
	return !SETTING(BY) || (r->by[0] == k->by[0] && r->by[1] == k->by[1]);
}

static __always_inline bool row_claim(struct kstats_kmem_row *r, const struct kmem_key *k)
{
	if (!word_claim(&r->site, k->site) || !word_claim(&r->what, k->what))
		return false;
	return !SETTING(BY) || (word_claim(&r->by[0], k->by[0]) && word_claim(&r->by[1], k->by[1]));
}

/*
 * The row of a key, which is not at its first place, or is not there yet. A cache is described
 * before its row can be seen: an interrupt may count in the row at once. Without a description
 * nobody knows the size of the row's objects, so there is no row either.
 */
static __noinline __u64 row_find(const struct kmem_key *k, __u64 at, __u64 cpu)
{
	bool is_cache = KSTATS_KMEM_KIND_OF(k->site) == KSTATS_KMEM_CACHE;
	__u64 i;

	/* Before the loop: inside, the verifier would go through one loop for each turn. */
	if (is_cache && !cache_find(k->what, cache_place(k->what, cpu), 0))
		return ROW_NO_CACHE;
	for (i = 0; i < KSTATS_KMEM_PROBES; i = loop_next(i)) {
		if (row_claim(row_at(at), k))
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

/* Counts what found no room; of caches @n allocations, of others one. */
static __noinline int row_missed(__u64 cpu, __u64 kind, __u64 req, __u64 what, __u64 n)
{
	struct kmem_cache *cache = (struct kmem_cache *)what;
	__u32 object_size = 0, size = 0;

	if (kind == KSTATS_KMEM_CACHE) {
		bpf_core_read(&object_size, sizeof(object_size), &cache->object_size);
		bpf_core_read(&size, sizeof(size), &cache->size);
		kmem_add(cpu, KSTATS_KMEM_N_NO_ROW + KSTATS_KMEM_CACHE - 1, n);
		kmem_add(cpu, KSTATS_KMEM_REQ_NO_ROW + KSTATS_KMEM_CACHE - 1, n * object_size);
		kmem_add(cpu, KSTATS_KMEM_ALLOC_NO_ROW + KSTATS_KMEM_CACHE - 1, n * size);
	} else if (kind == KSTATS_KMEM_KMALLOC) {
		kmem_count(cpu, KSTATS_KMEM_N_NO_ROW + KSTATS_KMEM_KMALLOC - 1);
		kmem_add(cpu, KSTATS_KMEM_REQ_NO_ROW + KSTATS_KMEM_KMALLOC - 1, req);
		kmem_add(cpu, KSTATS_KMEM_ALLOC_NO_ROW + KSTATS_KMEM_KMALLOC - 1, what);
	} else {
		kmem_count(cpu, KSTATS_KMEM_N_NO_ROW + KSTATS_KMEM_PAGES - 1);
		kmem_add(cpu, KSTATS_KMEM_REQ_NO_ROW + KSTATS_KMEM_PAGES - 1, req);
		kmem_add(cpu, KSTATS_KMEM_ALLOC_NO_ROW + KSTATS_KMEM_PAGES - 1, req);
	}
	return 0;
}

/* Counts @n allocations. Returns the index of their row, or KSTATS_KMEM_NO_ROW. */
static __always_inline __u64 row_count(const struct kmem_alloc *a, __u64 n)
{
	struct kmem_key k = { .what = a->what };
	struct kstats_kmem_row *r;
	__u64 at, hash;

	k.site = a->site | KSTATS_KMEM_ROW_KIND(a->kind);
	if (a->kind == KSTATS_KMEM_KMALLOC)
		k.site |= size_field(a->req) << 32;
	hash = k.site + k.what;
	if (SETTING(BY)) {
		by_words(a, k.by);
		hash ^= (k.by[0] + k.by[1]) * KMEM_GOLDEN;
	}
	at = KMEM_PLACE(hash, a->cpu, ROWS_MASK, ROWS_BITS);
	r = row_at(at);
	if (!row_is(r, &k)) {
		struct kmem_key slow = k;

		at = row_find(&slow, at, a->cpu);
		if (at >= KSTATS_KMEM_NO_ROW) {
			if (at == ROW_NO_CACHE)
				kmem_add(a->cpu, KSTATS_KMEM_N_NO_CACHE, n);
			row_missed(a->cpu, a->kind, a->req, a->what, n);
			return KSTATS_KMEM_NO_ROW;
		}
		r = row_at(at);
	}
	__sync_fetch_and_add(&r->count, n);
	if (a->kind == KSTATS_KMEM_KMALLOC && a->req > KSTATS_KMEM_EXACT)
		__sync_fetch_and_add(&r->req, a->req);
	return at;
}

#endif /* KSTATS_KMEM_ROWS_BPF_H */
