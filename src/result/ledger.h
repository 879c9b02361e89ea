/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger.h - the account of every start event. In: a snapshot. Out: what was recorded, what was
 * lost, and whether it balances. The counters are enum kstats_ledger; here they get their names.
 * Pure. Called by session, snapshot, render, report and cmd/.
 */
#ifndef KSTATS_RESULT_LEDGER_H
#define KSTATS_RESULT_LEDGER_H

#include "result/snapshot.h"

/** enum ledger_class - what a counter says about a start event */
enum ledger_class {
	LEDGER_SUM, /* the start events themselves */
	LEDGER_EXCLUDED, /* no sample, as asked for or by nature */
	LEDGER_LOSS, /* a sample that should be there and is not */
	LEDGER_LEVEL, /* open at this moment */
	LEDGER_INFO, /* not about a start event */
	LEDGER_ESTIMATE, /* not exact while calls are open, so it may go back */
};

/** struct ledger_row - one counter */
struct ledger_row {
	const char *key; /* name in JSON and CSV */
	const char *label; /* name for people, after a number: "12 too short" */
	enum ledger_class class; /* what it says */
	bool of_started; /* one of the places where the events of KSTATS_STARTED end */
	const char *explain; /* one sentence */
	bool rare; /* formats leave it out where it is 0 */
	bool explained; /* people are told @explain, though it is one of the places */
};

/** ledger_label() - the name of a counter behind this number: "1 end without a start" */
const char *ledger_label(enum kstats_ledger id, uint64_t n);

/** ledger_explain() - the sentence about it */
const char *ledger_explain(enum kstats_ledger id, uint64_t n);

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

/** ledger_recorded_all() - ledger_recorded() of each node; to be freed; NULL: out of memory */
uint64_t *ledger_recorded_all(const struct snapshot *s);

/**
 * ledger_told() - the counters as they are told to people
 * @node: index of an owner
 * @told: filled in, by enum kstats_ledger
 *
 * A call without an end is open, or its task ended inside, or the kernel skipped its end. Of the
 * last kind only the number is known, in KSTATS_ENDS_LOST: as many calls as it says are moved to
 * KSTATS_END_MISSED, and it is 0 in @told.
 */
void ledger_told(const struct snapshot *s, uint32_t node, uint64_t told[KSTATS_LEDGER_N]);

/**
 * ledger_ends_lost() - estimate KSTATS_ENDS_LOST where ends have programs of their own
 * @ledger: what was skipped, and the other counters
 *
 * A skipped end belongs to a call whose start was skipped as well, or to one that had started. If
 * the former's end was run, it found no start.
 *
 * Return: the latter's number, rather too many than too few.
 */
uint64_t ledger_ends_lost(const uint64_t *ledger);

/** ledger_no_end() - calls of a ledger that are open or whose task ended inside */
static inline uint64_t ledger_no_end(const uint64_t *ledger)
{
	return ledger[KSTATS_NO_END] + ledger[KSTATS_IN_FLIGHT] + ledger[KSTATS_TASK_GONE];
}

/**
 * ledger_share() - part of a node in lost ends of which only the sum over several nodes is known
 * @lost: of this node and those that follow; reduced by what is returned
 * @no_end: sum of their ledger_no_end(); reduced by that of this node
 * @own: that of this node
 *
 * Return: in proportion to @own, and not more; all parts together are @lost, or @no_end if less.
 */
uint64_t ledger_share(uint64_t *lost, uint64_t *no_end, uint64_t own);

/**
 * ledger_lost() - number of samples that are missing
 * @node: index of an owner
 *
 * Return: the counters of ledger_told() of class LEDGER_LOSS.
 */
uint64_t ledger_lost(const struct snapshot *s, uint32_t node);

/**
 * ledger_may_be_lost() - most calls without an end that may be lost, though nobody knows
 * @node: index of an owner
 *
 * Where filters leave tasks out, the ends that were skipped may be those of any task.
 *
 * Return: at most the calls without an end; 0 where the number is known, as in ledger_lost().
 */
uint64_t ledger_may_be_lost(const struct snapshot *s, uint32_t node);

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

#endif /* KSTATS_RESULT_LEDGER_H */
