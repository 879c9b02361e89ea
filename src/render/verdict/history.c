// SPDX-License-Identifier: GPL-2.0-only
/* history.c - series of sets for a terminal of 80 by 24; see history.h. */
#include "render/verdict/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/text.h"
#include "util/units.h"

#define LABEL 10 /* columns left of the picture */
#define COLUMNS 66
#define LINES 6
#define GAP_MOST 4 /* columns from a set to the next, if there is room */
#define NEWEST 3 /* sets in the table, beside those at steps */
#define NAME 28
#define NAME_CUT 100 /* bytes of a name in a sentence */

/* ---- words ---- */

const struct history_set *history_set_of(const struct history *h, const struct history_row *row,
					 size_t i)
{
	return &h->sets.sets[row->points[i].set];
}

const char *history_step_text(const struct history *h, const struct history_row *row,
			      const struct history_step *step, char buf[HISTORY_TEXT])
{
	char change[UNITS_TEXT], lo[UNITS_TEXT], hi[UNITS_TEXT];

	snprintf(buf, HISTORY_TEXT,
		 "step of %s (%s to %s at %g%%) between '%.*s' and '%.*s' (at %g%% between "
		 "'%.*s' and '%.*s')",
		 units_change(change, step->change, 1), units_change(lo, step->change_lo, 1),
		 units_change(hi, step->change_hi, 1), 100 * HISTORY_STEP_CONFIDENCE, NAME_CUT,
		 history_set_of(h, row, step->at - 1)->name, NAME_CUT,
		 history_set_of(h, row, step->at)->name, 100 * HISTORY_STEP_CONFIDENCE, NAME_CUT,
		 history_set_of(h, row, step->lo - 1)->name, NAME_CUT,
		 history_set_of(h, row, step->hi)->name);
	return buf;
}

const char *history_time(const struct history_set *set, char buf[HISTORY_TIME])
{
	time_t s = set->when_ns / 1000000000;
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(buf, HISTORY_TIME, "%Y-%m-%d %H:%M:%S", &tm))
		*buf = '\0';
	return buf;
}

double history_level(const struct history_row *row, size_t i)
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

static bool is_new(const struct history *h, const struct history_row *row, size_t i)
{
	return row->points[i].set + 1 == h->sets.n;
}

/* ---- the picture ---- */

struct canvas {
	char cell[LINES][COLUMNS + 1];
	size_t first; /* point of the first column */
	size_t gap;
	double lo;
	double hi;
};

static size_t column_of(const struct canvas *c, size_t i)
{
	return (i - c->first) * c->gap;
}

static size_t line_of(const struct canvas *c, double log)
{
	return lround((c->hi - log) / (c->hi - c->lo) * (LINES - 1));
}

static void scale(struct canvas *c, const struct history_row *row)
{
	size_t i;

	c->gap = row->n > 1 ? (COLUMNS - 1) / (row->n - 1) : GAP_MOST;
	c->gap = c->gap < 1 ? 1 : c->gap > GAP_MOST ? GAP_MOST : c->gap;
	c->first = row->n > COLUMNS ? row->n - COLUMNS : 0;
	c->lo = INFINITY;
	c->hi = -INFINITY;
	for (i = c->first; i < row->n; i++) {
		c->lo = fmin(c->lo, row->points[i].log);
		c->hi = fmax(c->hi, row->points[i].log);
	}
	if (c->hi - c->lo < 1e-6) {
		c->lo -= 0.01;
		c->hi += 0.01;
	}
}

/* Mark each place at which the first set after a step may be. */
static void draw_step(struct canvas *c, const struct history_step *step)
{
	size_t i, column, line;

	for (i = step->lo; i <= step->hi; i++) {
		if (i < c->first)
			continue;
		column = column_of(c, i);
		for (line = 0; line < LINES; line++)
			c->cell[line][column] = i == step->at ? '|' : ':';
	}
}

