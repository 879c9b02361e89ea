// SPDX-License-Identifier: GPL-2.0-only
/* diff.c - two sets of runs side by side: a section for each distribution. */
#include <math.h>
#include <string.h>

#include "report/methods.h"
#include "report/figures.h"
#include "report/priv.h"
#include "util/units.h"

#define DIFF_SENTENCE 256

/* Rows of one distribution, from the first on. */
static size_t diff_rows(const struct compare *c, size_t first)
{
	size_t n = 1;

	while (first + n < c->n && !strcmp(c->rows[first + n].name, c->rows[first].name))
		n++;
	return n;
}

/* ---- the sentence ---- */

/* The row whose interval is farthest from no change; NULL when none excludes it. */
static const struct compare_row *diff_clearest(const struct compare_row *rows, size_t n)
{
	const struct compare_row *best = NULL;
	double most = 0, off;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!rows[i].known)
			continue;
		off = rows[i].lo > 0 ? rows[i].lo : rows[i].hi < 0 ? -rows[i].hi : 0;
		if (off > most) {
			most = off;
			best = &rows[i];
		}
	}
	return best;
}

static double diff_widest(const struct compare_row *rows, size_t n)
{
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].known)
			most = fmax(most, fmax(fabs(rows[i].lo), fabs(rows[i].hi)));
	return most;
}

/*
 * How far from no change the drawings of one distribution reach: as far as its intervals, but where
 * few runs leave them all but endless, what reaches farther is cut off, so that both sides are
 * seen.
 */
static double diff_scale(const struct compare_row *rows, size_t n)
{
	double most = 1;
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].known)
			most = fmax(most, 2 * fabs(rows[i].change));
	return fmin(most, diff_widest(rows, n));
}

static const struct compare_row *diff_first_known(const struct compare_row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].known)
			return &rows[i];
	return NULL;
}

/* Where a word tells the direction. */
static const char *diff_by(char buf[UNITS_TEXT], double change)
{
	units_change(buf, fabs(change), 1);
	return buf + (buf[0] == '+');
}

/* Of an interval, "98.75%". */
static const char *diff_level(const struct compare_row *row, char buf[UNITS_TEXT])
{
	snprintf(buf, UNITS_TEXT, "%.5g%%", 100 * row->confidence);
	return buf;
}

/* Why a row has no interval; empty where the sentence of the distribution says it. */
static const char *diff_unknown(const struct compare_row *row, char buf[DIFF_SENTENCE])
{
	char n[UNITS_TEXT];

	*buf = '\0';
	if (row->across && (!row->a.cost || !row->b.cost))
		return buf;
	if (row->tail)
		return "rare large samples decide it, and the runs differ in length";
	if (row->a.few + row->b.few)
		snprintf(buf, DIFF_SENTENCE, "it takes %s samples in every run",
			 units_count(n, compare_samples_needed(row->metric->millionths)));
	return buf;
}

/* What may look like a change, or NULL. */
static const char *diff_warning(const struct compare_row *rows, size_t n)
{
	const struct compare_row *r = diff_first_known(rows, n);

	if (!r || r->order != COMPARE_APART)
		return NULL;
	return "not recorded in turn: the intervals allow for 25% that is due to the machine";
}

/* Only a time is fast or slow. */
static const char *diff_direction(const struct compare_row *r)
{
	if (!units_is_time(r->a.unit))
		return r->change > 0 ? "larger" : "smaller";
	return r->change > 0 ? "slower" : "faster";
}

