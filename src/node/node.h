/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node.h - a measurement that outlives the process that began it: its programs, maps and links
 * have names in a folder of the BPF file system. In: a plan, or a folder. Out: a node that its
 * owner can read, start, stop and reset. Prints nothing. Called by cmd/.
 *
 * A stopped node is detached, so that it has no overhead; its programs stay loaded. Whoever
 * changes a node holds the lock of its folder exclusively.
 */
#ifndef KSTATS_NODE_H
#define KSTATS_NODE_H

#include "facts/facts.h"
#include "kmem/kmem.h"
#include "pin/pin.h"
#include "plan/plan.h"
#include "result/recording.h"
#include "store/store.h"
#include "user/user.h"

struct node;

/** struct node_file - a program or library in which a node has points */
struct node_file {
	char *path; /* owned; by which the kernel finds it */
	struct user_file now; /* what was there when the node was added */
};

/** struct node_root - where nodes are */
struct node_root {
	int fd; /* descriptor of the root folder, or -1 */
};

/** node_root_close() - release; @root: no node of it is open */
void node_root_close(struct node_root *root);

/** enum node_use - what a node is opened for */
enum node_use {
	NODE_LIST, /* node_look() only: most of it is not opened */
	NODE_READ,
	NODE_CHANGE, /* exclusively: waits until nobody else reads or changes it */
};

/** struct node_words - how a node was asked for */
struct node_words {
	const char *text; /* for people */
	const char *file; /* whose line asked for it, see `node apply`; NULL: it was made by hand */
	const char *line; /* that line */
};

/** struct node_status - what a list shows of a node */
struct node_status {
	const struct snapshot *about; /* what it measures, without slots */
	struct node_words words; /* how it was asked for */
	bool running; /* it records */
	bool gapped; /* it keeps gaps */
	const char *lost; /* why a function is not measured since, or NULL; half a sentence */
	const struct node_file *files; /* in which it has points */
	uint32_t n_files; /* number of @files */
	uint64_t created_ns; /* wall clock when it was added */
	uint32_t keys; /* of --by that have come, each with a distribution of its own */
	uint32_t most_keys; /* that can have one; 0: it was added without --by */
	struct store_samples samples; /* since it was added or reset */
	struct store_samples more; /* samples since the last look, or since it was added */
	uint64_t more_ns; /* how long ago that was */
	size_t memory; /* bytes that its tables take; only of memory events, whose samples are
			  allocations */
};

/**
 * node_add() - load and attach the programs of a node that stays
 * @root: descriptor of the root folder
 * @words: those of @plan
 * @plan: its spec says that it stays
 * @e: filled in on failure; then nothing is left behind
 */
int node_add(int root, const char *name, const struct node_words *words, const struct plan *plan,
	     const struct facts *facts, struct error *e);

/**
 * node_open() - open an existing node, and finish what a killed process left undone
 * @e: filled in if there is none, or if it is damaged or of another version
 *
 * Return: a node, freed by node_close(), or NULL.
 */
struct node *node_open(struct node_root *root, const char *name, enum node_use use,
		       struct error *e);

/** node_close() - release; @n may be NULL */
void node_close(struct node *n);

/** node_is_kmem() - whether it is of memory events, so that node_read_kmem() reads it */
bool node_is_kmem(const struct node *n);

/** node_words() - how it was asked for; valid as long as @n */
struct node_words node_words(const struct node *n);

/** node_read() - copy its counts. Return: a recording, freed by recording_free(), or NULL */
struct recording *node_read(struct node *n, struct error *e);

/** node_read_kmem() - the same of memory events. Return: freed by kmem_free(), or NULL */
struct kmem *node_read_kmem(struct node *n, struct error *e);

/** node_look() - what a list shows of it; @status: filled in, valid as long as @n */
int node_look(struct node *n, struct node_status *status, struct error *e);

/**
 * node_start() - record again, unless it records; open calls of before give no sample
 * @n: opened for NODE_CHANGE
 * @e: filled in if something cannot be attached; the node is then stopped as before
 */
int node_start(struct node *n, struct error *e);

/**
 * node_stop() - stop recording, unless it is stopped, and keep the counts
 * @n: opened for NODE_CHANGE
 *
 * Calls that are open stay counted as in flight.
 */
int node_stop(struct node *n, struct error *e);

/**
 * node_reset() - set all counts to zero; calls that began before give no sample
 * @n: opened for NODE_CHANGE; records nothing in the meantime
 */
int node_reset(struct node *n, struct error *e);

/**
 * node_returns() - number of kretprobes that a node has attached; 0 if it cannot be read
 * @root: descriptor of the folder of all nodes
 */
unsigned int node_returns(int root, const char *name);

#endif /* KSTATS_NODE_H */
