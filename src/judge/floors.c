// SPDX-License-Identifier: GPL-2.0-only
/*
 * floors.c - sides that were measured by different methods; see compare.h.
 *
 * Every sample contains the floor of its method: the time that an empty function seems to
 * take. If nothing else changed, each mean and quantile moves by the difference of the
 * floors. The caches are taken to be equally warm on both sides, but it is unknown how warm:
 * the difference lies between that of the hot floors and that of the cold floors, each with
 * the uncertainty of the calibration. No figure is corrected, since the true difference is
 * unknown. The interval is widened to hold all these differences, and a difference of 0.
 */
#include "judge/priv.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Range of the floors of one side, over its runs. */
struct floors {
	double lo[COST_STATES];
	double hi[COST_STATES];
	size_t n;
	bool unknown;
};

static void take_floor(struct floors *f, const struct cost *cost)
{
	int i;

	for (i = 0; i < COST_STATES; i++) {
		if (!f->n || cost->floor_ns[i].min < f->lo[i])
			f->lo[i] = cost->floor_ns[i].min;
		if (!f->n || cost->floor_ns[i].max > f->hi[i])
			f->hi[i] = cost->floor_ns[i].max;
	}
	f->n++;
}

static struct floors floors_of(struct compare_side *side, const struct compare_set *set,
			       const char *name)
{
	const struct snapshot *s;
	const struct cost *cost;
	struct floors f = {};
	size_t i;
	int node;

	for (i = 0; i < set->n; i++) {
		s = set->runs[i];
		node = snapshot_find(s, name);
		if (node < 0)
			continue;
		cost = costs_find(set->costs[i], s->nodes[node].method, s->backend, s->pairing);
		if (cost && s->nodes[node].kind != SNAPSHOT_GAP)
			take_floor(&f, cost);
		else
			f.unknown = true;
		if (!side->method)
			side->method = s->nodes[node].method;
		if (!side->cost)
			side->cost = cost;
	}
	if (f.unknown)
		side->cost = NULL;
	return f;
}

bool compare_floors(struct compare_row *row, const struct compare_set *a,
		    const struct compare_set *b)
{
	const struct floors before = floors_of(&row->a, a, row->name);
	const struct floors after = floors_of(&row->b, b, row->name);
	int i;

	row->across = row->a.method && row->b.method && strcmp(row->a.method, row->b.method);
	if (!row->across)
		return true;
	for (i = 0; i < COST_STATES; i++) {
		row->shift_lo = fmin(row->shift_lo, after.lo[i] - before.hi[i]);
		row->shift_hi = fmax(row->shift_hi, after.hi[i] - before.lo[i]);
	}
	row->shift_lo = fmax(-1, row->shift_lo / fmax(row->a.value, 1));
	row->shift_hi /= fmax(row->a.value, 1);
	return row->a.cost && row->b.cost;
}
