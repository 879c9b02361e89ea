// SPDX-License-Identifier: GPL-2.0-only
/* accepted.c - choose the accepted sets that a new one is compared with; see accepted.h. */
#include "judge/accepted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_times(const void *a, const void *b)
{
	const struct accepted_set *x = a, *y = b;

	return x->when_ns < y->when_ns ? -1 : x->when_ns > y->when_ns;
}

void accepted_sort(struct accepted *p)
{
	qsort(p->found, p->n, sizeof(*p->found), compare_times);
}

const struct recording *accepted_has(const struct accepted *p, const struct runs *runs,
				     const char **set)
{
	const struct recording *r = NULL;
	size_t i;

	for (i = 0; !r && i < p->n; i++) {
		*set = p->found[i].name;
		r = runs_shared(&p->found[i].runs, runs);
	}
	return r;
}

static int check_time(const char *name, uint64_t when_ns, struct error *e)
{
	if (when_ns)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "a recording of it does not say when it was made",
			 "record it again, or take it out of the folder",
			 "cannot put '%s' in the order of time", name);
}

static bool has_rebase(const struct accepted *p)
{
	size_t i;

	for (i = p->first; i < p->end; i++)
		if (accepted_is_rebase(p->found[i].name))
			return true;
	return false;
}

/* Go back from the newest set until one was not recorded alike. */
static int find_first(struct accepted *p, const struct runs *runs, size_t last, bool alike,
		      struct error *e)
{
	size_t most = last > HISTORY_SETS_MOST ? last : HISTORY_SETS_MOST;
	int err = 0;

	p->first = p->end;
	while (!err && p->first && p->end - p->first < most) {
		err = check_time(p->found[p->first - 1].name, p->found[p->first - 1].when_ns, e);
		if (!err && alike)
			err = runs_check(runs, &p->found[p->first - 1].runs, false, e);
		p->first -= !err;
	}
	p->left_out = err ? p->first : 0;
	return p->end - p->first < last && !has_rebase(p) ? err : 0;
}

/* A set that is counted twice makes all sets look more alike than they are. */
static int check_distinct(const struct accepted *p, struct error *e)
{
	const struct accepted_set *set, *other;
	const struct recording *r;

	for (set = p->found + p->first; set < p->found + p->end; set++)
		for (other = p->found + p->first; other < set; other++) {
			r = runs_shared(&other->runs, &set->runs);
			if (r)
				return error_set(
					e, EXIT_USAGE, -EINVAL, "it is the same run",
					"take one of them out of the folder, or use --force",
					"cannot count '%s' beside the set '%s'", r->source,
					other->name);
		}
	return 0;
}

static int lay_out(struct accepted *p, const struct runs *fresh, uint64_t when_ns)
{
	size_t n_sets = p->end - p->first + 1, n_runs = fresh->n, i, k, at = 0;
	const struct runs *runs;

	for (i = p->first; i < p->end; i++)
		n_runs += p->found[i].runs.n;
	p->sets = calloc(n_sets, sizeof(*p->sets));
	p->snapshots = calloc(n_runs + 1, sizeof(*p->snapshots));
	p->set_of = calloc(n_runs + 1, sizeof(*p->set_of));
	if (!p->sets || !p->snapshots || !p->set_of)
		return -ENOMEM;
	for (i = 0; i < n_sets; i++) {
		runs = i + 1 < n_sets ? &p->found[p->first + i].runs : fresh;
		p->sets[i] = (struct history_set){
			.name = i + 1 < n_sets ? p->found[p->first + i].name : "the new set",
			.when_ns = i + 1 < n_sets ? p->found[p->first + i].when_ns : when_ns,
			.first = at,
			.n = runs->n,
		};
		for (k = 0; k < runs->n; k++) {
			p->set_of[at] = i;
			p->snapshots[at++] = runs->snapshots[k];
		}
	}
	return 0;
}

int accepted_choose(struct accepted *p, const struct runs *runs, size_t last, bool alike,
		    struct error *e)
{
	uint64_t when_ns = runs_begin(runs);
	int err = check_time(runs->recordings[0]->source, when_ns, e);

	p->end = p->n;
	while (p->end && p->found[p->end - 1].when_ns >= when_ns)
		p->end--;
	if (!err)
		err = find_first(p, runs, last, alike, e);
	if (!err && alike)
		err = check_distinct(p, e);
	if (!err && lay_out(p, runs, when_ns))
		err = error_no_memory(e, "cannot read the history");
	return err;
}

bool accepted_is_rebase(const char *name)
{
	size_t len = strlen(name), end = strlen(ACCEPTED_REBASE);

	return len >= end && !strcmp(name + len - end, ACCEPTED_REBASE);
}

/* The first set since the level was chosen anew. */
static size_t level_begin(const struct accepted *p)
{
	size_t i = p->end - p->first;

	while (i && !accepted_is_rebase(p->sets[i - 1].name))
		i--;
	return i ? i - 1 : 0;
}

static size_t first_judged(const struct accepted *p, size_t last)
{
	size_t n = p->end - p->first, level = level_begin(p);

	return n > last + level ? n - last : level;
}

struct compare_set accepted_base(const struct accepted *p, size_t last)
{
	size_t begin = p->sets[level_begin(p)].first;

	return (struct compare_set){
		.n = p->sets[p->end - p->first].first - begin,
		.runs = (const struct snapshot *const *)p->snapshots + begin,
		.set_of = p->set_of + begin,
		.last_sets = first_judged(p, last),
	};
}

struct history_sets accepted_series(const struct accepted *p, size_t last)
{
	return (struct history_sets){
		.n = p->end - p->first + 1,
		.sets = p->sets,
		.judged = first_judged(p, last),
		.left_out = p->left_out,
		.runs = (const struct snapshot *const *)p->snapshots,
	};
}

void accepted_free_set(struct accepted_set *set)
{
	free(set->name);
	runs_free(&set->runs);
}

void accepted_free(struct accepted *p)
{
	while (p->n)
		accepted_free_set(&p->found[--p->n]);
	free(p->found);
	free(p->sets);
	free(p->snapshots);
	free(p->set_of);
	*p = (struct accepted){};
}
