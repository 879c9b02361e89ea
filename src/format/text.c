// SPDX-License-Identifier: GPL-2.0-only
/* text.c - a report for people at a terminal. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "util/text.h"

#define COLUMNS_MAX 12
#define NAME_MIN 12
#define INDENT 2 /* of what is in a section */
#define VERDICT_INDENT 14
#define SPAN_WIDTH 21 /* columns of a drawing, odd */
#define BAR_WIDTH 6
#define NAME_PARTS 8
#define LEDGER_INDENT 10 /* of the terms, behind the name */
#define ABOUT_WIDTH 9 /* of the names of facts about a recording */
#define TERM_WHOLE 32 /* bytes of a label that is not wrapped */

/* A text that is being written. */
struct text_writer {
	FILE *out;
	const struct report *r;
	unsigned int indent;
	int last; /* kind of the part before, or -1 */
};

static const char *text_paint(const struct text_writer *t, enum text_color color)
{
	return t->r->look ? text_color(t->r->look->color, color) : "";
}

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

	if (asprintf(&text, p->name ? "%s (%s)" : "%s%s", p->text, p->name ? p->name : "") < 0)
		return;
	fputs(text_paint(t, TEXT_TITLE), t->out);
	text_flow_words(&f, text);
	fprintf(t->out, "%s\n", text_paint(t, TEXT_PLAIN));
	free(text);
}

