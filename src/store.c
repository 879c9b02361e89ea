// SPDX-License-Identifier: GPL-2.0-only
/* store.c - see store.h. */
#include "store_priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int store_open(struct store *st, int cells_fd, unsigned int bits, unsigned int n_nodes, bool kmod,
	       struct error *e)
{
	int n_cpus = libbpf_num_possible_cpus(), err;

	*st = (struct store){ .cells_fd = cells_fd, .bits = bits, .n_nodes = n_nodes };
	if (n_cpus < 0)
		return error_set(e, EXIT_KERNEL, n_cpus, NULL, "mount /sys",
				 "cannot count the CPUs");
	st->n_cpus = n_cpus;
	st->cell_size = KSTATS_CELL_SIZE(kmod ? 0 : kstats_n_slots(bits));
	st->cells = calloc(n_cpus, st->cell_size);
	if (!st->cells)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot read the slots");
	err = kmod ? store_kmod_open(st, e) : 0;
	if (err)
		store_close(st);
	return err;
}

static void read_ledger(struct snapshot_node *node, const struct kstats_cell *cell)
{
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		node->ledger[i] += cell->ledger[i];
	node->ledger[KSTATS_IN_FLIGHT] += cell->start_ns != 0;
}

static int read_node(struct store *st, struct snapshot_node *node, uint32_t i)
{
	unsigned int n_slots = kstats_n_slots(st->bits), cpu;
	const struct kstats_cell *cell;
	struct kstats_slot *to;
	int err = 0;

	memset(node->ledger, 0, sizeof(node->ledger));
	if (bpf_map_lookup_elem(st->cells_fd, &i, st->cells))
		return -errno;
	for (cpu = 0; !err && cpu < st->n_cpus; cpu++) {
		cell = (const void *)((char *)st->cells + cpu * st->cell_size);
		to = node->slots + (size_t)cpu * n_slots;
		read_ledger(node, cell);
		if (st->module)
			err = store_kmod_read(st, i, cpu, to);
		else
			memcpy(to, cell->slots, n_slots * sizeof(*to));
	}
	return err;
}

int store_read(struct store *st, struct snapshot *s, struct error *e)
{
	uint32_t i;
	int err;

	for (i = 0; i < st->n_nodes; i++) {
		err = read_node(st, &s->nodes[i], i);
		if (err)
			return error_set(e, EXIT_KERNEL, err, NULL, NULL,
					 "cannot read the slots of '%s'", s->nodes[i].name);
	}
	return 0;
}

void store_close(struct store *st)
{
	store_kmod_close(st);
	free(st->cells);
	*st = (struct store){};
}
