/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runs.h - sets of recordings, and whether they may be compared. In: files. Out:
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
	const struct snapshot **snapshots; /* owned array of what they hold */
	const struct costs **costs; /* owned array of the overhead of their methods */
};

/**
 * runs_load() - read recordings
 * @r: filled in; freed with runs_free() also after an error
 * @files: their paths
 * @e: which cannot be read, and why
 */
int runs_load(struct runs *r, char *const *files, size_t n, struct error *e);

/**
 * runs_add() - one more run
 * @r: zero-filled at first; freed with runs_free() also after an error
 * @recording: handed over, also when it fails
 *
 * Return: 0 or -ENOMEM.
 */
int runs_add(struct runs *r, struct recording *recording);

/**
 * runs_check() - may all of them be compared with each other
 * @a: recordings
 * @b: more of them; may be empty
 * @across: the methods of @a and @b may differ, those within each may not
 * @e: which two differ, and in what; or whose command failed
 *
 * Return: 0 or -EINVAL.
 */
int runs_check(const struct runs *a, const struct runs *b, bool across, struct error *e);

/**
 * runs_set() - as compare wants them
 * @r: recordings
 * @across: with the overhead of their methods, which may differ from those of the other side
 *
 * Return: a set that lives as long as @r.
 */
struct compare_set runs_set(const struct runs *r, bool across);

/** runs_free() - release; @r may be zero-filled */
void runs_free(struct runs *r);

#endif /* KSTATS_UI_RUNS_H */
