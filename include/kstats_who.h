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
 * @KSTATS_WHO_COUNTED: added where those that are left out are counted
 */
enum kstats_who {
	KSTATS_WHO_ANY,
	KSTATS_WHO_PROCESS,
	KSTATS_WHO_COMMAND,
	KSTATS_WHO_LISTED,
	KSTATS_WHO_COUNTED,
};

#ifndef KSTATS_HOME_BITS /* a test has fewer */
#define KSTATS_HOME_BITS 12
#endif
#define KSTATS_HOMES (1 << KSTATS_HOME_BITS) /* homes: where a task's address leads to */
#define KSTATS_HOME_SEVERAL 1 /* in place of an address: tasks of the command share the home */

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
 * @home: 0, the only task of the command that lives there, or KSTATS_HOME_SEVERAL
 * @task: its address
 *
 * Where several have met there, the home stays so: the table of the command tells then.
 */
static inline void kstats_home_add(__u64 *home, __u64 task)
{
	__u64 old = __sync_val_compare_and_swap(home, 0, task);

	if (old && old != task)
		__sync_lock_test_and_set(home, KSTATS_HOME_SEVERAL);
}

#endif /* KSTATS_WHO_H */
