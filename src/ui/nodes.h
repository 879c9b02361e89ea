/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nodes.h - find, read, make and change nodes by their names. In: words. Out: recordings, and
 * changed nodes. Called by the verbs `node` and `control`.
 */
#ifndef KSTATS_UI_NODES_H
#define KSTATS_UI_NODES_H

#include <stdbool.h>

#include "node/kmem.h"
#include "node/node.h"
#include "node/user.h"
#include "ui/input.h"
#include "util/options.h"

/** struct nodes - names of nodes, and the folder of the nodes */
struct nodes {
	const char *path; /* of the root folder */
	/* the root folder; its descriptor is -1 if there is none, and so no node */
	struct node_root root;
	bool all; /* all nodes are meant */
	bool only_read; /* what killed processes left behind stays */
	bool needs_bpf; /* adding a node needs the privileges to load programs */
	char **names; /* owned if @all */
	int n; /* number of @names */
	struct facts *facts; /* owned; of this kernel, for all nodes that one command adds */
	uint64_t mark; /* facts_mark() when @facts were read */
	const char *file; /* whose @line asks for the node; NULL: it is made by hand */
	const char *line; /* see struct node_words */
	bool check; /* nodes that are added are looked at only, and none is made */
};

/* The row of --pin-root; @field: const char * in OPTIONS_OF. */
#define NODES_PIN_ROOT(group, field)                                              \
	{                                                                         \
		"pin-root", 0, "FOLDER", group, "where nodes are (" PIN_ROOT ")", \
			OPTION_TEXT(field)                                        \
	}

/**
 * nodes_find() - open the root folder if there is one, and find the nodes that are meant
 * @n: its path is set, or NULL for the default; released by nodes_close()
 * @words: their names; none if @n->all
 * @e: filled in if none is named, or some are named beside @n->all, or the folder cannot be
 *	opened
 *
 * Removes what killed processes left behind, unless @n->only_read.
 */
int nodes_find(struct nodes *n, char **words, int n_words, struct error *e);

/**
 * nodes_gone() - whether a node failed only because it was removed in the meantime
 * @n: from nodes_find()
 * @e: why it could not be used
 *
 * Return: true if so, and all nodes are meant: then it is no error.
 */
bool nodes_gone(const struct nodes *n, const struct error *e);

/** nodes_close() - release; @n may be zero-filled but for @root.fd, which is -1 */
void nodes_close(struct nodes *n);

/**
 * nodes_add() - make a node
 * @n: its folder is opened or made, unless @spec is wrong or asks for a dry run
 * @spec: what to measure; its name is the node's
 * @words: the words of @spec, for people
 */
int nodes_add(struct nodes *n, struct spec *spec, const char *words, struct error *e);

/** nodes_add_user() - make a node in which programs with markers count; @words: for people */
int nodes_add_user(struct nodes *n, const struct node_user *what, const char *words,
		   struct error *e);

/** nodes_add_kmem() - make a node of memory events; @want: names it; @words: for people */
int nodes_add_kmem(struct nodes *n, const struct spec_kmem *want, const char *words,
		   struct error *e);

/** nodes_print() - print the names of all nodes, one on each line; its folder is opened */
int nodes_print(struct nodes *n, struct error *e);

/** nodes_join() - join words to one line. Return: allocated text, or NULL */
char *nodes_join(int argc, char **argv);

/**
 * nodes_read() - read the counts of a node, and close it
 * @n: its folder is open
 * @name: of the node; or "GAP-" and the name of a node, for the gaps of that alone
 * @in: filled in; released by input_free()
 */
int nodes_read(struct nodes *n, const char *name, struct input *in, struct error *e);

/** nodes_change() - change a node by "start", "stop", "reset" or "rm"; its folder is opened */
int nodes_change(struct nodes *n, const char *verb, const char *name, struct error *e);

#endif /* KSTATS_UI_NODES_H */
