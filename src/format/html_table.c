// SPDX-License-Identifier: GPL-2.0-only
/* html_table.c - a table of a page. Changes with intervals are drawn below it, where they fit. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"
#include "util/text.h"

#define BAR_WIDTH 110
#define BAR_HEIGHT 14

static void html_bar(FILE *out, const char *label, const struct report_span *s)
{
	double end = s->at * BAR_WIDTH, lo = s->lo * BAR_WIDTH;

	fprintf(out,
		"<td class=\"text bar\"><svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"width=\"%d\" height=\"%d\" aria-label=\"%s\">"
		"<rect class=\"bar\" width=\"%.1f\" height=\"%d\"/>"
		"<rect class=\"dot\" x=\"%.1f\" width=\"%.1f\" height=\"%d\"/></svg></td>",
		BAR_WIDTH, BAR_HEIGHT, label, end > 0 ? fmax(end, 1) : 0, BAR_HEIGHT, lo, end - lo,
		BAR_HEIGHT);
}

#define UNIT_MAX 3 /* letters, as in "KiB" */

static bool html_stays(char before, const char *after)
{
	if (isdigit((unsigned char)before))
		return isalpha((unsigned char)*after) && strcspn(after, " ") <= UNIT_MAX;
	return isalpha((unsigned char)before) && !strncmp(after, "..", 2);
}

/* Where a narrow page breaks lines, figures stay with their units, and ranges with their dots. */
static void html_figures(FILE *out, const char *text)
{
	char *copy = strdup(text ? text : ""), *begin = copy, *p = copy;

	if (!copy)
		text_short();
	while (p && (p = strchr(p, ' '))) {
		if (p > begin && html_stays(p[-1], p + 1)) {
			*p = '\0';
			html_text(out, begin);
			fputs("&#160;", out);
			begin = p + 1;
		}
		p++;
	}
	html_text(out, begin);
	free(copy);
}

static bool html_is_words(const struct report_column *column)
{
	return column->kind == REPORT_WORDS || column->kind == REPORT_UNDER;
}

static void html_cell(FILE *out, const struct report_column *column, const struct report_cell *cell)
{
	bool name = column->kind == REPORT_NAME;

	if (column->kind == REPORT_BAR) {
		html_bar(out, column->heading, &cell->span);
		return;
	}
	fputs(name || column->kind == REPORT_LONG ? "<td class=\"text long\">"
	      : html_is_words(column)             ? "<td class=\"text\">"
						  : "<td>",
	      out);
	if (cell->to)
		fprintf(out, "<a href=\"#r%u\">", cell->to);
	if (name || column->kind == REPORT_LONG)
		html_text(out, cell->text);
	else
		html_figures(out, cell->text);
	fputs(cell->to ? "</a>" : "", out);
	if (cell->note) {
		fprintf(out, "%s<span class=\"soft\">", name ? " " : "<br>");
		if (name)
			html_text(out, cell->note);
		else
			html_figures(out, cell->note);
		fputs("</span>", out);
	}
	fputs("</td>", out);
}

static void html_column(FILE *out, const struct report_column *c)
{
	fputs(c->kind == REPORT_NAME                       ? "<th class=\"name\">"
	      : c->kind == REPORT_BAR                      ? "<th class=\"bar\">"
	      : html_is_words(c) || c->kind == REPORT_LONG ? "<th class=\"text\">"
							   : "<th>",
	      out);
	html_text(out, c->kind == REPORT_BAR ? "" : c->heading);
	fputs("</th>", out);
}

/* A name comes first: a page has room for it. */
static size_t html_name_column(const struct report_table *t)
{
	size_t c = 0;

	while (c < t->n_columns && t->columns[c].kind != REPORT_NAME)
		c++;
	return c;
}

static void html_row(FILE *out, const struct report_table *t, const struct report_cell *cells)
{
	size_t c, name = html_name_column(t), i;

	fputs("<tr>", out);
	for (i = 0; i < t->n_columns; i++) {
		c = name >= t->n_columns ? i : !i ? name : i <= name ? i - 1 : i;
		if (t->columns[c].kind == REPORT_SPAN)
			continue;
		if (cells)
			html_cell(out, &t->columns[c], &cells[c]);
		else
			html_column(out, &t->columns[c]);
	}
	fputs("</tr>\n", out);
}

/* Where the changes of a table may lie, with one scale for all of them. */
static void html_spans(FILE *out, const struct report_table *t, size_t column)
{
	struct chart_span *rows = calloc(t->n + 1, sizeof(*rows));
	const struct report_span *span;
	double scale = 0;
	size_t i;

	for (i = 0; rows && i < t->n; i++) {
		span = &t->cells[i * t->n_columns + column].span;
		rows[i] = (struct chart_span){ .label = t->cells[i * t->n_columns].text,
					       .known = span->scale > 0,
					       .span = *span };
		scale = fmax(scale, span->scale);
	}
	if (rows && scale > 0) {
		fputs("<h3>Changes, and where they may lie</h3>\n<div class=\"one\">", out);
		chart_spans(&(struct chart){ .out = out, .unit = "auto" },
			    "Changes and their intervals", rows, t->n, scale);
		fputs("</div>\n", out);
	}
	if (!rows)
		text_short();
	free(rows);
}

void html_table(FILE *out, const struct report_table *t)
{
	size_t row, c;

	if (t->folded)
		fprintf(out, "<details><summary>%s</summary>", t->folded);
	fprintf(out, "<div class=\"wide\"><table%s>\n",
		t->columns[t->n_columns - 1].kind == REPORT_UNDER ? " class=\"under\"" : "");
	html_row(out, t, NULL);
	for (row = 0; row < t->n; row++)
		html_row(out, t, &t->cells[row * t->n_columns]);
	fprintf(out, "</table></div>%s\n", t->folded ? "</details>" : "");
	for (c = 0; c < t->n_columns; c++)
		if (t->columns[c].kind == REPORT_SPAN)
			html_spans(out, t, c);
}
