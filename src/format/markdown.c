// SPDX-License-Identifier: GPL-2.0-only
/* markdown.c - a report for a pull request. */
#include <errno.h>
#include <string.h>

#include "format/priv.h"
#include "util/safe_str.h"

#define NAME_SHOWN 512

/* As code, in which nothing is marked up; a backtick would end it, a bar the cell. */
static void markdown_code(FILE *out, const char *name)
{
	char buf[NAME_SHOWN];
	const char *p;

	fputc('`', out);
	for (p = safe_str(buf, sizeof(buf), name); *p; p++)
		fputc(*p == '`' || *p == '|' ? '_' : *p, out);
	fputc('`', out);
}

static void markdown_cell(FILE *out, const struct report_column *column,
			  const struct report_cell *cell)
{
	fputc(' ', out);
	if (column->kind == REPORT_NAME)
		markdown_code(out, cell->text);
	else if (cell->text)
		fputs(cell->text, out);
	if (cell->note)
		fprintf(out, " (%s)", cell->note);
	fputs(" |", out);
}

static void markdown_table(FILE *out, const struct report_table *t)
{
	size_t row, c;

	fputc('|', out);
	for (c = 0; c < t->n_columns; c++)
		if (t->columns[c].kind != REPORT_SPAN)
			fprintf(out, " %s |", t->columns[c].heading);
	fputs("\n|", out);
	for (c = 0; c < t->n_columns; c++)
		if (t->columns[c].kind != REPORT_SPAN)
			fputs(c ? " ---: |" : " --- |", out);
	fputc('\n', out);
	for (row = 0; row < t->n; row++) {
		fputc('|', out);
		for (c = 0; c < t->n_columns; c++)
			if (t->columns[c].kind != REPORT_SPAN)
				markdown_cell(out, &t->columns[c],
					      &t->cells[row * t->n_columns + c]);
		fputc('\n', out);
	}
}

static void markdown_part(FILE *out, const struct report_part *p)
{
	size_t i;

	if (p->kind == REPORT_BEGIN) {
		fputs("### ", out);
		markdown_code(out, p->name);
		fputc('\n', out);
	} else if (p->kind == REPORT_SENTENCE) {
		fprintf(out, "%s%s", p->name ? "- " : "", p->text);
		if (p->name)
			markdown_code(out, p->name);
		fputc('\n', out);
	} else if (p->kind == REPORT_FACTS) {
		for (i = 0; i < p->n_facts; i++) {
			fprintf(out, "- %s: ", p->facts[i].name);
			markdown_code(out, p->facts[i].text);
			fputc('\n', out);
		}
	} else if (p->kind == REPORT_TABLE) {
		markdown_table(out, &p->table);
	}
}

int format_markdown(FILE *out, const struct report *r)
{
	const struct report_part *p;

	for (p = r->parts; p < r->parts + r->n; p++) {
		if (p->page)
			continue;
		markdown_part(out, p);
		/* Points of one list follow each other. */
		if (p->kind != REPORT_END && !(p->name && p->kind == REPORT_SENTENCE &&
					       p + 1 < r->parts + r->n && p[1].name))
			fputc('\n', out);
	}
	return r->err || ferror(out) ? -EIO : 0;
}
