// SPDX-License-Identifier: GPL-2.0-only
/* keys.c - distributions of keys: which are shown, and all of them together. */
#include "snapshot/snapshot.h"

#include <stdlib.h>
#include <string.h>

bool snapshot_key_ok(const char *name)
{
	static const char *const taken[] = { "node",     "node_nth",  "kind",     "le",
					     "quantile", "recording", "function", "backend",
					     "event",    "what",      "method",   "reason" };
	size_t i;

	for (i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(taken[i], name))
			return false;
	return tags_key_ok(name) && strncmp(name, "node_", 5) && strncmp(name, "recording_", 10) &&
	       strncmp(name, "function_", 9);
}

bool snapshot_has_keys(const struct snapshot *s)
{
	uint32_t i;

	for (i = s->n_nodes; i--;)
		if (s->nodes[i].kind == SNAPSHOT_KEY)
			return true;
	return false;
}

bool snapshot_is_rest(const struct snapshot *s, uint32_t node)
{
	uint32_t i;

	if (s->nodes[node].kind != SNAPSHOT_DURATION)
		return false;
	for (i = node + 1; i < s->n_nodes; i++)
		if (s->nodes[i].kind == SNAPSHOT_KEY && s->nodes[i].owner == node)
			return true;
	return false;
}

bool snapshot_is_hidden(const struct snapshot *s, uint32_t node)
{
	const struct snapshot_node *n = &s->nodes[node];

	if (counts_samples(n->counts))
		return false;
	return n->kind == SNAPSHOT_UNVERIFIED || n->kind == SNAPSHOT_KEY ||
	       snapshot_is_rest(s, node);
}

static bool is_unused(const struct snapshot *s, uint32_t node)
{
	return s->nodes[node].kind == SNAPSHOT_KEY && !counts_samples(s->nodes[node].counts);
}

/* Owners stand before the nodes of keys, so their numbers stay. */
void snapshot_drop_unused(struct snapshot *s, const struct snapshot *like)
{
	uint32_t i, n = 0, all = s->n_nodes;
	bool *drop = calloc(all ? all : 1, sizeof(*drop));

	/* Without memory they stay, and are hidden. */
	for (i = 0; drop && i < all; i++)
		drop[i] = is_unused(like, i);
	for (i = 0; drop && i < all; i++) {
		if (drop[i])
			snapshot_free_node(&s->nodes[i]);
		else
			s->nodes[n++] = s->nodes[i];
	}
	if (drop)
		s->n_nodes = n;
	free(drop);
}

struct snapshot *snapshot_fold(const struct snapshot *s)
{
	struct snapshot *c = snapshot_copy(s);
	uint32_t i, n = 0;
	struct snapshot_node *node;
	int err = 0;

	for (i = 0; c && i < s->n_nodes; i++) {
		node = &c->nodes[i];
		if (node->kind != SNAPSHOT_KEY) {
			c->nodes[n++] = *node;
			continue;
		}
		if (!err)
			err = counts_sum(c->nodes[node->owner].counts, node->counts,
					 &c->nodes[node->owner].counts);
		snapshot_free_node(node);
	}
	if (c)
		c->n_nodes = n;
	if (!err)
		return c;
	snapshot_free(c);
	return NULL;
}
