// SPDX-License-Identifier: GPL-2.0-only
/* store_points.c - slots in blocks, compiled for this machine: see machine.h. */
#undef KSTATS_KMOD
#define KSTATS_BLOCKS
#include "store.bpf.h"
#include "store.h"

void store_in_blocks(__u32 node, __u64 v)
{
	struct kstats_cell *cell = store_cell(node);

	if (cell)
		store_sample(cell, v);
}
