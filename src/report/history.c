// SPDX-License-Identifier: GPL-2.0-only
/* history.c - a section for each series of sets: its steps, a drawing and a table. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "judge/accepted.h"
#include "report/priv.h"
#include "util/units.h"

#define HISTORY_TIME 32
#define NEWEST 3 /* sets in a short table, beside those at steps */
#define NAME_CUT 100 /* bytes of a name in a sentence */

/* ---- words ---- */

/* The set of a point of a series. */
static const struct history_set *history_set_of(const struct history *h,
						const struct history_row *row, size_t i)
{
	return &h->sets.sets[row->points[i].set];
}

/* Position and height of a step in words. */
static char *history_step_text(const struct history *h, const struct history_row *row,
			       const struct history_step *step)
{
	char change[UNITS_TEXT], lo[UNITS_TEXT], hi[UNITS_TEXT], *text = NULL;

	if (asprintf(&text,
		     "step of %s (%s to %s at %g%%) between '%.*s' and '%.*s' (at %g%% between "
		     "'%.*s' and '%.*s')",
		     units_change(change, step->change, 1), units_change(lo, step->change_lo, 1),
		     units_change(hi, step->change_hi, 1), 100 * HISTORY_STEP_CONFIDENCE, NAME_CUT,
		     history_set_of(h, row, step->at - 1)->name, NAME_CUT,
		     history_set_of(h, row, step->at)->name, 100 * HISTORY_STEP_CONFIDENCE,
		     NAME_CUT, history_set_of(h, row, step->lo - 1)->name, NAME_CUT,
		     history_set_of(h, row, step->hi)->name) < 0)
		return NULL;
	return text;
}

/* "2026-11-22 05:18:13", in UTC. */
static const char *history_time(const struct history_set *set, char buf[HISTORY_TIME])
{
	time_t s = set->when_ns / 1000000000;
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(buf, HISTORY_TIME, "%Y-%m-%d %H:%M:%S", &tm))
		*buf = '\0';
	return buf;
}

/* Mean between two steps, a logarithm. */
static double history_level(const struct history_row *row, size_t i)
{
	size_t from = 0, to = row->n, k;
	double sum = 0;

	for (k = 0; k < row->n_steps; k++) {
		if (row->steps[k].at <= i)
			from = row->steps[k].at;
		else if (row->steps[k].at < to)
			to = row->steps[k].at;
	}
	for (k = from; k < to; k++)
		sum += row->points[k].log;
	return sum / (to - from);
}

/* ---- the drawing ---- */

static int history_fill_points(struct report_series *s, const struct history *h,
			       const struct history_row *row)
{
	const struct history_set *set;
	char when[HISTORY_TIME];
	size_t i;

	s->points = calloc(row->n + 1, sizeof(*s->points));
	for (i = 0; s->points && i < row->n; i++) {
		set = history_set_of(h, row, i);
		s->points[i] = (struct report_point){
			.value = exp(row->points[i].log),
			.level = exp(history_level(row, i)),
			.is_new = row->points[i].set + 1 == h->sets.n,
			.name = strdup(set->name),
			.when = strdup(history_time(set, when)),
		};
		s->n++;
		if (!s->points[i].name || !s->points[i].when)
			return -ENOMEM;
	}
	return s->points ? 0 : -ENOMEM;
}

/* What the figure of the new set must not exceed; 0 if no rule limits it. */
static double history_limit(const struct check *c, const struct history_row *row, size_t *from)
{
	const struct check_result *x;
	size_t i;

	/* Rows and results are in the same order, so the next one is near. */
	for (i = 0; i < c->n; i++) {
		x = &c->results[(*from + i) % c->n];
		if (!x->row || !x->row->known || strcmp(x->name, row->name) != 0 ||
		    strcmp(x->rule->metric_name, row->metric) != 0)
			continue;
		*from = (*from + i) % c->n;
		return x->row->a.value * (1 + x->rule->limit);
	}
	return 0;
}

static void history_add_series(struct report *r, const struct check *c,
			       const struct history_row *row, size_t *from)
{
	const struct history *h = &c->series;
	struct report_part *p = report_part_add(r, REPORT_SERIES);
	struct report_series *s = p ? &p->series : NULL;
	size_t i;

	if (!s)
		return;
	s->unit = row->unit;
	s->limit = history_limit(c, row, from);
	r->err = history_fill_points(s, h, row);
	s->steps = calloc(row->n_steps + 1, sizeof(*s->steps));
	if (!s->steps)
		r->err = -ENOMEM;
	for (i = 0; s->steps && i < row->n_steps; i++) {
		s->steps[i] =
			(struct report_step){ row->steps[i].at, row->steps[i].lo, row->steps[i].hi,
					      history_step_text(h, row, &row->steps[i]) };
		s->n_steps++;
		if (!s->steps[i].text)
			r->err = -ENOMEM;
	}
}

