// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge.c - merge two recordings of the same things. What gives the samples their meaning must
 * agree. Descriptions may differ, and are then joined.
 */
#include "result/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *merge_name_of(const struct recording *r)
{
	return r->source ? r->source : "a recording";
}

/* ---- may they be merged? ---- */

static int merge_refuse(const struct recording *a, const struct recording *b, const char *why,
			struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why,
			 "merge recordings of the same measurement only",
			 "cannot merge '%s' with '%s'", merge_name_of(b), merge_name_of(a));
}

static int differ(const struct recording *a, const struct recording *b, const char *what,
		  const char *x, const char *y, struct error *e)
{
	char why[384];

	snprintf(why, sizeof(why), "%s: '%s' there and '%s' here", what,
		 *recording_text(x) ? x : "none", *recording_text(y) ? y : "none");
	return merge_refuse(a, b, why, e);
}

static int check_settings(const struct recording *a, const struct recording *b, struct error *e)
{
	const struct snapshot *x = a->whole, *y = b->whole;
	char why[96];

	if (strcmp(x->unit, y->unit))
		return differ(a, b, "their units differ", snapshot_unit(x, "ns"),
			      snapshot_unit(y, "ns"), e);
	if (x->bits != y->bits) {
		snprintf(why, sizeof(why), "their bits differ: %u there and %u here", x->bits,
			 y->bits);
		return merge_refuse(a, b, why, e);
	}
	if (strcmp(recording_text(x->pairing), recording_text(y->pairing)))
		return differ(a, b, "their pairing differs", x->pairing, y->pairing, e);
	if (strcmp(recording_text(x->filters), recording_text(y->filters)))
		return differ(a, b, "their filters differ", x->filters, y->filters, e);
	if (strcmp(recording_text(a->machine.clock), recording_text(b->machine.clock)))
		return differ(a, b, "their clocks differ", a->machine.clock, b->machine.clock, e);
	if (a->runs > RECORDING_RUNS_MAX - b->runs)
		return merge_refuse(a, b, "they have more than 1,000,000 runs", e);
	return 0;
}

static bool merge_same_node(const struct snapshot_node *a, const struct snapshot_node *b)
{
	return a->kind == b->kind && !strcmp(recording_text(a->name), recording_text(b->name));
}

/* Find a node by its name, at the index @hint first. Returns n_nodes if there is none. */
static uint32_t find_node(const struct snapshot *s, const struct snapshot_node *node, uint32_t hint)
{
	uint32_t i;

	if (hint < s->n_nodes && merge_same_node(&s->nodes[hint], node))
		return hint;
	for (i = 0; i < s->n_nodes && !merge_same_node(&s->nodes[i], node); i++)
		;
	return i;
}

static int merge_check_node(const struct recording *a, const struct recording *b, uint32_t to,
			    uint32_t from, struct error *e)
{
	const struct snapshot_node *x = &a->whole->nodes[to], *y = &b->whole->nodes[from];
	char what[256];

	snprintf(what, sizeof(what), "the methods of '%.128s' differ", recording_text(y->name));
	if (strcmp(recording_text(x->method), recording_text(y->method)))
		return differ(a, b, what, x->method, y->method, e);
	snprintf(what, sizeof(what), "'%.128s' is not the same", recording_text(y->name));
	if (strcmp(recording_text(x->what), recording_text(y->what)))
		return differ(a, b, what, x->what, y->what, e);
	return 0;
}

static int only_in(const struct recording *a, const struct recording *b,
		   const struct recording *has, const char *name, struct error *e)
{
	char why[384];

	snprintf(why, sizeof(why), "'%.128s' is only in '%.128s'", recording_text(name),
		 merge_name_of(has));
	return merge_refuse(a, b, why, e);
}

/* ---- keys of one alone ---- */

static int add_node(struct snapshot *s, const struct snapshot_node *like, uint32_t owner)
{
	struct snapshot_node *grown = reallocarray(s->nodes, s->n_nodes + 1, sizeof(*grown)), *node;

	if (!grown)
		return -ENOMEM;
	s->nodes = grown;
	node = &grown[s->n_nodes++];
	*node = (struct snapshot_node){ .kind = like->kind, .owner = owner };
	if (snapshot_set_node_words(node,
				    &(struct snapshot_node_words){ like->name, like->what,
								   like->method, like->reason }))
		return -ENOMEM;
	if (tags_copy(&node->by, &like->by, NULL))
		return -ENOMEM;
	return tags_copy(&node->numbers, &like->numbers, NULL);
}

/* Which keys come differs from run to run. Those that @to does not have get an empty node. */
static int add_keys(struct recording *to, const struct recording *from)
{
	const struct snapshot *s = from->whole;
	uint32_t i, owner;
	int err = 0;

	for (i = 0; !err && i < s->n_nodes; i++) {
		if (s->nodes[i].kind != SNAPSHOT_KEY ||
		    find_node(to->whole, &s->nodes[i], i) < to->whole->n_nodes)
			continue;
		owner = find_node(to->whole, &s->nodes[s->nodes[i].owner], s->nodes[i].owner);
		if (owner < to->whole->n_nodes)
			err = add_node(to->whole, &s->nodes[i], owner);
	}
	return err;
}

/* @map: receives, for each node of @b, the index of the same node of @a. */
static int map_nodes(const struct recording *a, const struct recording *b, uint32_t *map,
		     struct error *e)
{
	const struct snapshot *x = a->whole, *y = b->whole;
	bool *taken = calloc(x->n_nodes, sizeof(*taken));
	uint32_t i;
	int err = taken ? 0 : error_no_memory(e, "cannot merge recordings");

