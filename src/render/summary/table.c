// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - many nodes, or the keys of one: a row each, sorted by a figure.
 */
#include "render/summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/keys.h"

#define NAME_MIN 12
#define NAMES_MAX 40 /* nodes without samples that are named */
#define BAR_WIDTH 6
#define COLUMNS 6

static const char *const headings[COLUMNS] = { "count", "mean", "p50", "p99", "max", "total" };

struct entry {
	uint32_t node;
	bool gap;
	double figure; /* the rows are sorted by it */
	char *name; /* owned */
	char text[COLUMNS][UNITS_TEXT];
};

struct table {
	const struct report *r;
	struct entry *entries; /* owned */
	size_t n; /* number of @entries */
	size_t shown; /* those that are printed */
	unsigned int bar; /* columns of the bars; 0: none */
	bool parts; /* names are keys alone, of which every part is shown */
	bool tall; /* names have a line of their own */
	bool whole; /* which is not cut, since two would read the same */
	char heading[KEYS_HEADING]; /* above the names */
};

/* Gaps come last: their total is not time spent in a function. */
static int table_by_figure(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->gap != y->gap)
		return x->gap - y->gap;
	if (x->figure != y->figure)
		return x->figure < y->figure ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Takes over @name. Return: 0, or -ENOMEM if that is NULL. */
static int table_add_entry(struct table *t, uint32_t node, char *name)
{
	struct entry *e = &t->entries[t->n++];
	const char *unit = t->r->o->unit;
	struct dist d;
	int err = dist_open(&d, t->r->s, node, DIST_ALL_CPUS);

	e->node = node;
	e->gap = !snapshot_is_recorded(t->r->s->nodes[node].kind);
	e->name = name;
	if (!err) {
		e->figure = keys_figure(&d, t->r->o->sort);
		units_count(e->text[0], d.samples);
		units_duration(e->text[1], dist_mean(&d), unit);
		units_duration(e->text[2], dist_quantile(&d, 500000).hi, unit);
		units_duration(e->text[3], dist_quantile(&d, 990000).hi, unit);
		units_duration(e->text[4], dist_quantile(&d, DIST_ONE).hi, unit);
		units_duration(e->text[5], dist_total(&d), unit);
	}
	dist_close(&d);
	return name ? err : -ENOMEM;
}

static void table_measure(const struct table *t, int widths[COLUMNS], unsigned int *name)
{
	unsigned int longest = NAME_MIN, left = t->r->o->width, width;
	size_t i;
	int c;

	left -= t->bar ? t->bar + 2 : 0;
	for (c = 0; c < COLUMNS; c++) {
		widths[c] = strlen(headings[c]);
		for (i = 0; i < t->shown; i++)
			if ((int)strlen(t->entries[i].text[c]) > widths[c])
				widths[c] = strlen(t->entries[i].text[c]);
		left -= widths[c] + 2;
	}
	for (i = 0; i < t->shown; i++) {
		width = t->bar ? text_width(t->entries[i].name) : strlen(t->entries[i].name);
		if (width > longest)
			longest = width;
	}
	if (t->bar && strlen(t->heading) > longest)
		longest = strlen(t->heading);
	if (t->tall)
		longest = NAME_MIN > strlen(t->heading) ? NAME_MIN : strlen(t->heading);
	*name = left > NAME_MIN && left < t->r->o->width ? left : NAME_MIN;
	if (longest < *name)
		*name = longest;
}

/* Cut the longest part again and again, so that every part of a key stays in sight. */
static void table_print_key(const struct table *t, const struct tags *by, unsigned int width)
{
	unsigned int widths[KSTATS_BY_PARTS], all = 2 * (by->n - 1);
	size_t i, longest;

	for (i = 0; i < by->n; i++)
		all += widths[i] = text_width(by->rows[i].value);
	while (all > width) {
		for (i = 1, longest = 0; i < by->n; i++)
			longest = widths[i] > widths[longest] ? i : longest;
		if (widths[longest] < 2)
			break;
		widths[longest]--;
		all--;
	}
	for (i = 0; i < by->n; i++) {
		fputs(i ? ", " : "", t->r->out);
		text_safe(t->r->out, by->rows[i].value, widths[i]);
	}
	fprintf(t->r->out, "%*s", all < width ? width - all : 0, "");
}

