/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accepted.h - sets of runs that were accepted, and those of them with which a new set is
 * compared. In: sets. Out: a compare_set and the sets of a history. Pure. Called by ui.
 */
#ifndef KSTATS_JUDGE_ACCEPTED_H
#define KSTATS_JUDGE_ACCEPTED_H

#include "judge/history.h"
#include "judge/runs.h"

#define ACCEPTED_REBASE "-rebase" /* end of the name of a set with which a level begins anew */

/** struct accepted_set - one set */
struct accepted_set {
	char *name; /* owned; of its folder or file */
	uint64_t when_ns; /* begin of its first run, ns since 1970 */
	struct runs runs; /* its runs */
};

/**
 * struct accepted - accepted sets, and the new one after them
 * @n: number of @found
 * @found: owned; all sets, after accepted_sort() in the order of time
 * @first: index of the first of @found that is used
 * @end: index after the last one, which is the last before the new set
 * @left_out: number of sets before @first that are left out: one was not recorded alike
 * @sets: owned; @found from @first to @end, then the new one
 * @snapshots: owned; of the runs of @sets
 * @set_of: owned; index of the set of each run
 */
struct accepted {
	size_t n;
	struct accepted_set *found;
	size_t first;
	size_t end;
	size_t left_out;
	struct history_set *sets;
	const struct snapshot **snapshots;
	size_t *set_of;
};

/** accepted_sort() - order the sets by time */
void accepted_sort(struct accepted *p);

/**
 * accepted_has() - whether one of some runs was accepted already
 * @set: receives the name of the set that has it
 *
 * Return: the first such run of @runs, or NULL.
 */
const struct recording *accepted_has(const struct accepted *p, const struct runs *runs,
				     const char **set);

/**
 * accepted_choose() - choose the sets that a new one is compared with
 * @p: sorted
 * @runs: the new one; must outlive @p
 * @last: largest number of sets to compare with
 * @alike: refuse sets that were recorded in another way than @runs
 * @e: filled in if one of the @last is refused, or does not tell its time
 */
int accepted_choose(struct accepted *p, const struct runs *runs, size_t last, bool alike,
		    struct error *e);

/** accepted_is_rebase() - whether a level begins with a set of this name */
bool accepted_is_rebase(const char *name);

/**
 * accepted_base() - the sets that the new one is compared with
 * @p: after accepted_choose()
 * @last: as given to it
 *
 * Return: runs of all sets since the level was chosen anew, which live as long as @p.
 */
struct compare_set accepted_base(const struct accepted *p, size_t last);

/**
 * accepted_series() - the sets of the series, and the new one
 * @p: after accepted_choose()
 * @last: as given to it
 *
 * Return: sets that live as long as @p.
 */
struct history_sets accepted_series(const struct accepted *p, size_t last);

/** accepted_free_set() - release one set that is in no struct accepted */
void accepted_free_set(struct accepted_set *set);

/** accepted_free() - release; @p may be zero-filled */
void accepted_free(struct accepted *p);

#endif /* KSTATS_JUDGE_ACCEPTED_H */
