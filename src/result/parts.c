// SPDX-License-Identifier: GPL-2.0-only
/* parts.c - the parts of durations in a snapshot: see parts.h. */
#include "result/parts.h"

bool snapshot_has_parts(const struct snapshot *s)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (snapshot_is_part(s->nodes[i].kind))
			return true;
	return false;
}

int snapshot_part(const struct snapshot *s, uint32_t owner, enum snapshot_kind kind)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].owner == owner && s->nodes[i].kind == kind)
			return i;
	return -1;
}

/* Owners come before their parts, so their numbers stay. */
struct snapshot *snapshot_without_parts(const struct snapshot *s)
{
	struct snapshot *c = snapshot_copy(s);
	uint32_t i, n = 0;

	for (i = 0; c && i < s->n_nodes; i++) {
		if (snapshot_is_part(c->nodes[i].kind))
			snapshot_free_node(&c->nodes[i]);
		else
			c->nodes[n++] = c->nodes[i];
	}
	if (c)
		c->n_nodes = n;
	return c;
}

int parts_open(struct parts *p, const struct snapshot *s, uint32_t owner)
{
	enum snapshot_kind kind;
	int node, err = 0;

	*p = (struct parts){};
	for (kind = SNAPSHOT_RUNNING; !err && kind <= SNAPSHOT_UNSPLIT; kind++) {
		node = snapshot_part(s, owner, kind);
		/* These are left out where they are empty. */
		if (node < 0 && (kind == SNAPSHOT_LEFT || kind == SNAPSHOT_UNSPLIT))
			continue;
		if (node < 0)
			return -ENOENT;
		err = dist_open(&p->of[kind - SNAPSHOT_RUNNING], s, node, DIST_ALL_CPUS);
	}
	return err;
}

void parts_close(struct parts *p)
{
	int i;

	for (i = 0; i < KSTATS_PARTS_N; i++)
		dist_close(&p->of[i]);
}

double parts_total(const struct parts *p)
{
	double total = 0;
	int i;

	for (i = 0; i <= KSTATS_PART_BLOCKED; i++)
		total += dist_total(&p->of[i]);
	return total;
}

/* While programs run, the copies of two distributions are not of the same moment. */
static uint64_t parts_less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t samples_in(const struct dist *d, uint32_t slot)
{
	return d->slots ? d->slots[slot].samples : 0;
}

int parts_stayed(const struct parts *p, const struct snapshot *s, uint32_t owner, struct dist *d)
{
	uint32_t n = kstats_n_slots(s->bits), i;
	struct dist errors = {};
	int node = snapshot_part(s, owner, SNAPSHOT_ERROR);
	int err = dist_open(d, s, owner, DIST_ALL_CPUS);

	if (!err && node >= 0)
		err = dist_open(&errors, s, node, DIST_ALL_CPUS);
	if (!err && node >= 0)
		err = dist_add(d, &errors);
	dist_close(&errors);
	if (err)
		return err;
	d->samples = 0;
	for (i = 0; i < n; i++) {
		d->slots[i].samples = parts_less(
			d->slots[i].samples, samples_in(&p->of[KSTATS_PART_LEFT], i) +
						     samples_in(&p->of[KSTATS_PART_UNSPLIT], i));
		d->samples += d->slots[i].samples;
	}
	return 0;
}
