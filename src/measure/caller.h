/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller.h - the user who called sudo, as whom the command runs. In: what sudo leaves in the
 * environment. Out: a process of that user. Called by run.
 */
#ifndef KSTATS_MEASURE_CALLER_H
#define KSTATS_MEASURE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/** struct caller - who called */
struct caller {
	bool other; /* sudo called this program for another user */
	uid_t uid; /* user */
	gid_t gid; /* group */
};

/**
 * caller_find() - find the user who called sudo
 * @c: filled in; without @other if this program is not root, or sudo did not call it
 * @e: filled in if the environment is not as sudo leaves it
 */
int caller_find(struct caller *c, struct error *e);

/**
 * caller_become() - become that user for good, with all groups and the names in the environment
 * @c: nothing happens without @other
 *
 * Return: 0 or -errno; then the process may have become the user in part.
 */
int caller_become(const struct caller *c);

/** caller_forget_grants() - pass capabilities of a user other than root to no other program */
int caller_forget_grants(void);

#endif /* KSTATS_MEASURE_CALLER_H */
