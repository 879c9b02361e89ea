/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger.h - the account of every start event. In: a snapshot. Out: what was
 * recorded, what was lost, and whether it adds up. The counters themselves are
 * enum kstats_ledger; here they get their names. Pure. Called by session,
 * snapshot, render and cmd/.
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
};

/** ledger_rows - the counters, by enum kstats_ledger */
extern const struct ledger_row ledger_rows[KSTATS_LEDGER_N];

/**
 * ledger_is_owner() - whether a node has a ledger
 *
 * Return: true for nodes that account for start events.
 */
bool ledger_is_owner(const struct snapshot *s, uint32_t node);

/**
 * ledger_recorded() - samples of the nodes an owner accounts for
 * @node: index of an owner
 *
 * Return: number of samples in its slots, errors split off included.
 */
uint64_t ledger_recorded(const struct snapshot *s, uint32_t node);

/**
 * ledger_lost() - samples that should be there and are not
 * @node: index of an owner
 *
 * Return: sum of the counters of class LEDGER_LOSS, and those of KSTATS_NO_END whose
 * end the kernel skipped.
 */
uint64_t ledger_lost(const struct snapshot *s, uint32_t node);

/**
 * ledger_left_over() - start events that have not ended anywhere else
 * @node: index of an owner
 *
 * What is in flight in a snapshot that is not final. It can be a little below
 * zero there: programs run while the counters are copied.
 *
 * Return: started less recorded less every counter but KSTATS_IN_FLIGHT and
 * KSTATS_NO_END.
 */
int64_t ledger_left_over(const struct snapshot *s, uint32_t node);

/**
 * ledger_balance() - whether the account adds up
 * @s: snapshot; means something only when it is final
 * @node: index of an owner
 *
 * Return: 0 when balanced; above 0 when start events are unaccounted for;
 * below 0 when more ended than started.
 */
int64_t ledger_balance(const struct snapshot *s, uint32_t node);

#endif /* KSTATS_SNAPSHOT_LEDGER_H */
