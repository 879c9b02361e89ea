/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed.h - the counts of a snapshot without its empty slots: what is
 * kept for long, added up and written to files. In: a snapshot, or a file. Out:
 * the same again. Pure. Called by snapshot and recording.
 */
#ifndef KSTATS_SNAPSHOT_PACKED_H
#define KSTATS_SNAPSHOT_PACKED_H

#include "snapshot/snapshot.h"

/**
 * struct snapshot_cell - one slot of one CPU that is not empty
 * @at: where, see snapshot_cell_at(); cells ascend by it
 * @samples: number of samples
 * @sum: their sum, scaled by kstats_slot_scale()
 */
struct snapshot_cell {
	uint64_t at;
	uint64_t samples;
	uint64_t sum;
};

/**
 * struct snapshot_packed - counts of some nodes; what the nodes are is told by
 *	the snapshot they were packed from
 * @span: the time covered
 * @n_nodes: number of @ledgers
 * @ledgers: owned; by node and enum kstats_ledger
 * @n_cells: number of @cells
 * @cells: owned
 */
struct snapshot_packed {
	struct snapshot_span span;
	uint32_t n_nodes;
	uint64_t (*ledgers)[KSTATS_LEDGER_N];
	size_t n_cells;
	struct snapshot_cell *cells;
};

/**
 * snapshot_cell_at() - the place of a cell
 * @node: node index
 * @cpu: CPU number, below 65536
 * @slot: slot index
 *
 * Inverse of the three below.
 *
 * Return: a number that ascends by node, then CPU, then slot.
 */
static inline uint64_t snapshot_cell_at(uint32_t node, uint32_t cpu, uint32_t slot)
{
	return (uint64_t)node << 32 | cpu << 16 | slot;
}

/**
 * snapshot_cell_node() - the node of a cell
 * @c: cell
 *
 * Return: node index.
 */
static inline uint32_t snapshot_cell_node(const struct snapshot_cell *c)
{
	return c->at >> 32;
}

/**
 * snapshot_cell_cpu() - the CPU of a cell
 * @c: cell
 *
 * Return: CPU number.
 */
static inline uint32_t snapshot_cell_cpu(const struct snapshot_cell *c)
{
	return (c->at >> 16) & 0xffff;
}

/**
 * snapshot_cell_slot() - the slot of a cell
 * @c: cell
 *
 * Return: slot index.
 */
static inline uint32_t snapshot_cell_slot(const struct snapshot_cell *c)
{
	return c->at & 0xffff;
}

/**
 * snapshot_packed_new() - no counts yet
 * @n_nodes: number of nodes
 * @n_cells: number of cells, zero-filled
 *
 * Return: counts, freed by snapshot_packed_free(), or NULL when out of memory.
 */
struct snapshot_packed *snapshot_packed_new(uint32_t n_nodes, size_t n_cells);

/**
 * snapshot_packed_free() - release
 * @p: may be NULL
 */
void snapshot_packed_free(struct snapshot_packed *p);

/**
 * snapshot_pack() - the counts of a snapshot
 * @s: snapshot
 *
 * Return: counts, freed by snapshot_packed_free(), or NULL when out of memory.
 */
struct snapshot_packed *snapshot_pack(const struct snapshot *s);

/**
 * snapshot_spread() - add the cells to the slots of a snapshot
 * @p: counts; of its ledgers and time nothing is looked at
 * @s: snapshot with their nodes and CPUs
 *
 * Return: 0, or -EOVERFLOW with some of them added.
 */
int snapshot_spread(const struct snapshot_packed *p, struct snapshot *s);

/**
 * snapshot_unpack() - a snapshot again
 * @p: counts
 * @like: what the nodes are
 * @n_cpus: possible CPUs, at least those of @p
 *
 * Return: a new snapshot, or NULL when out of memory.
 */
struct snapshot *snapshot_unpack(const struct snapshot_packed *p, const struct snapshot *like,
				 uint32_t n_cpus);

/**
 * snapshot_packed_add() - add what was counted at another time
 * @into: added to
 * @from: what is added, of the same nodes and bits
 * @e: a counter would overflow
 *
 * The time covered is the sum of both times.
 *
 * Return: 0, or -errno with @into unchanged.
 */
int snapshot_packed_add(struct snapshot_packed *into, const struct snapshot_packed *from,
			struct error *e);

#endif /* KSTATS_SNAPSHOT_PACKED_H */
