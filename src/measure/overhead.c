// SPDX-License-Identifier: GPL-2.0-only
#include "measure/overhead.h"

#include "result/ledger.h"

double overhead_spent(const struct snapshot *s, const struct costs *c, uint64_t others)
{
	const struct cost *cost;
	double spent = 0;
	const uint64_t *ledger;
	uint64_t added, most = 0;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++) {
		cost = costs_find(c, s->nodes[i].method, s->backend, s->pairing);
		if (!cost)
			continue;
		added = cost->added_ns[COST_HOT].median;
		most = added > most ? added : most;
		if (!ledger_is_owner(s, i))
			continue;
		/*
		 * An end that finds no start costs half a call, since only one of two programs
		 * ran.
		 */
		ledger = s->nodes[i].ledger;
		spent += (ledger[KSTATS_STARTED] + ledger[KSTATS_UNMATCHED] / 2.0) * added;
	}
	return spent + (double)others * most;
}

void overhead_begin(struct overhead *o, uint64_t now_ns)
{
	o->begin_ns = now_ns;
	o->at_ns = now_ns;
	o->spent_ns = 0;
	if (!o->cpus)
		o->cpus = 1;
}

static void judge(struct overhead *o, double spent_ns, uint64_t time_ns)
{
	double share = time_ns ? 100 * spent_ns / ((double)time_ns * o->cpus) : 0;

	if (share > o->most)
		o->most = share;
	if (o->limit && share > o->limit)
		o->over = true;
}

bool overhead_look(struct overhead *o, double spent_ns, uint64_t now_ns)
{
	judge(o, spent_ns - o->spent_ns, now_ns - o->at_ns);
	o->spent_ns = spent_ns;
	o->at_ns = now_ns;
	return o->over;
}

void overhead_end(struct overhead *o, double spent_ns, uint64_t now_ns)
{
	judge(o, spent_ns, now_ns - o->begin_ns);
}
