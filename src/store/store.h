/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - where the slots live, behind one interface. In: the maps of a
 * session. Out: slots and ledger counters in a snapshot. Called by session.
 */
#ifndef KSTATS_STORE_H
#define KSTATS_STORE_H

#include "snapshot/snapshot.h"

struct node_bpf;
struct store_calls;

/**
 * struct store_call_ids - functions of the module, by their numbers in its types, which
 *	stay as long as it is loaded
 */
struct store_call_ids {
	uint32_t read; /* kstats_node_read(); 0 with the map backend */
	uint32_t control; /* kstats_node_control(); likewise */
};

/** struct store - the cells of a session, and its nodes in the module */
struct store {
	int cells_fd; /* map of cells, by node */
	struct node_bpf *module; /* owned; programs that made the nodes in the module; else NULL */
	/* programs that read and control nodes in the module; NULL with the map backend */
	struct store_calls *calls;
	bool borrowed; /* @calls are of setup.shared, and not owned */
	uint32_t *ids; /* owned; by node, its id in the module; NULL with the map backend */
	unsigned int bits; /* resolution */
	unsigned int n_cpus; /* possible CPUs */
	unsigned int n_nodes; /* number of cells */
	size_t cell_size; /* bytes of a cell */
	void *cells; /* owned; room for one node on all CPUs */
};

/** struct store_setup - what is there, and what is to be made */
struct store_setup {
	int cells_fd; /* map of cells, stays the caller's */
	unsigned int bits; /* resolution */
	unsigned int n_nodes; /* number of nodes */
	bool kmod; /* the slots are in the module, else in the map */
	/*
	 * they are there already, and the cells tell which they are: what to call in the module;
	 * NULL: make them
	 */
	const struct store_call_ids *made;
	int module_btf; /* with @kmod, descriptor of the module's BTF, or -errno */
	/*
	 * with @made, where what talks to the module is kept for the next store, freed by
	 * store_shared_free(); NULL where it is this one's own
	 */
	struct store_calls **shared;
	/* what to call those that are made, by node; NULL where nobody shall see them */
	const char *const *names;
};

/**
 * store_open() - make ready to read; make the nodes in the module
 * @st: filled in; freed with store_close()
 * @setup: what there is
 *
 * Return: 0, or -errno with nothing left behind.
 */
int store_open(struct store *st, const struct store_setup *setup, struct error *e);

/**
 * store_shared_free() - release what stores have shared
 * @calls: may be NULL; no store uses it any more
 */
void store_shared_free(struct store_calls *calls);

/**
 * store_calls_of() - what others need to talk to its nodes in the module
 * @st: store that made them
 *
 * Return: numbers, 0 with the map backend.
 */
struct store_call_ids store_calls_of(const struct store *st);

/**
 * store_owners() - the map whose life is that of the nodes in the module
 * @st: store that made them
 *
 * Return: its descriptor, the store's; -1 with the map backend.
 */
int store_owners(const struct store *st);

/**
 * store_reset() - all counts are zero from now on, and no stamp is open
 * @st: store that no program writes to
 */
int store_reset(struct store *st, struct error *e);

/**
 * store_close_stamps() - no stamp of --per-cpu is open any more, nor an end that
 *	the next start has a gap to; what is in flight is kept in the cells
 * @st: store that no program writes to
 * @s: what it holds, with KSTATS_IN_FLIGHT
 */
int store_close_stamps(struct store *st, const struct snapshot *s, struct error *e);

/**
 * store_read() - copy the slots and counters of every node
 * @s: snapshot with as many nodes and CPUs; KSTATS_IN_FLIGHT of each node is
 *	set to the open stamps of --per-cpu, and what store_close_stamps() kept
 */
int store_read(struct store *st, struct snapshot *s, struct error *e);

/** struct store_samples - how many samples there are */
struct store_samples {
	uint64_t recorded; /* those of durations, which the ledger has as recorded */
	uint64_t gaps; /* those of gaps */
};

/**
 * store_samples() - count the samples, and read nothing else
 * @s: what the nodes are; its counts are not read
 * @n: receives the numbers
 */
int store_samples(struct store *st, const struct snapshot *s, struct store_samples *n,
		  struct error *e);

/** store_close() - release; the nodes in the module go; @st may be zero-filled */
void store_close(struct store *st);

/** store_probe_kmod() - do the programs load that talk to the module */
int store_probe_kmod(void);

#endif /* KSTATS_STORE_H */
