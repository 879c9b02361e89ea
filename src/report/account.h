/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - the ledger of one distribution or the sum of several, and a verdict on it. In:
 * a snapshot. Out: sums and words. Called by the formats for people.
 */
#ifndef KSTATS_REPORT_ACCOUNT_H
#define KSTATS_REPORT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "result/snapshot.h"

#define ACCOUNT_TEXT 192

/* The account of one owner, or of several added up. */
struct account {
	uint64_t ledger[KSTATS_LEDGER_N]; /* counters by enum kstats_ledger */
	uint64_t recorded; /* samples */
	uint64_t may; /* calls that may be lost, of which nobody knows */
	uint64_t lost; /* samples that are missing */
	uint64_t over; /* starts that are unaccounted for */
	uint64_t under; /* ends that claim a start in excess of the starts */
	bool unseen; /* there may be calls that no program saw */
};

/** account_add() - add the account of an owner; @a: zero-filled before the first call */
void account_add(struct account *a, const struct snapshot *s, uint32_t node);

/** account_good() - whether nothing was lost and the sum is right */
bool account_good(const struct account *a);

/** account_verdict() - say whether it balances, and what was lost; @final: nothing records */
const char *account_verdict(const struct account *a, bool final, char buf[ACCOUNT_TEXT]);

/**
 * account_warning() - the first line of a report if more than 1 % was lost, or NULL
 *
 * It names the distribution that lost the largest share, by the name that was given.
 */
const char *account_warning(const struct snapshot *s, char buf[ACCOUNT_TEXT]);

/** account_why_empty() - why a distribution may have no samples. Return: constant sentence */
const char *account_why_empty(const struct snapshot *s, uint32_t node);

#endif /* KSTATS_REPORT_ACCOUNT_H */
