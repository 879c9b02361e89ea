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

/* "about 40 to 120" or "about 40 or more" */
static const char *range_text(char *text, size_t size, const struct compare_range *n,
			      unsigned int more_than)
{
	unsigned int least = n->least > more_than ? n->least : more_than + 1;

	if (n->most > least)
		snprintf(text, size, "about %u to %u", least, n->most);
	else if (n->most)
		snprintf(text, size, "about %u", least);
	else
		snprintf(text, size, "about %u or more", least);
	return text;
}

/* More runs do not make slots narrower. */
static bool are_slots_wide(const struct compare_row *row, double limit)
{
	struct compare_row fine = *row;

	fine.a.slack = fine.b.slack = 0;
	return !compare_runs_range(row, limit).least && compare_runs_range(&fine, limit).least;
}

/* No series is as long as it is likely to take: say what helps more than pairs. */
static bool say_too_many(struct check_result *r, const struct compare_range *n, unsigned int runs,
			 const char *begin)
{
	/* A few runs do not tell what is likely: then the best case. */
	unsigned int needed = runs < SERIES_FIRST ? n->least : n->likely;
	char likely[32];

	if (needed && needed <= SEQUENTIAL_MAX)
		return false;
	if (are_slots_wide(r->row, r->rule->limit)) {
		snprintf(r->next, sizeof(r->next),
			 "its slots are too wide to tell: record both sides with more --bits");
		return true;
	}
	snprintf(likely, sizeof(likely), needed ? "about %u" : "more than %u",
		 needed ? needed : COMPARE_RUNS_MAX);
	snprintf(r->next, sizeof(r->next),
		 "%s%s pairs are likely to be needed, and a series has at most %u: make the runs "
		 "longer or the machine quieter, or choose another limit",
		 begin, likely, SEQUENTIAL_MAX);
	return true;
}

/* The last pair of a series that would be long enough. */
static unsigned int proposed(const struct compare_range *n, unsigned int more_than)
{
	unsigned int last = n->most ? n->most : SEQUENTIAL_MAX;

	if (last < 2 * more_than)
		last = 2 * more_than;
	return last < SEQUENTIAL_MAX ? last : SEQUENTIAL_MAX;
}

static void say_pairs(struct check_result *r)
{
	const struct compare_look *look = &r->row->look;
	char range[64], begin[56] = "";

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
	if (say_too_many(r, &look->needed, look->pairs, begin))
		return;
	if (look->last < SEQUENTIAL_MAX)
		snprintf(r->next, sizeof(r->next),
			 "%s%s pairs would settle it: begin anew with --runs %u..%u", begin,
			 range_text(range, sizeof(range), &look->needed, look->pairs), look->first,
			 proposed(&look->needed, look->last));
	else
		snprintf(r->next, sizeof(r->next),
			 "%schoose another limit, make the runs longer or the machine quieter",
			 begin);
}

void check_say_needed(struct check_result *r)
{
	struct compare_range n = compare_runs_range(r->row, r->rule->limit);
	const struct compare_row *row = r->row;
	char range[64];

	if (row->look.last)
		say_pairs(r);
	else if (!say_too_many(r, &n, row->a.runs, ""))
		snprintf(r->next, sizeof(r->next),
			 "%s runs on each side would settle it%s: 'trace --runs %u..%u --vs' looks "
			 "after each pair and stops when it is decided",
			 range_text(range, sizeof(range), &n, row->a.runs),
			 row->a.noise + row->b.noise > (row->a.spread + row->b.spread) / 2
				 ? ", fewer if they were longer"
				 : "",
			 SERIES_FIRST, proposed(&n, SERIES_FIRST));
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
