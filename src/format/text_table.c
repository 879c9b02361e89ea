// SPDX-License-Identifier: GPL-2.0-only
/* text_table.c - a table in columns that fit their contents; a name gets what they leave. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/writer.h"
#include "util/text.h"

#define COLUMNS_MAX 12
#define NAME_MIN 12
#define SPAN_WIDTH 21 /* columns of a drawing, odd */
#define BAR_WIDTH 6
#define NAME_PARTS 8

/* The columns of a table as they are laid out. */
struct text_layout {
	const struct report_table *t;
	unsigned int width[COLUMNS_MAX];
	unsigned int note[COLUMNS_MAX];
	bool apart; /* names that lead have a line of their own */
	bool whole; /* which is not cut, since two would read the same */
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

	if (!n) {
		l->blanks += BAR_WIDTH;
		return;
	}
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

/* Cut the longest part again and again, so that every part stays in sight. "by" is no part. */
static void text_name_parts(FILE *out, const char *name, const char *between, unsigned int width)
{
	char *parts[NAME_PARTS], *copy = strdup(name), *next;
	unsigned int widths[NAME_PARTS], by = strncmp(name, "by ", 3) ? 0 : 3, all = by;
	size_t n = 0, i, longest;

	if (!copy)
		text_short();
	for (next = copy ? copy + by : NULL; next && n < NAME_PARTS; n++) {
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
		fputs(i ? between : by ? "by " : "", out);
		text_last(out, parts[i], widths[i]);
	}
	free(copy);
}

/* A name in columns, of which it may take fewer. */
static void text_cut_name(FILE *out, const struct report_column *column, const char *name,
			  unsigned int width)
{
	if (width && text_width(name) > width && column->parts)
		text_name_parts(out, name, column->parts, width);
	else
		text_last(out, name, width);
}

/* The words of the note follow as long as there is room. */
static void text_name_note(FILE *out, const char *note, unsigned int left)
{
	char *copy = strdup(note ? note : ""), *save, *word;
	unsigned int n;

	if (!copy)
		text_short();
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
	text_cut_name(t->out, column, name ? name : "", width);
	if (cell && (!width || used < width))
		text_name_note(t->out, cell->note, width ? width - used : -1U);
}

/* ---- names that begin the rows ---- */

static const char *text_name_of(const struct report_table *t, size_t row)
{
	const char *name = t->cells[row * t->n_columns].text;

	return name ? name : "";
}

static int text_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A name as it is printed in that width; NULL when out of memory. */
static char *text_printed_name(const struct text_layout *l, size_t row, unsigned int width)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (l->apart)
		text_last(out, text_name_of(l->t, row), width);
	else
		text_cut_name(out, &l->t->columns[0], text_name_of(l->t, row), width);
	fclose(out);
	return text;
}

/* Whether two of the names read the same, since they are cut. */
static bool text_are_alike(const struct text_layout *l, unsigned int width)
{
	char **texts = calloc(l->t->n + 1, sizeof(*texts));
	bool alike = false;
	size_t n = 0, i;

	for (i = 0; texts && i < l->t->n; i++) {
		texts[n] = text_printed_name(l, i, width);
		if (texts[n])
			n++;
		else
			text_short();
	}
	if (texts)
		qsort(texts, n, sizeof(*texts), text_by_name);
	else
		text_short();
	for (i = 1; i < n; i++)
		alike |= !strcmp(texts[i - 1], texts[i]);
	while (n)
		free(texts[--n]);
	free(texts);
	return alike;
}

/* They get what the other columns leave, but no more than they need. */
static unsigned int text_lead_width(const struct text_writer *t, const struct text_layout *l)
{
	unsigned int used = t->indent, most = -1U, need = NAME_MIN;
	size_t c, row;

	for (c = 1; c < l->t->n_columns; c++)
		used += text_taken(l, c);
	if (t->r->width)
		most = t->r->width > used + NAME_MIN ? t->r->width - used : NAME_MIN;
	need = text_wider(need, l->t->columns[0].heading);
	for (row = 0; !l->apart && row < l->t->n; row++)
		need = text_wider(need, text_name_of(l->t, row));
	return need < most ? need : most;
}

static void text_fit_lead(const struct text_writer *t, struct text_layout *l)
{
	l->apart = l->t->columns[0].apart;
	l->width[0] = text_lead_width(t, l);
	if (!l->apart && !text_are_alike(l, l->width[0]))
		return;
	l->apart = true;
	l->whole = text_are_alike(l, t->r->width - t->indent);
	l->width[0] = text_lead_width(t, l);
}

static void text_lead(const struct text_writer *t, struct text_line *line,
		      const struct text_layout *l, const struct report_cell *cell)
{
	struct text_flow f = { t->out, t->r->width, t->indent + 2, t->indent, false };
	const char *name = cell && cell->text ? cell->text : l->t->columns[0].heading;
	unsigned int n = text_width(name), width = l->width[0];

	fprintf(t->out, "%*s", (int)line->blanks, "");
	if (cell && l->apart) {
		if (l->whole)
			text_flow_words(&f, name);
		else
			text_last(t->out, name, t->r->width - t->indent);
		fprintf(t->out, "\n%*s", (int)t->indent, "");
		n = 0;
	} else {
		text_cut_name(t->out, &l->t->columns[0], name, width);
	}
	line->blanks = (n < width ? width - n : 0) + 2;
}

/* ---- rows ---- */

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
		if (layout->t->columns[c].lead) {
			text_lead(t, &l, layout, cells);
			continue;
		}
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

void text_table(const struct text_writer *t, const struct report_table *table)
{
	struct text_layout l = text_measure(table);
	size_t c, end = table->n_columns, below = end;
	unsigned int used = t->indent;

	if (table->columns[0].lead)
		text_fit_lead(t, &l);
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
