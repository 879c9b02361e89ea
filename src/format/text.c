// SPDX-License-Identifier: GPL-2.0-only
/* text.c - a report for people at a terminal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "format/writer.h"
#include "report/ranges.h"

#define INDENT 2 /* of what is in a section */
#define VERDICT_INDENT 14
#define LEDGER_INDENT 10 /* of the terms, behind the name */
#define ABOUT_WIDTH 9 /* of the names of facts about a recording */
#define FACT_WIDTH 6 /* of the names of others: their texts stand below the terms of a ledger */
#define TERM_WHOLE 32 /* bytes of a label that is not wrapped */

static const char *text_tone(const struct text_writer *t, enum report_tone tone)
{
	static const enum text_color colors[] = { TEXT_PLAIN, TEXT_FAINT, TEXT_GOOD, TEXT_WARN };

	return tone == REPORT_PLAIN ? "" : text_paint(t, colors[tone]);
}

static void text_end_tone(const struct text_writer *t, enum report_tone tone)
{
	fprintf(t->out, "%s\n", tone == REPORT_PLAIN ? "" : text_paint(t, TEXT_PLAIN));
}

/* ---- sentences ---- */

static void text_wrap(const struct text_writer *t, const char *text, unsigned int indent,
		      unsigned int width)
{
	struct text_flow f = { t->out, width, indent, indent, false };

	if (width)
		text_flow_words(&f, text);
	else
		text_safe(t->out, text, 0);
}

static void text_sentence(const struct text_writer *t, const struct report_part *p)
{
	unsigned int width = t->r->width ? t->r->width : REPORT_WIDTH;
	struct text_flow f = { t->out, width, t->indent + (t->r->look ? 2 : 0), t->indent, false };

	fprintf(t->out, "%*s%s", (int)t->indent, "", text_tone(t, p->tone));
	if (p->name) {
		text_safe(t->out, p->text, 0);
		text_safe(t->out, p->name, 0);
	} else {
		text_flow_words(&f, p->text);
	}
	text_end_tone(t, p->tone);
}

static void text_heading(const struct text_writer *t, const struct report_part *p)
{
	struct text_flow f = { t->out, t->r->width, 2, 0, false };
	char *text = NULL;

	if (asprintf(&text, p->name ? "%s (%s)" : "%s%s", p->text, p->name ? p->name : "") < 0) {
		text_short();
		return;
	}
	fputs(text_paint(t, TEXT_TITLE), t->out);
	text_flow_words(&f, text);
	fprintf(t->out, "%s\n", text_paint(t, TEXT_PLAIN));
	free(text);
}

/* What is known about a recording has a colon behind each name. */
static void text_facts(const struct text_writer *t, const struct report_part *p)
{
	bool about = p->tone == REPORT_SOFT;
	size_t i, width = about ? ABOUT_WIDTH : t->r->look ? FACT_WIDTH : 0;

	for (i = 0; i < p->n_facts; i++)
		width = strlen(p->facts[i].name) > width ? strlen(p->facts[i].name) : width;
	for (i = 0; i < p->n_facts; i++) {
		fprintf(t->out, "%*s%s%s%s%*s", (int)t->indent, "", text_tone(t, p->tone),
			p->facts[i].name, about ? ":" : "",
			(int)(width - strlen(p->facts[i].name) + (about ? 0 : 2)), "");
		text_wrap(t, p->facts[i].text, t->indent + width + (about ? 1 : 2), t->r->width);
		text_end_tone(t, p->tone);
	}
}

/* ---- results ---- */

static void text_words_of_result(const struct text_writer *t, const char *words)
{
	fprintf(t->out, "%*s", VERDICT_INDENT, "");
	text_wrap(t, words, VERDICT_INDENT, t->r->width);
	fputc('\n', t->out);
}

static void text_results(const struct text_writer *t)
{
	const struct report_result *x;

	for (x = t->r->results; x < t->r->results + t->r->n_results; x++) {
		fprintf(t->out, "%-*s", VERDICT_INDENT, check_verdict_name(x->verdict));
		text_safe(t->out, x->name, 0);
		fprintf(t->out, ": %s\n", x->rule);
		text_words_of_result(t, x->why);
		if (*x->next)
			text_words_of_result(t, x->next);
		if (x->methods)
			text_words_of_result(t, x->methods);
	}
}

/* ---- ledgers ---- */

/* A new line for each but the terms of a sum. */
static void ledger_line(const struct text_writer *t, struct text_flow *f, bool first)
{
	if (!first)
		fprintf(t->out, "\n%*s", (int)(t->indent + LEDGER_INDENT - INDENT), "");
	f->column = f->indent - 4;
	f->begun = false;
}

