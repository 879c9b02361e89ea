/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * who.h - filters of stubs: CPUs, and sets of processes. In: numbers of processes, and new
 * processes. Out: a bit for each number, which stubs read. Included by who.c and direct.c.
 */
#ifndef KSTATS_WHO_H
#define KSTATS_WHO_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/threads.h>
#include <linux/types.h>

struct account;
struct kstats_direct_filter;
struct kstats_node;

#define WHO_BYTES (PID_MAX_LIMIT / 8)

/**
 * struct who - a set of processes
 * @list: all sets
 * @users: nodes that use it
 * @account: whose limit its memory counts for: that of the user whose node made it
 * @follows: children of processes in it are in it too
 * @bits: by number in the initial PID namespace; 1: the process is in it. No process can have
 *	a number that is not in it
 *
 * The bit of a number is set or cleared when a process gets the number, so a process never
 * inherits it from one that had the number before.
 */
struct who {
	struct list_head list;
	refcount_t users;
	struct account *account;
	bool follows;
	unsigned long *bits;
};

/**
 * struct direct_filter - which calls a stub measures
 * @who: those of these processes, or of all if it is NULL
 * @by_cpu: only those that begin on @cpus
 * @cpus: CPUs
 */
struct direct_filter {
	struct who *who;
	bool by_cpu;
	struct cpumask cpus;
};

/**
 * filter_new() - a filter for a node
 * @node: the memory of a set counts for the limit of its owner, as long as there is the set
 * @like: has the set of processes that it shares, or NULL for a set of its own
 * @from: as it was asked for
 *
 * Context: process.
 * Return: filter, or an error pointer, see direct_filter().
 */
struct direct_filter *filter_new(struct kstats_node *node, struct kstats_node *like,
				 const struct kstats_direct_filter *from);

/**
 * filter_free() - free a filter, and its processes if no other has them
 * @filter: filter that no stub reads any more, or NULL
 *
 * Context: process; sleeps.
 */
void filter_free(struct direct_filter *filter);

/**
 * who_add() - put a process into a set
 * @who: set
 * @process: number in the initial PID namespace
 *
 * Return: 0, or -EINVAL if no process can have that number.
 */
int who_add(struct who *who, u32 process);

/** who_clear() - take all processes out of a set; @who: set */
void who_clear(struct who *who);

#endif /* KSTATS_WHO_H */
