// SPDX-License-Identifier: GPL-2.0-only
/* diff.c - two sets of recordings of memory events side by side. */
#include "render/kmem/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/html.h"
#include "render/kmem/priv.h"
#include "render/text.h"
#include "util/json.h"
#include "util/safe_str.h"

#define DIFF_FORMAT "kstats-bpf kmem diff"
#define DIFF_VERSION 1
#define NAME_SHOWN 256
#define CELLS 5
#define CELL (UNITS_TEXT + 8)
#define SIGN 1 /* of a change, in front of it */

/* A row as text: before, after, change, count before, count after. */
struct cells {
	char text[CELLS][SIGN + CELL];
};

static const char *unit_words(const struct kmem_compare *c)
{
	return c->per_second ? "per second" : "per recording";
}

static const char *figure_words(enum kmem_sort sort)
{
	static const char *const words[] = {
		[KMEM_SORT_WASTE] = "wasted bytes", [KMEM_SORT_BYTES] = "allocated bytes",
		[KMEM_SORT_COUNT] = "allocations",  [KMEM_SORT_LIVE] = "live bytes",
		[KMEM_SORT_RATE] = "allocations",
	};

	return words[sort];
}

static bool is_bytes(enum kmem_sort sort)
{
	return sort != KMEM_SORT_COUNT && sort != KMEM_SORT_RATE;
}

static double value_a(const struct kmem_compare *c, const struct kmem_change *row)
{
	return kmem_compare_value(&row->a, c->sort) / c->unit_a;
}

static double value_b(const struct kmem_compare *c, const struct kmem_change *row)
{
	return kmem_compare_value(&row->b, c->sort) / c->unit_b;
}

static void put_value(char *to, double v, bool bytes)
{
	char text[UNITS_TEXT];

	if (bytes)
		snprintf(to, CELL, "%s", units_bytes(text, v));
	else
		snprintf(to, CELL, "%s",
			 v < 100 && v != floor(v) ? "" : units_count(text, llround(v)));
	if (!*to)
		snprintf(to, CELL, "%.2f", v);
}

static void fill(const struct kmem_compare *c, const struct kmem_change *row, struct cells *to)
{
	double a = value_a(c, row), b = value_b(c, row);
	bool bytes = is_bytes(c->sort);

	put_value(to->text[0], a, bytes);
	put_value(to->text[1], b, bytes);
	to->text[2][0] = b < a ? '-' : '+';
	put_value(to->text[2] + SIGN, fabs(b - a), bytes);
	put_value(to->text[3], row->a.count / c->unit_a, false);
	put_value(to->text[4], row->b.count / c->unit_b, false);
}

static size_t shown(const struct kmem_compare *c, size_t top)
{
	size_t n;

	for (n = 0; n < c->n && n < top && value_a(c, &c->rows[n]) != value_b(c, &c->rows[n]); n++)
		;
	return n;
}

static size_t changed(const struct kmem_compare *c)
{
	return shown(c, c->n);
}

static void print_kind(FILE *out, const struct kmem_compare *c, const struct kmem_change *row)
{
	fputs(kmem_table_kind(c->group, row->kind), out);
}

/* ---- text ---- */

static void print_total(FILE *out, const struct kmem_compare *c, const struct kmem_change *t)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], pa[UNITS_TEXT], pb[UNITS_TEXT];

	fprintf(out, "%-8s %s -> %s", kmem_kind_name(t->kind),
		units_bytes(a, t->a.alloc / c->unit_a), units_bytes(b, t->b.alloc / c->unit_b));
	if (t->kind != KSTATS_KMEM_PAGES)
		fprintf(out, ", waste %s (%s) -> %s (%s)", units_bytes(a, t->a.waste / c->unit_a),
			units_percent(pa, t->a.waste, t->a.alloc),
			units_bytes(b, t->b.waste / c->unit_b),
			units_percent(pb, t->b.waste, t->b.alloc));
	fputc('\n', out);
}

/* Figures leave out lost events, so say how many there are. */
static void print_lost(FILE *out, const struct kmem_compare *c)
{
	char a[UNITS_TEXT], b[UNITS_TEXT];

	if (c->lost_a || c->lost_b)
		fprintf(out, "LOST %s events before and %s after: skipped, or without room\n",
			units_count(a, c->lost_a), units_count(b, c->lost_b));
}

