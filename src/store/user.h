/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - the maps of a node in which programs with markers count. In: descriptors. Out: slots and
 * counters in a snapshot. Nothing that programs wrote is trusted. Called by node.
 *
 * Maps that programs may only read are frozen; BPF programs of a few instructions write to them.
 */
#ifndef KSTATS_STORE_USER_H
#define KSTATS_STORE_USER_H

#include "kstats_user_abi.h"
#include "result/snapshot.h"

/** struct user_maps - the maps of a node */
struct user_maps {
	int control_fd; /* owned; struct kstats_user_control, frozen */
	int cells_fd; /* owned */
	unsigned int bits; /* resolution */
	unsigned int n_cpus; /* possible CPUs */
};

#define USER_NO_MAPS ((struct user_maps){ .control_fd = -1, .cells_fd = -1 })

/** user_maps_make() - make the maps of a node that is stopped; @m: freed with user_maps_close() */
int user_maps_make(struct user_maps *m, unsigned int bits, struct error *e);

/** user_maps_check() - whether these are maps of a node; @m: the CPUs are filled in */
int user_maps_check(struct user_maps *m);

/** user_same_map() - whether two descriptors are of one map; @a, @b: or a negative errno */
bool user_same_map(int a, int b);

/** user_maps_close() - release; @m may be USER_NO_MAPS */
void user_maps_close(struct user_maps *m);

/** user_session() - receive the session, 0 if it is stopped; @session: filled in */
int user_session(const struct user_maps *m, uint64_t *session);

/** user_set_session() - let programs record in this session, or with 0 in none */
int user_set_session(const struct user_maps *m, uint64_t session);

/** user_set_gone() - tell programs to let the node go */
int user_set_gone(const struct user_maps *m);

/** user_version_make() - make the map of the version. Return: descriptor, or -errno */
int user_version_make(void);

/**
 * user_version_next() - tell all programs to look at their nodes
 * @fd: the map of the version
 * @changing: a node is about to record; see KSTATS_USER_CHANGING
 */
int user_version_next(int fd, bool changing);

/**
 * user_wait() - wait until no program is inside a restartable sequence that began before
 *
 * Runs on every CPU once, so that the thread that ran there was preempted.
 */
void user_wait(void);

/** user_is_frozen() - whether a program froze the counts: nobody can write to them any more */
bool user_is_frozen(const struct user_maps *m);

/** user_reset() - set all counts to zero; @m: no program writes */
int user_reset(const struct user_maps *m);

/** struct user_odd - what is impossible in the counts of programs */
struct user_odd {
	uint64_t slots; /* slots left out: count and sum contradict each other, or are too large */
	uint64_t recorded; /* more samples than begins */
};

/**
 * user_read() - copy counts
 * @node: its counts and its ledger are replaced; what is left of the begins is KSTATS_NO_END
 * @odd: filled in
 */
int user_read(const struct user_maps *m, struct snapshot_node *node, struct user_odd *odd);

#endif /* KSTATS_STORE_USER_H */
