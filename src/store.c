// SPDX-License-Identifier: GPL-2.0-only
/* store.c - see store.h. */
#include "store.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int store_open(struct store *st, int cells_fd, unsigned int bits, unsigned int n_nodes,
	       struct error *e)
{
	int n_cpus = libbpf_num_possible_cpus();

	*st = (struct store){ .cells_fd = cells_fd, .bits = bits, .n_nodes = n_nodes };
	if (n_cpus < 0)
		return error_set(e, EXIT_KERNEL, n_cpus, NULL, "mount /sys",
				 "cannot count the CPUs");
	st->n_cpus = n_cpus;
	st->cell_size = KSTATS_CELL_SIZE(kstats_n_slots(bits));
	st->cells = calloc(n_cpus, st->cell_size);
	if (!st->cells)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot read the slots");
	return 0;
}

static void read_cell(struct snapshot_node *node, const struct kstats_cell *cell,
		      struct kstats_slot *slots, unsigned int n_slots)
{
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		node->ledger[i] += cell->ledger[i];
	node->ledger[KSTATS_IN_FLIGHT] += cell->start_ns != 0;
	memcpy(slots, cell->slots, n_slots * sizeof(*slots));
}

int store_read(struct store *st, struct snapshot *s, struct error *e)
{
	unsigned int n_slots = kstats_n_slots(st->bits), cpu;
	struct snapshot_node *node;
	__u32 i;

	for (i = 0; i < st->n_nodes; i++) {
		if (bpf_map_lookup_elem(st->cells_fd, &i, st->cells))
			return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
					 "cannot read the slots of '%s'", s->nodes[i].name);
		node = &s->nodes[i];
		memset(node->ledger, 0, sizeof(node->ledger));
		for (cpu = 0; cpu < st->n_cpus; cpu++)
			read_cell(node, (const void *)((char *)st->cells + cpu * st->cell_size),
				  node->slots + (size_t)cpu * n_slots, n_slots);
	}
	return 0;
}

void store_close(struct store *st)
{
	free(st->cells);
	*st = (struct store){};
}
