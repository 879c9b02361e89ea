/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * near.h - the existing names that are nearest to a name that was not found. In: the names, one
 * after the other. Out: "did you mean A, B or C?". Called by facts and expr.
 */
#ifndef KSTATS_NEAR_H
#define KSTATS_NEAR_H

#include <stddef.h>

#define NEAR_MAX 5

/** struct near - a name and how far it is from the wanted one */
struct near {
	const char *name; /* as it was given to near_consider() */
	unsigned int distance; /* the less, the nearer */
};

/** struct nearest - the nearest names so far; filled with zeroes at first but for @wanted */
struct nearest {
	const char *wanted; /* name that was not found */
	struct near best[NEAR_MAX]; /* the nearest first */
	size_t n; /* number of @best */
};

/** near_consider() - look at one more name, which must live as long as @near */
void near_consider(struct nearest *near, const char *name);

/** near_words() - "did you mean A, B or C?", or "". Return: @buf */
char *near_words(const struct nearest *near, char *buf, size_t size);

#endif /* KSTATS_NEAR_H */
