/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of store share. */
#ifndef KSTATS_STORE_PRIV_H
#define KSTATS_STORE_PRIV_H

#include "store/store.h"
#include "store/table.h"

/**
 * store_kmod_open() - make the nodes and put their ids into the cells; or find them
 * @st: everything else is filled in; ended by store_kmod_close() also after an error
 */
int store_kmod_open(struct store *st, const struct store_setup *setup, struct error *e);

/**
 * store_kmod_read() - read the slots of one CPU
 * @slots: receives a pointer to kstats_n_slots() slots, valid until the next call
 */
int store_kmod_read(struct store *st, uint32_t node, unsigned int cpu,
		    const struct kstats_slot **slots);

/** store_kmod_reset() - zero the slots; of an array, those of all nodes with the first */
int store_kmod_reset(struct store *st, uint32_t node);

/** store_array_add() - add the slots in use of a node in an array; 0 or -errno */
int store_array_add(struct store *st, uint32_t node, struct counts_writer *w);

/** store_array_samples() - add the samples in all slots of a node in an array; 0 or -errno */
int store_array_samples(struct store *st, uint32_t node, uint64_t *n);

/** store_kmod_close() - release the nodes; @st may be zero-filled */
void store_kmod_close(struct store *st);

/**
 * store_calls_open() - prepare to call the module
 * @calls: receives what store_calls_free() releases
 * @module_btf: descriptor of the module's BTF; it stays the caller's
 */
int store_calls_open(struct store_calls **calls, const struct store_call_ids *ids, int module_btf);

/** store_calls_are() - whether it calls these functions */
bool store_calls_are(const struct store_calls *c, const struct store_call_ids *ids);

/** store_calls_read() - kstats_node_read(); @slots: as of store_kmod_read() */
int store_calls_read(struct store_calls *c, uint32_t id, unsigned int cpu,
		     const struct kstats_slot **slots);

#define STORE_BLOCKS (4 * KSTATS_N_BLOCKS_MAX) /* that one call reads at most */

/**
 * store_calls_array() - kstats_array_read(), with its result or -errno
 * @blocks: receives a pointer to the blocks, of which STORE_BLOCKS fit; valid until the next call
 */
int store_calls_array(struct store_calls *c, uint32_t id, uint32_t index, unsigned int cpu,
		      const struct kstats_block **blocks);

/** store_calls_control() - kstats_node_control(), with its result or -errno */
int store_calls_control(struct store_calls *c, uint32_t id, enum kstats_op op);

/** store_calls_direct() - the calls of a function in a stub; 0 or -errno */
int store_calls_direct(struct store_calls *c, uint32_t id, struct kstats_direct_counts *counts);

/** store_calls_free() - release; @c may be NULL */
void store_calls_free(struct store_calls *c);

/** store_direct_close() - release the programs; the functions stay attached to their nodes */
void store_direct_close(struct store *st);

/** blocks_open() - map the blocks into memory; @fd: their map; @t: ended by table_close() */
int blocks_open(struct table *t, int fd);

/** blocks_add_cpu() - add the slots in use of a cell; @cpu: above that of the CPU before */
void blocks_add_cpu(const struct table *t, const struct kstats_cell *cell, unsigned int bits,
		    uint32_t cpu, struct counts_writer *w);

/** blocks_add() - add the slots of blocks of one CPU, in any order; @bits, @cpu, @w: likewise */
void blocks_add(const struct kstats_block *blocks, unsigned int n, unsigned int bits, uint32_t cpu,
		struct counts_writer *w);

/** blocks_samples() - samples in all slots of a cell */
uint64_t blocks_samples(const struct table *t, const struct kstats_cell *cell);

/** blocks_zero() - give all blocks back to the pool of each CPU; no cell names one any more */
void blocks_zero(struct table *t, unsigned int n_cpus);

#endif /* KSTATS_STORE_PRIV_H */
