// SPDX-License-Identifier: GPL-2.0-only
/* store_map_points.c - slots in cells, compiled for this machine: see machine.h. */
#undef KSTATS_KMOD
#define cells map_cells
#define blocks map_blocks
#define kstats_bits map_bits
#define kstats_n_map map_n
#define is_alone map_is_alone
#define epoch_ns map_epoch_ns
#define blocks_of_cpu map_blocks_of_cpu
#define store_sample_node map_sample_node
#include "store.bpf.h"
#include "store.h"

void store_in_cells(__u32 node, __u64 v)
{
	struct kstats_cell *cell = store_cell(node);

	if (cell)
		store_sample(cell, v);
}
