// SPDX-License-Identifier: GPL-2.0-only
/* dists.c - distributions of lifetimes and of bytes. */
#include "kmem/table.h"

#include <errno.h>
#include <stdlib.h>

static int open_dist(struct dist *d, uint32_t bits)
{
	*d = (struct dist){ .bits = bits };
	d->slots = calloc(kstats_n_slots(bits), sizeof(*d->slots));
	return d->slots ? 0 : -ENOMEM;
}

static void dists_add(struct dist *d, uint32_t slot, uint64_t samples, uint64_t sum)
{
	d->slots[slot].samples += samples;
	d->slots[slot].sum += sum >> kstats_slot_shift(slot, d->bits);
	d->samples += samples;
	d->sum_lo += sum;
	d->sum_hi += sum;
	if (slot == kstats_n_slots(d->bits) - 1)
		d->overflow += samples;
}

int kmem_lifetimes(struct dist *d, const struct kmem_table *t, const struct kmem_entry *entry)
{
	int err = open_dist(d, t->k->bits);
	const struct kmem_life *l;
	size_t i;

	for (i = 0; !err && i < entry->n_lifes; i++) {
		l = t->lifes[entry->first_life + i];
		dists_add(d, l->slot, l->count, l->sum_ns);
	}
	return err;
}

struct dist_bounds kmem_life_quantile(const struct kmem_table *t, const struct kmem_entry *entry,
				      uint32_t millionths)
{
	unsigned __int128 scaled = (unsigned __int128)entry->sums.freed * millionths;
	uint64_t rank = (scaled + DIST_ONE - 1) / DIST_ONE, seen = 0;
	const struct kmem_life *l;
	size_t i;

	for (i = 0; i < entry->n_lifes; i++) {
		l = t->lifes[entry->first_life + i];
		seen += l->count;
		if (seen >= rank)
			return (struct dist_bounds){ kstats_slot_first(l->slot, t->k->bits),
						     kstats_slot_last(l->slot, t->k->bits) };
	}
	return (struct dist_bounds){};
}

int kmem_bytes(struct dist *d, const struct kmem_table *t, const struct kmem_entry *entry,
	       enum kmem_measure what, uint32_t bits)
{
	const struct kmem_row *r;
	int err = open_dist(d, bits);
	uint64_t sum;
	size_t i;

	for (i = 0; !err && i < entry->n_rows; i++) {
		r = &t->k->rows[t->rows[entry->first_row + i]];
		sum = what == KMEM_REQUESTED ? r->req : r->alloc > r->req ? r->alloc - r->req : 0;
		dists_add(d, kstats_slot_index(sum / r->count, bits), r->count, sum);
	}
	return err;
}