	for (i = 0; !err && i < y->n_nodes; i++) {
		map[i] = find_node(x, &y->nodes[i], i);
		if (map[i] == x->n_nodes || taken[map[i]])
			err = only_in(a, b, b, y->nodes[i].name, e);
		else
			err = merge_check_node(a, b, map[i], i, e);
		if (!err)
			taken[map[i]] = true;
	}
	for (i = 0; !err && i < x->n_nodes; i++)
		if (!taken[i] && x->nodes[i].kind != SNAPSHOT_KEY)
			err = only_in(a, b, a, x->nodes[i].name, e);
	for (i = 0; !err && i < y->n_nodes; i++)
		if (x->nodes[map[i]].owner != map[y->nodes[i].owner])
			err = only_in(a, b, b, y->nodes[i].name, e);
	free(taken);
	return err;
}

/* ---- counts ---- */

/*
 * The same counts with the nodes numbered as in @like, which has all of them, and maybe keys that
 * have not come here.
 */
static struct snapshot *renumber(const struct snapshot *from, const uint32_t *map,
				 const struct snapshot *like)
{
	struct snapshot *s = snapshot_bare(from);
	struct snapshot_node *nodes = s ? calloc(like->n_nodes, sizeof(*nodes)) : NULL;
	uint32_t i;

	if (!nodes) {
		snapshot_free(s);
		return NULL;
	}
	for (i = 0; i < like->n_nodes; i++) {
		nodes[i].kind = like->nodes[i].kind;
		nodes[i].owner = like->nodes[i].owner;
	}
	for (i = 0; i < s->n_nodes; i++) {
		nodes[map[i]] = s->nodes[i];
		nodes[map[i]].owner = map[s->nodes[i].owner];
	}
	free(s->nodes);
	s->nodes = nodes;
	s->n_nodes = like->n_nodes;
	return s;
}

/* The counts of both, in a snapshot with the texts of @a's. */
static struct snapshot *add_wholes(const struct recording *a, const struct recording *b,
				   const uint32_t *map, struct error *e)
{
	struct snapshot *more = renumber(b->whole, map, a->whole), *sum;

	if (!more) {
		error_no_memory(e, "cannot merge recordings");
		return NULL;
	}
	sum = snapshot_add(a->whole, more, e);
	snapshot_free(more);
	return sum;
}

/* ---- intervals ---- */

/* Take the intervals of @r; a recording without any is one interval. @like: has all nodes */
static int take_periods(struct recording *to, const struct recording *r, const uint32_t *map,
			const struct snapshot *like)
{
	struct snapshot *all;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < r->n_periods; i++)
		err = recording_renumber_period(r, i, map, to);
	if (err || r->n_periods)
		return err;
	all = renumber(r->whole, map, like);
	err = all ? recording_add_period(to, all) : -ENOMEM;
	snapshot_free(all);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct snapshot_span *x = &((const struct period *)a)->span;
	const struct snapshot_span *y = &((const struct period *)b)->span;

	if (x->wall_ns != y->wall_ns)
		return x->wall_ns > y->wall_ns ? 1 : -1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns > y->begin_ns ? 1 : -1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* The intervals of both in the order of time; none if neither has any. */
static int join_periods(struct recording *to, const struct recording *a, const struct recording *b,
			const uint32_t *map)
{
	uint32_t *same, i;
	int err;

	if (!a->n_periods && !b->n_periods)
		return 0;
	same = calloc(a->whole->n_nodes, sizeof(*same));
	err = same ? 0 : -ENOMEM;
	for (i = 0; same && i < a->whole->n_nodes; i++)
		same[i] = i;
	if (!err)
		err = take_periods(to, a, same, a->whole);
	if (!err)
		err = take_periods(to, b, map, a->whole);
	if (!err)
		qsort(to->periods, to->n_periods, sizeof(*to->periods), by_time);
	free(same);
	return err;
}

/* ---- both ---- */

static void merge_take(struct recording *into, struct snapshot *sum, struct recording *joined)
{
	snapshot_free(into->whole);
	into->whole = sum;
	recording_free_periods(into);
	into->n_periods = joined->n_periods;
	into->periods = joined->periods;
	*joined = (struct recording){};
}

int recording_merge(struct recording *into, const struct recording *from, struct error *e)
{
	uint32_t *map = calloc(from->whole->n_nodes, sizeof(*map));
	struct recording joined = {}; /* its intervals alone */
	struct snapshot *sum = NULL;
	int err;

	err = map ? check_settings(into, from, e) : error_no_memory(e, "cannot merge recordings");
	if (!err && add_keys(into, from))
		err = error_no_memory(e, "cannot merge recordings");
	if (!err)
		err = map_nodes(into, from, map, e);
	if (err)
		goto out;
	sum = add_wholes(into, from, map, e);
	if (!sum) {
		err = -EINVAL;
		goto out;
	}
	if (join_periods(&joined, into, from, map))
		err = error_no_memory(e, "cannot merge recordings");
	else
		err = recording_join_words(into, from, sum, map);
	if (err == -E2BIG)
		merge_refuse(into, from, "they have more than 64 tags", e);
	else if (err)
		error_no_memory(e, "cannot merge recordings");
	if (!err) {
		merge_take(into, sum, &joined);
		into->why_left_out |= from->why_left_out || into->why || from->why;
		why_free(into->why);
		into->why = NULL;
		sum = NULL;
	}
out:
	snapshot_free(sum);
	recording_free_periods(&joined);
	free(map);
	return err;
}
