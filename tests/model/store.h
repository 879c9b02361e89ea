/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - what the model of the stores (test_store.c) takes from store.bpf.h. In: a node and a
 * value. Out: nothing.
 */
#ifndef MODEL_STORE_H
#define MODEL_STORE_H

#include "machine.h"

/** store_in_blocks() - record a value where slots are in blocks; store_in_cells(): in cells */
void store_in_blocks(__u32 node, __u64 v);
void store_in_cells(__u32 node, __u64 v);

#endif /* MODEL_STORE_H */
