// SPDX-License-Identifier: GPL-2.0-only
/* runs.c - sets of recordings, and what must be alike in them; see runs.h. */
#include "judge/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * As in a report, a function with keys has the samples of all of them. Which keys got no
 * distribution differs from run to run, so what is left over is not judged by itself.
 */
static const struct snapshot *runs_judged(const struct recording *r)
{
	struct snapshot *total;

	if (!snapshot_has_keys(r->whole))
		return r->whole;
	total = snapshot_total(r->whole);
	while (total && total->nodes[total->n_nodes - 1].kind == SNAPSHOT_OTHER)
		snapshot_free_node(&total->nodes[--total->n_nodes]);
	return total;
}

static void runs_free_one(struct recording *r, const struct snapshot *judged)
{
	if (judged != r->whole)
		snapshot_free((struct snapshot *)judged);
	recording_free(r);
}

int runs_add(struct runs *r, struct recording *recording)
{
	const struct snapshot *judged = runs_judged(recording);
	struct recording **recordings;
	const struct snapshot **snapshots;
	const struct costs **costs;

	recordings = reallocarray(r->recordings, r->n + 1, sizeof(*recordings));
	if (recordings)
		r->recordings = recordings;
	snapshots = reallocarray(r->snapshots, r->n + 1, sizeof(*snapshots));
	if (snapshots)
		r->snapshots = snapshots;
	costs = reallocarray(r->costs, r->n + 1, sizeof(*costs));
	if (costs)
		r->costs = costs;
	if (!judged || !recordings || !snapshots || !costs) {
		runs_free_one(recording, judged);
		return -ENOMEM;
	}
	recordings[r->n] = recording;
	costs[r->n] = &recording->costs;
	snapshots[r->n++] = judged;
	return 0;
}

int runs_add_memory(struct runs *r, struct kmem *k)
{
	struct kmem **grown = reallocarray(r->memory, r->n + 1, sizeof(*grown));

	if (!grown) {
		kmem_free(k);
		return -ENOMEM;
	}
	r->memory = grown;
	grown[r->n++] = k;
	return 0;
}

uint64_t runs_begin(const struct runs *r)
{
	uint64_t first = UINT64_MAX, when;
	size_t i;

	for (i = 0; i < r->n; i++) {
		when = r->snapshots[i]->span.wall_ns;
		if (when < first)
			first = when;
	}
	return r->n ? first : 0;
}

/* ---- checks that they may be compared ---- */

static int runs_differ(const struct recording *a, const struct recording *b, const char *what,
		       const char *in_a, const char *in_b, struct error *e)
{
	char why[320];

	if (!strcmp(in_a, in_b))
		return 0;
	snprintf(why, sizeof(why), "%s is '%.100s' in one and '%.100s' in the other", what, in_a,
		 in_b);
	return error_set(e, EXIT_USAGE, -EINVAL, why, "record both in the same way, or use --force",
			 "cannot compare '%s' with '%s'", a->source, b->source);
}

/* Compare a text of each distribution that both have. */
static int nodes_differ(const struct recording *a, const struct recording *b, const char *what,
			const char *(*text_of)(const struct snapshot_node *node), struct error *e)
{
	const struct snapshot *in_b = b->whole;
	const struct snapshot_node *node;
	int err = 0, other;
	uint32_t i;

	for (i = 0; !err && i < a->whole->n_nodes; i++) {
		node = &a->whole->nodes[i];
		other = snapshot_find(in_b, node->name);
		if (other >= 0)
			err = runs_differ(a, b, what, text_of(node), text_of(&in_b->nodes[other]),
					  e);
	}
	return err;
}

static const char *runs_method_of(const struct snapshot_node *node)
{
	return node->method;
}

/* One name may be of different things, such as two parameters or two pairs of points. */
static const char *runs_thing_of(const struct snapshot_node *node)
{
	return node->what;
}

static int check_methods(const struct recording *a, const struct recording *b, struct error *e)
{
	int err = nodes_differ(a, b, "the method", runs_method_of, e);

	/* The method that is chosen may change with the kernel and with this program. */
	if (err)
		snprintf(e->next, sizeof(e->next),
			 "record both with the same --method, or use --across-methods or --force");
	return err;
}

/* "by call" is how the method direct pairs by task; the methods were compared before. */
static const char *pairing_of(const struct snapshot *s)
{
	return s->pairing && !strcmp(s->pairing, SNAPSHOT_BY_CALL) ? SNAPSHOT_BY_TASK : s->pairing;
}

