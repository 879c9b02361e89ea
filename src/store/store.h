/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - the slots, in a map or in the module, behind one interface. In: the maps of a
 * session. Out: slots and ledger counters in a snapshot. Called by session.
 */
#ifndef KSTATS_STORE_H
#define KSTATS_STORE_H

#include "result/snapshot.h"
#include "store/table.h"

struct bpf_object;
struct node_bpf;
struct store_dev;

/** struct store - the cells of a session, and its nodes in the module */
struct store {
	int cells_fd; /* map of cells, by node */
	struct table blocks; /* slots in blocks, mapped; empty if they are in the cells */
	struct store_dev *dev; /* owned; commands to the module; NULL with the map backend */
	struct node_bpf *module; /* owned; the map that holds nodes that stay; else NULL */
	bool in_array; /* all nodes are one node of the module, whose slots are in blocks */
	uint32_t *ids; /* owned; by node, its id in the module; NULL with the map backend */
	unsigned int bits; /* resolution */
	unsigned int n_cpus; /* possible CPUs */
	unsigned int n_nodes; /* number of cells */
	unsigned int n_used; /* those that are read; the others have never been written to */
	size_t cell_size; /* bytes of a cell */
	void *cells; /* owned; room for one node on all CPUs */
	bool counts; /* no slots are written: each start is a sample of @value */
	uint64_t value;
};

/** struct store_setup - what exists, and what is to be made */
struct store_setup {
	int cells_fd; /* map of cells, stays the caller's */
	int blocks_fd; /* map of blocks, stays the caller's; -1: the slots are not in blocks */
	unsigned int bits; /* resolution */
	unsigned int n_nodes; /* number of nodes */
	bool kmod; /* the slots are in the module, else in the map */
	uint32_t array_blocks; /* with @kmod: blocks of slots on each CPU; 0: not in blocks */
	bool made; /* with @kmod: the nodes exist, and their ids are in the cells; else make them */
	/* for nodes that stay: their names; NULL: they have none, are not shown, and go with it */
	const char *const *names;
	bool counts; /* no slots are written: each start is a sample of @value */
	uint64_t value;
};

/**
 * store_cell_size() - bytes of a cell
 * @kmod: the slots are in the module
 * @in_blocks: the slots are in blocks of the map
 */
size_t store_cell_size(unsigned int bits, bool kmod, bool in_blocks);

/**
 * store_open() - prepare for reading; make the nodes in the module
 * @st: filled in; freed with store_close()
 *
 * Return: 0, or -errno with nothing left behind.
 */
int store_open(struct store *st, const struct store_setup *setup, struct error *e);

/**
 * store_owners() - the map that holds the nodes in the module
 * @st: store that made them
 *
 * Return: its descriptor, which stays the store's; -1 if they do not stay.
 */
int store_owners(const struct store *st);

/** store_control() - start or stop a node of the module; @node: index. Returns 0 or -errno */
int store_control(struct store *st, uint32_t node, enum kstats_op op);

/**
 * store_direct_attach() - let the module measure a function without a BPF program
 * @node: index of the node that records
 * @address: of the function: one that plan_direct_refusal() does not refuse; 0: the one from which
 *	it was detached
 * @program: descriptor of hook_empty() for it; 0 if @address is 0
 * @why: receives half a sentence on failure
 *
 * Return: 0 or -errno. Ends with the store, or by store_direct_detach().
 */
int store_direct_attach(struct store *st, uint32_t node, uint64_t address, int program, char *why,
			size_t size);

/**
 * store_direct_filter() - before store_direct_attach(): measure only some calls
 * @filter: which; here @filter->like is the index of a node: @node itself, or one before it
 * @why: receives half a sentence on failure
 *
 * Return: 0 or -errno.
 */
int store_direct_filter(struct store *st, uint32_t node, const struct kstats_direct_filter *filter,
			char *why, size_t size);

/**
 * store_direct_follow() - measure one process more
 * @node: index of a node with the filter KSTATS_DIRECT_BY_PROCESS
 * @process: number in the initial PID namespace; 0: none any more
 *
 * Return: 0 or -errno.
 */
int store_direct_follow(struct store *st, uint32_t node, uint32_t process);

/** store_direct_detach() - detach until store_direct_attach() is called again */
int store_direct_detach(struct store *st, uint32_t node);

/** store_direct_read() - calls of the function since the last reset; 0 or -errno */
int store_direct_read(struct store *st, uint32_t node, struct kstats_direct_counts *counts);

/**
 * store_globals() - whether libbpf has made the global variables of an object that it has loaded
 *
 * If the kernel refuses a map by which libbpf tries whether there can be any, or whether they can
 * be mapped, the skeleton has NULL in their place, and nothing is said.
 *
 * Return: 0, or -ENODATA, for refusal_blame().
 */
int store_globals(const struct bpf_object *obj);

/** store_reset() - set all counts to zero and drop open stamps; @st: no program writes to it */
int store_reset(struct store *st, struct error *e);

/**
 * store_close_stamps() - drop the open stamps of --key cpu, and ends that wait for a gap; keep the
 *	number of calls in flight in the cells
 * @st: no program writes to it
 * @s: its counts, with KSTATS_IN_FLIGHT
 */
int store_close_stamps(struct store *st, const struct snapshot *s, struct error *e);

/**
 * store_read() - copy the slots and counters of every node
 * @s: has as many nodes and CPUs; KSTATS_IN_FLIGHT of each node receives the number of open
 *	stamps of --key cpu, and what store_close_stamps() kept
 */
int store_read(struct store *st, struct snapshot *s, struct error *e);

/** struct store_samples - how many samples there are */
struct store_samples {
	uint64_t recorded; /* durations, which the ledger contains as recorded */
	uint64_t gaps; /* gaps */
};

/** store_samples() - count the samples, and read nothing else; @s: its counts are not used */
int store_samples(struct store *st, const struct snapshot *s, struct store_samples *n,
		  struct error *e);

/** store_close() - release, also the nodes that it made in the module; @st may be zero-filled */
void store_close(struct store *st);

/**
 * store_probe_kmod() - whether programs load that call the module, and its device opens
 * @why: receives half a sentence where there is a good one
 *
 * Return: 0 or -errno.
 */
int store_probe_kmod(char *why, size_t size);

#endif /* KSTATS_STORE_H */
