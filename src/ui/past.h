/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * past.h - accepted sets of runs in a folder. In: a folder. Out: sets in the order of time;
 * on request, one more set in the folder. Called by check.
 *
 * A set is a folder of recordings, or a single recording. Names that begin with a point are
 * ignored. So is base-*.json in the folder of a set: 'trace --runs --vs' records the other
 * command there.
 */
#ifndef KSTATS_UI_PAST_H
#define KSTATS_UI_PAST_H

#include "judge/history.h"
#include "ui/runs.h"

/** struct past_set - one set of the folder */
struct past_set {
	char *name; /* owned; of its folder or file */
	uint64_t when_ns; /* begin of its first run, ns since 1970 */
	struct runs runs; /* its runs */
};

/**
 * struct past - the accepted sets of a folder, and the new one after them
 * @folder: not owned
 * @n: number of @found
 * @found: owned; all sets of the folder in the order of time
 * @first: index of the first of @found that is used
 * @end: index after the last one, which is the last before the new set
 * @left_out: number of sets before @first that are left out: one was not recorded alike
 * @sets: owned; @found from @first to @end, then the new one
 * @snapshots: owned; of the runs of @sets
 * @set_of: owned; index of the set of each run
 */
struct past {
	const char *folder;
	size_t n;
	struct past_set *found;
	size_t first;
	size_t end;
	size_t left_out;
	struct history_set *sets;
	const struct snapshot **snapshots;
	size_t *set_of;
};

/**
 * past_open() - read all sets of a folder
 * @p: filled in; released by past_close() also after an error
 * @folder: must outlive @p
 * @make: make it if it is missing
 * @e: filled in with the file or folder that cannot be read, and the reason
 */
int past_open(struct past *p, const char *folder, bool make, struct error *e);

/**
 * past_newest() - take the newest set out, to judge it
 * @p: opened
 * @runs: empty; receives its runs
 * @e: filled in if the folder is empty
 */
int past_newest(struct past *p, struct runs *runs, struct error *e);

/**
 * past_take() - choose the sets that a new one is compared with
 * @p: opened
 * @runs: the new one; must outlive @p
 * @last: largest number of sets to compare with
 * @alike: refuse sets that were recorded in another way than @runs
 * @e: filled in if one of the @last is refused, or does not tell its time
 */
int past_take(struct past *p, const struct runs *runs, size_t last, bool alike, struct error *e);

/**
 * past_base() - the sets that the new one is compared with
 * @p: after past_take()
 * @last: as given to past_take()
 *
 * Return: runs of all these sets, which live as long as @p.
 */
struct compare_set past_base(const struct past *p, size_t last);

/**
 * past_series() - the sets of the series, and the new one
 * @p: after past_take()
 * @last: as given to past_take()
 *
 * Return: sets that live as long as @p.
 */
struct history_sets past_series(const struct past *p, size_t last);

/**
 * past_accept() - add a set to the folder, completely or not at all
 * @p: opened
 * @runs: of the set, which is named by the time of its first run
 */
int past_accept(const struct past *p, const struct runs *runs, struct error *e);

/** past_begin() - when the first of some runs began. Return: ns since 1970, 0 if not known */
uint64_t past_begin(const struct runs *runs);

/** past_close() - release; @p may be zero-filled */
void past_close(struct past *p);

#endif /* KSTATS_UI_PAST_H */
