// SPDX-License-Identifier: GPL-2.0-only
/* diff.c - the table of formats, the one for people, and the sentence. */
#include "render/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "render/methods.h"
#include "render/text.h"
#include "util/units.h"

#define PICTURE 21 /* columns of the interval's picture, odd */

size_t diff_rows(const struct compare *c, size_t first)
{
	size_t n = 1;

	while (first + n < c->n && !strcmp(c->rows[first + n].name, c->rows[first].name))
		n++;
	return n;
}

/* ---- the sentence ---- */

/* The row whose interval is farthest from no change; NULL when none excludes it. */
static const struct compare_row *clearest(const struct compare_row *rows, size_t n)
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

static double widest(const struct compare_row *rows, size_t n)
{
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].known)
			most = fmax(most, fmax(fabs(rows[i].lo), fabs(rows[i].hi)));
	return most;
}

double diff_scale(const struct compare_row *rows, size_t n)
{
	double most = 1;
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].known)
			most = fmax(most, 2 * fabs(rows[i].change));
	return fmin(most, widest(rows, n));
}

static const struct compare_row *first_known(const struct compare_row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].known)
			return &rows[i];
	return NULL;
}

/* Where a word tells the direction. */
static const char *by_how_much(char buf[UNITS_TEXT], double change)
{
	units_change(buf, fabs(change), 1);
	return buf + (buf[0] == '+');
}

const char *diff_level(const struct compare_row *row, char buf[UNITS_TEXT])
{
	snprintf(buf, UNITS_TEXT, "%.5g%%", 100 * row->confidence);
	return buf;
}

const char *diff_unknown(const struct compare_row *row, char buf[DIFF_SENTENCE])
{
	char n[UNITS_TEXT];

	*buf = '\0';
	if (row->across && (!row->a.cost || !row->b.cost))
		return buf;
	if (row->a.few + row->b.few)
		snprintf(buf, DIFF_SENTENCE, "it takes %s samples in every run",
			 units_count(n, compare_samples_needed(row->metric->millionths)));
	return buf;
}

const char *diff_warning(const struct compare_row *rows, size_t n)
{
	const struct compare_row *r = first_known(rows, n);

	if (!r || r->order != COMPARE_APART)
		return NULL;
	return "not recorded in turn: what drifts looks like a change, so intervals are wide";
}

const char *diff_sentence(const struct compare_row *rows, size_t n, char buf[DIFF_SENTENCE])
{
	char change[UNITS_TEXT], least[UNITS_TEXT], most[UNITS_TEXT], level[UNITS_TEXT];
	const struct compare_row *r = clearest(rows, n);

	if (!rows[0].a.runs || !rows[0].b.runs)
		snprintf(buf, DIFF_SENTENCE, "no samples %s",
			 rows[0].a.runs   ? "after"
			 : rows[0].b.runs ? "before"
					  : "on either side");
	else if (rows[0].across && (!rows[0].a.cost || !rows[0].b.cost))
		snprintf(buf, DIFF_SENTENCE,
			 "the methods differ and a floor is not known: run 'kstats-bpf calibrate', "
			 "and record again");
	else if (!first_known(rows, n) && rows[0].a.runs > 1 && rows[0].b.runs > 1)
		snprintf(buf, DIFF_SENTENCE, "the runs have too few samples to be compared");
	else if (!first_known(rows, n))
		snprintf(buf, DIFF_SENTENCE,
			 "one run on a side does not show how much runs differ "
			 "by chance: record at least 2 on each");
	else if (r)
		snprintf(buf, DIFF_SENTENCE, "%s: %s by %s (between %s and %s at %s)",
			 r->change > 0 ? "slower" : "faster", r->metric->name,
			 by_how_much(change, r->change),
			 by_how_much(least, fmin(fabs(r->lo), fabs(r->hi))),
			 by_how_much(most, fmax(fabs(r->lo), fabs(r->hi))), diff_level(r, level));
	else if (widest(rows, n) >= 1)
		snprintf(buf, DIFF_SENTENCE,
			 "no change is shown, but a large one is not ruled out either: record more "
			 "runs");
	else
		snprintf(buf, DIFF_SENTENCE,
			 "no change is shown; one of more than %.1f%% is ruled out",
			 100 * widest(rows, n));
	return buf;
}

/* ---- for people ---- */

