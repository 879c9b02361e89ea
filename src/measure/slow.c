// SPDX-License-Identifier: GPL-2.0-only
/* slow.c - from which duration on calls are slow, and how many were. */
#include "measure/priv.h"

#include "kstats_slot.h"
#include "result/dist.h"

#define SLOW_MOST 0.25 /* where more calls share the slot of the quantile, it is no slow one */

static int collect_add_up(struct dist *sum, const struct snapshot *all)
{
	struct dist d;
	uint32_t i;
	int err = dist_open(sum, all, 0, DIST_ALL_CPUS);

	for (i = 1; !err && i < all->n_nodes; i++) {
		if (all->nodes[i].kind != SNAPSHOT_KEY)
			continue;
		err = dist_open(&d, all, i, DIST_ALL_CPUS);
		if (!err)
			err = dist_add(sum, &d);
		dist_close(&d);
	}
	return err;
}

static uint64_t samples_from(const struct dist *d, uint64_t ns)
{
	struct dist_row row = DIST_ROW_BEGIN;
	uint64_t n = 0;

	while (dist_next(d, &row))
		n += row.value.lo >= ns ? row.samples : 0;
	return n;
}

uint64_t collect_slow_from(uint32_t bits, const struct snapshot *all, uint32_t millionths,
			   uint64_t *samples)
{
	uint32_t slot;
	double wanted = (double)(DIST_ONE - millionths) / DIST_ONE, from, above;
	uint64_t lo, next;
	struct dist d = {};

	*samples = 0;
	if (collect_add_up(&d, all) || !d.samples) {
		dist_close(&d);
		return 0;
	}
	*samples = d.samples;
	slot = kstats_slot_index(dist_quantile(&d, millionths).lo, bits);
	lo = kstats_slot_first(slot, bits);
	next = kstats_slot_first(slot + 1, bits);
	from = (double)samples_from(&d, lo) / d.samples;
	above = (double)samples_from(&d, next) / d.samples;
	dist_close(&d);
	if (from > SLOW_MOST || (above > 0 && from / wanted > wanted / above))
		return next;
	return lo ? lo : 1;
}

int collect_count(const struct snapshot *all, uint32_t node, uint64_t threshold_ns,
		  struct collect_slow *n)
{
	struct dist d;
	int err = dist_open(&d, all, node, DIST_ALL_CPUS);

	*n = (struct collect_slow){};
	if (!err) {
		n->all = d.samples;
		n->slow = samples_from(&d, threshold_ns);
	}
	dist_close(&d);
	return err;
}
