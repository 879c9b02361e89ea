/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dist.h - one distribution, and what can be said about it exactly. In: a node
 * of a snapshot, one CPU of it or all merged. Out: totals, mean, quantiles as
 * the bounds of a slot, rows. No figure here is a guess: where a value is only
 * known to lie in a slot, both ends are given. Pure. Called by render, compare.
 */
#ifndef KSTATS_DIST_H
#define KSTATS_DIST_H

#include "snapshot/snapshot.h"

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
	/*
	 * taken off every sample; one that is smaller becomes 0. The slots hold what was measured,
	 * all figures say what is left.
	 */
	uint64_t subtract_ns;
};

/** struct dist_bounds - between which values something lies */
struct dist_bounds {
	uint64_t lo; /* smallest possible value */
	uint64_t hi; /* largest possible value */
};

/** struct dist_row - one occupied slot, or all slots of whose values nothing is left */
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
 * dist_open() - the distribution of a node, less what its node has to subtract
 * @d: filled in; freed with dist_close()
 * @s: snapshot; not needed afterwards
 * @cpu: CPU number, or DIST_ALL_CPUS
 *
 * Return: 0, or -ENOMEM with @d safe to close.
 */
int dist_open(struct dist *d, const struct snapshot *s, uint32_t node, int cpu);

/**
 * dist_add() - merge another distribution
 * @into: added to
 * @from: of the same bits
 *
 * Return: 0, or -EINVAL when the bits, or what is subtracted, differ.
 */
int dist_add(struct dist *into, const struct dist *from);

/** dist_close() - release; @d may be zero-filled */
void dist_close(struct dist *d);

/**
 * dist_mean() - arithmetic mean
 *
 * Return: the mean; exact but for what @sum_lo and @sum_hi leave open, of which
 * the middle is taken (below one part in 500,000); 0 without samples.
 */
double dist_mean(const struct dist *d);

/** dist_total() - sum of all samples. Return: the sum, as exact as dist_mean() */
double dist_total(const struct dist *d);

/**
 * dist_quantile() - the slot that holds a quantile
 * @millionths: 0 to DIST_ONE; 999000 is p99.9
 *
 * Nearest rank: the sample number ceil(q * n), in ascending order, counted
 * from 1; the first one for q = 0. So 0 gives the minimum, DIST_ONE the maximum.
 *
 * Return: bounds of the slot that holds it; 0 and 0 without samples.
 */
struct dist_bounds dist_quantile(const struct dist *d, uint32_t millionths);

/**
 * dist_quantile_slot() - the index of the slot that holds a quantile
 * @d: distribution with samples
 * @millionths: 0 to DIST_ONE
 *
 * Return: slot index; 0 without samples.
 */
uint32_t dist_quantile_slot(const struct dist *d, uint32_t millionths);

/**
 * dist_slot_value() - the values of a slot
 * @slot: index
 *
 * Return: the smallest and the largest, less what is subtracted.
 */
struct dist_bounds dist_slot_value(const struct dist *d, uint32_t slot);

/**
 * dist_u64() - a sum as a number of 64 bits
 *
 * Return: @sum, or the largest number where it does not fit.
 */
uint64_t dist_u64(unsigned __int128 sum);

/**
 * dist_next() - walk over the occupied slots, ascending
 * @row: DIST_ROW_BEGIN, or what the last call left
 *
 * Return: true with @row filled in, false past the last.
 */
bool dist_next(const struct dist *d, struct dist_row *row);

/**
 * dist_slot_avg() - mean of the samples of one slot
 * @slot: with at least one sample
 * @i: its index
 *
 * Return: (sum / samples) << shift, held within the values of the slot: a copy
 * taken while programs run may hold a sample without its sum, or the reverse.
 */
uint64_t dist_slot_avg(const struct kstats_slot *slot, uint32_t i, uint32_t bits);

#endif /* KSTATS_DIST_H */