/* What can be said of one distribution, in one plain sentence. */
static const char *diff_sentence(const struct compare_row *rows, size_t n, char buf[DIFF_SENTENCE])
{
	char change[UNITS_TEXT], least[UNITS_TEXT], most[UNITS_TEXT], level[UNITS_TEXT];
	const struct compare_row *r = diff_clearest(rows, n);

	if (!rows[0].a.runs || !rows[0].b.runs)
		snprintf(buf, DIFF_SENTENCE, "no samples %s",
			 rows[0].a.runs   ? "after"
			 : rows[0].b.runs ? "before"
					  : "on either side");
	else if (rows[0].across && (!rows[0].a.cost || !rows[0].b.cost))
		snprintf(buf, DIFF_SENTENCE,
			 "the methods differ and a floor is not known: run 'kstats-bpf calibrate', "
			 "and record again");
	else if (!diff_first_known(rows, n) && rows[0].a.runs > 1 && rows[0].b.runs > 1)
		snprintf(buf, DIFF_SENTENCE, "the runs have too few samples to be compared");
	else if (!diff_first_known(rows, n))
		snprintf(buf, DIFF_SENTENCE,
			 "one run on a side does not show how much runs differ "
			 "by chance: record at least 2 on each");
	else if (r)
		snprintf(buf, DIFF_SENTENCE, "%s: %s by %s (between %s and %s at %s)",
			 diff_direction(r), r->metric->name, diff_by(change, r->change),
			 diff_by(least, fmin(fabs(r->lo), fabs(r->hi))),
			 diff_by(most, fmax(fabs(r->lo), fabs(r->hi))), diff_level(r, level));
	else if (diff_widest(rows, n) >= 1)
		snprintf(buf, DIFF_SENTENCE,
			 "no change is shown, but a large one is not ruled out either: record more "
			 "runs");
	else
		snprintf(buf, DIFF_SENTENCE,
			 "no change is shown; one of more than %.1f%% is ruled out",
			 100 * diff_widest(rows, n));
	return buf;
}

/* ---- the report ---- */

static const char diff_legend[] =
	"Runs are compared, not samples. Below a figure: the slots that hold it in the runs. "
	"Interval: where the true change lies, as far as the runs tell.";

static const struct report_column diff_columns[] = {
	{ .heading = "", .kind = REPORT_WORDS },         { .heading = "before", .note = "bounds" },
	{ .heading = "after", .note = "bounds" },        { .heading = "change", .below = true },
	{ .heading = "interval", .kind = REPORT_WORDS }, { .heading = "at", .kind = REPORT_WORDS },
	{ .heading = "drawn", .kind = REPORT_SPAN },     {},
};

/* A figure, and the slots that hold it in the runs. */
static void diff_add_side(struct report *r, const struct compare_side *side)
{
	char value[UNITS_TEXT], slots[FIGURES_RANGE];

	if (side->runs)
		report_cell(r, units_duration(value, compare_shown(side), side->unit),
			    figures_range(slots, side->bounds, side->unit));
	else
		report_cell(r, "-", NULL);
}

static void diff_add_row(struct report *r, const struct compare_row *row, double scale)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT], text[DIFF_SENTENCE];

	report_cell(r, row->metric->name, NULL);
	diff_add_side(r, &row->a);
	diff_add_side(r, &row->b);
	report_cell(r, row->a.runs && row->b.runs ? units_change(lo, row->change, 1) : "-", NULL);
	if (row->known) {
		snprintf(text, sizeof(text), "%s .. %s", units_change(lo, row->lo, 1),
			 units_change(hi, row->hi, 1));
		report_cell(r, text, NULL);
		report_cell(r, diff_level(row, text), NULL);
	} else {
		report_cell(r, diff_unknown(row, text), NULL);
		report_cell(r, NULL, NULL);
	}
	report_cell_span(
		r, (struct report_span){ row->lo, row->hi, row->change, row->known ? scale : 0 });
}

static void diff_add_methods(struct report *r, const struct compare_row *row)
{
	char text[METHODS_TEXT];

	report_fact(r, "before", methods_side(&row->a, text));
	report_fact(r, "after", methods_side(&row->b, text));
	report_fact(r, "floors", methods_floors(row, text));
}

static void diff_add_overlay(struct report *r, const struct compare_row *row,
			     const struct report_sides *sides)
{
	struct compare_set a, b;

	if (!sides)
		return;
	a = runs_set(sides->before, false);
	b = runs_set(sides->after, false);
	report_overlay(r, &a, &b, row->name, row->a.unit ? row->a.unit : row->b.unit);
}

/* Looked for once: of keys there are thousands, which have none. */
static bool diff_has_parts(const struct compare *c)
{
	const char *colon;
	size_t i;

	for (i = 0; i < c->n; i++) {
		colon = strrchr(c->rows[i].name, ':');
		if (colon && !strcmp(colon, ":running"))
			return true;
	}
	return false;
}

