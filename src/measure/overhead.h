/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * overhead.h - compare the overhead with a limit. In: numbers of calls, and the costs of one. Out:
 * shares of the processors' time. Pure. Called by measure.
 */
#ifndef KSTATS_MEASURE_OVERHEAD_H
#define KSTATS_MEASURE_OVERHEAD_H

#include "result/cost.h"
#include "result/snapshot.h"

/** struct overhead - the overhead so far */
struct overhead {
	double limit; /* in percent of all processors; 0: none */
	unsigned int cpus; /* processors online */
	uint64_t begin_ns; /* when it began */
	uint64_t at_ns; /* when overhead_look() was called last */
	double spent_ns; /* time spent until then */
	double most; /* largest share seen, in percent */
	bool over; /* the limit was passed */
};

/**
 * overhead_spent() - the time that all counted calls cost, in ns
 * @c: cost of a call of each method
 * @others: calls that a filter left out, which also run the programs; each is assumed to cost as
 *	much as a call of the most expensive method
 */
double overhead_spent(const struct snapshot *s, const struct costs *c, uint64_t others);

/**
 * overhead_begin() - begin; @o: has its limit and processors (0 means 1); @now_ns: monotonic clock
 */
void overhead_begin(struct overhead *o, uint64_t now_ns);

/**
 * overhead_look() - compute the share since the last call of it
 * @spent_ns: time spent since the begin
 * @now_ns: monotonic clock
 *
 * Return: true if the limit was passed, now or before.
 */
bool overhead_look(struct overhead *o, double spent_ns, uint64_t now_ns);

/**
 * overhead_end() - compute the share of the whole time, for runs too short for overhead_look()
 * @spent_ns: time spent since the begin
 * @now_ns: monotonic clock at the end
 */
void overhead_end(struct overhead *o, double spent_ns, uint64_t now_ns);

#endif /* KSTATS_MEASURE_OVERHEAD_H */
