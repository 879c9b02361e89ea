/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_table.bpf.h - the tables of kmem.bpf.c. In: a place. Out: a pointer to it, or counters
 * that have changed. Called by the other headers of kmem.bpf.c.
 *
 * Each table is the only value of an array map, whose size user space sets. Before it loads
 * the programs, user space turns each pointer to such a map into a pointer to its value, and
 * writes the settings into the instructions. So neither costs a call or a load.
 */
#ifndef KSTATS_KMEM_TABLE_BPF_H
#define KSTATS_KMEM_TABLE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "kstats_kmem.h"

#define KMEM_GOLDEN 0x9e3779b97f4a7c15ULL /* spreads a key over the upper bits of a product */

#define KMEM_TABLE(name)                           \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, 1);            \
		__uint(key_size, 4);               \
		__uint(value_size, 64);            \
	} name SEC(".maps")

KMEM_TABLE(rows);
KMEM_TABLE(live);
KMEM_TABLE(lifes);
KMEM_TABLE(caches);
KMEM_TABLE(counts);

/* The constants that user space writes into the instructions. */
#define SETTING(n)                                                    \
	({                                                            \
		__u64 v_;                                             \
		INSN_NUMBER(v_, KSTATS_KMEM_MAGIC + KSTATS_KMEM_##n); \
		v_;                                                   \
	})

/*
 * Begins a branch that the kernel removes if a setting makes it dead. The kernel keeps the test
 * if other code jumps into the branch, too; this stops the compiler from sharing its code.
 */
#define REMOVABLE() INSN_NOTHING()

#define SET_AND(v, n) INSN_AND(v, KSTATS_KMEM_MAGIC + KSTATS_KMEM_##n)
#define SET_SHIFT(v, n) INSN_SHIFT(v, KSTATS_KMEM_MAGIC + KSTATS_KMEM_##n)

/* Once loaded, the pointer is one to the value of the map; this hides it from the compiler. */
static __always_inline void *table_of(void *map)
{
	INSN_TABLE(map);
	return map;
}

/* ---- counters ---- */

static __always_inline void kmem_add(__u64 cpu, enum kstats_kmem_count id, __u64 n)
{
	struct kstats_kmem_counts *c = table_of(&counts);

	SET_AND(cpu, CPU_MASK);
	__sync_fetch_and_add(&c[cpu].n[id], n);
}

static __always_inline void kmem_count(__u64 cpu, enum kstats_kmem_count id)
{
	kmem_add(cpu, id, 1);
}

/* ---- places ---- */

/*
 * Where the search for a key begins: in the copy of this CPU. It is a sum, since
 * the verifier of 6.1 forgets the bounds of an "or".
 */
#define KMEM_PLACE(hash, cpu, mask, bits)             \
	({                                            \
		__u64 at_ = (hash)*KMEM_GOLDEN >> 40; \
		SET_AND(at_, mask);                   \
		if (SETTING(STRIPE_MASK)) {           \
			__u64 copy_ = (cpu);          \
			SET_AND(copy_, STRIPE_MASK);  \
			SET_SHIFT(copy_, bits);       \
			at_ += copy_;                 \
		}                                     \
		at_;                                  \
	})

/* The next place in the same copy. */
#define KMEM_NEXT(at, mask) (((at) & ~SETTING(mask)) | (((at) + 1) & SETTING(mask)))

/* Make a word of a free place mine. Words are claimed in order, and never given back. */
static __always_inline bool word_claim(__u64 *word, __u64 value)
{
	__u64 old = *(volatile __u64 *)word;

	if (!old)
		old = __sync_val_compare_and_swap(word, 0, value);
	return !old || old == value;
}

#endif /* KSTATS_KMEM_TABLE_BPF_H */
