/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * overhead.h - the overhead of measuring, held against a limit. In:
 * counts of calls, and what each costs. Out: shares of the processors' time.
 * Pure. Called by measure.
 */
#ifndef KSTATS_MEASURE_OVERHEAD_H
#define KSTATS_MEASURE_OVERHEAD_H

#include "cost/cost.h"
#include "snapshot/snapshot.h"

/** struct overhead - what it took so far */
struct overhead {
	double limit; /* in percent of all processors; 0: none */
	unsigned int cpus; /* processors online */
	uint64_t begin_ns; /* when it began */
	uint64_t at_ns; /* when it was looked at last */
	double spent_ns; /* what had been spent by then */
	double most; /* largest share seen, in percent */
	bool over; /* the limit was passed */
};

/**
 * overhead_spent() - what all calls took that were counted
 * @c: what a call of each method takes
 * @others: calls that a filter left out, which meet the programs too: each is
 *	taken for as dear as the dearest
 */
double overhead_spent(const struct snapshot *s, const struct costs *c, uint64_t others);

/**
 * overhead_begin() - nothing was spent so far
 * @o: overhead, with its limit and processors; 0 processors are taken for one
 * @now_ns: monotonic clock
 */
void overhead_begin(struct overhead *o, uint64_t now_ns);

/**
 * overhead_look() - the share since the last look
 * @spent_ns: what was spent since the begin
 * @now_ns: monotonic clock
 *
 * Return: true when the limit was passed, now or before.
 */
bool overhead_look(struct overhead *o, double spent_ns, uint64_t now_ns);

/**
 * overhead_end() - the share of all the time, for what ended before the first look
 * @spent_ns: what was spent since the begin
 * @now_ns: monotonic clock at the end of measuring
 */
void overhead_end(struct overhead *o, double spent_ns, uint64_t now_ns);

#endif /* KSTATS_MEASURE_OVERHEAD_H */
