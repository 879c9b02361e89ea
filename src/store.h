/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - where the slots live, behind one interface. In: the maps of a
 * session. Out: slots and ledger counters in a snapshot. Called by session.
 */
#ifndef KSTATS_STORE_H
#define KSTATS_STORE_H

#include "snapshot.h"

struct node_bpf;

/**
 * struct store - the cells of a session, and its nodes in the module
 * @cells_fd: map of cells, by node
 * @module: owned; programs that talk to the module, NULL with the map backend
 * @ids: owned; by node, its id in the module
 * @bits: resolution
 * @n_cpus: possible CPUs
 * @n_nodes: number of cells
 * @cell_size: bytes of a cell
 * @cells: owned; room for one node on all CPUs
 */
struct store {
	int cells_fd;
	struct node_bpf *module;
	uint32_t *ids;
	unsigned int bits;
	unsigned int n_cpus;
	unsigned int n_nodes;
	size_t cell_size;
	void *cells;
};

/**
 * store_open() - make ready to read; make the nodes in the module
 * @st: filled in; freed with store_close()
 * @cells_fd: map, stays the caller's
 * @bits: resolution
 * @n_nodes: number of nodes
 * @kmod: the slots are in the module, whose ids go into the cells; else in the map
 * @e: why not
 *
 * Return: 0, or -errno with nothing left behind.
 */
int store_open(struct store *st, int cells_fd, unsigned int bits, unsigned int n_nodes, bool kmod,
	       struct error *e);

/**
 * store_read() - copy the slots and counters of every node
 * @st: store
 * @s: snapshot with as many nodes and CPUs; KSTATS_IN_FLIGHT of each node is
 *	set to the open stamps of --per-cpu
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int store_read(struct store *st, struct snapshot *s, struct error *e);

/**
 * store_close() - release; the nodes in the module go
 * @st: may be zero-filled
 */
void store_close(struct store *st);

/**
 * store_probe_kmod() - do the programs load that talk to the module
 *
 * Return: 0 or -errno.
 */
int store_probe_kmod(void);

#endif /* KSTATS_STORE_H */
