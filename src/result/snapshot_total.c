// SPDX-License-Identifier: GPL-2.0-only
/* snapshot_total.c - a snapshot with keys for reports: each owner with the samples of its keys. */
#include "result/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t snapshot_plain(const struct snapshot *s)
{
	uint32_t i = 0;

	while (i < s->n_nodes && s->nodes[i].kind < SNAPSHOT_KEY)
		i++;
	return i;
}

/* Move the nodes of keys behind all others. @place: receives where each node is now. */
static void total_sort(struct snapshot *c, const struct snapshot *s, uint32_t *place)
{
	bool keys;
	uint32_t i, n = 0;

	for (keys = false; n < s->n_nodes; keys = true)
		for (i = 0; i < s->n_nodes; i++)
			if ((s->nodes[i].kind == SNAPSHOT_KEY) == keys)
				place[i] = n++;
	for (i = 0; i < s->n_nodes; i++) {
		struct snapshot_node *node = &c->nodes[place[i]];

		*node = s->nodes[i];
		node->owner = place[s->nodes[i].owner];
	}
}

/* Return: 0, or -ENOMEM with what was made in @to. */
static int total_add_other(struct snapshot_node *to, const struct snapshot_node *owner,
			   uint32_t index)
{
	*to = (struct snapshot_node){
		.kind = SNAPSHOT_OTHER,
		.owner = index,
		.subtract_ns = owner->subtract_ns,
		.what = strdup(owner->what ? owner->what : ""),
		.method = strdup(owner->method ? owner->method : ""),
		.reason = strdup(owner->reason ? owner->reason : ""),
		.counts = counts_share(owner->counts),
	};
	if (asprintf(&to->name, "%s{other}", owner->name ? owner->name : "") < 0)
		to->name = NULL;
	return to->name && to->what && to->method && to->reason ? 0 : -ENOMEM;
}

/* What owners hold before they get the samples of their keys is of keys without a node. */
static int total_add_others(struct snapshot *c)
{
	uint32_t plain = snapshot_plain(c), keys = c->n_nodes, i, owner;
	bool *done = calloc(plain + 1, sizeof(*done));
	int err = done ? 0 : -ENOMEM;

	for (i = plain; !err && i < keys; i++) {
		owner = c->nodes[i].owner;
		if (!done[owner] && counts_samples(c->nodes[owner].counts))
			err = total_add_other(&c->nodes[c->n_nodes++], &c->nodes[owner], owner);
		done[owner] = true;
	}
	for (i = plain; !err && i < keys; i++) {
		owner = c->nodes[i].owner;
		err = counts_sum(c->nodes[owner].counts, c->nodes[i].counts,
				 &c->nodes[owner].counts);
	}
	free(done);
	return err;
}

struct snapshot *snapshot_total(const struct snapshot *s)
{
	uint32_t plain = 0, i, *place = calloc(s->n_nodes + 1, sizeof(*place));
	struct snapshot *copy = snapshot_copy(s);
	struct snapshot_node *nodes;
	struct snapshot sorted;
	int err = -ENOMEM;

	for (i = 0; i < s->n_nodes; i++)
		plain += s->nodes[i].kind != SNAPSHOT_KEY;
	nodes = calloc(s->n_nodes + plain + 1, sizeof(*nodes));
	if (copy && place && nodes) {
		sorted = *copy;
		sorted.nodes = nodes;
		total_sort(&sorted, copy, place);
		free(copy->nodes);
		*copy = sorted;
		copy->total = true;
		nodes = NULL;
		err = total_add_others(copy);
	}
	free(place);
	free(nodes);
	if (!err)
		return copy;
	snapshot_free(copy);
	return NULL;
}
