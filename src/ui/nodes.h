/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nodes.h - what the verbs about nodes share. In: words. Out: the root folder,
 * tidied up, and a spec that stays. Called by the verbs `node` and `control`.
 */
#ifndef KSTATS_UI_NODES_H
#define KSTATS_UI_NODES_H

#include <stdbool.h>

#include "node/node.h"
#include "util/options.h"

/**
 * struct nodes - which nodes, and where
 * @path: of the root folder
 * @root: where they are; without a descriptor there is no folder, and so no node
 * @all: every node there is
 * @names: owned where @all
 * @n: number of @names
 * @facts: owned; of this kernel, for all nodes that one command adds
 * @mark: what was loaded when @facts were read
 */
struct nodes {
	const char *path;
	struct node_root root;
	bool all;
	char **names;
	int n;
	struct facts *facts;
	uint64_t mark;
};

/**
 * nodes_find() - open the root folder where there is one, and find out which nodes are meant
 * @n: its path is set, or the default is taken; released by nodes_close()
 * @words: their names; none where @n->all
 * @e: none is named, or both; why it cannot be opened
 *
 * What killed processes left behind is cleared up.
 */
int nodes_find(struct nodes *n, char **words, int n_words, struct error *e);

/**
 * nodes_gone() - was one of all removed while they were looked through
 * @n: named
 * @e: why it could not be used
 *
 * Return: true where that is so, and no fault.
 */
bool nodes_gone(const struct nodes *n, const struct error *e);

/** nodes_close() - release; @n may be zero-filled but for @root.fd, which is -1 */
void nodes_close(struct nodes *n);

/**
 * nodes_add() - a node of the words of `trace`
 * @n: its folder is opened or made where the words are right, and more than a plan is wanted
 * @spec: what to measure; its name is the node's
 * @words: the same, for people
 */
int nodes_add(struct nodes *n, struct spec *spec, const char *words, struct error *e);

/** nodes_print() - the names of all nodes, a line each; @n: as of nodes_change() */
int nodes_print(struct nodes *n, struct error *e);

/**
 * nodes_join() - words in one line
 * @argc: number of words
 * @argv: words
 *
 * Return: allocated text, or NULL.
 */
char *nodes_join(int argc, char **argv);

/**
 * nodes_read() - what a node counted, and let go of it
 * @n: its folder is open
 * @name: of the node; or "GAP-" and the name of a node, for the gaps of that alone
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *nodes_read(struct nodes *n, const char *name, struct error *e);

/**
 * nodes_change() - do something to one node
 * @n: its folder is opened where it is not yet
 * @verb: "start", "stop", "reset" or "rm"
 * @name: of the node
 */
int nodes_change(struct nodes *n, const char *verb, const char *name, struct error *e);

#endif /* KSTATS_UI_NODES_H */
