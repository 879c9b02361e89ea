// SPDX-License-Identifier: GPL-2.0-only
/* pairs.c - pairs of call sites. */
#include "kmem/pairs.h"

#include <errno.h>
#include <stdlib.h>

static int by_sites(const void *x, const void *y)
{
	const struct kmem_pair *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->how < b->how ? -1 : a->how > b->how;
}

static int larger(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_others(const void *x, const void *y)
{
	const struct kmem_pair *a = x, *b = y;
	int order = larger(a->other_cpu, b->other_cpu);

	if (!order)
		order = larger(a->other_task, b->other_task);
	if (!order)
		order = larger(a->count, b->count);
	return order ? order : by_sites(a, b);
}

static struct kmem_pair pair_of(const struct kmem *k, const struct kmem_life *l)
{
	const uint64_t n = l->count;

	return (struct kmem_pair){
		.from = l->row < k->n_rows ? k->rows[l->row].site : KSTATS_KMEM_NO_ROW,
		.to = l->site,
		.how = l->how,
		.count = n,
		.other_cpu = l->flags & KSTATS_KMEM_OTHER_CPU ? n : 0,
		.other_numa = l->flags & KSTATS_KMEM_OTHER_NUMA ? n : 0,
		.other_task = l->flags & KSTATS_KMEM_OTHER_TASK ? n : 0,
	};
}

int kmem_pairs(const struct kmem *k, struct kmem_pair **pairs, size_t *n)
{
	struct kmem_pair *all = calloc(k->n_lifes + 1, sizeof(*all)), *last;
	size_t i, n_all = 0;

	*n = 0;
	*pairs = all;
	if (!all)
		return -ENOMEM;
	for (i = 0; i < k->n_lifes; i++)
		if (!(k->lifes[i].flags & KSTATS_KMEM_UNVERIFIED))
			all[n_all++] = pair_of(k, &k->lifes[i]);
	qsort(all, n_all, sizeof(*all), by_sites);
	for (i = 0; i < n_all; i++) {
		last = &all[*n ? *n - 1 : 0];
		if (!*n || by_sites(last, &all[i])) {
			all[(*n)++] = all[i];
			continue;
		}
		last->count += all[i].count;
		last->other_cpu += all[i].other_cpu;
		last->other_numa += all[i].other_numa;
		last->other_task += all[i].other_task;
	}
	qsort(all, *n, sizeof(*all), by_others);
	return 0;
}
