// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks.c - slots in blocks, read where the programs write them. A cell names the first block
 * of each chain; bpf/blocks.bpf.h tells how programs take blocks and chain them.
 */
#include "store/priv.h"

#include <errno.h>
#include <string.h>

int blocks_open(struct table *t, int fd)
{
	return fd < 0 ? fd : table_open(t, fd, sizeof(struct kstats_block));
}

static const struct kstats_block *block_of(const struct table *t, uint32_t n)
{
	return n && n < t->n ? (const struct kstats_block *)t->at + n : NULL;
}

/* Find the blocks of a cell, in the order of their slots. Return: how many; 0: none is set. */
static unsigned int blocks_find(const struct table *t, const struct kstats_cell *cell,
				const struct kstats_block *found[KSTATS_N_BLOCKS_MAX])
{
	const struct kstats_block *block;
	unsigned int place, step, i, n = 0;

	for (place = 0; place < KSTATS_BLOCK_PLACES; place++) {
		block = block_of(t, cell->blocks[place]);
		for (step = 0; block && step < KSTATS_BLOCK_CHAIN; step++) {
			i = kstats_block_of(block->tag);
			if (i >= KSTATS_N_BLOCKS_MAX)
				break;
			if (!n)
				memset(found, 0, KSTATS_N_BLOCKS_MAX * sizeof(*found));
			found[i] = block;
			n++;
			block = block_of(t, block->next);
		}
	}
	return n;
}

static void add_found(const struct kstats_block *const found[KSTATS_N_BLOCKS_MAX],
		      unsigned int bits, uint32_t cpu, struct counts_writer *w)
{
	unsigned int i, k;

	for (i = 0; i < KSTATS_N_BLOCKS(bits); i++)
		for (k = 0; found[i] && k < KSTATS_BLOCK_SLOTS; k++)
			counts_add(w, cpu, i * KSTATS_BLOCK_SLOTS + k, &found[i]->slots[k]);
}

void blocks_add(const struct kstats_block *blocks, unsigned int n, unsigned int bits, uint32_t cpu,
		struct counts_writer *w)
{
	const struct kstats_block *found[KSTATS_N_BLOCKS_MAX] = {};
	unsigned int i, at;

	for (i = 0; i < n; i++) {
		at = kstats_block_of(blocks[i].tag);
		if (at < KSTATS_N_BLOCKS_MAX)
			found[at] = &blocks[i];
	}
	add_found(found, bits, cpu, w);
}

void blocks_add_cpu(const struct table *t, const struct kstats_cell *cell, unsigned int bits,
		    uint32_t cpu, struct counts_writer *w)
{
	const struct kstats_block *found[KSTATS_N_BLOCKS_MAX];

	if (blocks_find(t, cell, found))
		add_found(found, bits, cpu, w);
}

uint64_t blocks_samples(const struct table *t, const struct kstats_cell *cell)
{
	const struct kstats_block *found[KSTATS_N_BLOCKS_MAX];
	unsigned int i, k, n = blocks_find(t, cell, found);
	uint64_t sum = 0;

	for (i = 0; n && i < KSTATS_N_BLOCKS_MAX; i++)
		for (k = 0; found[i] && k < KSTATS_BLOCK_SLOTS; k++)
			sum += found[i]->slots[k].samples;
	return sum;
}

void blocks_zero(struct table *t, unsigned int n_cpus)
{
	size_t n = t->n / n_cpus, used;
	struct kstats_block *pool;
	unsigned int cpu;

	for (cpu = 0; cpu < n_cpus; cpu++) {
		pool = (struct kstats_block *)t->at + cpu * n;
		/* The number of blocks taken can be a few too high: see block_take(). */
		used = pool->next < n ? pool->next + 1 : n;
		memset(pool, 0, used * sizeof(*pool));
	}
}
