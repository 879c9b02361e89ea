// SPDX-License-Identifier: GPL-2.0-only
/* dist.c - see dist.h. */
#include "dist.h"

#include <errno.h>
#include <stdlib.h>

static void add_cpu(struct dist *d, const struct kstats_slot *slots, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		d->slots[i].samples += slots[i].samples;
		d->slots[i].sum += slots[i].sum;
	}
}

/* A sample of a scaled slot lost up to 2^shift - 1 in its sum. */
static void add_totals(struct dist *d, uint32_t n)
{
	unsigned __int128 sum;
	uint32_t i, shift;

	for (i = 0; i < n; i++) {
		shift = kstats_slot_shift(i, d->bits);
		sum = (unsigned __int128)d->slots[i].sum << shift;
		d->samples += d->slots[i].samples;
		d->sum_lo += sum;
		d->sum_hi += sum + (unsigned __int128)d->slots[i].samples * ((1ULL << shift) - 1);
	}
	d->overflow = d->slots[n - 1].samples;
}

int dist_open(struct dist *d, const struct snapshot *s, uint32_t node, int cpu)
{
	uint32_t n = kstats_n_slots(s->bits), c;

	*d = (struct dist){ .bits = s->bits };
	d->slots = calloc(n, sizeof(*d->slots));
	if (!d->slots)
		return -ENOMEM;
	for (c = 0; c < s->n_cpus; c++)
		if (cpu == DIST_ALL_CPUS || c == (uint32_t)cpu)
			add_cpu(d, snapshot_slots(s, node, c), n);
	add_totals(d, n);
	return 0;
}

int dist_add(struct dist *into, const struct dist *from)
{
	uint32_t i;

	if (into->bits != from->bits)
		return -EINVAL;
	for (i = 0; i < kstats_n_slots(into->bits); i++) {
		into->slots[i].samples += from->slots[i].samples;
		into->slots[i].sum += from->slots[i].sum;
	}
	into->samples += from->samples;
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

static struct dist_bounds bounds_of(uint32_t i, uint32_t bits)
{
	return (struct dist_bounds){ kstats_slot_first(i, bits), kstats_slot_last(i, bits) };
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
	return bounds_of(dist_quantile_slot(d, millionths), d->bits);
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
	row->slot = i;
	row->value = bounds_of(i, d->bits);
	row->samples = d->slots[i].samples;
	row->cumulative += row->samples;
	row->sum = (unsigned __int128)d->slots[i].sum << kstats_slot_shift(i, d->bits);
	row->avg = dist_slot_avg(&d->slots[i], i, d->bits);
	return true;
}
