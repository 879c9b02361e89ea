/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node.h - a measurement that outlives the process that began it: its programs,
 * maps and links have names in a folder of the BPF file system. In: a plan, or a
 * folder. Out: a node that can be read, started, stopped and reset, by anybody
 * who owns it. Prints nothing. Called by cmd/.
 *
 * Stopped, nothing is attached any more, so that it costs nothing; the programs
 * stay loaded. Everything that changes a node holds its folder's lock alone.
 */
#ifndef KSTATS_NODE_H
#define KSTATS_NODE_H

#include "facts/facts.h"
#include "pin/pin.h"
#include "plan/plan.h"
#include "recording/recording.h"
#include "store/store.h"

struct node;

/**
 * struct node_root - where nodes are
 * @fd: descriptor of the root folder; -1 where there is none
 * @calls: owned; what reads those in the module, loaded with the first and released
 *	by node_root_close()
 */
struct node_root {
	int fd;
	struct store_calls *calls;
};

/** node_root_close() - release; @root: no node of it is open */
void node_root_close(struct node_root *root);

/** enum node_use - what a node is opened for */
enum node_use {
	NODE_LIST, /* node_look() only: most of it is left alone */
	NODE_READ,
	NODE_CHANGE, /* alone: waits until nobody else reads or changes it */
};

/** struct node_status - what a list shows of a node */
struct node_status {
	const struct snapshot *about; /* what it measures, without slots */
	const char *words; /* how it was asked for */
	bool running; /* it records */
	bool gapped; /* it keeps gaps */
	uint64_t created_ns; /* wall clock when it was added */
	struct store_samples samples; /* since it was added or reset */
	struct store_samples more; /* samples since the last look, or since it was added */
	uint64_t more_ns; /* how long ago that was */
};

/**
 * node_add() - load, attach, and let it stay
 * @root: descriptor of the root folder
 * @words: how it was asked for, for people
 * @plan: what to do, of a spec that stays
 * @facts: what the machine is
 * @e: why not; then nothing is left
 */
int node_add(int root, const char *name, const char *words, const struct plan *plan,
	     const struct facts *facts, struct error *e);

/**
 * node_open() - a node that is there
 * @root: where it is
 * @use: what for
 * @e: there is none, or it is damaged, or of another version
 *
 * What a killed process has left undone is done.
 *
 * Return: a node, freed by node_close(), or NULL.
 */
struct node *node_open(struct node_root *root, const char *name, enum node_use use,
		       struct error *e);

/** node_close() - let go of it; @n may be NULL */
void node_close(struct node *n);

/** node_read() - what it counted. Return: a recording, freed by recording_free(), or NULL */
struct recording *node_read(struct node *n, struct error *e);

/**
 * node_look() - what is told of it in a list
 * @status: filled in; what it points to is the node's
 */
int node_look(struct node *n, struct node_status *status, struct error *e);

/**
 * node_start() - record again
 * @n: node that was opened for NODE_CHANGE
 * @e: what cannot be attached; then it is stopped as before
 *
 * A call that was open at the stop gives no sample.
 *
 * Return: 0, also where it records; or -errno.
 */
int node_start(struct node *n, struct error *e);

/**
 * node_stop() - record nothing, keep the counts
 * @n: node that was opened for NODE_CHANGE
 *
 * Calls that are open are counted as in flight for good.
 *
 * Return: 0, also where it is stopped; or -errno.
 */
int node_stop(struct node *n, struct error *e);

/**
 * node_reset() - all counts are zero, and no call that began before gives a sample
 * @n: node that was opened for NODE_CHANGE
 *
 * For the moment that takes nothing is recorded.
 */
int node_reset(struct node *n, struct error *e);

#endif /* KSTATS_NODE_H */
