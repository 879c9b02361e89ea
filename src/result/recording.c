// SPDX-License-Identifier: GPL-2.0-only
/* recording.c - the life of recordings. */
#include "result/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct recording *recording_new(struct snapshot *whole)
{
	struct recording *r = calloc(1, sizeof(*r));

	if (!r) {
		snapshot_free(whole);
		return NULL;
	}
	r->runs = 1;
	r->whole = whole;
	return r;
}

void recording_free_machine(struct recording_machine *m)
{
	free(m->cpu);
	free(m->clock);
	free(m->build_id);
}

int recording_copy_machine(struct recording_machine *to, const struct recording_machine *from)
{
	recording_free_machine(to);
	*to = (struct recording_machine){
		.cpu = strdup(from->cpu),
		.cpus_online = from->cpus_online,
		.clock = strdup(from->clock),
		.build_id = strdup(from->build_id),
	};
	return to->cpu && to->clock && to->build_id ? 0 : -ENOMEM;
}

int recording_set_machine(struct recording *r, const struct recording_machine *m)
{
	return recording_copy_machine(&r->machine, m);
}

static const struct cost *cost_of(const struct costs *c, const struct snapshot *s, uint32_t node)
{
	const struct snapshot_node *n = &s->nodes[s->nodes[node].owner];

	if (s->nodes[node].kind == SNAPSHOT_GAP || snapshot_is_part(s->nodes[node].kind) ||
	    *s->unit)
		return NULL;
	return costs_find(c, n->method, s->backend, s->pairing);
}

int recording_set_costs(struct recording *r, const struct snapshot *s, const struct costs *all)
{
	const struct cost *c;
	uint32_t i;
	int err = 0;

	costs_free(&r->costs);
	for (i = 0; !err && i < s->n_nodes; i++) {
		c = cost_of(all, s, i);
		err = c ? costs_put(&r->costs, c) : 0;
	}
	return err;
}

const struct cost *recording_cost(const struct recording *r, uint32_t node)
{
	return cost_of(&r->costs, r->whole, node);
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	tags_free(&r->tags);
	recording_free_periods(r);
	if (r->spool)
		fclose(r->spool);
	recording_free_machine(&r->machine);
	costs_free(&r->costs);
	free(r->source);
	snapshot_free(r->whole);
	why_free(r->why);
	free(r);
}
