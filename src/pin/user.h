/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - the folder in which programs with markers find their nodes: a BPF file system of its
 * own, since the one of the system is closed to ordinary users. In: descriptors of maps. Out: names
 * for them, with the permissions that the node was given. Called by node.
 */
#ifndef KSTATS_PIN_USER_H
#define KSTATS_PIN_USER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/** struct pin_access - who may use an object, as for chmod(2) and chown(2) */
struct pin_access {
	mode_t mode; /* 0600 to 0666 */
	uid_t owner; /* or (uid_t)-1: the caller */
	gid_t group; /* or (gid_t)-1: that of the caller */
};

/**
 * pin_user_open() - open the folder, and wait for its lock
 * @make: make it if it is missing; only in the default folder a file system is mounted
 * @e: filled in if there is no BPF file system, or if others may write to the folder
 *
 * Return: descriptor for the functions below, closed by the caller, which unlocks; or -errno.
 */
int pin_user_open(const char *path, bool make, struct error *e);

/**
 * pin_user_claim() - take a name for as long as this process lives
 *
 * Return: descriptor for pin_user_unclaim(); -EWOULDBLOCK if it is claimed; -EEXIST if there is a
 * map of that name that nobody has claimed; or -errno.
 */
int pin_user_claim(int folder, const char *name);

/**
 * pin_user_unclaim() - give it back, and remove the maps of that name
 * @folder: may be a negative errno; then they stay
 * @claim: is closed
 */
void pin_user_unclaim(int folder, const char *name, int claim);

/**
 * pin_user_each_left() - remove the maps of names whose claims were left behind by killed processes
 * @each: called with each name, while its maps are still there
 */
void pin_user_each_left(int folder, void (*each)(void *ctx, const char *name), void *ctx);

/** pin_user_put() - give a map a name. Return: 0; -EEXIST if the name is taken; or -errno */
int pin_user_put(int folder, const char *name, const char *more, int map,
		 const struct pin_access *access);

/** pin_user_get() - open a map. Return: descriptor, closed by the caller, or -errno */
int pin_user_get(int folder, const char *name, const char *more);

/** pin_user_drop() - remove a name; it may be missing */
void pin_user_drop(int folder, const char *name, const char *more);

#endif /* KSTATS_PIN_USER_H */