static void draw(struct canvas *c, const struct history *h, const struct history_row *row)
{
	size_t i, k, column;

	memset(c->cell, ' ', sizeof(c->cell));
	scale(c, row);
	for (k = 0; k < row->n_steps; k++)
		draw_step(c, &row->steps[k]);
	for (i = c->first; i < row->n; i++) {
		column = column_of(c, i);
		for (k = 1; i + 1 < row->n && k < c->gap; k++)
			c->cell[line_of(c, history_level(row, i))][column + k] = '-';
		c->cell[line_of(c, row->points[i].log)][column] = is_new(h, row, i) ? '#' : 'o';
	}
}

static void print_picture(FILE *out, const struct history *h, const struct history_row *row)
{
	char label[UNITS_TEXT];
	struct canvas c;
	size_t line, end;

	draw(&c, h, row);
	for (line = 0; line < LINES; line++) {
		*label = '\0';
		if (!line)
			units_duration(label, exp(c.hi), row->unit);
		else if (line == LINES - 1)
			units_duration(label, exp(c.lo), row->unit);
		for (end = COLUMNS; end && c.cell[line][end - 1] == ' '; end--)
			;
		fprintf(out, "  %*s |%.*s\n", LABEL, label, (int)end, c.cell[line]);
	}
}

/* ---- the table ---- */

static bool is_listed(const struct history_row *row, size_t i)
{
	size_t k;

	for (k = 0; k < row->n_steps; k++)
		if (row->steps[k].at == i || row->steps[k].at == i + 1)
			return true;
	return i + NEWEST >= row->n;
}

static void print_table(FILE *out, const struct history *h, const struct history_row *row)
{
	char value[UNITS_TEXT], change[UNITS_TEXT], when[HISTORY_TIME];
	const struct history_set *set;
	size_t i;

	fprintf(out, "\n  %-*s  %-19s  runs  %9s  change\n", NAME, "set", "recorded (UTC)",
		row->metric);
	for (i = 0; i < row->n; i++) {
		if (!is_listed(row, i))
			continue;
		set = history_set_of(h, row, i);
		*change = '\0';
		if (i)
			units_change(change, expm1(row->points[i].log - row->points[i - 1].log), 1);
		fputs("  ", out);
		text_safe(out, set->name, NAME);
		fprintf(out, "  %-19s  %4zu  %9s  %s\n", history_time(set, when),
			row->points[i].runs,
			units_duration(value, exp(row->points[i].log), row->unit), change);
	}
}

/* ---- all of it ---- */

/* A base with a step in it has a large spread: the sets after the step are a better base. */
static void print_since(FILE *out, const struct history *h, const struct history_row *row)
{
	size_t at = row->points[row->steps[row->n_steps - 1].at].set, since = h->sets.n - 1 - at;

	if (at > h->sets.judged && since >= HISTORY_SETS_LEAST)
		fprintf(out, "  --last %zu compares with the sets since then\n", since);
}

static void print_steps(FILE *out, const struct history *h, const struct history_row *row)
{
	char text[HISTORY_TEXT];
	size_t i;

	for (i = 0; i < row->n_steps; i++) {
		struct text_flow f = { out, 80, 4, 2, false };

		fputs("  ", out);
		text_flow_words(&f, history_step_text(h, row, &row->steps[i], text));
		fputc('\n', out);
	}
	if (!row->n_steps)
		fputs("  no step is shown\n", out);
	else
		print_since(out, h, row);
}

static void print_row(FILE *out, const struct history *h, const struct history_row *row)
{
	text_safe(out, row->name, 0);
	if (!row->n) {
		fprintf(out, " %s: no set has samples\n\n", row->metric);
		return;
	}
	fprintf(out, " %s: %zu set%s, # is the new one\n", row->metric, row->n,
		units_plural(row->n));
	print_steps(out, h, row);
	fputc('\n', out);
	print_picture(out, h, row);
	print_table(out, h, row);
	fputc('\n', out);
}

void history_print(FILE *out, const struct history *h)
{
	const struct history_row *row;

	if (h->sets.left_out)
		fprintf(out, "%zu earlier %s left out: one was not recorded alike\n\n",
			h->sets.left_out, h->sets.left_out == 1 ? "set is" : "sets are");
	for (row = h->rows; row < h->rows + h->n; row++)
		print_row(out, h, row);
}
