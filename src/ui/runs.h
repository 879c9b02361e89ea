/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runs.h - read sets of recordings, and check that they may be compared. In: files. Out:
 * a compare_set. Called by the verbs that compare.
 */
#ifndef KSTATS_UI_RUNS_H
#define KSTATS_UI_RUNS_H

#include "judge/compare.h"
#include "recording/recording.h"

/** struct runs - recordings of one side */
struct runs {
	size_t n; /* number of @recordings */
	struct recording **recordings; /* owned */
	const struct snapshot **snapshots; /* owned array; of the whole of each recording */
	const struct costs **costs; /* owned array of the overhead of their methods */
};

/** runs_load() - read recordings; @r: freed with runs_free() also after an error */
int runs_load(struct runs *r, char *const *files, size_t n, struct error *e);

/** runs_load_more() - the same, after those that it has */
int runs_load_more(struct runs *r, char *const *files, size_t n, struct error *e);

/**
 * runs_add() - add a run
 * @r: zero-filled at first; freed with runs_free() also after an error
 * @recording: owned by @r from now on; freed if it cannot be added
 *
 * Return: 0 or -ENOMEM.
 */
int runs_add(struct runs *r, struct recording *recording);

/**
 * runs_check() - check that all recordings may be compared with each other
 * @b: more of them; may be empty
 * @across: the methods of @a and @b may differ, but not those within @a or within @b
 * @e: filled in with two that differ, and in what; or with one whose command failed
 */
int runs_check(const struct runs *a, const struct runs *b, bool across, struct error *e);

/** runs_shared() - the first run of @b that is in @a too, or NULL */
const struct recording *runs_shared(const struct runs *a, const struct runs *b);

/**
 * runs_set() - recordings as a struct compare_set
 * @across: include the overhead of their methods, since those of the other side may differ
 *
 * Return: a set that lives as long as @r.
 */
struct compare_set runs_set(const struct runs *r, bool across);

/** runs_free() - release; @r may be zero-filled */
void runs_free(struct runs *r);

#endif /* KSTATS_UI_RUNS_H */
