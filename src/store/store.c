// SPDX-License-Identifier: GPL-2.0-only
#include "store/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t store_cell_size(unsigned int bits, bool kmod, bool in_blocks)
{
	if (kmod)
		return KSTATS_CELL_SIZE_KMOD; /* the module has the rest, also of an array */
	return in_blocks ? KSTATS_CELL_SIZE_BLOCKS : KSTATS_CELL_SIZE(kstats_n_slots(bits));
}

static int open_blocks(struct store *st, const struct store_setup *setup, struct error *e)
{
	int err = setup->blocks_fd < 0 ? 0 : blocks_open(&st->blocks, setup->blocks_fd);

	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot map the blocks of slots")
		   : 0;
}

int store_open(struct store *st, const struct store_setup *setup, struct error *e)
{
	int n_cpus = libbpf_num_possible_cpus(), err;

	*st = (struct store){
		.cells_fd = setup->cells_fd,
		.bits = setup->bits,
		.n_nodes = setup->n_nodes,
		.n_used = setup->n_nodes,
		.counts = setup->counts,
		.value = setup->value,
	};
	if (n_cpus < 0)
		return error_set(e, EXIT_KERNEL, n_cpus, NULL, "mount /sys",
				 "cannot count the CPUs");
	st->n_cpus = n_cpus;
	st->cell_size = store_cell_size(setup->bits, setup->kmod, setup->blocks_fd >= 0);
	/* This memory is not cleared, since a cell is written only after it was read. */
	st->cells = malloc(n_cpus * st->cell_size);
	if (!st->cells)
		return error_no_memory(e, "cannot read the slots");
	err = setup->kmod ? store_kmod_open(st, setup, e) : open_blocks(st, setup, e);
	if (err)
		store_close(st);
	return err;
}

static struct kstats_cell *cell_of(const struct store *st, unsigned int cpu)
{
	return (void *)((char *)st->cells + cpu * st->cell_size);
}

static void read_ledger(struct snapshot_node *node, const struct kstats_cell *cell)
{
	int i;

	for (i = 0; i < KSTATS_LEDGER_SPACE; i++)
		node->ledger[i] += cell->ledger[i];
	node->ledger[KSTATS_IN_FLIGHT] += cell->start_ns != 0;
}

/*
 * The slots of a CPU that are not in blocks, valid until the next call. With the map backend,
 * cells are read already.
 */
static int slots_of(struct store *st, uint32_t node, unsigned int cpu,
		    const struct kstats_slot **slots)
{
	if (st->ids)
		return store_kmod_read(st, node, cpu, slots);
	*slots = cell_of(st, cpu)->slots;
	return 0;
}

static int read_cpu(struct store *st, uint32_t node, unsigned int cpu, struct counts_writer *w)
{
	const struct kstats_slot *slots;
	int err;

	if (st->blocks.at) {
		blocks_add_cpu(&st->blocks, cell_of(st, cpu), st->bits, cpu, w);
		return 0;
	}
	err = slots_of(st, node, cpu, &slots);
	if (!err)
		counts_add_cpu(w, cpu, slots, kstats_n_slots(st->bits));
	return err;
}

/* The samples of a CPU where only starts are counted. */
static void add_starts(const struct store *st, unsigned int cpu, struct counts_writer *w)
{
	uint64_t n = cell_of(st, cpu)->ledger[KSTATS_STARTED];
	uint32_t slot = kstats_slot_index(st->value, st->bits);
	struct kstats_slot count = { n, n * kstats_slot_scale(st->value, slot, st->bits) };

	counts_add(w, cpu, slot, &count);
}

static int read_node(struct store *st, struct snapshot_node *node, uint32_t i,
		     struct counts_writer *w)
{
	unsigned int cpu;
	int err = 0;

	memset(node->ledger, 0, sizeof(node->ledger));
	if (bpf_map_lookup_elem(st->cells_fd, &i, st->cells))
		return -errno;
	for (cpu = 0; !err && cpu < st->n_cpus; cpu++) {
		read_ledger(node, cell_of(st, cpu));
		if (st->counts)
			add_starts(st, cpu, w);
		else if (!st->in_array)
			err = read_cpu(st, i, cpu, w);
	}
	if (!err && st->in_array && !st->counts)
		err = store_array_add(st, i, w);
	return err ? err : counts_end(w, &node->counts);
}

/* Samples without room were counted in the cells that they were for. */
static void move_no_room(struct snapshot *s, struct snapshot_node *node)
{
	uint64_t *from = &node->ledger[KSTATS_NO_ROOM], n = *from;

	*from = 0;
	s->nodes[node->owner]
		.ledger[snapshot_is_recorded(node->kind) ? KSTATS_NO_ROOM : KSTATS_NO_ROOM_APART] +=
		n;
}

