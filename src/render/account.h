/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - the ledger of one distribution or of several, and what there is to
 * say of it. In: a snapshot. Out: sums and words. Called by the formats for
 * people.
 */
#ifndef KSTATS_RENDER_ACCOUNT_H
#define KSTATS_RENDER_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/snapshot.h"

#define ACCOUNT_TEXT 192

/**
 * struct account - the account of one owner, or of several added up
 * @ledger: counters by enum kstats_ledger
 * @recorded: samples
 * @lost: samples that should be there and are not
 * @over: starts that are unaccounted for
 * @under: ends without a start that claim to have one
 * @unseen: there may be calls that no program saw
 */
struct account {
	uint64_t ledger[KSTATS_LEDGER_N];
	uint64_t recorded;
	uint64_t lost;
	uint64_t over;
	uint64_t under;
	bool unseen;
};

/**
 * account_add() - add the account of an owner
 * @a: account, zero-filled at first
 * @s: snapshot
 * @node: index of an owner
 */
void account_add(struct account *a, const struct snapshot *s, uint32_t node);

/**
 * account_good() - whether nothing was lost and all adds up
 * @a: account
 *
 * Return: true where it is so.
 */
bool account_good(const struct account *a);

/**
 * account_verdict() - whether it balances, and what was lost, in words
 * @a: account
 * @final: the measurement has ended
 * @buf: receives the text
 *
 * Return: @buf.
 */
const char *account_verdict(const struct account *a, bool final, char buf[ACCOUNT_TEXT]);

/**
 * account_warning() - that much was lost, for the first line of a report
 * @s: snapshot
 * @buf: receives one sentence
 *
 * It names the distribution that lost the largest share; the name is as it was given.
 *
 * Return: @buf, or NULL where of no distribution more than 1 % was lost.
 */
const char *account_warning(const struct snapshot *s, char buf[ACCOUNT_TEXT]);

/**
 * account_why_empty() - why a distribution may have no samples
 * @s: snapshot
 * @node: node index
 *
 * Return: constant sentence.
 */
const char *account_why_empty(const struct snapshot *s, uint32_t node);

#endif /* KSTATS_RENDER_ACCOUNT_H */
