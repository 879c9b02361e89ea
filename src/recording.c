// SPDX-License-Identifier: GPL-2.0-only
/* recording.c - the life of recordings; see recording.h. */
#include "recording_priv.h"

#include <errno.h>
#include <stdlib.h>

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

void recording_free(struct recording *r)
{
	size_t i;

	if (!r)
		return;
	tags_free(&r->tags);
	for (i = 0; i < r->n_periods; i++)
		snapshot_packed_free(r->periods[i]);
	free(r->periods);
	free(r->machine.cpu);
	free(r->machine.clock);
	free(r->machine.build_id);
	free(r->source);
	snapshot_free(r->whole);
	free(r);
}

/* ---- intervals ---- */

int recording_keep_period(struct recording *r, struct snapshot_packed *p)
{
	struct snapshot_packed **grown;

	grown = p ? realloc(r->periods, (r->n_periods + 1) * sizeof(*grown)) : NULL;
	if (!grown) {
		snapshot_packed_free(p);
		return -ENOMEM;
	}
	r->periods = grown;
	grown[r->n_periods++] = p;
	return 0;
}

int recording_add_period(struct recording *r, const struct snapshot *period)
{
	return recording_keep_period(r, snapshot_pack(period));
}

struct snapshot *recording_period(const struct recording *r, size_t i)
{
	return snapshot_unpack(r->periods[i], r->whole, r->whole->n_cpus);
}
