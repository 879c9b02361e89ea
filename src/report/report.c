// SPDX-License-Identifier: GPL-2.0-only
/* report.c - to make a report, and to release it. */
#include "report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void report_free_table(struct report_table *t)
{
	size_t i;

	for (i = 0; i < t->n_cells; i++) {
		free(t->cells[i].text);
		free(t->cells[i].note);
	}
	free(t->cells);
	free(t->columns);
	free(t->brief);
}

static void report_free_series(struct report_series *s)
{
	size_t i;

	for (i = 0; s->points && i < s->n; i++) {
		free(s->points[i].name);
		free(s->points[i].when);
	}
	for (i = 0; s->steps && i < s->n_steps; i++)
		free(s->steps[i].text);
	free(s->points);
	free(s->steps);
}

static void report_free_ledger(struct report_ledger *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->terms[i].label);
		free(l->terms[i].explain);
	}
	free(l->terms);
	free(l->verdict);
}

static void report_free_part(struct report_part *p)
{
	size_t i;

	for (i = 0; i < p->n_facts; i++) {
		free(p->facts[i].text);
		free(p->facts[i].note);
	}
	free(p->facts);
	free(p->text);
	free(p->name);
	report_free_table(&p->table);
	report_free_series(&p->series);
	report_free_ledger(&p->ledger);
	dist_close(&p->chart.dist);
	dist_close(&p->chart.over);
	free(p->chart.bars);
	for (i = 0; p->strips.rows && i < p->strips.n; i++)
		free(p->strips.rows[i].label);
	free(p->strips.rows);
	for (i = 0; i < p->strips.n_parts; i++)
		free(p->strips.parts[i]);
	for (i = 0; p->flames.rows && i < p->flames.n; i++)
		free(p->flames.rows[i].stack);
	free(p->flames.rows);
	free(p->runs.runs);
	free(p->keys.rows);
}

void report_free(struct report *r)
{
	size_t i;

	while (r->n)
		report_free_part(&r->parts[--r->n]);
	for (i = 0; i < r->n_results; i++)
		free(r->results[i].methods);
	report_free_part(&r->about);
	free(r->results);
	free(r->parts);
	if (r->release)
		r->release(r->own);
	*r = (struct report){};
}

/* Room for one more, a power of two at a time. Return: the array, or NULL with the error kept. */
static void *report_grow(struct report *r, void *array, size_t n, size_t size)
{
	void *grown = array;

	if (r->err || (n & (n - 1)))
		return r->err ? NULL : array;
	grown = reallocarray(array, n ? 2 * n : 1, size);
	if (!grown)
		r->err = -ENOMEM;
	return grown;
}

static char *report_copy(struct report *r, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		r->err = -ENOMEM;
	return copy;
}

/* ---- parts ---- */

struct report_part *report_part_add(struct report *r, enum report_part_kind kind)
{
	struct report_part *grown = report_grow(r, r->parts, r->n, sizeof(*r->parts));

	if (!grown)
		return NULL;
	r->parts = grown;
	r->parts[r->n] = (struct report_part){ .kind = kind };
	return &r->parts[r->n++];
}

void report_begin(struct report *r, const char *name)
{
	struct report_part *p = report_part_add(r, REPORT_BEGIN);

	if (p)
		p->name = report_copy(r, name);
}

void report_heading(struct report *r, const char *text, const char *note)
{
	struct report_part *p = report_part_add(r, REPORT_HEADING);

	if (!p)
		return;
	p->text = report_copy(r, text);
	p->name = report_copy(r, note);
}

void report_label(struct report *r, const char *text)
{
	struct report_part *p = report_part_add(r, REPORT_LABEL);

	if (p)
		p->text = report_copy(r, text);
}

void report_end(struct report *r)
{
	report_part_add(r, REPORT_END);
}

/* Text made by printf as that of a part, which may be NULL after a failure. */
static void report_print(struct report *r, struct report_part *p, const char *format, va_list ap)
{
	if (p && vasprintf(&p->text, format, ap) < 0) {
		p->text = NULL;
		r->err = -ENOMEM;
	}
}

void report_say(struct report *r, enum report_tone tone, const char *format, ...)
{
	struct report_part *p = report_part_add(r, REPORT_SENTENCE);
	va_list ap;

	if (p)
		p->tone = tone;
	va_start(ap, format);
	report_print(r, p, format, ap);
	va_end(ap);
}

