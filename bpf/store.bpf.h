/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.bpf.h - where a sample goes: a slot in the per-CPU map of cells, or,
 * compiled with KSTATS_KMOD, in the kernel module. In: a node and a sample. Out:
 * one slot counted. Called by interval.bpf.h.
 *
 * An interrupt or a preemption may land between any two instructions and come
 * back here on the same CPU, so what several programs count is added to by one
 * atomic instruction. But the kernel never runs a program inside itself on one
 * CPU (it counts what it skips for that, and the ledger takes it in): what only
 * one program counts needs none. No cache line is written by two CPUs.
 */
#ifndef KSTATS_STORE_BPF_H
#define KSTATS_STORE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_abi.h"
#ifdef KSTATS_KMOD
#include "kstats_kfunc.h"
#endif

const volatile __u32 kstats_bits = KSTATS_BITS_MAX; /* of the slots in the map */
const volatile __u32 kstats_n_map = KSTATS_N_SLOTS_MAX; /* how many they make */
const volatile bool is_alone; /* a node has one program that starts, and one that ends */

/* Calls that began before this are nobody's any more: it was stopped, or reset. */
__u64 epoch_ns;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* nodes; set by user space */
	__type(key, __u32);
	__type(value, struct kstats_cell); /* cut to bits by user space */
} cells SEC(".maps");

static __always_inline struct kstats_cell *store_cell(__u32 node)
{
	return bpf_map_lookup_elem(&cells, &node);
}

static __always_inline void store_count(struct kstats_cell *cell, enum kstats_ledger id)
{
	__sync_fetch_and_add(&cell->ledger[id], 1);
}

/* Where only the programs that start, or only those that end, add to it. */
static __always_inline void store_add(__u64 *at, __u64 n)
{
	if (is_alone)
		*(volatile __u64 *)at += n;
	else
		__sync_fetch_and_add(at, n);
}

/* For events found where no cell is at hand, on the rare paths. */
static __always_inline void store_count_node(__u32 node, enum kstats_ledger id)
{
	struct kstats_cell *cell = store_cell(node);

	if (cell)
		store_count(cell, id);
}

#ifdef KSTATS_KMOD
/* A node that refuses leaves the ledger unbalanced, which is then told. */
static __always_inline void store_sample(struct kstats_cell *cell, __u64 v)
{
	kstats_record(cell->id, v);
}
#else
static __always_inline void store_sample(struct kstats_cell *cell, __u64 v)
{
	__u32 bits = kstats_bits;
	__u32 i = kstats_slot_index(v, bits);
	struct kstats_slot *slot;

	/* Never taken; it tells the verifier that the cell is not left. */
	if (i >= kstats_n_map)
		return;
	slot = &cell->slots[i];
	/* One address, not one for each of the two. */
	asm volatile("" : "+r"(slot));
	store_add(&slot->samples, 1);
	store_add(&slot->sum, kstats_slot_scale(v, i, bits));
}
#endif

#endif /* KSTATS_STORE_BPF_H */
