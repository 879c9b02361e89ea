// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth.c - what was really called, and how long it really took
 *
 * Comes in: calls made, from any context. Goes out: a row for each name.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/seq_file.h>

#include "kt.h"

struct truth {
	atomic64_t calls;
	atomic64_t sum;
	atomic64_t max;
	atomic64_t room; /* U64_MAX - min: zero means no call, as in a reset */
};

static struct truth truths[TRUTH_COUNT];

static const char *const truth_names[] = {
#define TRUTH_NAME(name) #name,
	TRUTH_ROWS(TRUTH_NAME)
#undef TRUTH_NAME
};

static void notrace raise_to(atomic64_t *top, u64 value)
{
	s64 old = atomic64_read(top);

	while (value > (u64)old && !atomic64_try_cmpxchg(top, &old, value))
		;
}

void notrace truth_count(enum truth_id id, u64 calls)
{
	atomic64_add(calls, &truths[id].calls);
}

void notrace truth_add(enum truth_id id, u64 ns)
{
	struct truth *truth = &truths[id];

	atomic64_inc(&truth->calls);
	atomic64_add(ns, &truth->sum);
	raise_to(&truth->max, ns);
	raise_to(&truth->room, U64_MAX - ns);
}

void truth_reset(void)
{
	int id;

	for (id = 0; id < TRUTH_COUNT; id++) {
		atomic64_set(&truths[id].calls, 0);
		atomic64_set(&truths[id].sum, 0);
		atomic64_set(&truths[id].max, 0);
		atomic64_set(&truths[id].room, 0);
	}
}

void truth_show(struct seq_file *seq)
{
	int id;

	for (id = 0; id < TRUTH_COUNT; id++) {
		struct truth *truth = &truths[id];
		u64 room = atomic64_read(&truth->room);

		seq_printf(seq, "%s %llu %llu %llu %llu\n", truth_names[id],
			   (u64)atomic64_read(&truth->calls), (u64)atomic64_read(&truth->sum),
			   room ? U64_MAX - room : 0, (u64)atomic64_read(&truth->max));
	}
}
