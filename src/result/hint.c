// SPDX-License-Identifier: GPL-2.0-only
/* hint.c - advice on pairs. */
#include "result/hint.h"

#include <stdio.h>
#include <string.h>

#include "result/ledger.h"

/* Fewer events than this, or smaller shares of them, tell nothing. */
#define EVENTS 20
#define SHARE_UNMATCHED 0.2
#define SHARE_AGAIN 0.05
#define SHARE_OPEN 0.5

static bool is_share(uint64_t part, uint64_t all, double share)
{
	return part >= EVENTS && (double)part > share * (double)all;
}

static bool is_pair(const struct snapshot *s, const struct snapshot_node *n)
{
	return n->what && !strncmp(n->what, "from ", 5) && s->pairing &&
	       strcmp(s->pairing, SNAPSHOT_ONE_POINT) != 0;
}

static bool is_by_key(const struct snapshot *s)
{
	return !strncmp(s->pairing, "by key", 6);
}

/* What came while another start was open; where one can have several open, each needs a key. */
static const char *again_advice(const struct snapshot *s)
{
	if (is_by_key(s))
		return "of the starts came while another was open. If one key can have several "
		       "open, use a key that tells them apart; if another event ends some, give it "
		       "too, by --end or --cancel.";
	if (!strcmp(s->pairing, SNAPSHOT_BY_TASK))
		return "of the starts were dropped: one task had more than 16 open. If a task can "
		       "have several open, join start and end by what tells them apart (--key); if "
		       "another event ends some, give it too, by --end or --cancel.";
	return "of the starts came while another was open. If a processor can have several open, "
	       "join start and end by what tells them apart: another --key than cpu.";
}

static double hint_share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

/* Starts that are open; while it runs this is a difference, which can be below zero. */
static uint64_t open_now(const struct snapshot *s, uint32_t node, const uint64_t *told)
{
	int64_t left = ledger_left_over(s, node);

	return s->span.final ? ledger_no_end(told) : left > 0 ? left : 0;
}

/* Starts that came while another was open. Those that --first leaves out are as asked for. */
static uint64_t came_again(const struct snapshot_node *n, const uint64_t *told)
{
	uint64_t again = told[KSTATS_SUPERSEDED] + told[KSTATS_NESTED];

	return strncmp(n->what, "from the first ", 15) ? again + told[KSTATS_AGAIN] : again;
}

const char *hint_pair(const struct snapshot *s, uint32_t node, char buf[HINT_TEXT])
{
	const struct snapshot_node *n = &s->nodes[node];
	uint64_t told[KSTATS_LEDGER_N], ends, open, again, alone, started;
	const char *key;

	if (!is_pair(s, n))
		return NULL;
	key = !is_by_key(s) ? "one of the two may be in an interrupt, the other in a task "
			      "(then join them by --key EXPR), "
	      : strchr(s->pairing, ',') && !strstr(s->pairing, " to ")
		      ? "all values of the key must be equal at start and end "
			"(if the two points name them differently: "
			"--start 'X[A]' --end 'Y[B]'), "
		      : "the keys of start and end may differ, ";
	ledger_told(s, node, told);
	started = told[KSTATS_STARTED];
	open = open_now(s, node, told);
	again = came_again(n, told);
	alone = told[KSTATS_UNMATCHED];
	ends = ledger_recorded(s, node) + told[KSTATS_IF] + told[KSTATS_SHORT] +
	       told[KSTATS_UNVERIFIED] + told[KSTATS_CANCELLED] + alone;
	/* About as many were open at the begin as are at the end: their ends have no start. */
	alone -= 2 * open < alone ? 2 * open : alone;
	if (is_share(alone, ends, SHARE_UNMATCHED) &&
	    hint_share(alone, ends) > hint_share(again, started))
		snprintf(
			buf, HINT_TEXT,
			"%.0f%% of the ends have no start. Other events may be starts too (--start "
			"can be given several times), %sor an end needs a condition ('POINT if "
			"EXPR'). See also 'kstats-bpf recipes'.",
			100 * hint_share(told[KSTATS_UNMATCHED], ends), key);
	else if (is_share(again, started, SHARE_AGAIN))
		snprintf(buf, HINT_TEXT, "%.0f%% %s", 100 * hint_share(again, started),
			 again_advice(s));
	else if (is_share(open, started, SHARE_OPEN))
		snprintf(
			buf, HINT_TEXT,
			"%.0f%% of the starts have no end. Other events may be ends too (--end can "
			"be given several times), %sor they take longer than this measurement.",
			100 * hint_share(open, started), key);
	else
		return NULL;
	return buf;
}