static void measure(const struct cells *rows, size_t n, const char *const *headings, int *widths)
{
	size_t i;
	int c;

	for (c = 0; c < CELLS; c++) {
		widths[c] = strlen(headings[c]);
		for (i = 0; i < n; i++)
			if ((int)strlen(rows[i].text[c]) > widths[c])
				widths[c] = strlen(rows[i].text[c]);
	}
}

static void print_rows(FILE *out, const struct kmem_compare *c, const struct cells *rows, size_t n)
{
	static const char *const headings[CELLS] = { "before", "after", "change", "count",
						     "after" };
	int widths[CELLS], column, left = 80;
	size_t i;

	measure(rows, n, headings, widths);
	for (column = 0; column < CELLS; column++) {
		fprintf(out, "%*s  ", widths[column], headings[column]);
		left -= widths[column] + 2;
	}
	fprintf(out, "%s\n", kmem_group_names[c->group]);
	left -= strlen(kmem_table_kind(c->group, KSTATS_KMEM_KMALLOC));
	left = left < 12 ? 12 : left;
	for (i = 0; i < n; i++) {
		for (column = 0; column < CELLS; column++)
			fprintf(out, "%*s  ", widths[column], rows[i].text[column]);
		print_kind(out, c, &c->rows[i]);
		text_last(out, c->rows[i].name, left);
		fputc('\n', out);
	}
}

static int render_text(FILE *out, const struct kmem_compare *c, size_t top)
{
	size_t n = shown(c, top), i;
	struct cells *rows = calloc(n + 1, sizeof(*rows));
	int kind;

	if (!rows)
		return -ENOMEM;
	fprintf(out, "%s, before -> after\n%s", unit_words(c),
		c->functions ? "sites are matched by function, since the kernels differ\n" : "");
	for (kind = 1; kind <= KMEM_KINDS; kind++)
		if (c->totals[kind].a.count || c->totals[kind].b.count)
			print_total(out, c, &c->totals[kind]);
	print_lost(out, c);
	fprintf(out, "\n%s by %s, %s: the largest changes, %zu of %zu\n", figure_words(c->sort),
		kmem_group_names[c->group], unit_words(c), n, changed(c));
	for (i = 0; i < n; i++)
		fill(c, &c->rows[i], &rows[i]);
	if (n)
		print_rows(out, c, rows, n);
	if (c->n > changed(c))
		fprintf(out, "%zu without a change\n", c->n - changed(c));
	free(rows);
	return ferror(out) ? -EIO : 0;
}

/* ---- markdown ---- */

/* As code, in which nothing is marked up; a backtick would end it, a bar the cell. */
static void print_code(FILE *out, const char *name)
{
	char buf[NAME_SHOWN];
	const char *p;

	fputc('`', out);
	for (p = safe_str(buf, sizeof(buf), name); *p; p++)
		fputc(*p == '`' || *p == '|' ? '_' : *p, out);
	fputc('`', out);
}

static int render_markdown(FILE *out, const struct kmem_compare *c, size_t top)
{
	size_t n = shown(c, top), i;
	struct cells row;
	int column;

	fprintf(out,
		"%s by %s, %s: the largest changes, %zu of %zu\n\n"
		"| %s | before | after | change | count before | count after |\n"
		"| --- | ---: | ---: | ---: | ---: | ---: |\n",
		figure_words(c->sort), kmem_group_names[c->group], unit_words(c), n, changed(c),
		kmem_group_names[c->group]);
	for (i = 0; i < n; i++) {
		fill(c, &c->rows[i], &row);
		fputs("| ", out);
		print_kind(out, c, &c->rows[i]);
		print_code(out, c->rows[i].name);
		for (column = 0; column < CELLS; column++)
			fprintf(out, " | %s", row.text[column]);
		fputs(" |\n", out);
	}
	fputc('\n', out);
	print_lost(out, c);
	return ferror(out) ? -EIO : 0;
}

/* ---- a page ---- */