static void table_print_name(const struct table *t, const struct entry *e, unsigned int width)
{
	const struct tags *by = &t->r->s->nodes[e->node].by;

	if (t->parts && by->n > 1 && by->n <= KSTATS_BY_PARTS)
		table_print_key(t, by, width);
	else
		text_safe(t->r->out, e->name, width);
}

static int table_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A name as it is printed in that width; NULL when out of memory. */
static char *table_cut_name(const struct table *t, const struct entry *e, unsigned int width)
{
	struct report r = *t->r;
	struct table to = *t;
	char *text = NULL;
	size_t size;

	r.out = open_memstream(&text, &size);
	to.r = &r;
	if (!r.out)
		return NULL;
	if (t->tall)
		text_last(r.out, e->name, width);
	else
		table_print_name(&to, e, width);
	fclose(r.out);
	return text;
}

/* Whether two of the names that are shown read the same, since they are cut. */
static bool table_are_alike(const struct table *t, unsigned int width)
{
	char **texts = calloc(t->shown + 1, sizeof(*texts));
	bool alike = false;
	size_t n = 0, i;

	for (i = 0; texts && i < t->shown; i++) {
		texts[n] = table_cut_name(t, &t->entries[i], width);
		n += texts[n] != NULL;
	}
	if (texts)
		qsort(texts, n, sizeof(*texts), table_by_text);
	for (i = 1; i < n; i++)
		alike |= !strcmp(texts[i - 1], texts[i]);
	while (n)
		free(texts[--n]);
	free(texts);
	return alike;
}

static bool table_has_stacks(const struct table *t)
{
	const struct tags *by;
	size_t i, part;

	for (i = 0; i < t->shown; i++) {
		by = &t->r->s->nodes[t->entries[i].node].by;
		for (part = 0; part < by->n; part++)
			if (keys_is_stack(&by->rows[part]) && strchr(by->rows[part].value, ';'))
				return true;
	}
	return false;
}

static void table_print_bar(const struct table *t, const struct entry *e)
{
	double most = t->entries[0].figure;
	unsigned int n = most > 0 ? t->bar * e->figure / most + 0.5 : 0, i;

	if (!n)
		return;
	fprintf(t->r->out, "  %s", text_color(t->r->o->color, TEXT_BAR));
	for (i = 0; i < n; i++)
		fputs(t->r->o->bars ? "\u2588" : "#", t->r->out);
	fputs(text_color(t->r->o->color, TEXT_PLAIN), t->r->out);
}

static void table_print_line(const struct table *t, const struct entry *e, unsigned int name)
{
	struct text_flow f = { t->r->out, t->r->o->width, 2, 0, false };

	if (t->whole)
		text_flow_words(&f, e->name);
	else
		text_last(t->r->out, e->name, t->r->o->width);
	fprintf(t->r->out, "\n%*s", (int)name, "");
}

static void print_entries(struct table *t)
{
	const struct report *r = t->r;
	int widths[COLUMNS], c;
	unsigned int name;
	size_t i;

	table_measure(t, widths, &name);
	if (table_has_stacks(t) || table_are_alike(t, name)) {
		t->tall = true;
		t->whole = table_are_alike(t, r->o->width);
		table_measure(t, widths, &name);
	}
	fprintf(r->out, "\n%s", text_color(r->o->color, TEXT_FAINT));
	text_safe(r->out, t->heading, name);
	for (c = 0; c < COLUMNS; c++)
		fprintf(r->out, "  %*s", widths[c], headings[c]);
	fprintf(r->out, "%s\n", text_color(r->o->color, TEXT_PLAIN));
	for (i = 0; i < t->shown; i++) {
		if (t->tall)
			table_print_line(t, &t->entries[i], name);
		else
			table_print_name(t, &t->entries[i], name);
		for (c = 0; c < COLUMNS; c++)
			fprintf(r->out, "  %*s", widths[c], t->entries[i].text[c]);
		if (t->bar)
			table_print_bar(t, &t->entries[i]);
		fputc('\n', r->out);
	}
	fprintf(r->out, "%sp50, p99 and max are the upper bounds of their slots%s\n",
		text_color(r->o->color, TEXT_FAINT), text_color(r->o->color, TEXT_PLAIN));
}

