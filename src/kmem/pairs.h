/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - who frees what others allocated: pairs of call sites. In: a value with lifetimes.
 * Out: pairs, those first that free most on other CPUs. Called by report.
 */
#ifndef KSTATS_KMEM_PAIRS_H
#define KSTATS_KMEM_PAIRS_H

#include "kmem/kmem.h"

/**
 * struct kmem_pair - objects allocated at one site and freed at another
 * @from: site of the allocation, index in the sites; KSTATS_KMEM_NO_ROW: not known
 * @to: site of the free
 * @how: event of the free
 * @count: objects
 * @other_cpu: of them, freed on another CPU than allocated
 * @other_numa: on another NUMA node
 * @other_task: by another task
 */
struct kmem_pair {
	uint32_t from;
	uint32_t to;
	enum kstats_kmem_free how;
	uint64_t count;
	uint64_t other_cpu;
	uint64_t other_numa;
	uint64_t other_task;
};

/**
 * kmem_pairs() - all pairs
 * @pairs: receives them, freed by the caller
 * @n: receives their number
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_pairs(const struct kmem *k, struct kmem_pair **pairs, size_t *n);

#endif /* KSTATS_KMEM_PAIRS_H */
