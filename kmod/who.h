/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * who.h - sets of processes. In: numbers of processes, and new processes. Out: a bit for each
 * number, which stubs read. Included by who.c and direct.c.
 */
#ifndef KSTATS_WHO_H
#define KSTATS_WHO_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/threads.h>
#include <linux/types.h>

#define WHO_BYTES (PID_MAX_LIMIT / 8)

/**
 * struct who - a set of processes
 * @list: all sets
 * @users: nodes that use it
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
	bool follows;
	unsigned long *bits;
};

/**
 * who_new() - an empty set
 * @follows: see struct who
 *
 * Context: process.
 * Return: set, or an error pointer.
 */
struct who *who_new(bool follows);

/** who_get() - use a set in one more node; @who: set. Return: @who */
struct who *who_get(struct who *who);

/**
 * who_put() - use a set in one node less; frees it with the last one
 * @who: set that no stub of that node reads any more, or NULL
 *
 * Context: process; sleeps.
 */
void who_put(struct who *who);

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