/* The mean of a part of a function, see --parts; NULL if a side has none. */
static const struct compare_row *diff_part(const struct compare *c, const char *name,
					   const char *part)
{
	size_t i, len = strlen(name);

	for (i = 0; i < c->n; i++)
		if (c->rows[i].metric->millionths == COMPARE_MEAN &&
		    !strncmp(c->rows[i].name, name, len) && c->rows[i].name[len] == ':' &&
		    !strcmp(c->rows[i].name + len + 1, part))
			return c->rows[i].a.runs && c->rows[i].b.runs ? &c->rows[i] : NULL;
	return NULL;
}

static char *diff_signed(char buf[UNITS_TEXT], const struct compare_row *row)
{
	double ns = compare_shown(&row->b) - compare_shown(&row->a);
	char text[UNITS_TEXT];

	units_duration(text, fabs(ns), row->a.unit);
	snprintf(buf, UNITS_TEXT, "%s%.20s", ns > 0 ? "+" : ns < 0 ? "-" : "", text);
	return buf;
}

/* Means add up, so they tell which part made the difference. */
static void diff_add_parts(struct report *r, const struct compare *c,
			   const struct compare_row *rows, size_t n)
{
	static const char *const parts[] = { "running", "runnable", "sleeping", "blocked" };
	char whole[UNITS_TEXT], text[4][UNITS_TEXT];
	const struct compare_row *part;
	size_t i;

	for (i = 0; i < n && rows[i].metric->millionths != COMPARE_MEAN; i++)
		;
	if (i == n || !rows[i].a.runs || !rows[i].b.runs)
		return;
	diff_signed(whole, &rows[i]);
	for (i = 0; i < 4; i++) {
		part = diff_part(c, rows->name, parts[i]);
		if (!part)
			return;
		diff_signed(text[i], part);
	}
	report_say(r, REPORT_PLAIN,
		   "where the mean changed (%s): running %s, runnable %s, sleeping %s, blocked %s",
		   whole, text[0], text[1], text[2], text[3]);
}

/* @parts: what to look for parts in, or NULL */
static void diff_add(struct report *r, const struct compare *parts, const struct compare_row *rows,
		     size_t n, const struct report_sides *sides)
{
	char sentence[DIFF_SENTENCE], a[UNITS_TEXT], b[UNITS_TEXT];
	double scale = diff_scale(rows, n);
	size_t i;

	report_begin(r, rows->name);
	report_say(r, REPORT_PLAIN, "%s", diff_sentence(rows, n, sentence));
	report_table_begin(r, diff_columns);
	for (i = 0; i < n; i++)
		diff_add_row(r, &rows[i], scale);
	diff_add_overlay(r, rows, sides);
	if (parts)
		diff_add_parts(r, parts, rows, n);
	if (diff_warning(rows, n))
		report_say(r, REPORT_PLAIN, "%s", diff_warning(rows, n));
	if (rows->across)
		diff_add_methods(r, rows);
	report_say(r, REPORT_SOFT, "samples: %s in %zu run%s before, %s in %zu run%s after",
		   units_count(a, rows->a.samples), rows->a.runs, units_plural(rows->a.runs),
		   units_count(b, rows->b.samples), rows->b.runs, units_plural(rows->b.runs));
	report_end(r);
}

void report_diff(struct report *r, const struct compare *c, const struct report_sides *sides)
{
	const struct compare *parts = diff_has_parts(c) ? c : NULL;
	size_t i, n, drawn = 0;

	*r = (struct report){ .kind = REPORT_DIFF,
			      .title = "Before and after",
			      .legend = diff_legend,
			      .width = REPORT_WIDTH,
			      .values = report_diff_values,
			      .of = c };
	for (i = 0; i < c->n; i += n) {
		n = diff_rows(c, i);
		diff_add(r, parts, &c->rows[i], n, drawn++ < REPORT_OVERLAYS ? sides : NULL);
	}
	for (i = 0; i < c->n_missing; i++)
		report_name(r, "only on one side: ", c->missing[i]);
	if (*c->machines)
		report_say(r, REPORT_PLAIN, "%s", c->machines);
	report_add_sides(r, sides);
}
