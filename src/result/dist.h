/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dist.h - one distribution, and what can be said about it exactly. In: a node of a snapshot, one
 * CPU of it or all merged. Out: totals, mean, quantiles as the bounds of a slot, rows. Nothing is
 * guessed: if a value is only known to lie in a slot, both ends are given. Pure. Called by render,
 * report and judge.
 */
#ifndef KSTATS_RESULT_DIST_H
#define KSTATS_RESULT_DIST_H

#include "result/snapshot.h"

#define DIST_ALL_CPUS COUNTS_ALL_CPUS
#define DIST_ONE 1000000 /* a quantile is given in millionths */

/** struct dist - one distribution */
struct dist {
	uint32_t bits; /* resolution */
	struct kstats_slot *slots; /* owned; merged over the CPUs asked for */
	uint64_t samples; /* number of samples */
	unsigned __int128 sum_lo; /* sum of all samples, at least */
	/*
	 * sum of all samples, at most: large ones are summed without their lowest bits, see
	 * kstats_slot_scale()
	 */
	unsigned __int128 sum_hi;
	uint64_t overflow; /* samples in the last slot, whose values are not known */
	/* subtracted from all figures; smaller samples become 0. @slots stay as measured. */
	uint64_t subtract_ns;
	bool is_time; /* the samples are durations, in ns */
};

/** struct dist_bounds - between which values something lies */
struct dist_bounds {
	uint64_t lo; /* smallest possible value */
	uint64_t hi; /* largest possible value */
};

/** struct dist_row - one occupied slot, or all slots that become 0 by the subtraction */
struct dist_row {
	int32_t first; /* its index, or that of the first of them */
	int32_t slot; /* its index, or that of the last of them; -1 before the first */
	struct dist_bounds value; /* its smallest and largest value */
	uint64_t samples; /* samples in it */
	uint64_t cumulative; /* samples in it and below */
	unsigned __int128 sum; /* sum of its samples, at least */
	uint64_t avg; /* their mean */
};

#define DIST_ROW_BEGIN     \
	{                  \
		.slot = -1 \
	}

/**
 * dist_open() - make the distribution of a node
 * @d: filled in; freed with dist_close()
 * @s: not needed afterwards
 * @cpu: CPU number, or DIST_ALL_CPUS
 *
 * Return: 0, or -ENOMEM with @d safe to close.
 */
int dist_open(struct dist *d, const struct snapshot *s, uint32_t node, int cpu);

/**
 * dist_add() - merge @from into @into
 *
 * Return: 0; -EINVAL if bits or subtraction differ; -EOVERFLOW if there are too many samples.
 */
int dist_add(struct dist *into, const struct dist *from);

/** dist_close() - release; @d may be zero-filled */
void dist_close(struct dist *d);

/**
 * dist_mean() - arithmetic mean; 0 without samples
 *
 * It is the middle of what @sum_lo and @sum_hi leave open, which is less than one part in 500,000.
 */
double dist_mean(const struct dist *d);

/** dist_total() - sum of all samples, as exact as dist_mean() */
double dist_total(const struct dist *d);

/**
 * dist_quantile() - bounds of the slot that holds a quantile; 0 and 0 without samples
 * @millionths: 0 to DIST_ONE; 999000 is p99.9
 *
 * Nearest rank: the sample number ceil(q * n), in ascending order, counted from 1; the first one
 * for q = 0. So 0 gives the minimum, DIST_ONE the maximum.
 */
struct dist_bounds dist_quantile(const struct dist *d, uint32_t millionths);

/** dist_quantile_slot() - index of that slot; 0 without samples; @millionths: 0 to DIST_ONE */
uint32_t dist_quantile_slot(const struct dist *d, uint32_t millionths);

/** dist_slot_value() - smallest and largest value of a slot, after the subtraction */
struct dist_bounds dist_slot_value(const struct dist *d, uint32_t slot);

/** dist_u64() - a sum as a number of 64 bits; the largest one if it does not fit */
uint64_t dist_u64(unsigned __int128 sum);

/**
 * dist_next() - walk over the occupied slots, ascending
 * @row: DIST_ROW_BEGIN at first; filled in
 *
 * Return: false if there are no more.
 */
bool dist_next(const struct dist *d, struct dist_row *row);

/**
 * dist_slot_avg() - mean of the samples of one slot
 * @slot: has at least one sample
 * @i: its index
 *
 * Return: (sum / samples) << shift, limited to the values of the slot: a copy taken while programs
 * run may hold a sample without its sum, or the reverse.
 */
uint64_t dist_slot_avg(const struct kstats_slot *slot, uint32_t i, uint32_t bits);

#endif /* KSTATS_RESULT_DIST_H */
