/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buckets.h - the bounds of a histogram for Prometheus. In: the words of --buckets. Out: the
 * same bounds everywhere, whatever was measured and at whatever resolution. Called by spec,
 * report, format and cmd/.
 *
 * The bounds are the last values of slots, so that finer slots never lie across one: it is
 * then known exactly how many samples are not above it.
 */
#ifndef KSTATS_BUCKETS_H
#define KSTATS_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/** struct buckets - which bounds there are; zero-filled for the usual ones */
struct buckets {
	bool given; /* the user asked for these */
	uint32_t bits; /* 2^bits bounds for each power of two, 0 to KSTATS_BITS_MAX */
	uint32_t first; /* slot of @bits whose last value is the first bound */
	uint32_t last; /* slot of @bits whose last value is the last bound */
};

/**
 * buckets_set() - read the word of --buckets
 * @to: struct buckets, filled in
 * @word: "4", "100ns..10s" or "100ns..10s/4"
 *
 * The first bound is the largest that is not above the first time, and the last bound the
 * smallest that is not below the second.
 */
int buckets_set(void *to, const char *word, struct error *e);

/**
 * buckets_or_usual() - @b, or if it is zero-filled, four bounds for each power of two from
 *	100 ns to 10 s
 */
struct buckets buckets_or_usual(const struct buckets *b);

/** buckets_bound() - the largest value, in ns, that a bucket counts; @i: @b->first to @b->last */
uint64_t buckets_bound(const struct buckets *b, uint32_t i);

#endif /* KSTATS_BUCKETS_H */