/* Where the interval lies: "|" is no change, "=" the interval, "#" the change. */
static void picture(char buf[PICTURE + 1], const struct compare_row *row, double scale)
{
	int mid = PICTURE / 2, i, lo, hi;

	memset(buf, ' ', PICTURE);
	buf[PICTURE] = '\0';
	buf[mid] = '|';
	if (scale <= 0)
		return;
	lo = mid + lround(fmax(row->lo / scale, -1) * mid);
	hi = mid + lround(fmin(row->hi / scale, 1) * mid);
	for (i = lo; i <= hi; i++)
		buf[i] = i == mid ? '+' : '=';
	buf[mid + lround(row->change / scale * mid)] = '#';
}

/* A figure, and the slots that hold it in the runs, padded to @width. */
static void print_side(FILE *out, const struct compare_side *side, int width)
{
	char value[UNITS_TEXT], slots[TEXT_RANGE];

	if (side->runs)
		fprintf(out, "  %9s  %-*s", units_duration(value, side->value, side->unit), width,
			text_range(slots, side->bounds, side->unit));
	else
		fprintf(out, "  %9s%*s", "-", width ? width + 2 : 0, "");
}

static void print_sides(FILE *out, const struct compare_row *rows, size_t n)
{
	size_t i;

	fprintf(out, "  %-6s  %9s  %-21s  %9s  bounds\n", "", "before", "bounds", "after");
	for (i = 0; i < n; i++) {
		fprintf(out, "  %-6s", rows[i].metric->name);
		print_side(out, &rows[i].a, 21);
		print_side(out, &rows[i].b, 0);
		fputc('\n', out);
	}
}

static void print_change(FILE *out, const struct compare_row *row, double scale)
{
	char change[UNITS_TEXT], lo[UNITS_TEXT], hi[UNITS_TEXT], shift[PICTURE + 1];
	char text[DIFF_SENTENCE];

	fprintf(out, "  %-6s  %9s", row->metric->name,
		row->a.runs && row->b.runs ? units_change(change, row->change, 1) : "-");
	if (row->known) {
		picture(shift, row, scale);
		fprintf(out, "  %8s ..%8s  %-7s  %s", units_change(lo, row->lo, 1),
			units_change(hi, row->hi, 1), diff_level(row, text), shift);
	} else if (*diff_unknown(row, text)) {
		fprintf(out, "  %s", text);
	}
	fputc('\n', out);
}

static void print_words(FILE *out, const char *label, const char *words)
{
	struct text_flow f = { out, 80, 10, 10, false };

	fprintf(out, "  %-8s", label);
	text_flow_words(&f, words);
	fputc('\n', out);
}

static void print_methods(FILE *out, const struct compare_row *row)
{
	char text[METHODS_TEXT];

	fputc('\n', out);
	print_words(out, "before", methods_side(&row->a, text));
	print_words(out, "after", methods_side(&row->b, text));
	print_words(out, "floors", methods_floors(row, text));
}

static void print_function(FILE *out, const struct compare_row *rows, size_t n)
{
	char sentence[DIFF_SENTENCE], a[UNITS_TEXT], b[UNITS_TEXT];
	double scale = diff_scale(rows, n);
	size_t i;

	text_safe(out, rows->name, 0);
	fprintf(out, "\n  %s\n\n", diff_sentence(rows, n, sentence));
	print_sides(out, rows, n);
	fprintf(out, "\n  %-6s  %9s%s\n", "", "change",
		first_known(rows, n) ? "  interval            at" : "");
	for (i = 0; i < n; i++)
		print_change(out, &rows[i], scale);
	if (diff_warning(rows, n))
		fprintf(out, "\n  %s\n", diff_warning(rows, n));
	if (rows->across)
		print_methods(out, rows);
	fprintf(out, "\n  samples %s in %zu run%s before, %s in %zu run%s after\n\n",
		units_count(a, rows->a.samples), rows->a.runs, units_plural(rows->a.runs),
		units_count(b, rows->b.samples), rows->b.runs, units_plural(rows->b.runs));
}

static int render_text(FILE *out, const struct compare *c)
{
	size_t i, n;

	for (i = 0; i < c->n; i += n) {
		n = diff_rows(c, i);
		print_function(out, &c->rows[i], n);
	}
	for (i = 0; i < c->n_missing; i++) {
		fputs("only on one side: ", out);
		text_safe(out, c->missing[i], 0);
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}

const struct diff_format diff_formats[] = {
	{ "text", "for people", render_text },
	{ "markdown", "for a pull request", diff_markdown },
	{ "html", "a page that needs nothing else", diff_html },
	{ "json", "everything, on one line", diff_json },
	{ NULL, NULL, NULL },
};

const struct diff_format *diff_find(const char *name)
{
	const struct diff_format *f;

	for (f = diff_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