static void ledger_term(struct text_flow *f, const struct report_term *x)
{
	char n[UNITS_TEXT];

	units_count(n, x->n);
	if (strlen(x->label) <= TERM_WHOLE) {
		text_flow_add(f, "%s%s%s %s", x->sign, *x->sign ? " " : "", n, x->label);
		return;
	}
	text_flow_add(f, "%s%s%s", x->sign, *x->sign ? " " : "", n);
	text_flow_words(f, x->label);
}

/* "(by kfree 3, pages 5)" */
static void ledger_by(struct text_flow *f, const struct report_term *x,
		      const struct report_term *end)
{
	bool first = strcmp(x[-1].sign, "by"),
	     last = x + 1 == end || !x[1].sign || strcmp(x[1].sign, "by");
	char n[UNITS_TEXT];

	text_flow_add(f, "%s%s %s%s", first ? "(by " : "", x->label, units_count(n, x->n),
		      last ? ")" : ",");
}

static void ledger_aside(struct text_flow *f, const struct report_term *x)
{
	char n[UNITS_TEXT], *label = NULL;

	if (*x->sign == '+')
		text_flow_add(f, "%s", units_count(n, x->n));
	else
		text_flow_add(f, "%s %s", x->sign, units_count(n, x->n));
	if (asprintf(&label, "%s:", x->label) < 0) {
		text_short();
		return;
	}
	text_flow_words(f, label);
	text_flow_words(f, x->explain);
	free(label);
}

/* What has to be explained of a sum, below it. */
static void ledger_below(const struct text_writer *t, struct text_flow *f,
			 const struct report_term **from, const struct report_term *end)
{
	for (; *from < end; ++*from) {
		if (!(*from)->below)
			continue;
		ledger_line(t, f, false);
		ledger_aside(f, *from);
	}
}

static void text_ledger(const struct text_writer *t, const struct report_part *p)
{
	const struct report_term *x, *end = p->ledger.terms + p->ledger.n, *sum = p->ledger.terms;
	struct text_flow f = { .out = t->out,
			       .width = t->r->width,
			       .indent = t->indent + LEDGER_INDENT + 4 - INDENT };

	fprintf(t->out, "%*s", (int)t->indent, "");
	text_safe(t->out, p->text, 0);
	if (text_width(p->text) < LEDGER_INDENT - INDENT)
		fprintf(t->out, "%*s", (int)(LEDGER_INDENT - INDENT - text_width(p->text)), "");
	else
		ledger_line(t, &f, false);
	for (x = p->ledger.terms; x < end; x++) {
		if (!x->sign || !*x->sign || *x->sign == 'a' || *x->sign == 's') {
			ledger_below(t, &f, &sum, x);
			ledger_line(t, &f, x == p->ledger.terms);
		}
		if (!x->sign)
			text_flow_words(&f, x->explain);
		else if (*x->sign == 'b')
			ledger_by(&f, x, end);
		else if (*x->sign == 'a' || *x->sign == 's')
			ledger_aside(&f, x);
		else
			ledger_term(&f, x);
	}
	ledger_below(t, &f, &sum, end);
	ledger_line(t, &f, false);
	fputs(text_tone(t, p->ledger.good ? REPORT_GOOD : REPORT_BAD), t->out);
	text_flow_words(&f, p->ledger.verdict);
	text_end_tone(t, REPORT_GOOD);
}

/* ---- all of it ---- */

/*
 * Blank lines stand between parts, but not after a title, between sentences, before notes, or
 * between a sentence that is none and its table.
 */
static void text_gap(const struct text_writer *t, const struct report_part *p)
{
	bool sentence = p->kind == REPORT_SENTENCE, note = t->r->look && p->tone == REPORT_SOFT;

	if (t->last < 0 || p->kind == REPORT_END || t->last == REPORT_TITLE ||
	    t->last == REPORT_HEADING)
		return;
	if (sentence &&
	    (t->last == REPORT_BEGIN || t->last == REPORT_SENTENCE || t->last == REPORT_RESULTS))
		return;
	if (note && (sentence || p->kind == REPORT_FACTS))
		return;
	if (t->r->look && p->kind == REPORT_TABLE && t->last == REPORT_SENTENCE && !t->noted)
		return;
	fputc('\n', t->out);
}

static void text_title(const struct text_writer *t, const struct report_part *p)
{
	fprintf(t->out, "%s== ", text_paint(t, TEXT_TITLE));
	text_safe(t->out, p->name, 0);
	fprintf(t->out, " ==%s\n", text_paint(t, TEXT_PLAIN));
}

