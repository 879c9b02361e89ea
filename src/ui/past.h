/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * past.h - accepted sets of runs in a folder. In: a folder. Out: sets in the order of time,
 * and one more on request. Called by check.
 *
 * A set is a folder in it with recordings, or a single recording. Files and folders whose
 * names begin with a point are left out, and in the folder of a set base-*.json, which
 * 'trace --runs --vs' makes of the other command.
 */
#ifndef KSTATS_UI_PAST_H
#define KSTATS_UI_PAST_H

#include "judge/history.h"
#include "ui/runs.h"

/** struct past_set - one set, before it is known which of them count */
struct past_set {
	char *name; /* owned; of its folder or file */
	uint64_t when_ns; /* begin of its first run, ns since 1970 */
	struct runs runs; /* its runs */
};

/**
 * struct past - the accepted sets of a folder, and the new one after them
 * @folder: not owned
 * @n: number of @found
 * @found: owned; in the order of time
 * @first: index of the first of @found that counts
 * @end: index after the last, so that those from @first to @end were before the new set
 * @left_out: sets before @first that were not recorded alike
 * @sets: owned; those from @first on, and the new one
 * @snapshots: owned; of all their runs
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
 * @make: make it where it is not there yet
 * @e: filled in with what cannot be read, and why
 */
int past_open(struct past *p, const char *folder, bool make, struct error *e);

/**
 * past_newest() - take the newest set out, to judge it
 * @p: opened
 * @runs: empty; receives its runs
 * @e: filled in where the folder is empty
 */
int past_newest(struct past *p, struct runs *runs, struct error *e);

/**
 * past_take() - choose the sets that a new one is judged against
 * @p: opened
 * @runs: the new one; must outlive @p
 * @last: number of sets, as many as were before it
 * @alike: only those that were recorded as @runs were
 * @e: filled in where one of the @last differs, or says no time
 */
int past_take(struct past *p, const struct runs *runs, size_t last, bool alike, struct error *e);

/**
 * past_base() - what the new set is compared with
 * @p: with its sets taken
 * @last: as given to past_take()
 *
 * Return: a set of sets, which lives as long as @p.
 */
struct compare_set past_base(const struct past *p, size_t last);

/**
 * past_series() - all sets that count, and the new one
 * @p: with its sets taken
 * @last: as given to past_take()
 *
 * Return: sets that live as long as @p.
 */
struct history_sets past_series(const struct past *p, size_t last);

/**
 * past_accept() - put a set into the folder, whole or not at all
 * @p: opened
 * @runs: what is put there, named by the time of its first run
 */
int past_accept(const struct past *p, const struct runs *runs, struct error *e);

/** past_close() - release; @p may be zero-filled */
void past_close(struct past *p);

#endif /* KSTATS_UI_PAST_H */
