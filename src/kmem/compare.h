/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.h - two sets of recordings of memory events side by side: which call site or cache
 * wastes more. In: values. Out: rows, those that changed most first. It judges nothing. Called
 * by report.
 */
#ifndef KSTATS_KMEM_COMPARE_H
#define KSTATS_KMEM_COMPARE_H

#include "kmem/table.h"

/** struct kmem_side - some recordings */
struct kmem_side {
	size_t n; /* number of @recs, at least 1 */
	const struct kmem *const *recs; /* not owned */
};

/**
 * struct kmem_change - a row of both sides
 * @kind: of its allocations
 * @name: owned; of the site, cache or whatever the rows are grouped by
 * @a: sums of the first side, over its recordings
 * @b: of the second
 */
struct kmem_change {
	enum kstats_kmem_kind kind;
	char *name;
	struct kmem_sums a;
	struct kmem_sums b;
};

/**
 * struct kmem_compare - the rows of both sides
 * @group: what a row is of
 * @sort: figure by whose change the rows are sorted, the largest first
 * @functions: sites are matched by function: offsets of different kernels say nothing
 * @per_second: figures are compared per second, since not all recordings are of a command;
 *	else per recording
 * @unit_a: what the sums of the first side are divided by
 * @unit_b: the same of the second
 * @lost_a: events of the first side that were skipped, found no room or had no value
 * @lost_b: the same of the second
 * @filters_a: not owned; those of the first recording of the first side, in words
 * @filters_b: the same of the second
 * @totals: of each kind, by enum kstats_kmem_kind
 * @n: number of @rows
 * @rows: owned
 */
struct kmem_compare {
	struct kmem_group group;
	enum kmem_sort sort;
	bool functions;
	bool per_second;
	double unit_a;
	double unit_b;
	uint64_t lost_a;
	uint64_t lost_b;
	const char *filters_a;
	const char *filters_b;
	struct kmem_change totals[KMEM_KINDS + 1];
	size_t n;
	struct kmem_change *rows;
};

/**
 * kmem_compare_make() - match the rows of two sides
 * @c: filled in; released by kmem_compare_free(), also after an error
 * @by: what a row is of, see kmem_group_find(), which must be true for all; must outlive @c
 *
 * Rows are matched by kind and name. Live figures are levels and are compared per recording.
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_compare_make(struct kmem_compare *c, const struct kmem_side *a, const struct kmem_side *b,
		      const char *by, enum kmem_sort sort);

/** kmem_compare_free() - release; @c may be zero-filled */
void kmem_compare_free(struct kmem_compare *c);

/** kmem_compare_value() - the figure that is sorted by, of one side, as it is in its sums */
uint64_t kmem_compare_value(const struct kmem_sums *s, enum kmem_sort sort);

#endif /* KSTATS_KMEM_COMPARE_H */
