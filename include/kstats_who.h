/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_who.h - what the BPF programs and user space share of filters: which are asked first, and
 * where the tasks of a command are found without a search.
 */
#ifndef KSTATS_WHO_H
#define KSTATS_WHO_H

#include "kstats_slot.h"

/**
 * enum kstats_who - filters that each program asks before all else
 * @KSTATS_WHO_ANY: none
 * @KSTATS_WHO_PROCESS: one process
 * @KSTATS_WHO_COMMAND: the tasks of the command
 * @KSTATS_WHO_LISTED: several processes, or both
 * @KSTATS_WHO_CHANGING: of a task that never had an open call, those that may change during one
 * @KSTATS_WHO_COUNTED: added where those that are left out are counted
 */
enum kstats_who {
	KSTATS_WHO_ANY,
	KSTATS_WHO_PROCESS,
	KSTATS_WHO_COMMAND,
	KSTATS_WHO_LISTED,
	KSTATS_WHO_CHANGING,
	KSTATS_WHO_COUNTED,
};

#ifndef KSTATS_HOME_BITS /* a test has fewer */
#define KSTATS_HOME_BITS 12
#endif
#define KSTATS_HOMES (1 << KSTATS_HOME_BITS) /* homes: where a task's address leads to */
#define KSTATS_HOME_MOST 0xffff /* up to here a home is no address: see kstats_home_add() */
#define KSTATS_HOME_TRIES 4 /* each needs another processor that changes the home meanwhile */

/**
 * kstats_home() - the home of a task
 * @low: the lower half of its address
 *
 * Return: its index.
 */
static inline __u32 kstats_home(__u32 low)
{
	/* 2^32 divided by the golden ratio: a multiplier for hashing. */
	return low * 0x9e3779b1U >> (32 - KSTATS_HOME_BITS);
}

/**
 * kstats_home_add() - put a task of the command into its home
 * @home: 0, or the address of the only task of the command that lives there, or how many do: then
 *	the table of the command tells which
 * @task: its address; it is not there yet
 *
 * The number is never too low: where it cannot be known any more it stays KSTATS_HOME_MOST.
 */
static inline void kstats_home_add(__u64 *home, __u64 task)
{
	__u64 old, next;
	int i;

	for (i = 0; i < KSTATS_HOME_TRIES; i++) {
		old = *(volatile __u64 *)home;
		if (old == KSTATS_HOME_MOST)
			return;
		next = !old ? task : old > KSTATS_HOME_MOST ? 2 : old + 1;
		if (__sync_val_compare_and_swap(home, old, next) == old)
			return;
	}
	__sync_lock_test_and_set(home, KSTATS_HOME_MOST);
}

/**
 * kstats_home_remove() - take a task of the command out of its home
 * @home: see kstats_home_add()
 * @task: its address; it is there
 */
static inline void kstats_home_remove(__u64 *home, __u64 task)
{
	__u64 old, next;
	int i;

	for (i = 0; i < KSTATS_HOME_TRIES; i++) {
		old = *(volatile __u64 *)home;
		if (!old || old == KSTATS_HOME_MOST || (old > KSTATS_HOME_MOST && old != task))
			return;
		next = old > KSTATS_HOME_MOST ? 0 : old - 1;
		if (__sync_val_compare_and_swap(home, old, next) == old)
			return;
	}
}

#endif /* KSTATS_WHO_H */
