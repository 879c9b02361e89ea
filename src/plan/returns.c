// SPDX-License-Identifier: GPL-2.0-only
/* returns.c - how many open calls kretprobes remember, and the memory that this takes. */
#include "plan/priv.h"

#define PLACES_MOST 4096 /* one more than the calls; the kernel's limit */
#define PLACES_LEAST 64
#define CALL_BYTES 80 /* of an open call, in the kernel */
#define MEMORY_MOST (64ULL << 20) /* of all kretprobes of a plan */

/*
 * Since 6.7 the kernel has a queue for each possible CPU, with a place for every open call of
 * the function, and rounds one more than their number up to a power of two.
 */
uint64_t plan_return_bytes(uint32_t calls, unsigned int n_cpus)
{
	return (calls + 1ULL) * sizeof(uint64_t) * n_cpus + (uint64_t)calls * CALL_BYTES;
}

/* Not less than perf would make, which is two for each CPU. */
uint32_t plan_return_calls(uint32_t n_functions, unsigned int n_cpus)
{
	uint32_t places = PLACES_MOST;

	while (places / 2 >= PLACES_LEAST && places / 2 > 2 * n_cpus &&
	       n_functions * plan_return_bytes(places - 1, n_cpus) > MEMORY_MOST)
		places /= 2;
	return places - 1;
}

/* Which functions are hooked by kretprobes is known when the other methods are refused. */
void plan_choose_returns(struct plan *plan)
{
	const struct plan_probe *end = plan->probes + plan->n_probes;
	struct plan_probe *p;
	unsigned int w;

	plan->n_returns = 0;
	for (p = plan->probes; p < end; p++)
		for (w = 0; w < p->n_ways; w++)
			plan->n_returns += p->ways[w].end.type == PLAN_KRETPROBE;
	plan->return_calls = plan_return_calls(plan->n_returns, plan->n_cpus);
	for (p = plan->probes; p < end; p++)
		for (w = 0; w < p->n_ways; w++)
			p->ways[w].end.calls = plan->return_calls;
}
