/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger.h - the account of every start event. In: a snapshot. Out: what was recorded, what was
 * lost, and whether it balances. The counters are enum kstats_ledger; here they get their names.
 * Pure. Called by session, snapshot, render and cmd/.
 */
#ifndef KSTATS_SNAPSHOT_LEDGER_H
#define KSTATS_SNAPSHOT_LEDGER_H

#include "snapshot/snapshot.h"

/** enum ledger_class - what a counter says about a start event */
enum ledger_class {
	LEDGER_SUM, /* the start events themselves */
	LEDGER_EXCLUDED, /* no sample, as asked for or by nature */
	LEDGER_LOSS, /* a sample that should be there and is not */
	LEDGER_LEVEL, /* open at this moment */
	LEDGER_INFO, /* not about a start event */
};

/** struct ledger_row - one counter */
struct ledger_row {
	const char *key; /* name in JSON and CSV */
	const char *label; /* name for people, after a number: "12 too short" */
	enum ledger_class class; /* what it says */
	bool of_started; /* one of the places where the events of KSTATS_STARTED end */
	const char *explain; /* one sentence */
	bool rare; /* formats leave it out where it is 0 */
};

/** ledger_rows - the counters, by enum kstats_ledger */
extern const struct ledger_row ledger_rows[KSTATS_LEDGER_N];

/** ledger_order - the counters in the order in which they are shown */
extern const enum kstats_ledger ledger_order[KSTATS_LEDGER_N];

/** ledger_is_owner() - whether a node accounts for start events, and so has a ledger */
bool ledger_is_owner(const struct snapshot *s, uint32_t node);

/**
 * ledger_recorded() - samples of the nodes that an owner accounts for, split-off errors included
 * @node: index of an owner
 */
uint64_t ledger_recorded(const struct snapshot *s, uint32_t node);

/**
 * ledger_lost() - number of samples that are missing
 * @node: index of an owner
 *
 * Return: the counters of class LEDGER_LOSS, and those of KSTATS_NO_END whose end the kernel
 * skipped.
 */
uint64_t ledger_lost(const struct snapshot *s, uint32_t node);

/**
 * ledger_left_over() - start events that have not ended in any counter
 * @node: index of an owner
 *
 * This is what is in flight in a snapshot that is not final. It can be a little below zero, since
 * programs run while the counters are copied.
 *
 * Return: started less recorded less every counter but KSTATS_IN_FLIGHT and KSTATS_NO_END.
 */
int64_t ledger_left_over(const struct snapshot *s, uint32_t node);

/**
 * ledger_balance() - whether the ledger balances; means something only in a final snapshot
 * @node: index of an owner
 *
 * Return: 0 if it does; above 0 if start events are unaccounted for; below 0 if more ended than
 * started.
 */
int64_t ledger_balance(const struct snapshot *s, uint32_t node);

#endif /* KSTATS_SNAPSHOT_LEDGER_H */
