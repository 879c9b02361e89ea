// SPDX-License-Identifier: GPL-2.0-only
/* say.c - texts: results of looks, and how many runs would decide a rule; see check.h. */
#include "judge/priv.h"

#include <stdio.h>
#include <string.h>

#include "util/units.h"

#define SERIES_FIRST 6 /* pairs before the first look, in what is proposed */

void check_say_look(struct check_result *r)
{
	const struct compare_look *look = &r->row->look;
	size_t at = strlen(r->why);

	at += snprintf(r->why + at, sizeof(r->why) - at, "; %s after pair %u of at most %u",
		       look->decided ? "decided" : "undecided", look->pairs, look->last);
	if (r->row->known)
		snprintf(r->why + at, sizeof(r->why) - at,
			 ", the confidence holds for all looks from pair %u on", look->first);
}

/* More runs do not make slots narrower. */
static bool are_slots_wide(const struct compare_row *row, double limit)
{
	struct compare_row fine = *row;

	fine.a.slack = fine.b.slack = 0;
	return !compare_runs_needed(row, limit) && compare_runs_needed(&fine, limit);
}

/* No number is said that was not found to hold. */
static void say_quieter(struct check_result *r, const char *begin)
{
	if (are_slots_wide(r->row, r->rule->limit))
		snprintf(r->next, sizeof(r->next),
			 "its slots are too wide to tell so near the limit: choose another limit, "
			 "or record both sides with more --bits, at most 5");
	else
		snprintf(r->next, sizeof(r->next),
			 "%schoose another limit, make the runs longer or the machine quieter",
			 begin);
}

static void say_pairs(struct check_result *r)
{
	const struct compare_look *look = &r->row->look;
	char begin[56] = "";

	if (look->pairs < look->first) {
		snprintf(r->next, sizeof(r->next),
			 "%u pairs have samples on both sides, and at least %u are needed: check "
			 "that each run calls it",
			 look->pairs, look->first);
		return;
	}
	if (look->hopeless)
		snprintf(begin, sizeof(begin),
			 "it is too near the limit for %u pairs: ", look->last);
	if (look->needed > look->last)
		snprintf(r->next, sizeof(r->next),
			 "%sat most %u pairs settle it in four of five cases: begin anew with "
			 "--runs %u..%u",
			 begin, look->needed, look->first, look->needed);
	else
		say_quieter(r, begin);
}

void check_say_needed(struct check_result *r)
{
	const struct compare_row *row = r->row;
	unsigned int n;

	if (row->look.last) {
		say_pairs(r);
		return;
	}
	n = compare_runs_settled(row, r->rule->limit);
	if (n <= row->a.runs || n <= row->b.runs)
		say_quieter(r, "it is too near the limit to say how many runs would settle it: ");
	else
		snprintf(r->next, sizeof(r->next),
			 "%u runs on each side settle it in four of five cases%s; 'trace --runs "
			 "%u..%u --vs' looks after each pair and stops when it is decided",
			 n,
			 row->a.noise + row->b.noise > (row->a.spread + row->b.spread) / 2
				 ? ", fewer if they were longer"
				 : "",
			 SERIES_FIRST, n > 2 * SERIES_FIRST ? n : 2 * SERIES_FIRST);
}

/* ---- how far a series is ---- */

/* Without a row there is nothing to compare; more pairs do not change that. */
static bool is_decided(const struct check_result *r, const struct sequential *q, unsigned int pairs)
{
	return r->row ? r->row->look.decided : pairs >= q->first;
}

/* One run with too few samples is enough, before the first look too: others do not help. */
static bool is_hopeless(const struct check_result *r, const struct sequential *q,
			unsigned int pairs)
{
	const struct compare_row *row = r->row;

	if (!row)
		return false;
	if (row->a.few + row->b.few)
		return true;
	return pairs >= q->first && (row->look.hopeless || !row->a.runs || !row->b.runs);
}

bool check_state(const struct check *c, unsigned int pairs, char *said, size_t size)
{
	const struct check_result *r, *open = NULL;
	size_t all = 0, decided = 0, hopeless = 0;
	char lo[UNITS_TEXT], hi[UNITS_TEXT];
	int len;

	for (r = c->results; r < c->results + c->n; r++) {
		if (!r->rule->relative)
			continue;
		all++;
		if (is_decided(r, c->looks, pairs))
			decided++;
		else if (is_hopeless(r, c->looks, pairs))
			hopeless++;
		else if (!open)
			open = r;
	}
	len = snprintf(said, size, "%zu of %zu decided", decided, all);
	if (hopeless)
		len += snprintf(said + len, size - len, ", %zu hopeless", hopeless);
	if (open && open->row && open->row->known)
		snprintf(said + len, size - len, ", %s between %s and %s", open->rule->text,
			 units_change(lo, open->lo, 1), units_change(hi, open->hi, 1));
	return !open;
}
