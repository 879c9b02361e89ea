// SPDX-License-Identifier: GPL-2.0-only
#include "result/dist.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t less(uint64_t v, uint64_t subtract)
{
	return v > subtract ? v - subtract : 0;
}

struct dist_bounds dist_slot_value(const struct dist *d, uint32_t slot)
{
	return (struct dist_bounds){ less(kstats_slot_first(slot, d->bits), d->subtract_ns),
				     less(kstats_slot_last(slot, d->bits), d->subtract_ns) };
}

/* The sum of a slot, at least: smaller samples take nothing from the larger ones. */
static unsigned __int128 slot_sum(const struct dist *d, uint32_t i)
{
	unsigned __int128 sum = (unsigned __int128)d->slots[i].sum << kstats_slot_shift(i, d->bits);
	unsigned __int128 off = (unsigned __int128)d->slots[i].samples * d->subtract_ns;

	if (!d->subtract_ns)
		return sum;
	return sum > off && dist_slot_value(d, i).hi ? sum - off : 0;
}

/*
 * The largest sum that can remain of a slot that contains the floor. It is reached if the
 * samples are at the two ends of the slot: as many at the last value as their sum allows, one
 * in between, and the others at the first value.
 */
static unsigned __int128 split_sum_most(const struct dist *d, uint32_t i, unsigned __int128 sum)
{
	uint64_t first = kstats_slot_first(i, d->bits), last = kstats_slot_last(i, d->bits);
	unsigned __int128 least = (unsigned __int128)d->slots[i].samples * first, above, at_last;

	above = sum > least ? sum - least : 0;
	at_last = above / (last - first);
	if (at_last >= d->slots[i].samples)
		return (unsigned __int128)d->slots[i].samples * (last - d->subtract_ns);
	return at_last * (last - d->subtract_ns) +
	       less(first + (uint64_t)(above % (last - first)), d->subtract_ns);
}

/* The sum of a slot, at most. In a scaled slot each sample lost up to 2^shift - 1 of its sum. */
static unsigned __int128 slot_sum_most(const struct dist *d, uint32_t i)
{
	uint64_t first = kstats_slot_first(i, d->bits);
	uint32_t shift = kstats_slot_shift(i, d->bits);
	unsigned __int128 lost = (unsigned __int128)d->slots[i].samples * ((1ULL << shift) - 1);

	if (first >= d->subtract_ns)
		return slot_sum(d, i) + lost;
	if (!dist_slot_value(d, i).hi)
		return 0;
	return split_sum_most(d, i, ((unsigned __int128)d->slots[i].sum << shift) + lost);
}

static void add_totals(struct dist *d, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (!d->slots[i].samples && !d->slots[i].sum)
			continue;
		d->samples += d->slots[i].samples;
		d->sum_lo += slot_sum(d, i);
		d->sum_hi += slot_sum_most(d, i);
	}
	d->overflow = d->slots[n - 1].samples;
}

int dist_open(struct dist *d, const struct snapshot *s, uint32_t node, int cpu)
{
	struct counts_cursor at = counts_begin(s->nodes[node].counts, cpu);
	uint32_t n = kstats_n_slots(s->bits);

	*d = (struct dist){ .bits = s->bits,
			    .subtract_ns = s->nodes[node].subtract_ns,
			    .is_time = !*s->unit };
	d->slots = calloc(n, sizeof(*d->slots));
	if (!d->slots)
		return -ENOMEM;
	while (counts_next(&at)) {
		d->slots[at.slot].samples += at.count.samples;
		d->slots[at.slot].sum += at.count.sum;
	}
	add_totals(d, n);
	return 0;
}

int dist_add(struct dist *into, const struct dist *from)
{
	uint32_t i;

	if (into->bits != from->bits || into->subtract_ns != from->subtract_ns)
		return -EINVAL;
	if (__builtin_add_overflow(into->samples, from->samples, &into->samples))
		return -EOVERFLOW;
	for (i = 0; i < kstats_n_slots(into->bits); i++) {
		into->slots[i].samples += from->slots[i].samples;
		into->slots[i].sum += from->slots[i].sum;
	}
	into->sum_lo += from->sum_lo;
	into->sum_hi += from->sum_hi;
	into->overflow += from->overflow;
	return 0;
}

void dist_close(struct dist *d)
{
	free(d->slots);
	*d = (struct dist){};
}

double dist_total(const struct dist *d)
{
	return (double)(d->sum_lo + (d->sum_hi - d->sum_lo) / 2);
}

double dist_mean(const struct dist *d)
{
	return d->samples ? dist_total(d) / d->samples : 0;
}

uint32_t dist_quantile_slot(const struct dist *d, uint32_t millionths)
{
	unsigned __int128 scaled = (unsigned __int128)d->samples * millionths;
	uint64_t rank = (scaled + DIST_ONE - 1) / DIST_ONE, seen = 0;
	uint32_t i, n = kstats_n_slots(d->bits);

	if (!rank)
		rank = 1;
	for (i = 0; i < n; i++) {
		seen += d->slots[i].samples;
		if (seen >= rank)
			return i;
	}
	return 0;
}

struct dist_bounds dist_quantile(const struct dist *d, uint32_t millionths)
{
	if (!d->samples)
		return (struct dist_bounds){ 0, 0 };
	return dist_slot_value(d, dist_quantile_slot(d, millionths));
}

uint64_t dist_u64(unsigned __int128 sum)
{
	return sum > UINT64_MAX ? UINT64_MAX : sum;
}

uint64_t dist_slot_avg(const struct kstats_slot *slot, uint32_t i, uint32_t bits)
{
	return kstats_slot_avg(slot->sum / slot->samples, i, bits);
}

bool dist_next(const struct dist *d, struct dist_row *row)
{
	uint32_t i, n = kstats_n_slots(d->bits);

	for (i = row->slot + 1; i < n && !d->slots[i].samples; i++)
		;
	if (i == n)
		return false;
	row->first = i;
	row->value = dist_slot_value(d, i);
	row->sum = slot_sum(d, i);
	row->avg = less(dist_slot_avg(&d->slots[i], i, d->bits), d->subtract_ns);
	row->samples = d->slots[i].samples;
	/* All slots that become 0 form one row. */
	while (d->subtract_ns && !row->value.hi && i + 1 < n && !dist_slot_value(d, i + 1).hi)
		row->samples += d->slots[++i].samples;
	row->slot = i;
	row->cumulative += row->samples;
	return true;
}
