/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of store share. */
#ifndef KSTATS_STORE_PRIV_H
#define KSTATS_STORE_PRIV_H

#include "store/store.h"
#include "store/table.h"

struct kstats_dev_create;

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

/* ---- commands to the module; each returns what the module does, or -errno ---- */

/** store_dev_open() - open its device; @why: receives half a sentence where there is a good one */
int store_dev_open(struct store_dev **dev, char *why, size_t size);

/** store_dev_close() - close it, and let go of the nodes that were made by it; NULL is fine */
void store_dev_close(struct store_dev *dev);

/** store_dev_create() - make a node; @now: see kstats_dev.h */
int store_dev_create(struct store_dev *dev, struct kstats_dev_create *now);

/** store_dev_read() - number of slots; @slots: as of store_kmod_read() */
int store_dev_read(struct store_dev *dev, uint32_t id, unsigned int cpu,
		   const struct kstats_slot **slots);

#define STORE_BLOCKS (4 * KSTATS_N_BLOCKS_MAX) /* that one call reads at most */

/**
 * store_dev_array() - number of blocks of an array
 * @blocks: receives a pointer to them, of which STORE_BLOCKS fit; valid until the next call
 */
int store_dev_array(struct store_dev *dev, uint32_t id, uint32_t index, unsigned int cpu,
		    const struct kstats_block **blocks);

/** store_dev_control() - start, stop or reset a node */
int store_dev_control(struct store_dev *dev, uint32_t id, enum kstats_op op);

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
