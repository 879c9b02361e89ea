/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - a node of memory events: what `kmem` measures, with nobody running. In: a name, and
 * what is measured. Out: a node like any other, for node.h. Called by ui.
 */
#ifndef KSTATS_NODE_KMEM_H
#define KSTATS_NODE_KMEM_H

#include "facts/facts.h"
#include "node/node.h"
#include "spec/spec_kmem.h"

/** struct node_kmem - what is asked for */
struct node_kmem {
	const char *name; /* of the node */
	struct node_words words; /* how it was asked for */
	const struct spec_kmem *want;
};

/**
 * node_add_kmem() - load and attach the programs of a node that stays
 * @root: descriptor of the root folder
 * @e: filled in on failure; then nothing is left behind
 */
int node_add_kmem(int root, const struct node_kmem *what, struct facts *facts, struct error *e);

#endif /* KSTATS_NODE_KMEM_H */
