/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flight.h - read the counts, and count the open calls: stamps that tasks, CPUs and keys hold. In:
 * a store, and the maps that hold stamps. Out: both in a snapshot. Called by session and node.
 */
#ifndef KSTATS_STORE_FLIGHT_H
#define KSTATS_STORE_FLIGHT_H

#include "result/snapshot.h"
#include "store/store.h"

/** struct flight - where open stamps are; none of it is owned */
struct flight {
	enum kstats_pairing pairing; /* how ends find their starts */
	int task_slots_fd; /* map of the task slots, when pairing by task; -1: no stamps in tasks */
	int stacks_fd; /* map of the stacks of tasks without a task slot, when pairing by task */
	int idle_fd; /* map of the idle tasks' stacks, when pairing by task */
	int keys_fd; /* table of open keys, when pairing by key */
	unsigned int n_cpus; /* possible CPUs */
	uint64_t epoch_ns; /* stamps from before do not count */
	/*
	 * for each node, whether the kernel keeps stamps with the calls, where nobody can count
	 * them; NULL: it does so for none
	 */
	const bool *in_cookies;
};

/**
 * flight_tally() - read slots and counters, and what is in flight
 * @s: has as many nodes and CPUs
 * @final: nothing records any more: the open stamps are counted, and the ledger must balance;
 *	otherwise in flight is the difference
 */
int flight_tally(const struct flight *f, struct store *st, struct snapshot *s, bool final,
		 struct error *e);

/**
 * flight_forget() - free the open keys, whose ends will not be seen; nothing may record
 * @f: stamps of tasks stay; the epoch makes them invalid
 */
void flight_forget(const struct flight *f);

#endif /* KSTATS_STORE_FLIGHT_H */
