/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runs.h - a set of recordings, and whether they may be compared. In: recordings. Out: a
 * compare_set. Pure. Called by ui and the verbs that compare.
 */
#ifndef KSTATS_JUDGE_RUNS_H
#define KSTATS_JUDGE_RUNS_H

#include "judge/compare.h"
#include "kmem/kmem.h"
#include "result/recording.h"

/**
 * struct runs - recordings of one side, all of one kind
 * @n: number of recordings
 * @recordings: owned; of calls
 * @snapshots: owned; the whole of each of @recordings, with totals of its keys if it has any
 * @costs: owned array of the overhead of their methods
 * @memory: owned; of memory events, instead of @recordings; else NULL
 */
struct runs {
	size_t n;
	struct recording **recordings;
	const struct snapshot **snapshots;
	const struct costs **costs;
	struct kmem **memory;
};

/**
 * runs_add() - add a run
 * @r: zero-filled at first; without memory events; freed with runs_free() also after an error
 * @recording: owned by @r from now on; freed if it cannot be added
 *
 * Return: 0 or -ENOMEM.
 */
int runs_add(struct runs *r, struct recording *recording);

/** runs_add_memory() - the same with memory events; @r: zero-filled, or with such */
int runs_add_memory(struct runs *r, struct kmem *k);

/** runs_begin() - when the first of some runs began. Return: ns since 1970, 0 if not known */
uint64_t runs_begin(const struct runs *r);

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

#endif /* KSTATS_JUDGE_RUNS_H */