static int render_html(FILE *out, const struct kmem_compare *c, size_t top)
{
	size_t n = shown(c, top), i;
	struct cells row;
	int column;

	html_begin(out, "Kernel memory before and after");
	fprintf(out,
		"<h1>Kernel memory before and after</h1>\n<p class=\"soft\">%s by %s, %s: the "
		"largest changes, %zu of %zu.%s</p>\n<section>\n<div class=\"wide\"><table>\n"
		"<tr><th>%s</th><th>before</th><th>after</th><th>change</th>"
		"<th>count before</th><th>count after</th></tr>\n",
		figure_words(c->sort), kmem_group_names[c->group], unit_words(c), n, changed(c),
		c->functions ? " Sites are matched by function, since the kernels differ." : "",
		kmem_group_names[c->group]);
	for (i = 0; i < n; i++) {
		fill(c, &c->rows[i], &row);
		fputs("<tr><td>", out);
		print_kind(out, c, &c->rows[i]);
		html_text(out, c->rows[i].name);
		fputs("</td>", out);
		for (column = 0; column < CELLS; column++)
			fprintf(out, "<td>%s</td>", row.text[column]);
		fputs("</tr>\n", out);
	}
	fputs("</table></div>\n<p class=\"soft\">", out);
	print_lost(out, c);
	fputs("</p>\n</section>\n", out);
	html_end(out);
	return ferror(out) ? -EIO : 0;
}

/* ---- JSON ---- */

static struct json_object *make_side(const struct kmem_sums *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "count", s->count);

	err |= json_add_u64(o, "requested_bytes", s->req);
	err |= json_add_u64(o, "allocated_bytes", s->alloc);
	err |= json_add_u64(o, "wasted_bytes", s->waste);
	err |= json_add_u64(o, "live", s->live);
	err |= json_add_u64(o, "live_allocated_bytes", s->live_alloc);
	return json_made(o, err);
}

static struct json_object *make_row(const struct kmem_change *row)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "kind", kmem_kind_name(row->kind));

	err |= json_add_text(o, "name", row->name);
	err |= json_add(o, "before", make_side(&row->a));
	err |= json_add(o, "after", make_side(&row->b));
	return json_made(o, err);
}

static struct json_object *make_double(double v)
{
	char text[64];

	snprintf(text, sizeof(text), "%.9g", v);
	return json_object_new_double_s(v, text);
}

/* All rows, with the sums of both sides and what they are divided by. */
static int render_json(FILE *out, const struct kmem_compare *c, size_t top)
{
	struct json_object *o = json_object_new_object(), *rows = json_object_new_array();
	struct json_object *totals = json_object_new_array();
	int err = json_add_text(o, "format", DIFF_FORMAT), kind;
	size_t i;

	err |= json_add_u64(o, "version", DIFF_VERSION);
	err |= json_add_text(o, "rows_by", kmem_group_names[c->group]);
	err |= json_add_text(o, "sorted_by", kmem_sort_names[c->sort]);
	err |= json_add(o, "matched_by_function", json_object_new_boolean(c->functions));
	err |= json_add(o, "per_second", json_object_new_boolean(c->per_second));
	err |= json_add_u64(o, "lost_before", c->lost_a);
	err |= json_add_u64(o, "lost_after", c->lost_b);
	err |= json_add(o, "divide_before_by", make_double(c->unit_a));
	err |= json_add(o, "divide_after_by", make_double(c->unit_b));
	for (kind = 1; !err && kind <= KMEM_KINDS; kind++)
		err = json_push(totals, make_row(&c->totals[kind]));
	for (i = 0; !err && i < c->n; i++)
		err = json_push(rows, make_row(&c->rows[i]));
	err |= json_add(o, "totals", totals);
	err |= json_add(o, "rows", rows);
	if (!err)
		err = json_write_line(o, out);
	json_object_put(o);
	return err ? -EIO : 0;
}

const struct kmem_diff_format kmem_diff_formats[] = {
	{ "text", render_text },
	{ "markdown", render_markdown },
	{ "html", render_html },
	{ "json", render_json },
	{},
};

const struct kmem_diff_format *kmem_diff_find(const char *name)
{
	const struct kmem_diff_format *f;

	for (f = kmem_diff_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
