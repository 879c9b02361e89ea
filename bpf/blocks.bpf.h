/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocks.bpf.h - slots in blocks, which a distribution takes from its CPU's pool when it first
 * needs them. In: a cell and the index of a slot. Out: the slot. Called by store.bpf.h.
 *
 * The pools of all CPUs are one array. Each begins with a block that holds no slots: its @next
 * is the number of blocks taken from the pool. Block 0 is such a block. A place without a block
 * names it, and needs no test of its own, since no slot is found in block 0.
 *
 * An interrupt may come between any two instructions and take blocks of the same pool, even for
 * the same slot. Each takes a number of its own by one atomic addition, and the block that
 * reaches the chain first is used by both; the other one remains unused until the next reset.
 */
#ifndef KSTATS_BLOCKS_BPF_H
#define KSTATS_BLOCKS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "kstats_abi.h"

const volatile __u32 blocks_of_cpu; /* in the pool of each CPU; 0: the slots are not in blocks */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* user space reads the blocks where they are */
	__uint(max_entries, 1); /* blocks of all CPUs; set by user space */
	__type(key, __u32);
	__type(value, struct kstats_block);
} blocks SEC(".maps");

#ifdef KSTATS_BLOCKS
/* Takes an unused block. Returns its number, or 0 if the pool is empty. */
static __always_inline __u32 block_take(__u32 tag)
{
	__u32 n = bpf_get_smp_processor_id() * blocks_of_cpu, taken;
	struct kstats_block *block = bpf_map_lookup_elem(&blocks, &n);

	/* Looks before it adds, so that the number of blocks does not grow without end. */
	if (!block || *(volatile __u32 *)&block->next >= blocks_of_cpu - 1)
		return 0;
	taken = __sync_fetch_and_add(&block->next, 1);
	if (taken >= blocks_of_cpu - 1)
		return 0;
	n += 1 + taken;
	block = bpf_map_lookup_elem(&blocks, &n);
	if (!block)
		return 0;
	block->tag = tag;
	return n;
}

static __always_inline __u32 *block_place(struct kstats_cell *cell, __u32 i)
{
	__u64 at = kstats_block_place(i);

	/* By hand: the compiler would copy the address of the cell before it adds. */
	INSN_ADD(at, cell);
	return ((struct kstats_cell *)at)->blocks;
}

/* Goes along the chain, and puts a new block at its end. Returns NULL if there is none left. */
static __always_inline struct kstats_slot *block_find(struct kstats_cell *cell, __u32 i)
{
	__u32 *at = block_place(cell, i), n, mine = 0, step;
	struct kstats_block *block;

	for (step = 0; step < KSTATS_BLOCK_CHAIN; step++) {
		n = *(volatile __u32 *)at;
		if (!n) {
			if (!mine)
				mine = block_take(kstats_block_tag(i));
			if (!mine)
				return NULL;
			n = __sync_val_compare_and_swap(at, 0, mine);
			if (!n)
				n = mine;
		}
		block = bpf_map_lookup_elem(&blocks, &n);
		if (!block)
			return NULL;
		if (kstats_block_has(block->tag, i))
			return &block->slots[kstats_block_slot(i)];
		at = &block->next;
	}
	return NULL;
}

/* The first block at a slot's place; block 0 if there is none. */
static __always_inline struct kstats_block *block_first(struct kstats_cell *cell, __u32 i)
{
	return bpf_map_lookup_elem(&blocks, block_place(cell, i));
}
#endif

#endif /* KSTATS_BLOCKS_BPF_H */
