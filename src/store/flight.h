/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flight.h - what was counted, and the calls that are open: stamps that tasks,
 * CPUs and keys hold. In: a store, and descriptors of what holds stamps. Out: both
 * in a snapshot. Called by session and node.
 */
#ifndef KSTATS_STORE_FLIGHT_H
#define KSTATS_STORE_FLIGHT_H

#include "snapshot/snapshot.h"
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
 * flight_tally() - slots, counters, and what is in flight
 * @f: where open stamps are
 * @st: where the slots are
 * @s: snapshot with as many nodes and CPUs
 * @final: nothing records any more: the open stamps are counted, and the account
 *	must balance; else in flight is the difference
 */
int flight_tally(const struct flight *f, struct store *st, struct snapshot *s, bool final,
		 struct error *e);

/**
 * flight_forget() - let go of the open keys, whose ends will not be seen; nothing
 *	records meanwhile
 * @f: where they are; stamps of tasks are outdated by the epoch instead
 */
void flight_forget(const struct flight *f);

#endif /* KSTATS_STORE_FLIGHT_H */
