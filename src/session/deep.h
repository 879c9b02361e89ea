/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deep.h - sums of calls that were nested deeper than the kernel keeps, from one reading to the
 * next. Pure. Called by skips.c.
 */
#ifndef KSTATS_SESSION_DEEP_H
#define KSTATS_SESSION_DEEP_H

#include <stdbool.h>
#include <stdint.h>

/** struct session_deep - calls of kprobe sessions that were nested deeper than the kernel keeps */
struct session_deep {
	uint64_t ended; /* of measured tasks that have ended */
	uint64_t alive; /* of all other tasks */
};

/** session_deep_most() - the larger one */
static inline uint64_t session_deep_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/**
 * session_deep_told() - what is told after another reading, so that no number goes back
 * @told: what was told so far; changed
 * @now: the reading
 * @apart: both sums are told in counters of their own, so neither may go back; else their total
 *
 * A task that ends takes its calls from the second sum to the first. A total has them once.
 */
static inline void session_deep_told(struct session_deep *told, struct session_deep now, bool apart)
{
	uint64_t all = session_deep_most(told->ended + told->alive, now.ended + now.alive);

	told->ended = session_deep_most(told->ended, now.ended);
	told->alive = apart ? session_deep_most(told->alive, now.alive) : all - told->ended;
}

#endif /* KSTATS_SESSION_DEEP_H */