/* ---- the table ---- */

/* Those at steps and the newest stand for all where there is little room. */
static bool history_is_listed(const struct history_row *row, size_t i)
{
	size_t k;

	for (k = 0; k < row->n_steps; k++)
		if (row->steps[k].at == i || row->steps[k].at == i + 1)
			return true;
	return i + NEWEST >= row->n;
}

static void history_add_row(struct report *r, const struct history *h,
			    const struct history_row *row, size_t i)
{
	char text[UNITS_TEXT], when[HISTORY_TIME];
	const struct history_set *set = history_set_of(h, row, i);

	report_cell(r, set->name, NULL);
	report_cell(r, history_time(set, when), NULL);
	snprintf(text, sizeof(text), "%zu", row->points[i].runs);
	report_cell(r, text, NULL);
	report_cell(r, units_duration(text, exp(row->points[i].log), row->unit), NULL);
	*text = '\0';
	if (i)
		units_change(text, expm1(row->points[i].log - row->points[i - 1].log), 1);
	report_cell(r, text, NULL);
}

static void history_add_table(struct report *r, const struct history *h,
			      const struct history_row *row)
{
	const struct report_column columns[] = {
		{ .heading = "set", .kind = REPORT_NAME },
		{ .heading = "recorded (UTC)", .kind = REPORT_WORDS },
		{ .heading = "runs" },
		{ .heading = row->metric },
		{ .heading = "change" },
		{},
	};
	struct report_table *t;
	size_t i;

	report_table_begin(r, columns);
	for (i = 0; i < row->n; i++)
		history_add_row(r, h, row, i);
	if (r->err)
		return;
	t = &r->parts[r->n - 1].table;
	t->folded = "all sets";
	t->brief = calloc(row->n + 1, sizeof(*t->brief));
	if (!t->brief)
		r->err = -ENOMEM;
	for (i = 0; t->brief && i < row->n; i++)
		t->brief[i] = history_is_listed(row, i);
}

/* ---- all of it ---- */

/* A base with a step in it has a large spread, and is not one level. */
static void history_say_since(struct report *r, const struct history *h,
			      const struct history_row *row)
{
	size_t at = row->points[row->steps[row->n_steps - 1].at].set;
	const char *name = h->sets.sets[at].name;

	if (at > h->sets.judged && at + 1 < h->sets.n)
		report_say(r, REPORT_PLAIN,
			   "if the step was made on purpose, rename '%.*s' to '%.*s" ACCEPTED_REBASE
			   "'",
			   NAME_CUT, name, NAME_CUT, name);
}

static void history_say_steps(struct report *r, const struct history *h,
			      const struct history_row *row)
{
	char *text;
	size_t i;

	for (i = 0; i < row->n_steps; i++) {
		text = history_step_text(h, row, &row->steps[i]);
		report_say(r, REPORT_PLAIN, "%s", text ? text : "");
		free(text);
	}
	if (!row->n_steps)
		report_say(r, REPORT_PLAIN, "no step is shown");
	else
		history_say_since(r, h, row);
}

static void history_add_section(struct report *r, const struct check *c,
				const struct history_row *row, size_t *from)
{
	const struct history *h = &c->series;
	char *title = NULL;
	int err;

	if (row->n)
		err = asprintf(&title, "%s %s: %zu set%s", row->name, row->metric, row->n,
			       units_plural(row->n));
	else
		err = asprintf(&title, "%s %s: no set has samples", row->name, row->metric);
	report_begin(r, err < 0 ? row->name : title);
	if (err >= 0)
		free(title);
	if (row->n) {
		history_say_steps(r, h, row);
		history_add_series(r, c, row, from);
		history_add_table(r, h, row);
	}
	report_end(r);
}

void report_history(struct report *r, const struct check *c)
{
	const struct history *h = &c->series;
	size_t from = 0;
	const struct history_row *row;

	if (h->sets.left_out)
		report_say(r, REPORT_PLAIN, "%zu earlier %s left out: one was not recorded alike",
			   h->sets.left_out, h->sets.left_out == 1 ? "set is" : "sets are");
	if (h->n)
		r->legend = "Each dot is a set of runs, the large one is the new set. A step is at "
			    "the line; shaded: where else it may be.";
	for (row = h->rows; row < h->rows + h->n; row++)
		history_add_section(r, c, row, &from);
}
