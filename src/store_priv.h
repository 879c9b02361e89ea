/* SPDX-License-Identifier: GPL-2.0-only */
/* store_priv.h - what store.c and store_kmod.c share. */
#ifndef KSTATS_STORE_PRIV_H
#define KSTATS_STORE_PRIV_H

#include "store.h"

/**
 * store_kmod_open() - make the nodes and put their ids in the cells; or find them
 * @st: store with everything else filled in
 * @setup: which
 * @e: why not
 *
 * Return: 0 or -errno; store_kmod_close() cleans up either way.
 */
int store_kmod_open(struct store *st, const struct store_setup *setup, struct error *e);

/**
 * store_kmod_read() - copy the slots of one CPU
 * @st: store
 * @node: node index
 * @cpu: CPU number
 * @to: receives kstats_n_slots() slots
 *
 * Return: 0 or -errno.
 */
int store_kmod_read(struct store *st, uint32_t node, unsigned int cpu, struct kstats_slot *to);

/**
 * store_kmod_reset() - zero the slots
 * @st: store
 * @node: node index
 *
 * Return: 0 or -errno.
 */
int store_kmod_reset(struct store *st, uint32_t node);

/**
 * store_kmod_close() - let go of the nodes
 * @st: may be zero-filled
 */
void store_kmod_close(struct store *st);

#endif /* KSTATS_STORE_PRIV_H */