static int summary_table_open(struct table *t, const struct report *r)
{
	*t = (struct table){ .r = r };
	t->entries = calloc(r->s->n_nodes + 1, sizeof(*t->entries));
	return t->entries ? 0 : -ENOMEM;
}

static void summary_table_close(struct table *t)
{
	while (t->n)
		free(t->entries[--t->n].name);
	free(t->entries);
}

static void table_print_unseen(const struct report *r)
{
	struct text_flow f = { r->out, r->o->width, 2, 0, false };
	uint32_t i, n = 0, shown = 0;

	for (i = 0; i < r->s->n_nodes; i++)
		n += !r->dists[i].samples;
	if (!n)
		return;
	fputc('\n', r->out);
	text_flow_add(&f, "without samples (%u of %u):", n, r->s->n_nodes);
	f.indent = 2;
	for (i = 0; i < r->s->n_nodes && shown < NAMES_MAX; i++) {
		if (r->dists[i].samples)
			continue;
		text_flow_add(&f, "%s", r->s->nodes[i].name ? r->s->nodes[i].name : "");
		shown++;
	}
	if (shown < n)
		text_flow_add(&f, "and %u more", n - shown);
	fputc('\n', r->out);
}

int report_table(const struct report *r)
{
	struct table t;
	uint32_t i;
	int err = summary_table_open(&t, r);

	for (i = 0; !err && i < r->s->n_nodes; i++)
		if (r->dists[i].samples)
			err = table_add_entry(
				&t, i, strdup(r->s->nodes[i].name ? r->s->nodes[i].name : ""));
	if (!err) {
		qsort(t.entries, t.n, sizeof(*t.entries), table_by_figure);
		snprintf(t.heading, sizeof(t.heading), "sorted by %s", sort_names[r->o->sort]);
		t.shown = t.n;
		if (t.n)
			print_entries(&t);
		table_print_unseen(r);
	}
	summary_table_close(&t);
	return err;
}

/* ---- keys ---- */

static char *name_key(const struct report *r, uint32_t node, bool one)
{
	const struct snapshot_node *n = &r->s->nodes[node];

	return one ? keys_name(n) : strdup(n->name);
}

/* What is not shown, and what had no distribution left. */
static void table_print_rest(const struct table *t)
{
	struct text_flow f = { t->r->out, t->r->o->width, 2, 0, false };
	char a[UNITS_TEXT], b[UNITS_TEXT];
	uint64_t folded = 0, other = 0;
	size_t i;

	for (i = 0; i < t->n; i++) {
		folded += i < t->shown ? 0 : t->r->dists[t->entries[i].node].samples;
		if (t->r->s->nodes[t->entries[i].node].kind == SNAPSHOT_OTHER)
			other += t->r->dists[t->entries[i].node].samples;
	}
	if (t->shown < t->n) {
		text_flow_words(&f, "sorted by");
		text_flow_add(&f, "%s;", sort_names[t->r->o->sort]);
		text_flow_add(&f, "%s more with %s samples are not shown",
			      units_count(a, t->n - t->shown), units_count(b, folded));
		fputc('\n', t->r->out);
	}
	f.column = 0;
	f.begun = false;
	if (!other)
		return;
	text_flow_add(&f, "other: %s samples", units_count(a, other));
	text_flow_words(&f, "of keys beyond --limit keys");
	fputc('\n', t->r->out);
}

int report_keys(const struct report *r, int owner)
{
	struct table t;
	uint32_t i;
	int err = summary_table_open(&t, r);

	for (i = 0; !err && i < r->s->n_nodes; i++)
		if (r->dists[i].samples &&
		    keys_belong(r->s, i, owner < 0 ? r->s->nodes[i].owner : (uint32_t)owner))
			err = table_add_entry(&t, i, name_key(r, i, owner >= 0));
	if (!err && t.n) {
		qsort(t.entries, t.n, sizeof(*t.entries), table_by_figure);
		t.shown = t.n < KEYS_SHOWN ? t.n : KEYS_SHOWN;
		t.bar = BAR_WIDTH;
		t.parts = owner >= 0;
		keys_heading(r->s, owner, t.heading);
		print_entries(&t);
		table_print_rest(&t);
	}
	summary_table_close(&t);
	return err;
}
