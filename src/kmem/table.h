/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - the rows of a value grouped by one thing and sorted, with sums and distributions
 * of each group. In: a value. Out: entries. Entries are always of one kind of allocation:
 * pages hold the objects of the other kinds, so sums over kinds would count memory twice.
 * Called by report, and by the verbs.
 */
#ifndef KSTATS_KMEM_TABLE_H
#define KSTATS_KMEM_TABLE_H

#include "result/dist.h"
#include "kmem/group.h"
#include "spec/spec_kmem.h"

#define KMEM_KINDS 3 /* without KSTATS_KMEM_NONE */

/**
 * struct kmem_sums - sums over some rows
 * @count: allocations
 * @req: requested bytes
 * @alloc: allocated bytes
 * @waste: allocated and not requested
 * @short_count: allocations that got less than they asked for
 * @live: not freed at the end
 * @live_req: their requested bytes
 * @live_alloc: their allocated bytes
 * @live_age_ns: sum of their ages
 * @live_oldest_ns: the largest of their ages
 * @freed: freed objects whose lifetime is known and verified
 * @life_ns: sum of their lifetimes
 * @other_cpu: of them, freed on another CPU than allocated
 * @other_numa: on another NUMA node
 * @other_task: by another task
 * @unverified: freed objects that are not among @freed, since a free and an allocation of the
 *	same memory may have been skipped between their allocation and that free
 */
struct kmem_sums {
	uint64_t count;
	uint64_t req;
	uint64_t alloc;
	uint64_t waste;
	uint64_t short_count;
	uint64_t live;
	uint64_t live_req;
	uint64_t live_alloc;
	unsigned __int128 live_age_ns;
	uint64_t live_oldest_ns;
	uint64_t freed;
	unsigned __int128 life_ns;
	uint64_t other_cpu;
	uint64_t other_numa;
	uint64_t other_task;
	uint64_t unverified;
};

/**
 * struct kmem_entry - a group of rows
 * @kind: of all of them
 * @name: owned; "kmemdup+0x1e", "kmalloc-64", "48", ...
 * @line: where the site lies in the source, or NULL
 * @cache: name of the cache that all rows are of, or NULL
 * @size: no requested size is smaller
 * @last: no requested size is larger
 * @each: smallest number of bytes that one allocation was given
 * @each_last: largest one
 * @sums: sums over the rows
 * @nth: number among the entries with the same kind and name, from 1
 * @first_row: index of its first row in the rows of the table
 * @n_rows: number of them
 * @first_life: index of its first one in the lifes of the table
 * @n_lifes: number of them; only those that are verified
 */
struct kmem_entry {
	enum kstats_kmem_kind kind;
	char *name;
	const char *line;
	const char *cache;
	uint64_t size;
	uint64_t last;
	uint64_t each;
	uint64_t each_last;
	struct kmem_sums sums;
	size_t nth;
	size_t first_row;
	size_t n_rows;
	size_t first_life;
	size_t n_lifes;
};

/**
 * struct kmem_table - all entries
 * @k: what they are of; not owned
 * @group: what an entry is of
 * @n: number of @entries
 * @entries: owned; sorted
 * @entry_of: owned; for each row the index of its entry
 * @rows: owned; indexes of all rows, ordered by entry
 * @by_name: owned; indexes of the entries, ordered by kind and name
 * @lifes: owned; those that have an entry, ordered by entry, then by slot
 */
struct kmem_table {
	const struct kmem *k;
	struct kmem_group group;
	size_t n;
	struct kmem_entry *entries;
	uint32_t *entry_of;
	uint32_t *rows;
	uint32_t *by_name;
	const struct kmem_life **lifes;
};

/** kmem_kind_name() - "kmalloc", "cache" or "pages". Return: constant text */
const char *kmem_kind_name(enum kstats_kmem_kind kind);

/**
 * kmem_table_make() - group and sort
 * @t: filled in; released by kmem_table_free(), also after an error
 * @k: must outlive @t, as must @by
 * @by: what an entry is of, see kmem_group_find(), which must be true
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_table_make(struct kmem_table *t, const struct kmem *k, const char *by,
		    enum kmem_sort sort);

/** kmem_table_live() - live bytes of all entries with a kind and name */
uint64_t kmem_table_live(const struct kmem_table *t, enum kstats_kmem_kind kind, const char *name);

/** kmem_table_free() - release; @t may be zero-filled */
void kmem_table_free(struct kmem_table *t);

/** kmem_is_seen() - whether allocations of a kind were measured */
bool kmem_is_seen(const struct kmem *k, enum kstats_kmem_kind kind);

/** kmem_sums_add() - add the sums of other rows; the oldest of both stays */
void kmem_sums_add(struct kmem_sums *to, const struct kmem_sums *s);

/** kmem_no_row() - allocations of a kind that found no row */
struct kmem_sums kmem_no_row(const struct kmem *k, enum kstats_kmem_kind kind);

/** kmem_total() - all allocations of a kind, with those that found no row */
struct kmem_sums kmem_total(const struct kmem *k, enum kstats_kmem_kind kind);

/**
 * kmem_lifetimes() - how long the objects of an entry lived
 * @d: filled in; freed with dist_close()
 *
 * The mean is exact.
 *
 * Return: 0, or -ENOMEM with @d safe to close.
 */
int kmem_lifetimes(struct dist *d, const struct kmem_table *t, const struct kmem_entry *entry);

/**
 * kmem_life_quantile() - the slot of a quantile of the lifetimes of an entry
 * @millionths: 0 to DIST_ONE
 *
 * Return: bounds as of dist_quantile(); 0 and 0 where no lifetime is known.
 */
struct dist_bounds kmem_life_quantile(const struct kmem_table *t, const struct kmem_entry *entry,
				      uint32_t millionths);

/** enum kmem_measure - what a distribution of bytes is of; each allocation is a sample */
enum kmem_measure {
	KMEM_REQUESTED,
	KMEM_WASTED,
};

/**
 * kmem_bytes() - requested or wasted bytes of one allocation
 * @d: filled in; freed with dist_close()
 * @bits: resolution, 0 to KSTATS_BITS_MAX
 *
 * Requested sizes are in the slots that they have. Wasted bytes of sizes that share a row,
 * which is so above KSTATS_KMEM_EXACT bytes, are in the slot of their mean.
 *
 * Return: 0, or -ENOMEM with @d safe to close.
 */
int kmem_bytes(struct dist *d, const struct kmem_table *t, const struct kmem_entry *entry,
	       enum kmem_measure what, uint32_t bits);

#endif /* KSTATS_KMEM_TABLE_H */
