/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - a node in which programs with markers count: its maps also have names that programs
 * find. In: a name, and who may use it. Out: a node like any other, for node.h. Called by ui.
 */
#ifndef KSTATS_NODE_USER_H
#define KSTATS_NODE_USER_H

#include "facts/facts.h"
#include "node/node.h"
#include "pin/user.h"

/** struct node_user - what is asked for */
struct node_user {
	const char *name; /* of the node and of its markers */
	struct node_words words; /* how it was asked for */
	const char *folder; /* where programs find it */
	struct pin_access access; /* who may count in it */
	unsigned int bits; /* resolution */
	const char *unit; /* of samples, see units_is_word(); NULL: they are durations in ns */
};

/**
 * node_add_user() - make a node that programs find at their next marker
 * @root: descriptor of the root folder
 * @e: filled in on failure; then nothing is left behind
 */
int node_add_user(int root, const struct node_user *what, const struct facts *facts,
		  struct error *e);

/**
 * node_let_go() - let programs leave a node that is about to be removed
 * @root: descriptor of the root folder
 * @name: of any node; nothing is done if it is not for markers, or if it cannot be opened
 */
int node_let_go(int root, const char *name, struct error *e);

#endif /* KSTATS_NODE_USER_H */
