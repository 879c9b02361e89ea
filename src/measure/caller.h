/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller.h - whose command it is: the user who called sudo. In: what sudo leaves in
 * the environment. Out: a process that is that user's. Called by run.
 */
#ifndef KSTATS_MEASURE_CALLER_H
#define KSTATS_MEASURE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/** struct caller - who called */
struct caller {
	bool other; /* it is sudo that called, for this user */
	uid_t uid; /* user */
	gid_t gid; /* group */
};

/**
 * caller_find() - read who called
 * @c: filled in; nobody else where this program is not root, or sudo did not call it
 * @e: what is wrong with what sudo is to have left
 */
int caller_find(struct caller *c, struct error *e);

/**
 * caller_become() - become that user for good, with all groups and the names in the
 *	environment
 * @c: who called; nothing happens where it is nobody else
 *
 * Return: 0 or -errno; then the process may have become the user in part.
 */
int caller_become(const struct caller *c);

/**
 * caller_forget_grants() - pass no capability on to the next program
 *
 * What somebody who is not root was granted for measuring stays here.
 */
int caller_forget_grants(void);

#endif /* KSTATS_MEASURE_CALLER_H */
