// SPDX-License-Identifier: GPL-2.0-only
#include "result/ledger.h"

#include <stdlib.h>
#include <string.h>

const struct ledger_row ledger_rows[KSTATS_LEDGER_N] = {
	[KSTATS_STARTED] = { "started", "started", LEDGER_SUM, false, "start events seen" },
	[KSTATS_SHORT] = { "short", "too short", LEDGER_EXCLUDED, true, "shorter than --if asks" },
	[KSTATS_RET] = { "ret", "other return value", LEDGER_EXCLUDED, true,
			 "not the return value that --if asks for" },
	[KSTATS_TASK_GONE] = { "task_gone", "task ended inside", LEDGER_EXCLUDED, true,
			       "the task ended before the call did" },
	[KSTATS_NESTED] = { "nested", "nested too deep", LEDGER_LOSS, true,
			    "more calls were open in one task than stamps are kept" },
	[KSTATS_BUSY] = { "busy", "no room for the stamp", LEDGER_LOSS, true,
			  "no memory for the start stamp, or its storage was in use" },
	[KSTATS_SUPERSEDED] = { "superseded", "superseded", LEDGER_LOSS, true,
				"another start came before the end" },
	[KSTATS_FULL] = { "full", "key table full", LEDGER_LOSS, true,
			  "more keys were open than the table holds" },
	[KSTATS_END_MISSED] = { "end_missed", "end not seen", LEDGER_LOSS, true,
				"the kernel did not run the end program for them" },
	[KSTATS_UNMATCHED] = { "unmatched", "ends without a start", LEDGER_INFO, false,
			       "their start was not seen, or was dropped" },
	[KSTATS_IN_FLIGHT] = { "in_flight", "in flight", LEDGER_LEVEL, true, "calls still open" },
	[KSTATS_SKIPPED] = { "skipped", "skipped by the kernel", LEDGER_LOSS, false,
			     "it did not run the start program for them" },
	[KSTATS_NO_END] = { "no_end", "no end seen", LEDGER_LEVEL, true,
			    "open, or the task ended inside, or the kernel skipped the end" },
	[KSTATS_SKIPPED_SHARED] = { "skipped_shared", "skipped among all", LEDGER_INFO, false,
				    "the kernel skipped the program that all functions "
				    "share, and does not tell for which" },
	[KSTATS_UNVERIFIED] = { "unverified", "unverified", LEDGER_LOSS, true,
				"the kernel skipped programs: their start may be another call's" },
	[KSTATS_SKIPPED_ANYONE] = { "skipped_anyone", "skipped among all tasks", LEDGER_INFO, false,
				    "the kernel skipped the start program, and "
				    "does not tell for which task" },
	[KSTATS_SKIPPED_ENDS] = { "skipped_ends", "ends skipped by the kernel", LEDGER_INFO, false,
				  "it did not run the end program for them" },
	[KSTATS_IF] = { "if", "condition not met", LEDGER_EXCLUDED, true,
			"the condition of --if was false at the end", true },
	[KSTATS_UNREADABLE] = { "unreadable", "unreadable", LEDGER_LOSS, true,
				"an expression followed a pointer that could not be read", true },
	[KSTATS_DIVISION] = { "division", "divided by zero", LEDGER_LOSS, true,
			      "an expression divided by zero", true },
	[KSTATS_NEGATIVE] = { "negative", "negative", LEDGER_EXCLUDED, true,
			      "the value of --value was negative; samples cannot be", true },
	[KSTATS_AGAIN] = { "again", "started again", LEDGER_EXCLUDED, true,
			   "of several starts before an end the newest counts, or the first with "
			   "--first",
			   true, true },
	[KSTATS_CANCELLED] = { "cancelled", "cancelled", LEDGER_EXCLUDED, true,
			       "a point of --cancel ended them", true },
	[KSTATS_NO_ROOM] = { "no_room", "no room for slots", LEDGER_LOSS, true,
			     "all memory for slots on their CPU was in use: raise --limit memory" },
	[KSTATS_NO_ROOM_APART] = { "no_room_apart", "no room for other slots", LEDGER_INFO, false,
				   "gaps or unverified samples: all memory for "
				   "slots was in use: raise --limit memory" },
	[KSTATS_ENDS_LOST] = { "ends_lost", "ends skipped of calls that had started",
			       LEDGER_ESTIMATE, false,
			       "most of the ends that were skipped may be theirs", true },
};

/* Of a single one. NULL: the same as of several. */
static const struct {
	const char *label, *explain;
} ledger_single[KSTATS_LEDGER_N] = {
	[KSTATS_END_MISSED] = { NULL, "the kernel did not run the end program for it" },
	[KSTATS_UNMATCHED] = { "end without a start", "its start was not seen, or was dropped" },
	[KSTATS_SKIPPED] = { NULL, "it did not run the start program for it" },
	[KSTATS_UNVERIFIED] = { NULL,
				"the kernel skipped programs: its start may be another call's" },
	[KSTATS_SKIPPED_ENDS] = { "end skipped by the kernel",
				  "it did not run the end program for it" },
	[KSTATS_NO_ROOM] = { NULL, "all memory for slots on its CPU was in use: raise --limit "
				   "memory" },
	[KSTATS_ENDS_LOST] = { "end skipped of a call that had started", NULL },
};

const char *ledger_label(enum kstats_ledger id, uint64_t n)
{
	return n == 1 && ledger_single[id].label ? ledger_single[id].label : ledger_rows[id].label;
}

const char *ledger_explain(enum kstats_ledger id, uint64_t n)
{
	return n == 1 && ledger_single[id].explain ? ledger_single[id].explain
						   : ledger_rows[id].explain;
}

