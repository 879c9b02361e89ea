// SPDX-License-Identifier: GPL-2.0-only
/* account.c - the ledger in words. */
#include "report/account.h"

#include <stdio.h>
#include <string.h>

#include "result/ledger.h"
#include "util/units.h"

/* A larger share of losses than this is shown in the first line. */
#define MUCH 0.01

void account_add(struct account *a, const struct snapshot *s, uint32_t node)
{
	int64_t balance = s->span.final ? ledger_balance(s, node) : 0;
	int i;

	uint64_t shared = a->ledger[KSTATS_SKIPPED_SHARED], own, told[KSTATS_LEDGER_N];

	ledger_told(s, node, told);
	for (i = 0; i < KSTATS_LEDGER_N; i++)
		a->ledger[i] += told[i];
	/* Each function's ledger holds the same number, which is of all functions. */
	own = s->nodes[node].ledger[KSTATS_SKIPPED_SHARED];
	a->ledger[KSTATS_SKIPPED_SHARED] = own > shared ? own : shared;
	a->unseen |= s->unseen && *s->unseen;
	a->recorded += ledger_recorded(s, node);
	a->lost += ledger_lost(s, node);
	a->may += ledger_may_be_lost(s, node);
	a->over += balance > 0 ? balance : 0;
	a->under += balance < 0 ? -(uint64_t)balance : 0;
}

bool account_good(const struct account *a)
{
	return !a->unseen && !a->lost && !a->may && !a->over && !a->under &&
	       !a->ledger[KSTATS_SKIPPED_SHARED] && !a->ledger[KSTATS_SKIPPED_ANYONE];
}

const char *account_verdict(const struct account *a, bool final, char buf[ACCOUNT_TEXT])
{
	uint64_t all = a->ledger[KSTATS_STARTED] + a->ledger[KSTATS_SKIPPED];
	char n[UNITS_TEXT], m[UNITS_TEXT], percent[UNITS_TEXT];
	size_t len;

	if (a->over)
		snprintf(buf, ACCOUNT_TEXT,
			 "DOES NOT BALANCE: %s starts unaccounted for; please report it",
			 units_count(n, a->over));
	else if (a->under)
		snprintf(buf, ACCOUNT_TEXT,
			 "DOES NOT BALANCE: %s more ended than started; please report it",
			 units_count(n, a->under));
	else
		snprintf(buf, ACCOUNT_TEXT, "%s",
			 final ? "balanced" : "still running: in flight is the difference");
	len = strlen(buf);
	if (a->unseen)
		len += snprintf(buf + len, ACCOUNT_TEXT - len, "; CALLS MAY BE MISSING, see above");
	if (a->lost)
		snprintf(buf + len, ACCOUNT_TEXT - len, "; LOST %s of %s (%s)",
			 units_count(n, a->lost), units_count(m, all),
			 units_percent(percent, a->lost, all));
	else if (a->ledger[KSTATS_SKIPPED_SHARED])
		snprintf(buf + len, ACCOUNT_TEXT - len,
			 "; SOME LOST, of which functions is not known");
	else if (a->ledger[KSTATS_SKIPPED_ANYONE])
		snprintf(buf + len, ACCOUNT_TEXT - len,
			 "; NOT KNOWN whether any was lost: calls of all tasks were skipped");
	else if (a->may)
		snprintf(buf + len, ACCOUNT_TEXT - len,
			 "; NOT KNOWN whether any was lost: up to %s calls without an end may be",
			 units_count(n, a->may));
	else if (account_good(a))
		snprintf(buf + len, ACCOUNT_TEXT - len, "%s nothing lost", final ? "," : ";");
	return buf;
}

static bool is_much(uint64_t lost, uint64_t all)
{
	return lost > all * MUCH;
}

static double share(uint64_t lost, uint64_t all)
{
	return all ? (double)lost / all : 0;
}

const char *account_warning(const struct snapshot *s, char buf[ACCOUNT_TEXT])
{
	uint64_t all, lost, worst_all = 0, worst_lost = 0, total = 0, shared = 0;
	char percent[UNITS_TEXT];
	uint32_t i, worst = 0;

	for (i = 0; i < s->n_nodes; i++) {
		if (!ledger_is_owner(s, i))
			continue;
		lost = ledger_lost(s, i);
		all = s->nodes[i].ledger[KSTATS_STARTED] + s->nodes[i].ledger[KSTATS_SKIPPED];
		total += all;
		/* Each function's ledger holds the same number, which is of all functions. */
		if (s->nodes[i].ledger[KSTATS_SKIPPED_SHARED] > shared)
			shared = s->nodes[i].ledger[KSTATS_SKIPPED_SHARED];
		if (share(lost, all) <= share(worst_lost, worst_all))
			continue;
		worst = i;
		worst_lost = lost;
		worst_all = all;
	}
	if (is_much(worst_lost, worst_all))
		snprintf(buf, ACCOUNT_TEXT,
			 "LOST %s of the calls of %.63s: the figures are of the rest",
			 units_percent(percent, worst_lost, worst_all), s->nodes[worst].name);
	else if (is_much(shared, total + shared))
		snprintf(buf, ACCOUNT_TEXT,
			 "LOST %s of the calls of all functions: the figures are of the rest",
			 units_percent(percent, shared, total + shared));
	else
		return NULL;
	return buf;
}

const char *account_why_empty(const struct snapshot *s, uint32_t node)
{
	const struct snapshot_node *n = &s->nodes[node], *owner = &s->nodes[n->owner];

	if (n->kind == SNAPSHOT_GAP)
		return "No CPU saw an end and then another start.";
	if (n->kind == SNAPSHOT_ERROR)
		return "No call returned an error.";
	if (owner->ledger[KSTATS_SKIPPED])
		return "The kernel did not run the programs: see the ledger.";
	if (owner->ledger[KSTATS_SKIPPED_ANYONE] && !owner->ledger[KSTATS_STARTED])
		return "No measured task started it in this time, or the kernel did not run the "
		       "programs: see the ledger.";
	if (owner->ledger[KSTATS_STARTED])
		return "It started, but no start gave a sample: the ledger shows where they are.";
	if (owner->ledger[KSTATS_UNMATCHED])
		return "Ends were seen but no start: check that each end has a start, and measure "
		       "for longer than one takes.";
	if (!strcmp(owner->method, "markers"))
		return "No program that may record passed its markers. Programs of other users "
		       "need --all; a program that passed its first marker before kstats-bpf was "
		       "first used needs KSTATS_USER_LOOK() or a restart.";
	if (s->filters && *s->filters)
		return "No measured task started it in this time: check the filters, and that the "
		       "work was running.";
	return "Nothing started it in this time: check that the work was running, and that its "
	       "callers call it (the compiler may have inlined it in some of them).";
}
