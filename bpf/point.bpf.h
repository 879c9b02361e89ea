/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * point.bpf.h - values at one point, where nothing is paired. In: events. Out: samples and ledger
 * counters in the cells. Called by kstats.bpf.c.
 */
#ifndef KSTATS_POINT_BPF_H
#define KSTATS_POINT_BPF_H

#include "interval.bpf.h"

const volatile bool point_at_return; /* the point is the return of a function, not its entry */

/*
 * All samples have the same value: counting the events is enough, and user space adds the slot. The
 * kernel removes the rest.
 */
const volatile bool point_counts;
const volatile bool point_counts_all; /* and no filter leaves any out, and one program counts */

/* Returns whether that is all. It is asked first, so that nothing else is looked up. */
static __always_inline bool point_counted(__u32 node)
{
	struct kstats_cell *cell;

	if (!point_counts_all)
		return false;
	if (kstats_on) {
		cell = store_cell(node);
		if (cell)
			*(volatile __u64 *)&cell->ledger[KSTATS_STARTED] += 1;
	}
	return true;
}

/* Nothing is paired: the sample is the value at this point. @at_end: it is a function's return. */
static __always_inline void point_record(const struct event *ev, void *ctx, bool at_end)
{
	const struct start none = {};
	struct kstats_cell *cell;
	__u64 value, outcome;
	__u32 node;

	if (!kstats_on || (who_later && !who_passes()))
		return;
	if (point_counts) {
		cell = store_cell(hook_node(ev));
		if (cell)
			store_add(&cell->ledger[KSTATS_STARTED], 1);
		return;
	}
	outcome = point_outcome(ctx, at_end, &value);
	if (outcome == KSTATS_EXPR_NO)
		return;
	cell = store_cell(hook_node(ev));
	if (!cell)
		return;
	store_add(&cell->ledger[KSTATS_STARTED], 1);
	if (outcome != KSTATS_EXPR_YES) {
		expr_count(cell, outcome);
		return;
	}
	if (by_words) {
		cell = by_cell(cell, ev, &none, opaque(0), ctx, &node);
		if (!cell)
			return;
	}
	store_sample(cell, value);
}

#endif /* KSTATS_POINT_BPF_H */
