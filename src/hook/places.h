/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * places.h - the file that places were found in, held while probes are put there. In: places. Out:
 * a path that leads to this file and to no other, and whether each place then has its probe.
 * Called by user.c.
 */
#ifndef KSTATS_HOOK_PLACES_H
#define KSTATS_HOOK_PLACES_H

#include "plan/plan.h"

/** struct places - a file that is held, and its code around some places */
struct places {
	const struct plan_places *of; /* in what process; not owned */
	char path[48]; /* of @fd: leads to this file even if another one is put in its place */
	int fd; /* owned; -1 after it was taken over */
	unsigned char *code; /* mapped; NULL if the file system cannot be executed from */
	uint64_t from; /* place in the file of @code */
	size_t size; /* bytes of @code */
};

/**
 * places_hold() - open the file and map its code
 * @of: path, process and the file that was read
 * @offsets: @n places in it
 * @why: receives half a sentence on failure
 *
 * The kernel looks at an instruction when it puts a probe into a process that has mapped the file.
 * Without one, it would refuse the probe later, and tell nobody.
 *
 * Return: 0; -ESTALE if it is another file by now; or -errno.
 */
int places_hold(struct places *p, const struct plan_places *of, const uint64_t *offsets, uint32_t n,
		char *why, size_t size);

/**
 * places_check() - whether a probe is at each place now
 * @why: receives half a sentence on failure
 *
 * Return: 0, or -errno if one is missing here, or in the only process that is measured.
 */
int places_check(const struct places *p, const uint64_t *offsets, uint32_t n, char *why,
		 size_t size);

/** places_release() - close the file; @p may be all zero, or a failure of places_hold() */
void places_release(struct places *p);

#endif /* KSTATS_HOOK_PLACES_H */