static void text_begin(struct text_writer *t, const struct report_part *p)
{
	struct text_flow f = { t->out, t->r->width, INDENT, 0, false };

	if (p->text) {
		fputs(text_paint(t, TEXT_TITLE), t->out);
		text_flow_add(&f, "%s:", p->name);
		fputs(text_paint(t, TEXT_PLAIN), t->out);
		text_flow_words(&f, p->text);
	} else {
		text_safe(t->out, p->name, 0);
	}
	fputc('\n', t->out);
	t->indent = INDENT;
}

static void text_any_part(struct text_writer *t, const struct report_part *p)
{
	if (p->page)
		return;
	text_gap(t, p);
	switch (p->kind) {
	case REPORT_TITLE:
		text_title(t, p);
		break;
	case REPORT_HEADING:
		text_heading(t, p);
		break;
	case REPORT_LEDGER:
		text_ledger(t, p);
		break;
	case REPORT_LABEL:
	case REPORT_CHART:
	case REPORT_STRIPS:
	case REPORT_FLAMES:
	case REPORT_BOXES:
	case REPORT_KEYS:
	case REPORT_RUNS:
	case REPORT_FOLD:
	case REPORT_UNFOLD: /* only pages have them */
		break;
	case REPORT_BEGIN:
		text_begin(t, p);
		break;
	case REPORT_FIGURES:
		text_figures(t, p);
		break;
	case REPORT_DRAWINGS:
		t->err = text_drawings(t, &p->drawings);
		break;
	case REPORT_END:
		t->indent = 0;
		break;
	case REPORT_SENTENCE:
		text_sentence(t, p);
		break;
	case REPORT_FACTS:
		text_facts(t, p);
		break;
	case REPORT_TABLE:
		text_table(t, &p->table);
		break;
	case REPORT_SERIES:
		text_series(t->out, &p->series);
		break;
	case REPORT_RESULTS:
		text_results(t);
		break;
	}
	t->last = p->kind;
	t->noted = p->tone == REPORT_SOFT;
}

/* @first: the part to begin with */
static int text_write(FILE *out, const struct report *r, unsigned int ranges, size_t first)
{
	struct text_writer t = { .out = out, .r = r, .ranges = ranges, .last = -1 };
	size_t i;

	if (r->look && r->look->titled && r->look->continued)
		fputc('\n', out);
	for (i = first; !t.err && i < r->n; i++)
		text_any_part(&t, &r->parts[i]);
	if (r->look && r->look->period)
		fputc('\n', out);
	return r->err || t.err || ferror(out) ? -EIO : 0;
}

/* Lines of a text from a part on, or 0. */
static unsigned int text_height(const struct report *r, unsigned int ranges, size_t first)
{
	unsigned int lines = 0;
	char *text = NULL, *p;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || text_write(out, r, ranges, first) | fclose(out) || !text) {
		free(text);
		return 0;
	}
	for (p = text; (p = strchr(p, '\n')); p++)
		lines++;
	free(text);
	return lines;
}

/* The part with which the last section shows its figures. */
static size_t text_last_figures(const struct report *r)
{
	size_t i, found = 0;

	for (i = 0; i < r->n; i++)
		if (r->parts[i].kind == REPORT_FIGURES)
			found = i;
	return found;
}

/* The most ranges with which the text from a part on fits the screen, or 0. */
static unsigned int text_fitting(const struct report *r, size_t first)
{
	unsigned int ranges, most = r->look->height - 1;

	for (ranges = RANGES_MAX; ranges >= RANGES_LEAST; ranges--)
		if (text_height(r, ranges, first) <= most)
			return ranges;
	return 0;
}

/*
 * On a small screen the ranges of a distribution are merged further, so that its figures and its
 * ledger are seen together. A line stays for the prompt. Of what is longer all the same, such as
 * one with a table of keys, the end is seen: from the last figures on. If that does not fit
 * either, it stays as it is.
 */
static unsigned int text_ranges(const struct report *r)
{
	unsigned int ranges = text_fitting(r, 0);

	if (!ranges)
		ranges = text_fitting(r, text_last_figures(r));
	return ranges ? ranges : RANGES_MAX;
}

static bool text_is_merged(const struct report *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->parts[i].kind == REPORT_DRAWINGS && !r->parts[i].drawings.slots)
			return true;
	return false;
}

int format_text(FILE *out, const struct report *r)
{
	bool fits = r->look && r->look->height > 1 && text_is_merged(r);

	return text_write(out, r, fits ? text_ranges(r) : RANGES_MAX, 0);
}
