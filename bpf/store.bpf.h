/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.bpf.h - where a sample goes: into a slot of the per-CPU map of cells; compiled with
 * KSTATS_BLOCKS, into a slot of a block that the cell names (blocks.bpf.h); or, compiled with
 * KSTATS_KMOD, into the kernel module: with slots in blocks, into one node that holds all. In: a
 * node and a sample. Out: one slot counted. Called by interval.bpf.h.
 *
 * An interrupt or a preemption may come between any two instructions and run this code
 * again on the same CPU. So a counter that several programs add to is changed by one
 * atomic instruction. A counter that one program alone adds to needs none: the kernel
 * never runs a program inside itself on one CPU (it counts such calls as skipped, and the
 * ledger includes them). No cache line is written by two CPUs.
 */
#ifndef KSTATS_STORE_BPF_H
#define KSTATS_STORE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "blocks.bpf.h"
#include "calls.bpf.h"
#include "kstats_abi.h"

const volatile __u32 kstats_bits = KSTATS_BITS_MAX; /* resolution of the slots in the map */
const volatile __u32 kstats_n_map = KSTATS_N_SLOTS_MAX; /* number of slots at that resolution */
const volatile bool is_alone; /* each node has one start program and one end program */

/* Time of the last stop or reset: calls that began earlier are not recorded. */
__u64 epoch_ns;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* nodes; set by user space */
	__type(key, __u32);
	__type(value, struct kstats_cell); /* user space reduces it to the slots in use */
} cells SEC(".maps");

static __always_inline struct kstats_cell *store_cell(__u32 node)
{
	return bpf_map_lookup_elem(&cells, &node);
}

static __always_inline void store_count(struct kstats_cell *cell, enum kstats_ledger id)
{
	__sync_fetch_and_add(&cell->ledger[id], 1);
}

/* For counters that only start programs, or only end programs, add to. */
static __always_inline void store_add(__u64 *at, __u64 n)
{
	if (is_alone)
		*(volatile __u64 *)at += n;
	else
		__sync_fetch_and_add(at, n);
}

/* For rare events, whose cell has not been looked up yet. */
static __always_inline void store_count_node(__u32 node, enum kstats_ledger id)
{
	struct kstats_cell *cell = store_cell(node);

	if (cell)
		store_count(cell, id);
}

#ifdef KSTATS_KMOD
#define KSTATS_ENOSPC (-28) /* as errno.h has it */

/* If the module refuses the sample, the ledger does not balance, which is reported. */
static __always_inline void store_sample(struct kstats_cell *cell, __u64 v)
{
	if (!blocks_of_cpu)
		kstats_record(cell->id, v);
	else if (kstats_array_record(cell->id, cell->index, v) == KSTATS_ENOSPC)
		store_count(cell, KSTATS_NO_ROOM);
}
#elif defined(KSTATS_BLOCKS)
static __always_inline void slot_count(struct kstats_slot *slot, __u64 sum)
{
	/* Makes the compiler use one address for both members. */
	asm volatile("" : "+r"(slot));
	store_add(&slot->samples, 1);
	store_add(&slot->sum, sum);
}

/* A sample whose block is not the first at its place. */
static __noinline void store_elsewhere(struct kstats_cell *cell, __u32 i, __u64 sum)
{
	struct kstats_slot *slot = block_find(cell, i);

	if (slot)
		slot_count(slot, sum);
	else
		store_count(cell, KSTATS_NO_ROOM);
}

static __always_inline void store_sample(struct kstats_cell *cell, __u64 v)
{
	__u32 bits = kstats_bits;
	__u32 i = kstats_slot_index(v, bits);
	__u64 sum = kstats_slot_scale(v, i, bits);
	struct kstats_block *block = block_first(cell, i);

	if (block && kstats_block_has(block->tag, i))
		slot_count(&block->slots[kstats_block_slot(i)], sum);
	else
		store_elsewhere(cell, i, sum);
}
#else
static __always_inline void store_sample(struct kstats_cell *cell, __u64 v)
{
	__u32 bits = kstats_bits;
	__u32 i = kstats_slot_index(v, bits);
	struct kstats_slot *slot;

	/* Never true; it proves to the verifier that the access stays within the cell. */
	if (i >= kstats_n_map)
		return;
	slot = &cell->slots[i];
	/* Makes the compiler use one address for both members. */
	asm volatile("" : "+r"(slot));
	store_add(&slot->samples, 1);
	store_add(&slot->sum, kstats_slot_scale(v, i, bits));
}
#endif

/* For samples beside that of the call. Not static: the verifier goes through it once. */
__noinline int store_sample_node(__u32 node, __u64 v)
{
	struct kstats_cell *cell = store_cell(node);

	if (cell)
		store_sample(cell, v);
	return 0;
}

#endif /* KSTATS_STORE_BPF_H */
