// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks.bpf.c - samples recorded into slots in blocks, without events, with interrupts at
 * the worst moments. In: struct blocks_run, and the variables below. Out: cells and blocks.
 * Run by blocks.c.
 */
#define KSTATS_BLOCKS
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "blocks.h"
#include "kstats_abi.h"

__u32 interrupts; /* that take a block each, while one is taken; counted down */
__u32 interrupt_tag; /* for which slots; 0: for the same */
__u32 taken_early; /* blocks taken by interrupts after a look at the pool */
const volatile bool one_pool; /* all CPUs share one cell and one pool */

static __u32 pool_cpu(void);
static __u32 early_add(__u32 *at, __u32 n);
static __u32 late_swap(__u32 *at, __u32 new);

/* What follows takes its blocks by these. */
#define bpf_get_smp_processor_id() pool_cpu()
#define __sync_fetch_and_add(at, n) early_add(at, n)
#define __sync_val_compare_and_swap(at, old, new) late_swap(at, new)
#include "blocks.bpf.h"
#undef bpf_get_smp_processor_id
#undef __sync_fetch_and_add
#undef __sync_val_compare_and_swap
#include "store.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* nodes; set by user space */
	__type(key, __u32);
	__type(value, struct kstats_cell);
} shared SEC(".maps");

static __always_inline __u32 pool_cpu(void)
{
	return one_pool ? 0 : bpf_get_smp_processor_id();
}

/* Between the look at the pool and the addition. */
static __always_inline __u32 early_add(__u32 *at, __u32 n)
{
	__sync_fetch_and_add(at, taken_early);
	return __sync_fetch_and_add(at, n);
}

/* Between taking a block and putting it into the chain. */
static __always_inline __u32 late_swap(__u32 *at, __u32 new)
{
	struct kstats_block *block = bpf_map_lookup_elem(&blocks, &new);
	__u32 other;

	if (interrupts) {
		interrupts--;
		other = block_take(interrupt_tag ? interrupt_tag : block ? block->tag : 0);
		if (other)
			__sync_val_compare_and_swap(at, 0, other);
	}
	return __sync_val_compare_and_swap(at, 0, new);
}

static long record(__u32 i, struct blocks_run *r)
{
	__u32 node = r->node;
	struct kstats_cell *cell =
		one_pool ? bpf_map_lookup_elem(&shared, &node) : store_cell(node);

	if (!cell)
		return 1;
	store_sample(cell, r->value);
	r->value += r->step;
	return 0;
}

SEC("syscall")
int blocks_record(struct blocks_run *ctx)
{
	struct blocks_run r = *ctx;

	bpf_loop(r.n, record, &r, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
