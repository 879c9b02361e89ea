/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - what became of each event: two sums that must close, and counters beside them. In:
 * a value. Out: terms and words. Called by report, and by the verbs.
 */
#ifndef KSTATS_KMEM_ACCOUNT_H
#define KSTATS_KMEM_ACCOUNT_H

#include "kmem/kmem.h"

#define KMEM_ACCOUNT_TEXT 256

/**
 * struct kmem_account - the terms of both sums
 * @seen: allocations seen: @rows and @no_row
 * @rows: those in rows
 * @no_row: those that found no room in the table of rows; the totals of their kind include them
 * @freed: freed while measured
 * @live: not freed at the end
 * @reused: their free was not seen, since their address was allocated again
 * @no_live: found no room in the table of live objects, so that their free is not known
 * @no_life: of @freed, those whose lifetime found no room
 * @frees: frees seen, of all events that free
 * @null: frees of NULL
 * @unknown: frees of objects that are not known to be live: allocated before the begin, or by a
 *	task that is not measured, or without room
 * @skipped: events for which the kernel did not run a program
 * @no_value: allocations for which an expression of --if or --by has no value
 * @unverified: of @freed, those whose lifetime is not sure: see struct kmem_sums
 * @too_long: at most so many of these are too long: the free of an object was skipped, and then
 *	the next allocation of its memory, so the lifetime goes on to the free after that
 * @unseen: kinds of events that no program watches
 * @allocs_off: what allocations seen differ by from their sum; 0 without lifetimes
 * @frees_off: what frees seen differ by from their sum; 0 without lifetimes
 * @matched: frees that were matched with their allocation; as @freed
 */
struct kmem_account {
	uint64_t seen;
	uint64_t rows;
	uint64_t no_row;
	uint64_t freed;
	uint64_t live;
	uint64_t reused;
	uint64_t no_live;
	uint64_t no_life;
	uint64_t frees;
	uint64_t null;
	uint64_t unknown;
	uint64_t skipped;
	uint64_t no_value;
	uint64_t unverified;
	uint64_t too_long;
	size_t unseen;
	int64_t allocs_off;
	int64_t frees_off;
	uint64_t matched;
};

/** kmem_account() - add up the terms */
struct kmem_account kmem_account(const struct kmem *k);

/** kmem_account_closes() - whether both sums are right; always so without lifetimes */
bool kmem_account_closes(const struct kmem_account *a);

/** kmem_account_lost() - events that were not seen, found no room, or had no value */
uint64_t kmem_account_lost(const struct kmem_account *a);

/** kmem_account_events() - allocations, frees, and events that were not seen */
uint64_t kmem_account_events(const struct kmem_account *a);

/**
 * kmem_account_verdict() - say whether it closes, and what was lost
 * @buf: receives the text
 *
 * Return: @buf.
 */
const char *kmem_account_verdict(const struct kmem *k, const struct kmem_account *a,
				 char buf[KMEM_ACCOUNT_TEXT]);

/**
 * struct kmem_note - a counter that stands beside the sums
 * @id: enum kstats_kmem_count
 * @label: what is counted, behind a number
 * @explain: what it means, and what would help
 */
struct kmem_note {
	enum kstats_kmem_count id;
	const char *label;
	const char *explain;
};

/** kmem_notes - all of them, ended by a NULL label */
extern const struct kmem_note kmem_notes[];

/** kmem_count_key() - name of a counter in files. Return: constant text */
const char *kmem_count_key(enum kstats_kmem_count id);

/** kmem_free_name() - "kfree", "kmem_cache_free", ... Return: constant text */
const char *kmem_free_name(enum kstats_kmem_free how);

#define KMEM_FREES (KSTATS_KMEM_BULK_FREE + 1)

#endif /* KSTATS_KMEM_ACCOUNT_H */