/* What is known about a recording has a colon behind each name. */
static void text_facts(const struct text_writer *t, const struct report_part *p)
{
	bool about = p->tone == REPORT_SOFT;
	size_t i, width = about ? ABOUT_WIDTH : 0;

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

/* ---- tables ---- */

/* The columns of a table as they are laid out. */
struct text_layout {
	const struct report_table *t;
	unsigned int width[COLUMNS_MAX];
	unsigned int note[COLUMNS_MAX];
};

/* A line whose blanks are written when something follows them. */
struct text_line {
	FILE *out;
	unsigned int blanks;
};

static void text_put(struct text_line *l, const char *text, unsigned int width, bool right)
{
	unsigned int n = text_width(text ? text : "");
	unsigned int pad = width > n ? width - n : 0;

	l->blanks += right ? pad : 0;
	if (n) {
		fprintf(l->out, "%*s", (int)l->blanks, "");
		text_safe(l->out, text, 0);
		l->blanks = 0;
	}
	l->blanks += right ? 0 : pad;
}

static bool text_shows(const struct report_table *t, size_t row)
{
	return !t->brief || t->brief[row];
}

/* A text may run over the empty cells behind it. */
static bool text_is_last(const struct report_table *t, const struct report_cell *row, size_t c)
{
	while (++c < t->n_columns)
		if ((row[c].text && *row[c].text) || row[c].note || row[c].span.scale > 0)
			return false;
	return t->columns[c - 1].kind == REPORT_SPAN;
}

static unsigned int text_wider(unsigned int width, const char *text)
{
	unsigned int n = text ? text_width(text) : 0;

	return n > width ? n : width;
}

static struct text_layout text_measure(const struct report_table *t)
{
	struct text_layout l = { .t = t };
	const struct report_cell *cells;
	size_t row, c;

	for (c = 0; c < t->n_columns && c < COLUMNS_MAX; c++) {
		if (t->columns[c].kind == REPORT_SPAN || t->columns[c].kind == REPORT_BAR) {
			l.width[c] = t->columns[c].kind == REPORT_BAR ? BAR_WIDTH : SPAN_WIDTH;
			continue;
		}
		l.width[c] = strlen(t->columns[c].heading);
		l.note[c] = t->columns[c].note ? strlen(t->columns[c].note) : 0;
		for (row = 0; row < t->n; row++) {
			cells = &t->cells[row * t->n_columns];
			if (!text_shows(t, row) || text_is_last(t, cells, c))
				continue;
			l.width[c] = text_wider(l.width[c], cells[c].text);
			l.note[c] = text_wider(l.note[c], cells[c].note);
		}
	}
	return l;
}

static unsigned int text_taken(const struct text_layout *l, size_t c)
{
	if (l->t->columns[c].page)
		return 0;
	return 2 + l->width[c] + (l->t->columns[c].note ? 2 + l->note[c] : 0);
}

/* "|" is no change, "=" where the change may lie, "#" the change. */
static void text_span(struct text_line *l, const struct report_span *s)
{
	char text[SPAN_WIDTH + 1];
	int mid = SPAN_WIDTH / 2, i, lo, hi;

	if (s->scale <= 0) {
		l->blanks += SPAN_WIDTH;
		return;
	}
	memset(text, ' ', SPAN_WIDTH);
	text[SPAN_WIDTH] = '\0';
	text[mid] = '|';
	lo = mid + lround(fmax(s->lo / s->scale, -1) * mid);
	hi = mid + lround(fmin(s->hi / s->scale, 1) * mid);
	for (i = lo; i <= hi; i++)
		text[i] = i == mid ? '+' : '=';
	text[mid + lround(fmin(fmax(s->at / s->scale, -1), 1) * mid)] = '#';
	for (i = SPAN_WIDTH; i && text[i - 1] == ' '; i--)
		text[i - 1] = '\0';
	for (i = 0; text[i] == ' '; i++)
		l->blanks++;
	text_put(l, text + i, SPAN_WIDTH - i, false);
}

static void text_bar(const struct text_writer *t, struct text_line *l, const struct report_span *s)
{
	unsigned int n = s->at * BAR_WIDTH + 0.5, i;

	fprintf(l->out, "%*s%s", (int)l->blanks, "", text_paint(t, TEXT_BAR));
	for (i = 0; i < n; i++)
		fputs(t->r->look && t->r->look->bars ? "\u2588" : "#", l->out);
	fputs(text_paint(t, TEXT_PLAIN), l->out);
	l->blanks = BAR_WIDTH - n;
}

/* A cell, or with @cell NULL the heading. */
static void text_cell_of(const struct text_writer *t, struct text_line *l,
			 const struct text_layout *layout, size_t c, const struct report_cell *cell)
{
	const struct report_column *column = &layout->t->columns[c];

	if (column->page)
		return;
	if (column->kind == REPORT_BAR && cell)
		text_bar(t, l, &cell->span);
	else if (column->kind == REPORT_BAR)
		l->blanks += BAR_WIDTH;
	else if (column->kind == REPORT_SPAN && cell)
		text_span(l, &cell->span);
	else if (column->kind != REPORT_SPAN)
		text_put(l, cell ? cell->text : column->heading, layout->width[c],
			 column->kind == REPORT_NUMBER);
	if (column->note) {
		l->blanks += 2;
		text_put(l, cell ? cell->note : column->note, layout->note[c], false);
	}
	l->blanks += 2;
}

/* Cut the longest part again and again, so that every part stays in sight. */
static void text_name_parts(FILE *out, const char *name, const char *between, unsigned int width)
{
	char *parts[NAME_PARTS], *copy = strdup(name), *next;
	unsigned int widths[NAME_PARTS], all = 0;
	size_t n = 0, i, longest;

	for (next = copy; next && n < NAME_PARTS; n++) {
		parts[n] = next;
		next = n + 1 < NAME_PARTS ? strstr(next, between) : NULL;
		if (next)
			*next = '\0';
		next = next ? next + strlen(between) : NULL;
		all += widths[n] = text_width(parts[n]);
		all += n ? strlen(between) : 0;
	}
	while (n && all > width) {
		for (i = 1, longest = 0; i < n; i++)
			longest = widths[i] > widths[longest] ? i : longest;
		if (widths[longest] < 2)
			break;
		widths[longest]--;
		all--;
	}
	for (i = 0; i < n; i++) {
		fputs(i ? between : "", out);
		text_last(out, parts[i], widths[i]);
	}
	free(copy);
}

/* The words of the note follow as long as there is room. */
static void text_name_note(FILE *out, const char *note, unsigned int left)
{
	char *copy = strdup(note ? note : ""), *save, *word;
	unsigned int n;

	for (word = copy ? strtok_r(copy, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save)) {
		n = 1 + text_width(word);
		if (n > left)
			break;
		fputc(' ', out);
		text_safe(out, word, 0);
		left -= n;
	}
	free(copy);
}

static void text_name(const struct text_writer *t, const struct report_column *column,
		      const struct report_cell *cell, unsigned int width)
{
	const char *name = cell ? cell->text : column->heading;
	unsigned int used = name ? text_width(name) : 0;

	if (!t->r->width)
		width = 0;
	if (width && used > width && column->parts && cell)
		text_name_parts(t->out, name, column->parts, width);
	else
		text_last(t->out, name, width);
	if (cell && (!width || used < width))
		text_name_note(t->out, cell->note, width ? width - used : -1U);
}

/* Columns from @first to before @end; a name comes last, since it may have any length. */
static void text_row(const struct text_writer *t, const struct text_layout *layout, size_t first,
		     size_t end, const struct report_cell *cells)
{
	struct text_line l = { t->out, t->indent };
	size_t c, name = layout->t->n_columns;
	unsigned int used = t->indent, left;

	if (first)
		text_cell_of(t, &l, layout, 0, cells);
	for (c = first; c < end; c++) {
		if (layout->t->columns[c].kind == REPORT_NAME) {
			name = c;
			continue;
		}
		text_cell_of(t, &l, layout, c, cells ? &cells[c] : NULL);
		used += text_taken(layout, c);
	}
	if (name < layout->t->n_columns) {
		left = t->r->width > used + NAME_MIN ? t->r->width - used : NAME_MIN;
		fprintf(t->out, "%*s", (int)l.blanks, "");
		text_name(t, &layout->t->columns[name], cells ? &cells[name] : NULL, left);
	}
}

static void text_rows(const struct text_writer *t, const struct text_layout *l, size_t first,
		      size_t end)
{
	size_t row;

	fputs(text_paint(t, TEXT_FAINT), t->out);
	text_row(t, l, first, end, NULL);
	fprintf(t->out, "%s\n", text_paint(t, TEXT_PLAIN));
	for (row = 0; row < l->t->n; row++) {
		if (!text_shows(l->t, row))
			continue;
		text_row(t, l, first, end, &l->t->cells[row * l->t->n_columns]);
		fputc('\n', t->out);
	}
}

static void text_table(const struct text_writer *t, const struct report_table *table)
{
	struct text_layout l = text_measure(table);
	size_t c, end = table->n_columns, below = end;
	unsigned int used = t->indent;

	for (c = 0; c < end; c++) {
		used += text_taken(&l, c);
		if (table->columns[c].below)
			below = c;
	}
	if (t->r->width && used > t->r->width + 2 && below < end) {
		text_rows(t, &l, 0, below);
		fputc('\n', t->out);
		text_rows(t, &l, below, end);
	} else {
		text_rows(t, &l, 0, end);
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

	text_flow_add(f, "%s %s", x->sign, units_count(n, x->n));
	if (asprintf(&label, "%s:", x->label) < 0)
		return;
	text_flow_words(f, label);
	text_flow_words(f, x->explain);
	free(label);
}

static void text_ledger(const struct text_writer *t, const struct report_part *p)
{
	const struct report_term *x, *end = p->ledger.terms + p->ledger.n;
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
		if (!x->sign || !*x->sign || *x->sign == 'a' || *x->sign == 's')
			ledger_line(t, &f, x == p->ledger.terms);
		if (!x->sign)
			text_flow_words(&f, x->explain);
		else if (*x->sign == 'b')
			ledger_by(&f, x, end);
		else if (*x->sign == 'a' || *x->sign == 's')
			ledger_aside(&f, x);
		else
			ledger_term(&f, x);
	}
	ledger_line(t, &f, false);
	fputs(text_tone(t, p->ledger.good ? REPORT_GOOD : REPORT_BAD), t->out);
	text_flow_words(&f, p->ledger.verdict);
	text_end_tone(t, REPORT_GOOD);
}

/* ---- all of it ---- */

/* Blank lines stand between parts, but not after a title, between sentences, or before notes. */
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
	if (t->r->look && p->kind == REPORT_TABLE && t->last == REPORT_SENTENCE)
		return;
	fputc('\n', t->out);
}

static void text_title(const struct text_writer *t, const struct report_part *p)
{
	fprintf(t->out, "%s== ", text_paint(t, TEXT_TITLE));
	text_safe(t->out, p->name, 0);
	fprintf(t->out, " ==%s\n", text_paint(t, TEXT_PLAIN));
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
	case REPORT_FIGURES:
	case REPORT_CHART:
	case REPORT_STRIPS:
	case REPORT_FLAMES:
	case REPORT_BOXES:
	case REPORT_DRAWINGS:
	case REPORT_KEYS:
	case REPORT_RUNS:
	case REPORT_FOLD:
	case REPORT_UNFOLD: /* only pages have them */
		break;
	case REPORT_BEGIN:
		text_safe(t->out, p->name, 0);
		fputc('\n', t->out);
		t->indent = INDENT;
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
}

int format_text(FILE *out, const struct report *r)
{
	struct text_writer t = { out, r, 0, -1 };
	size_t i;

	if (r->look && r->look->titled && r->look->continued)
		fputc('\n', out);
	for (i = 0; i < r->n; i++)
		text_any_part(&t, &r->parts[i]);
	if (r->look && r->look->period)
		fputc('\n', out);
	return r->err || ferror(out) ? -EIO : 0;
}
