/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * array.h - a node that holds many distributions. In: the index of a distribution and a sample.
 * Out: a slot counted, in a block that the distribution took from its CPU's pool when it first
 * needed it. Included by array.c, node.c and record.c.
 *
 * A pool begins with a block that has no slots and tells how far the pool is used. Behind it
 * are the places of the distributions, then the blocks. A block is named by how many bytes behind
 * the begin of the pool it is. A place without a block names the one without slots, and needs no
 * test of its own, since no slot is found there.
 */
#ifndef KSTATS_ARRAY_H
#define KSTATS_ARRAY_H

#include "node.h"

/**
 * struct array_block - a struct kstats_block while it is being counted in
 * @slots: the slots
 * @tag: as in struct kstats_block
 * @next: the next block of the chain; 0: none
 */
struct array_block {
	struct kstats_counter slots[KSTATS_BLOCK_SLOTS];
	u32 tag;
	u32 next;
};

static_assert(sizeof(struct array_block) == sizeof(struct kstats_block));

/**
 * struct array_pool - the slots of an array on one CPU
 * @none: the block without slots, whose tag remains 0
 * @taken: over it: number of the next block to be taken, in blocks behind the begin of the pool
 * @first: number of the first block with slots, the same
 * @end: one more than the number of the last block
 * @places: of each distribution, one after another: the first blocks of its chains
 *
 * Only its own CPU writes to it.
 */
struct array_pool {
	union {
		struct array_block none;
		struct {
			atomic_t taken;
			u32 first;
			u32 end;
		};
	};
	u32 places[][KSTATS_BLOCK_PLACES];
};

/**
 * array_init() - make the pools
 * @node: new; its resolution is set
 * @n: number of distributions
 * @blocks: in each pool
 *
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM; array_free() is due in any case.
 */
int array_init(struct kstats_node *node, u32 n, u32 blocks);

/**
 * array_free() - free the pools
 * @node: nobody records into it; it may be no array
 */
void array_free(struct kstats_node *node);

/**
 * array_control() - start, stop or reset
 * @node: an array
 * @op: see enum kstats_op
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int array_control(struct kstats_node *node, u32 op);

/**
 * array_read() - copy the blocks of a distribution, see kstats_array_read()
 * @node: an array
 * @index: distribution
 * @cpu: the first CPU that is read
 * @to: receives the blocks; others may write to it
 * @room: how many
 *
 * Context: process.
 * Return: number of blocks.
 */
int array_read(struct kstats_node *node, u32 index, u32 cpu, struct kstats_block *to, u32 room);

/**
 * array_count_elsewhere() - count a sample whose slot is not in the first block at its place
 * @pool: of this CPU
 * @at: the place
 * @i: slot index
 * @value: sample
 * @bits: resolution
 *
 * Context: any, preemption off.
 * Return: 0, or -ENOSPC if the pool has no block left.
 */
int array_count_elsewhere(struct array_pool *pool, u32 *at, u32 i, u64 value, u32 bits);

/**
 * array_block() - a block by its name
 * @pool: it is in there
 * @at: its name
 *
 * Return: the block.
 */
static __always_inline struct array_block *array_block(struct array_pool *pool, u32 at)
{
	return (void *)pool + at;
}

/**
 * array_place() - where a distribution has the name of the first block of a slot's chain
 * @pool: of a CPU
 * @index: distribution
 * @i: slot index
 *
 * Return: the place.
 */
static __always_inline u32 *array_place(struct array_pool *pool, u32 index, u32 i)
{
	return (void *)pool->places[index] + kstats_block_place(i);
}

/**
 * array_count() - count a sample
 * @node: any node
 * @index: distribution
 * @value: any value
 *
 * Context: any, preemption off.
 * Return: 0, -EINVAL, -ESHUTDOWN, or -ENOSPC when there is no block left.
 */
static __always_inline int array_count(struct kstats *node, u32 index, u64 value)
{
	u32 bits = node->bits;
	u32 i = kstats_slot_index(value, bits);
	struct kstats_counter *c;
	struct array_block *block;
	struct array_pool *pool;
	u32 *at;

	if (unlikely(index >= READ_ONCE(node->n_on)))
		return index < node->n ? -ESHUTDOWN : -EINVAL;
	pool = *this_cpu_ptr(node->pools);
	at = array_place(pool, index, i);
	block = array_block(pool, READ_ONCE(*at));
	if (unlikely(!kstats_block_has(block->tag, i)))
		return array_count_elsewhere(pool, at, i, value, bits);
	c = &block->slots[kstats_block_slot(i)];
	local64_inc(&c->samples);
	local64_add(kstats_slot_scale(value, i, bits), &c->sum);
	return 0;
}

#endif /* KSTATS_ARRAY_H */