static int runs_check_pair(const struct recording *a, const struct recording *b, struct error *e)
{
	char bits_a[8], bits_b[8];
	int err;

	snprintf(bits_a, sizeof(bits_a), "%u", a->whole->bits);
	snprintf(bits_b, sizeof(bits_b), "%u", b->whole->bits);
	err = runs_differ(a, b, "the unit", snapshot_unit(a->whole, "ns"),
			  snapshot_unit(b->whole, "ns"), e);
	if (!err)
		err = nodes_differ(a, b, "the value", runs_thing_of, e);
	if (!err)
		err = runs_differ(a, b, "the number of bits", bits_a, bits_b, e);
	if (!err)
		err = runs_differ(a, b, "the clock source", a->machine.clock, b->machine.clock, e);
	if (!err)
		err = runs_differ(a, b, "the filter", a->whole->filters, b->whole->filters, e);
	if (!err)
		err = runs_differ(a, b, "the pairing", pairing_of(a->whole), pairing_of(b->whole),
				  e);
	if (!err)
		err = runs_differ(a, b, "the backend", a->whole->backend, b->whole->backend, e);
	return err;
}

static int check_status(const struct recording *r, struct error *e)
{
	char why[64];

	if (r->whole->unseen && *r->whole->unseen)
		return error_set(e, EXIT_LEDGER, -EINVAL, r->whole->unseen,
				 "record it again, or use --force",
				 "cannot judge by '%s', calls may be missing", r->source);
	if (!r->status)
		return 0;
	snprintf(why, sizeof(why), "its command ended with status %u", r->status);
	return error_set(e, EXIT_USAGE, -EINVAL, why, "record it again, or use --force",
			 "cannot judge by '%s'", r->source);
}

static bool same_run(const struct snapshot *a, const struct snapshot *b)
{
	return a->span.wall_ns == b->span.wall_ns && a->span.begin_ns == b->span.begin_ns &&
	       a->span.end_ns == b->span.end_ns && a->bits == b->bits && a->n_cpus == b->n_cpus &&
	       a->n_nodes == b->n_nodes && snapshot_same_slots(a, b);
}

/* A run that is named twice looks like two runs without any noise between them. */
static int check_twice(const struct runs *r, size_t n, struct error *e)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (same_run(r->snapshots[i], r->snapshots[n]))
			return error_set(e, EXIT_USAGE, -EINVAL, "they are the same run",
					 "name each once, or use --force",
					 "cannot count '%s' beside '%s'", r->recordings[n]->source,
					 r->recordings[i]->source);
	return 0;
}

/* Each run is like @first, and its methods are those of @same. */
static int check_one(const struct recording *first, const struct recording *same,
		     const struct runs *r, struct error *e)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < r->n; i++) {
		err = check_status(r->recordings[i], e);
		if (!err)
			err = runs_check_pair(first, r->recordings[i], e);
		if (!err)
			err = check_methods(same, r->recordings[i], e);
		if (!err)
			err = check_twice(r, i, e);
	}
	return err;
}

static bool find_shared(const struct runs *a, const struct runs *b, size_t *i, size_t *k)
{
	for (*i = 0; *i < a->n; ++*i)
		for (*k = 0; *k < b->n; ++*k)
			if (same_run(a->snapshots[*i], b->snapshots[*k]))
				return true;
	return false;
}

const struct recording *runs_shared(const struct runs *a, const struct runs *b)
{
	size_t i, k;

	return find_shared(a, b, &i, &k) ? b->recordings[k] : NULL;
}

/* A run that is on both sides makes them look alike. */
static int check_sides(const struct runs *a, const struct runs *b, struct error *e)
{
	size_t i, k;

	if (!find_shared(a, b, &i, &k))
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "they are the same run",
			 "name others, or use --force", "cannot compare '%s' with '%s'",
			 b->recordings[k]->source, a->recordings[i]->source);
}

int runs_check(const struct runs *a, const struct runs *b, bool across, struct error *e)
{
	const struct recording *first = a->n ? a->recordings[0] : NULL;
	int err = first ? check_one(first, first, a, e) : 0;

	if (!err && first && b->n)
		err = check_one(first, across ? b->recordings[0] : first, b, e);
	return err ? err : check_sides(a, b, e);
}

struct compare_set runs_set(const struct runs *r, bool across)
{
	return (struct compare_set){
		.n = r->n,
		.runs = (const struct snapshot *const *)r->snapshots,
		.costs = across ? (const struct costs *const *)r->costs : NULL,
	};
}

void runs_free(struct runs *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->memory)
			kmem_free(r->memory[i]);
		else
			runs_free_one(r->recordings[i], r->snapshots[i]);
	free(r->memory);
	free(r->recordings);
	free(r->snapshots);
	free(r->costs);
	*r = (struct runs){};
}
