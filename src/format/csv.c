// SPDX-License-Identifier: GPL-2.0-only
/* csv.c - the rows of a report as CSV by RFC 4180. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "util/safe_str.h"

#define CSV_END "\r\n"

struct csv_rows {
	struct report_rows rows;
	FILE *out;
	bool continued; /* the names of the columns stand before */
	bool headed; /* they were told */
	bool failed; /* there was no memory for a cell */
};

/* Nearly all cells are numbers: fprintf for each of them would take most of the time. */
static void csv_number(FILE *out, uint64_t n)
{
	char text[24], *end = text + sizeof(text), *p = end;

	do
		*--p = '0' + n % 10;
	while (n /= 10);
	fwrite(p, 1, end - p, out);
}

/*
 * Any bytes, quoted, with quotes doubled. A cell that a spreadsheet would run as a formula gets an
 * apostrophe in front, which makes it text.
 */
static bool csv_text(FILE *out, const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *safe = malloc(size), *p;

	if (!safe)
		return false;
	safe_str(safe, size, text);
	fputc('"', out);
	if (*safe && strchr("=+-@", *safe))
		fputc('\'', out);
	for (p = safe; *p; p++) {
		if (*p == '"')
			putc_unlocked('"', out);
		putc_unlocked(*p, out);
	}
	fputc('"', out);
	free(safe);
	return true;
}

static void csv_cell(struct csv_rows *x, const struct report_value *v)
{
	if (v->kind == REPORT_COUNT)
		csv_number(x->out, v->n);
	else if (v->kind == REPORT_WORD)
		fputs(v->text, x->out);
	else if (v->kind == REPORT_TEXT && v->text)
		x->failed |= !csv_text(x->out, v->text);
}

static void csv_row(struct report_rows *to, const struct report_value *cells, size_t n)
{
	struct csv_rows *x = (struct csv_rows *)to;
	bool headed = x->headed;
	size_t i;

	x->headed = true;
	if (!headed && x->continued)
		return;
	for (i = 0; i < n; i++) {
		if (!cells[i].name)
			continue;
		if (i)
			putc_unlocked(',', x->out);
		if (headed)
			csv_cell(x, &cells[i]);
		else
			fputs(cells[i].name, x->out);
	}
	fputs(CSV_END, x->out);
}

int format_csv(FILE *out, const struct report *r)
{
	struct csv_rows x = { .rows.row = csv_row, .out = out, .continued = r->look->continued };
	int err = r->err ? r->err : r->rows(r, &x.rows);

	if (!err && x.failed)
		return -ENOMEM;
	return err || ferror(out) ? -EIO : 0;
}
