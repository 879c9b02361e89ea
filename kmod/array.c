// SPDX-License-Identifier: GPL-2.0-only
/*
 * array.c - blocks of slots: taken, read, given back. See array.h. In: calls of node.c and
 * record.c.
 *
 * An interrupt or an NMI may come between any two instructions of a record and take blocks of
 * the same pool, even for the same slot. Each takes a number of its own, and the block that
 * reaches the chain first is used by both; the other one remains unused until the next reset.
 */
#include "array.h"

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

/* ---- recording ---- */

/* Returns the name of an unused block, or 0. */
static __always_inline u32 pool_take(struct array_pool *pool, u32 i)
{
	u32 n = atomic_fetch_add_unless(&pool->taken, 1, pool->end);

	if (n == pool->end)
		return 0;
	n *= sizeof(struct array_block);
	array_block(pool, n)->tag = kstats_block_tag(i);
	return n;
}

/* Goes along the chain, and puts a new block at its end. */
notrace int array_count_elsewhere(struct array_pool *pool, u32 *at, u32 i, u64 value, u32 bits)
{
	u32 n, mine = 0, step;
	struct array_block *block;
	struct kstats_counter *c;

	for (step = 0; step < KSTATS_BLOCK_CHAIN; step++) {
		n = READ_ONCE(*at);
		if (!n) {
			if (!mine)
				mine = pool_take(pool, i);
			if (!mine)
				return -ENOSPC;
			/* A barrier: whoever reads the name sees the tag. */
			n = cmpxchg(at, 0, mine) ?: mine;
		}
		block = array_block(pool, n);
		if (kstats_block_has(block->tag, i)) {
			c = &block->slots[kstats_block_slot(i)];
			local64_inc(&c->samples);
			local64_add(kstats_slot_scale(value, i, bits), &c->sum);
			return 0;
		}
		at = &block->next;
	}
	return -ENOSPC; /* never: a chain holds all blocks of its place */
}
NOKPROBE_SYMBOL(array_count_elsewhere);

/* ---- reading ---- */

static void copy_block(const struct array_block *from, u32 cpu, struct kstats_block *to)
{
	u32 i;

	for (i = 0; i < KSTATS_BLOCK_SLOTS; i++) {
		to->slots[i].samples = local64_read(&from->slots[i].samples);
		to->slots[i].sum = local64_read(&from->slots[i].sum);
	}
	to->tag = from->tag;
	to->next = cpu;
}

static u32 copy_cpu(const struct kstats_node *node, u32 index, u32 cpu, struct kstats_block *to)
{
	struct array_pool *pool = *per_cpu_ptr(node->hot.pools, cpu);
	struct array_block *block;
	u32 place, step, next, n = 0;

	for (place = 0; place < KSTATS_BLOCK_PLACES; place++) {
		next = smp_load_acquire(&pool->places[index][place]);
		for (step = 0; next && step < KSTATS_BLOCK_CHAIN; step++) {
			block = array_block(pool, next);
			next = smp_load_acquire(&block->next);
			copy_block(block, cpu, &to[n++]);
		}
	}
	return n;
}

int array_read(struct kstats_node *node, u32 index, u32 cpu, struct kstats_block *to, u32 room)
{
	u32 n = 0;

	if (mutex_lock_killable(&node->lock))
		return -EINTR;
	for (; cpu < nr_cpu_ids && room - n >= KSTATS_N_BLOCKS_MAX; cpu++)
		if (cpu_possible(cpu))
			n += copy_cpu(node, index, cpu, to + n);
	mutex_unlock(&node->lock);
	cond_resched();
	return n;
}

/* ---- control ---- */

static void zero_pool(struct array_pool *pool, u32 n)
{
	u32 first = pool->first, taken = atomic_read(&pool->taken);

	memset(pool->places, 0, n * sizeof(*pool->places));
	memset((struct array_block *)pool + first, 0, (taken - first) * sizeof(struct array_block));
	atomic_set(&pool->taken, first);
	cond_resched();
}

int array_control(struct kstats_node *node, u32 op)
{
	unsigned int cpu;
	bool on;

	if (op > KSTATS_OP_RESET)
		return -EINVAL;
	if (mutex_lock_killable(&node->lock))
		return -EINTR;
	on = op == KSTATS_OP_START || (op == KSTATS_OP_RESET && node->hot.n_on);
	if (op != KSTATS_OP_START) {
		WRITE_ONCE(node->hot.n_on, 0);
		synchronize_rcu(); /* after this, all records that saw it on are complete */
	}
	if (op == KSTATS_OP_RESET)
		for_each_possible_cpu(cpu)
			zero_pool(*per_cpu_ptr(node->hot.pools, cpu), node->hot.n);
	WRITE_ONCE(node->hot.n_on, on ? node->hot.n : 0);
	mutex_unlock(&node->lock);
	return 0;
}

/* ---- life ---- */

static struct array_pool *pool_alloc(u32 first, u32 end, unsigned int cpu)
{
	struct array_pool *pool = kvzalloc_node((size_t)end * sizeof(struct array_block),
						GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));

	if (!pool)
		return NULL;
	atomic_set(&pool->taken, first);
	pool->first = first;
	pool->end = end;
	return pool;
}

int array_init(struct kstats_node *node, u32 n, u32 blocks)
{
	u64 places = DIV_ROUND_UP_ULL((u64)n * sizeof(((struct array_pool *)0)->places[0]),
				      sizeof(struct array_block));
	u64 end = 1 + places + blocks, size = end * sizeof(struct array_block);
	unsigned int cpu;
	void *pool;

	if (!n || !blocks)
		return -EINVAL;
	/* More is more than the kernel gives, and than a name can say. */
	if (size > INT_MAX || !node_take_memory(node, size * num_possible_cpus()))
		return -ENOSPC;
	node->hot.pools = alloc_percpu_gfp(void *, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!node->hot.pools)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		pool = pool_alloc(1 + places, end, cpu);
		if (!pool)
			return -ENOMEM;
		*per_cpu_ptr(node->hot.pools, cpu) = pool;
		cond_resched();
	}
	node->hot.n = node->hot.n_on = n;
	return 0;
}

void array_free(struct kstats_node *node)
{
	unsigned int cpu;

	if (!node->hot.pools)
		return;
	for_each_possible_cpu(cpu)
		kvfree(*per_cpu_ptr(node->hot.pools, cpu));
	free_percpu(node->hot.pools);
}
