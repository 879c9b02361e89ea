/* SPDX-License-Identifier: GPL-2.0-only */
/* clock.h - the kernel's clocks in nanoseconds. Called by everything that takes times. */
#ifndef KSTATS_CLOCK_H
#define KSTATS_CLOCK_H

#include <stdint.h>
#include <time.h>

/** clock_ns() - the time of a clock, like CLOCK_MONOTONIC, in ns */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif /* KSTATS_CLOCK_H */