void report_fold(struct report *r, const char *format, ...)
{
	struct report_part *p = report_part_add(r, REPORT_FOLD);
	va_list ap;

	va_start(ap, format);
	report_print(r, p, format, ap);
	va_end(ap);
}

void report_unfold(struct report *r)
{
	report_part_add(r, REPORT_UNFOLD);
}

void report_name(struct report *r, const char *text, const char *name)
{
	struct report_part *p = report_part_add(r, REPORT_SENTENCE);

	if (!p)
		return;
	p->text = report_copy(r, text);
	p->name = report_copy(r, name);
}

/* The last part if it is of a kind, or NULL. */
static struct report_part *report_last(struct report *r, enum report_part_kind kind)
{
	return r->n && r->parts[r->n - 1].kind == kind ? &r->parts[r->n - 1] : NULL;
}

void report_fact_add(struct report *r, struct report_part *p, const char *name, const char *text)
{
	struct report_fact *grown;

	grown = p ? report_grow(r, p->facts, p->n_facts, sizeof(*p->facts)) : NULL;
	if (!grown)
		return;
	p->facts = grown;
	p->facts[p->n_facts++] = (struct report_fact){ name, report_copy(r, text), NULL };
}

void report_fact(struct report *r, const char *name, const char *text)
{
	struct report_part *p = report_last(r, REPORT_FACTS);

	report_fact_add(r, p ? p : report_part_add(r, REPORT_FACTS), name, text);
}

void report_figure(struct report *r, const char *name, const char *text, const char *note)
{
	struct report_part *p = report_last(r, REPORT_FIGURES);

	p = p ? p : report_part_add(r, REPORT_FIGURES);
	report_fact_add(r, p, name, text);
	if (!r->err)
		p->facts[p->n_facts - 1].note = report_copy(r, note);
}

/* ---- tables ---- */

void report_table_begin(struct report *r, const struct report_column *columns)
{
	struct report_part *p = report_part_add(r, REPORT_TABLE);
	size_t n = 0;

	if (!p)
		return;
	while (columns[n].heading)
		n++;
	p->table.columns = calloc(n, sizeof(*columns));
	if (!p->table.columns) {
		r->err = -ENOMEM;
		return;
	}
	memcpy(p->table.columns, columns, n * sizeof(*columns));
	p->table.n_columns = n;
}

static struct report_cell *report_cell_add(struct report *r)
{
	struct report_part *p = report_last(r, REPORT_TABLE);
	struct report_cell *grown;
	struct report_table *t;

	if (!p)
		return NULL;
	t = &p->table;
	grown = report_grow(r, t->cells, t->n_cells, sizeof(*t->cells));
	if (!grown)
		return NULL;
	t->cells = grown;
	t->cells[t->n_cells] = (struct report_cell){};
	t->n = (t->n_cells + 1) / t->n_columns;
	return &t->cells[t->n_cells++];
}

void report_cell(struct report *r, const char *text, const char *note)
{
	struct report_cell *c = report_cell_add(r);

	if (!c)
		return;
	c->text = report_copy(r, text);
	c->note = report_copy(r, note);
}

void report_cell_to(struct report *r, unsigned int id)
{
	struct report_part *p = report_last(r, REPORT_TABLE);

	if (p && p->table.n_cells)
		p->table.cells[p->table.n_cells - 1].to = id;
}

void report_brief(struct report *r, size_t rows)
{
	struct report_part *p = report_last(r, REPORT_TABLE);
	size_t i;

	if (!p)
		return;
	p->table.brief = calloc(p->table.n + 1, sizeof(*p->table.brief));
	if (!p->table.brief)
		r->err = -ENOMEM;
	for (i = 0; !r->err && i < p->table.n && i < rows; i++)
		p->table.brief[i] = true;
}

void report_cell_span(struct report *r, struct report_span span)
{
	struct report_cell *c = report_cell_add(r);

	if (c)
		c->span = span;
}

/* ---- ledgers ---- */

void report_term(struct report *r, struct report_part *p, const char *sign, uint64_t n,
		 const char *label, const char *explain)
{
	struct report_ledger *l = p ? &p->ledger : NULL;
	struct report_term *grown = l ? report_grow(r, l->terms, l->n, sizeof(*l->terms)) : NULL;

	if (!grown)
		return;
	l->terms = grown;
	l->terms[l->n++] = (struct report_term){ .sign = sign,
						 .n = n,
						 .label = report_copy(r, label),
						 .explain = report_copy(r, explain) };
}