const enum kstats_ledger ledger_order[KSTATS_LEDGER_N] = {
	KSTATS_STARTED,        KSTATS_SHORT,          KSTATS_RET,
	KSTATS_TASK_GONE,      KSTATS_NESTED,         KSTATS_BUSY,
	KSTATS_SUPERSEDED,     KSTATS_FULL,           KSTATS_END_MISSED,
	KSTATS_UNMATCHED,      KSTATS_IN_FLIGHT,      KSTATS_SKIPPED,
	KSTATS_NO_END,         KSTATS_SKIPPED_SHARED, KSTATS_UNVERIFIED,
	KSTATS_SKIPPED_ANYONE, KSTATS_SKIPPED_ENDS,   KSTATS_IF,
	KSTATS_UNREADABLE,     KSTATS_DIVISION,       KSTATS_NEGATIVE,
	KSTATS_NO_ROOM,        KSTATS_NO_ROOM_APART,  KSTATS_ENDS_LOST,
	KSTATS_AGAIN,          KSTATS_CANCELLED,
};

bool ledger_is_owner(const struct snapshot *s, uint32_t node)
{
	return s->nodes[node].kind == SNAPSHOT_DURATION && s->nodes[node].owner == node;
}

static bool ledger_counts(const struct snapshot *s, uint32_t node)
{
	enum snapshot_kind kind = s->nodes[node].kind;

	return snapshot_is_recorded(kind) && !(s->total && kind >= SNAPSHOT_KEY);
}

uint64_t ledger_recorded(const struct snapshot *s, uint32_t node)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].owner == node && ledger_counts(s, i))
			sum += counts_samples(s->nodes[i].counts);
	return sum;
}

uint64_t *ledger_recorded_all(const struct snapshot *s)
{
	uint64_t *all = calloc(s->n_nodes + 1, sizeof(*all));
	uint32_t i;

	for (i = 0; all && i < s->n_nodes; i++)
		if (ledger_counts(s, i))
			all[s->nodes[i].owner] += counts_samples(s->nodes[i].counts);
	return all;
}

static uint64_t move(uint64_t *from, uint64_t *to, uint64_t most)
{
	uint64_t n = *from < most ? *from : most;

	*from -= n;
	*to += n;
	return n;
}

/*
 * While it runs, the tasks of calls that are open end one after the other. Open calls come first
 * then, so that the number of ended tasks does not go back.
 */
void ledger_told(const struct snapshot *s, uint32_t node, uint64_t told[KSTATS_LEDGER_N])
{
	static const enum kstats_ledger claims[2][3] = {
		{ KSTATS_NO_END, KSTATS_IN_FLIGHT, KSTATS_TASK_GONE },
		{ KSTATS_TASK_GONE, KSTATS_NO_END, KSTATS_IN_FLIGHT },
	};
	uint64_t *missed = &told[KSTATS_END_MISSED], left;
	int i;

	memcpy(told, s->nodes[node].ledger, sizeof(s->nodes[node].ledger));
	left = told[KSTATS_ENDS_LOST];
	left -= *missed < left ? *missed : left;
	for (i = 0; i < 3; i++)
		left -= move(&told[claims[s->span.final][i]], missed, left);
	told[KSTATS_ENDS_LOST] = 0;
}

uint64_t ledger_ends_lost(const uint64_t *ledger)
{
	uint64_t no_start = ledger[KSTATS_SKIPPED], ends = ledger[KSTATS_SKIPPED_ENDS];

	no_start -= ledger[KSTATS_UNMATCHED] < no_start ? ledger[KSTATS_UNMATCHED] : no_start;
	return ends - (no_start < ends ? no_start : ends);
}

uint64_t ledger_share(uint64_t *lost, uint64_t *no_end, uint64_t own)
{
	uint64_t most = *lost < *no_end ? *lost : *no_end, part;

	part = own ? ((unsigned __int128)most * own + *no_end - 1) / *no_end : 0;
	*lost -= part;
	*no_end -= own;
	return part;
}

uint64_t ledger_lost(const struct snapshot *s, uint32_t node)
{
	uint64_t told[KSTATS_LEDGER_N], sum = 0;
	int i;

	ledger_told(s, node, told);
	for (i = 0; i < KSTATS_LEDGER_N; i++)
		if (ledger_rows[i].class == LEDGER_LOSS)
			sum += told[i];
	return sum;
}

/*
 * Without such filters, ends are skipped of calls whose start was skipped, or else are lost. With
 * them, the calls that were seen to have no end account for as many of the skipped ends.
 */
uint64_t ledger_may_be_lost(const struct snapshot *s, uint32_t node)
{
	const uint64_t *ledger = s->nodes[node].ledger;
	uint64_t no_end = ledger_no_end(ledger), ends = ledger[KSTATS_SKIPPED_ENDS];

	if (!s->filters || !*s->filters || ledger[KSTATS_SKIPPED] || ledger[KSTATS_ENDS_LOST])
		return 0;
	ends -= ledger[KSTATS_END_MISSED] < ends ? ledger[KSTATS_END_MISSED] : ends;
	return ends < no_end ? ends : no_end;
}

int64_t ledger_left_over(const struct snapshot *s, uint32_t node)
{
	const uint64_t *ledger = s->nodes[node].ledger;

	return (uint64_t)ledger_balance(s, node) + ledger[KSTATS_IN_FLIGHT] + ledger[KSTATS_NO_END];
}

int64_t ledger_balance(const struct snapshot *s, uint32_t node)
{
	const uint64_t *ledger = s->nodes[node].ledger;
	uint64_t rest = ledger[KSTATS_STARTED] - ledger_recorded(s, node);
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		if (ledger_rows[i].of_started)
			rest -= ledger[i];
	return rest;
}
