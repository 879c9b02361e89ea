// SPDX-License-Identifier: GPL-2.0-only
/* ranges.c - merging slots. */
#include "report/ranges.h"

/* Most samples lie between these quantiles; outside are the tails. */
#define BULK_LO 1000
#define BULK_HI (DIST_ONE - 1000)

/* Slots whose indices are equal without the lowest @shift bits form one range. */
static struct range range_at(const struct dist *d, uint32_t at, uint32_t to, uint32_t shift)
{
	struct range r = { .first = at, .last = at | ((1U << shift) - 1) };
	uint32_t i;

	if (r.last > to)
		r.last = to;
	r.value.lo = dist_slot_value(d, r.first).lo;
	r.value.hi = dist_slot_value(d, r.last).hi;
	for (i = r.first; i <= r.last; i++)
		r.samples += d->slots[i].samples;
	return r;
}

/*
 * Make the ranges of the slots from @from to @to. Two or more empty ranges in a row become
 * one that is skipped. With @rows NULL they are only counted.
 */
static unsigned int ranges_fill(const struct dist *d, uint32_t from, uint32_t to, uint32_t shift,
				struct range *rows)
{
	unsigned int n = 0, empty = 0;
	struct range r, last = {};
	uint32_t at;

	for (at = from; at <= to; at = r.last + 1) {
		r = range_at(d, at, to, shift);
		empty = r.samples ? 0 : empty + 1;
		if (empty > 1) {
			r.first = last.first;
			r.value.lo = last.value.lo;
			r.skipped = true;
			n--;
		}
		if (rows)
			rows[n] = r;
		last = r;
		n++;
	}
	return n;
}

/* Find the finest merge of these slots with at most @max rows. */
static uint32_t finest(const struct dist *d, uint32_t from, uint32_t to, unsigned int max)
{
	uint32_t shift = 0;

	while (ranges_fill(d, from, to, shift, NULL) > max)
		shift++;
	return shift;
}

/* The last slot of the range that contains @slot. */
static uint32_t range_end(const struct dist *d, uint32_t slot, uint32_t shift)
{
	uint32_t end = slot | ((1U << shift) - 1), n = kstats_n_slots(d->bits);

	return end < n ? end : n - 1;
}

/* If the floor was subtracted, all slots that become 0 form one range. */
static unsigned int join_zeros(struct range *rows, unsigned int n)
{
	unsigned int zeros = 1, i;

	while (zeros < n && !rows[zeros].value.hi) {
		rows[0].samples += rows[zeros].samples;
		rows[0].last = rows[zeros++].last;
	}
	for (i = zeros; i < n; i++)
		rows[1 + i - zeros] = rows[i];
	return n - zeros + 1;
}

unsigned int ranges_make(const struct dist *d, unsigned int most, struct range rows[RANGES_MAX])
{
	unsigned int tail = most / 5, bulk = most - 2 * tail;
	uint32_t min = dist_quantile_slot(d, 0), max = dist_quantile_slot(d, DIST_ONE);
	uint32_t lo = dist_quantile_slot(d, BULK_LO), hi = dist_quantile_slot(d, BULK_HI);
	uint32_t shift, mask;
	unsigned int n = 0;

	if (!d->samples)
		return 0;
	shift = finest(d, lo, hi, bulk);
	mask = (1U << shift) - 1;
	if (ranges_fill(d, min & ~mask, range_end(d, max, shift), shift, NULL) <= bulk + tail) {
		lo = min;
		hi = max;
	}
	lo &= ~mask;
	hi = range_end(d, hi, shift);
	if (min < lo)
		n += ranges_fill(d, min, lo - 1, finest(d, min, lo - 1, tail), rows);
	n += ranges_fill(d, lo, hi, shift, rows + n);
	if (max > hi)
		n += ranges_fill(d, hi + 1, max, finest(d, hi + 1, max, tail), rows + n);
	return d->subtract_ns && !rows[0].value.hi ? join_zeros(rows, n) : n;
}
