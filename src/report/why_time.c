// SPDX-License-Identifier: GPL-2.0-only
/* why_time.c - where the time of slow and of ordinary calls goes: their parts, and callees. */
#include <math.h>

#include "report/priv.h"
#include "report/trace.h"

#define LABEL 64

/* With its sign. */
static const char *why_more(const struct report *r, double ns, char buf[UNITS_TEXT])
{
	char text[UNITS_TEXT];

	snprintf(buf, UNITS_TEXT, "%s%s",
		 ns < 0   ? "-"
		 : ns > 0 ? "+"
			  : "",
		 report_why_time(r, fabs(ns), text));
	return buf;
}

/* ---- parts ---- */

/* @of: what the part is of */
static void why_add_part(struct report *r, const char *name, const struct study_part *p,
			 const struct study_part *of, bool has_intervals)
{
	char slow[UNITS_TEXT], ordinary[UNITS_TEXT], more[UNITS_TEXT], lo[UNITS_TEXT],
		hi[UNITS_TEXT], share[UNITS_TEXT];
	double whole = of->slow - of->ordinary, diff = p->slow - p->ordinary;

	report_cell(r, name, NULL);
	report_cell(r, report_why_time(r, p->slow, slow), NULL);
	report_cell(r, report_why_time(r, p->ordinary, ordinary), NULL);
	report_cell(r, why_more(r, diff, more), NULL);
	report_cell(r, whole > 0 && diff >= 0 ? report_why_share(diff / whole, share) : "", NULL);
	if (has_intervals)
		report_why_cell(r, "%s .. %s", why_more(r, p->lo, lo), why_more(r, p->hi, hi));
	else
		report_cell(r, NULL, NULL);
}

static const struct report_column why_part_columns[] = {
	{ .heading = "mean", .kind = REPORT_WORDS },
	{ .heading = "slow", .kind = REPORT_NUMBER },
	{ .heading = "ordinary", .kind = REPORT_NUMBER },
	{ .heading = "difference", .kind = REPORT_NUMBER },
	{ .heading = "of it", .kind = REPORT_NUMBER },
	{ .heading = "95% interval", .kind = REPORT_UNDER },
	{},
};

static enum kstats_part why_largest(const struct study *s)
{
	enum kstats_part best = KSTATS_PART_RUNNING, p;

	for (p = KSTATS_PART_RUNNABLE; p <= KSTATS_PART_BLOCKED; p++)
		if (s->parts[p].slow - s->parts[p].ordinary >
		    s->parts[best].slow - s->parts[best].ordinary)
			best = p;
	return best;
}

static void why_say_largest(struct report *r, const struct study *s)
{
	static const char *const meaning[] = {
		[KSTATS_PART_RUNNING] = "they compute, or what they call does",
		[KSTATS_PART_RUNNABLE] = "they are ready to run and wait for a processor",
		[KSTATS_PART_SLEEPING] = "they sleep, and a signal could wake them",
		[KSTATS_PART_BLOCKED] = "they sleep, as on a disk or a lock",
	};
	enum kstats_part best = why_largest(s);
	double whole = s->whole.slow - s->whole.ordinary;
	char share[UNITS_TEXT], more[UNITS_TEXT];

	if (whole <= 0)
		return;
	report_say(r, REPORT_PLAIN, "A slow call takes %s longer; %s makes %s of that: %s.",
		   report_why_time(r, whole, more), report_why_part_name(best),
		   report_why_share(
			   fmin(1, (s->parts[best].slow - s->parts[best].ordinary) / whole), share),
		   meaning[best]);
}

void report_why_add_parts(struct report *r, const struct study *s)
{
	char name[LABEL];
	int i;

	report_heading(r, "Where the time goes", NULL);
	if (s->is_split)
		why_say_largest(r, s);
	report_table_begin(r, why_part_columns);
	for (i = 0; s->is_split && i < KSTATS_PART_TIMES; i++) {
		if (s->parts[i].slow <= 0 && s->parts[i].ordinary <= 0)
			continue;
		snprintf(name, sizeof(name), "%s%s", report_why_part_name(i),
			 i == KSTATS_PART_INTERRUPTED ? " *" : "");
		why_add_part(r, name, &s->parts[i], &s->whole, s->has_intervals);
	}
	why_add_part(r, "duration", &s->whole, &s->whole, s->has_intervals);
	if (s->parts[KSTATS_PART_INTERRUPTED].slow > 0)
		report_say(r, REPORT_SOFT, "* a part of running, and a lower bound");
	if (!s->is_split)
		report_say(r, REPORT_SOFT,
			   s->n_split ? "There is no ordinary call to compare their parts with."
				      : "The parts of these calls are not known.");
	if (s->is_split && s->n_split < s->n_slow)
		report_say(r, REPORT_SOFT,
			   s->n_slow - s->n_split == 1
				   ? "%zu of %zu slow calls is left out of this table: its parts "
				     "are not known."
				   : "%zu of %zu slow calls are left out of this table: their "
				     "parts are not known.",
			   s->n_slow - s->n_split, s->n_slow);
}

/* ---- callees ---- */

static const struct report_column why_callee_columns[] = {
	{ .heading = "callee", .kind = REPORT_NAME },
	{ .heading = "slow", .kind = REPORT_NUMBER },
	{ .heading = "ordinary", .kind = REPORT_NUMBER },
	{ .heading = "difference", .kind = REPORT_NUMBER },
	{ .heading = "of it", .kind = REPORT_NUMBER },
	{ .heading = "95% interval", .kind = REPORT_UNDER },
	{},
};

static double why_excess(const struct study_part *p)
{
	return p->slow - p->ordinary;
}

size_t report_why_order(const struct study_part *of, size_t n_of, size_t *order)
{
	size_t n = 0, i, k;

	for (i = 0; i < n_of; i++) {
		if (of[i].slow <= 0 && of[i].ordinary <= 0)
			continue;
		for (k = n++; k && why_excess(&of[order[k - 1]]) < why_excess(&of[i]); k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return n;
}

void report_why_add_callees(struct report *r, const struct recording *rec, const struct study *s)
{
	const struct why *w = rec->why;
	size_t order[WHY_CALLEES_MAX + 1], n, i;

	if (!w->n_callees)
		return;
	if (!s->is_divided) {
		report_say(r, REPORT_SOFT,
			   "The time of these calls in their callees is not known: they were in "
			   "interrupts, nested more than 4 deep, or the kernel skipped programs.");
		return;
	}
	n = report_why_order(s->callees, w->n_callees + 1, order);
	report_heading(r, "Mean time in each callee", NULL);
	report_table_begin(r, why_callee_columns);
	for (i = 0; i < n; i++)
		why_add_part(r, why_callee_name(w, order[i]), &s->callees[order[i]], &s->divided,
			     s->has_callee_intervals);
	why_add_part(r, "whole call", &s->divided, &s->divided, s->has_callee_intervals);
	report_untraced_callees(r, rec->whole, w->node);
	if (s->n_divided < s->n_slow)
		report_say(r, REPORT_SOFT,
			   s->n_slow - s->n_divided == 1
				   ? "%zu of %zu slow calls is left out of this table: the time in "
				     "its callees is not known."
				   : "%zu of %zu slow calls are left out of this table: the time "
				     "in their callees is not known.",
			   s->n_slow - s->n_divided, s->n_slow);
}
