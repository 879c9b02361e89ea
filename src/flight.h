/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flight.h - the calls that are open: stamps that tasks, CPUs and keys hold. In:
 * descriptors of what holds them. Out: their number in a snapshot. Called by
 * session and node once nothing records any more.
 */
#ifndef KSTATS_FLIGHT_H
#define KSTATS_FLIGHT_H

#include "snapshot.h"

/**
 * struct flight - where open stamps are; none of it is owned
 * @pairing: how ends find their starts
 * @iter_fd: link of the iterator over tasks, when pairing by task
 * @idle_fd: map of the idle tasks' stacks, when pairing by task
 * @pending_fd: map of open keys, when pairing by key
 * @n_cpus: possible CPUs
 * @epoch_ns: stamps from before do not count
 */
struct flight {
	enum kstats_pairing pairing;
	int iter_fd;
	int idle_fd;
	int pending_fd;
	unsigned int n_cpus;
	uint64_t epoch_ns;
};

/**
 * flight_count() - add the open stamps to KSTATS_IN_FLIGHT of their owners
 * @f: where they are
 * @s: snapshot; those of --per-cpu lie in the cells, and store_read() counts them
 *
 * Return: 0 or -errno.
 */
int flight_count(const struct flight *f, struct snapshot *s);

/**
 * flight_forget() - let go of the open keys, whose ends will not be seen
 * @f: where they are; stamps of tasks are outdated by the epoch instead
 */
void flight_forget(const struct flight *f);

#endif /* KSTATS_FLIGHT_H */
