// SPDX-License-Identifier: GPL-2.0-only
/* keys.c - distributions of keys: which are shown, and all of them together. */
#include "result/snapshot.h"

#include <errno.h>
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

int snapshot_add_keys(struct snapshot *s, uint32_t n)
{
	struct snapshot_node *grown;

	if (!n)
		return 0;
	snapshot_forget_names(s);
	grown = realloc(s->nodes, (s->n_nodes + n) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->nodes = grown;
	for (; n; n--)
		grown[s->n_nodes++] = (struct snapshot_node){ .kind = SNAPSHOT_KEY };
	return 0;
}

/* The first one of several of the same key comes first. */
static int keys_by_key(const void *pa, const void *pb)
{
	const struct snapshot_node *a = *(struct snapshot_node *const *)pa;
	const struct snapshot_node *b = *(struct snapshot_node *const *)pb;
	int order = (a->owner > b->owner) - (a->owner < b->owner);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : (a > b) - (a < b);
}

static int keys_join(struct snapshot_node **keys, size_t n)
{
	struct snapshot_node *first = NULL;
	size_t i;
	int err = 0;

	qsort(keys, n, sizeof(*keys), keys_by_key);
	for (i = 0; !err && i < n; i++) {
		if (!first || keys[i]->owner != first->owner ||
		    strcmp(keys[i]->name, first->name)) {
			first = keys[i];
			continue;
		}
		err = counts_sum(first->counts, keys[i]->counts, &first->counts);
		counts_drop(keys[i]->counts);
		keys[i]->counts = NULL;
	}
	return err;
}

int snapshot_join_keys(struct snapshot *s)
{
	struct snapshot_node **keys = calloc(s->n_nodes + 1, sizeof(*keys));
	uint32_t i;
	size_t n = 0;
	int err;

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].kind == SNAPSHOT_KEY && s->nodes[i].name)
			keys[n++] = &s->nodes[i];
	err = keys_join(keys, n);
	free(keys);
	return err;
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
	       n->kind == SNAPSHOT_LEFT || n->kind == SNAPSHOT_UNSPLIT ||
	       n->kind == SNAPSHOT_AGAIN || n->kind == SNAPSHOT_UNDIVIDED ||
	       snapshot_is_rest(s, node);
}

bool snapshot_is_unused(const struct snapshot *s, uint32_t node)
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
		drop[i] = snapshot_is_unused(like, i);
	for (i = 0; drop && i < all; i++) {
		if (drop[i])
			snapshot_free_node(&s->nodes[i]);
		else
			s->nodes[n++] = s->nodes[i];
	}
	if (drop)
		s->n_nodes = n;
	snapshot_forget_names(s);
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