int store_read(struct store *st, struct snapshot *s, struct error *e)
{
	struct counts_writer w = {};
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < st->n_nodes && i < st->n_used; i++) {
		err = read_node(st, &s->nodes[i], i, &w);
		if (err)
			error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read the slots of '%s'",
				  s->nodes[i].name);
		else
			move_no_room(s, &s->nodes[i]);
	}
	counts_writer_free(&w);
	return err;
}

static int add_samples(struct store *st, uint32_t i, uint64_t *n)
{
	unsigned int n_slots = kstats_n_slots(st->bits), cpu, k;
	const struct kstats_slot *slots;
	int err = 0;

	if (st->in_array && !st->counts)
		return store_array_samples(st, i, n);
	if ((!st->ids || st->counts) && bpf_map_lookup_elem(st->cells_fd, &i, st->cells))
		return -errno;
	for (cpu = 0; !err && cpu < st->n_cpus; cpu++) {
		if (st->counts) {
			*n += cell_of(st, cpu)->ledger[KSTATS_STARTED];
			continue;
		}
		if (st->blocks.at) {
			*n += blocks_samples(&st->blocks, cell_of(st, cpu));
			continue;
		}
		err = slots_of(st, i, cpu, &slots);
		for (k = 0; !err && k < n_slots; k++)
			*n += slots[k].samples;
	}
	return err;
}

int store_samples(struct store *st, const struct snapshot *s, struct store_samples *n,
		  struct error *e)
{
	int err = 0;
	uint32_t i;

	*n = (struct store_samples){};
	for (i = 0; !err && i < s->n_nodes && i < st->n_used; i++) {
		if (snapshot_is_recorded(s->nodes[i].kind))
			err = add_samples(st, i, &n->recorded);
		else if (s->nodes[i].kind == SNAPSHOT_GAP)
			err = add_samples(st, i, &n->gaps);
	}
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read the slots") : 0;
}

/* ---- what may be changed while no program runs ---- */

static int no_control(uint32_t node, int err, struct error *e)
{
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot change the cells of node %u",
			 node);
}

/* Change the cells of one node on every CPU. */
static int change_node(struct store *st, uint32_t node,
		       void (*change)(struct kstats_cell *cell, size_t size), struct error *e)
{
	unsigned int cpu;

	if (bpf_map_lookup_elem(st->cells_fd, &node, st->cells))
		return no_control(node, -errno, e);
	for (cpu = 0; cpu < st->n_cpus; cpu++)
		change(cell_of(st, cpu), st->cell_size);
	if (bpf_map_update_elem(st->cells_fd, &node, st->cells, BPF_ANY))
		return no_control(node, -errno, e);
	return 0;
}

static void cell_zero(struct kstats_cell *cell, size_t size)
{
	memset(cell, 0, size);
}

/* The same, but the cell keeps where its slots are in the module. */
static void cell_zero_kmod(struct kstats_cell *cell, size_t size)
{
	memset(cell, 0, KSTATS_CELL_HEAD);
}

int store_reset(struct store *st, struct error *e)
{
	int err = 0;
	uint32_t i;

	for (i = 0; !err && i < st->n_nodes; i++) {
		err = change_node(st, i, st->ids ? cell_zero_kmod : cell_zero, e);
		if (!err && st->ids)
			err = store_kmod_reset(st, i);
	}
	if (!err && st->blocks.at)
		blocks_zero(&st->blocks, st->n_cpus);
	return err;
}

static void cell_close(struct kstats_cell *cell, size_t size)
{
	cell->start_ns = 0;
	cell->last_end_ns = 0;
	cell->ledger[KSTATS_IN_FLIGHT] = 0;
}

/* Keep the number for all CPUs in the cell of the first one. */
static int keep_in_flight(struct store *st, uint32_t node, uint64_t n, struct error *e)
{
	if (bpf_map_lookup_elem(st->cells_fd, &node, st->cells))
		return no_control(node, -errno, e);
	cell_of(st, 0)->ledger[KSTATS_IN_FLIGHT] = n;
	if (bpf_map_update_elem(st->cells_fd, &node, st->cells, BPF_ANY))
		return no_control(node, -errno, e);
	return 0;
}

int store_close_stamps(struct store *st, const struct snapshot *s, struct error *e)
{
	int err = 0;
	uint32_t i;

	for (i = 0; !err && i < st->n_nodes; i++) {
		err = change_node(st, i, cell_close, e);
		if (!err && s->nodes[i].ledger[KSTATS_IN_FLIGHT])
			err = keep_in_flight(st, i, s->nodes[i].ledger[KSTATS_IN_FLIGHT], e);
	}
	return err;
}

void store_close(struct store *st)
{
	store_kmod_close(st);
	table_close(&st->blocks);
	free(st->cells);
	*st = (struct store){};
}
