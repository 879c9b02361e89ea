// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - many nodes: one row each, sorted by total time.
 */
#include "render/summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MIN 12
#define NAMES_MAX 40 /* nodes without samples that are named */
#define COLUMNS 6

static const char *const headings[COLUMNS] = { "count", "mean", "p50", "p99", "max", "total" };

struct entry {
	uint32_t node;
	bool gap;
	double total;
	char text[COLUMNS][UNITS_TEXT];
};

/* Gaps come last: their total is not time spent in a function. */
static int by_total(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->gap != y->gap)
		return x->gap - y->gap;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void fill_entry(const struct report *r, uint32_t node, struct entry *e)
{
	const struct dist *d = &r->dists[node];
	const char *unit = r->o->unit;

	e->node = node;
	e->gap = !snapshot_is_recorded(r->s->nodes[node].kind);
	e->total = dist_total(d);
	units_count(e->text[0], d->samples);
	units_duration(e->text[1], dist_mean(d), unit);
	units_duration(e->text[2], dist_quantile(d, 500000).hi, unit);
	units_duration(e->text[3], dist_quantile(d, 990000).hi, unit);
	units_duration(e->text[4], dist_quantile(d, DIST_ONE).hi, unit);
	units_duration(e->text[5], e->total, unit);
}

static void measure(const struct report *r, const struct entry *entries, size_t n,
		    int widths[COLUMNS], unsigned int *name)
{
	unsigned int longest = NAME_MIN, left = r->o->width;
	const char *text;
	size_t i;
	int c;

	for (c = 0; c < COLUMNS; c++) {
		widths[c] = strlen(headings[c]);
		for (i = 0; i < n; i++)
			if ((int)strlen(entries[i].text[c]) > widths[c])
				widths[c] = strlen(entries[i].text[c]);
		left -= widths[c] + 2;
	}
	for (i = 0; i < n; i++) {
		text = r->s->nodes[entries[i].node].name;
		if (text && strlen(text) > longest)
			longest = strlen(text);
	}
	*name = left > NAME_MIN && left < r->o->width ? left : NAME_MIN;
	if (longest < *name)
		*name = longest;
}

static void print_entries(const struct report *r, const struct entry *entries, size_t n)
{
	int widths[COLUMNS], c;
	unsigned int name;
	size_t i;

	measure(r, entries, n, widths, &name);
	fprintf(r->out, "\n%s%-*s", text_color(r->o, TEXT_FAINT), (int)name, "sorted by total");
	for (c = 0; c < COLUMNS; c++)
		fprintf(r->out, "  %*s", widths[c], headings[c]);
	fprintf(r->out, "%s\n", text_color(r->o, TEXT_PLAIN));
	for (i = 0; i < n; i++) {
		text_safe(r->out, r->s->nodes[entries[i].node].name, name);
		for (c = 0; c < COLUMNS; c++)
			fprintf(r->out, "  %*s", widths[c], entries[i].text[c]);
		fputc('\n', r->out);
	}
	fprintf(r->out, "%sp50, p99 and max are the upper bounds of their slots%s\n",
		text_color(r->o, TEXT_FAINT), text_color(r->o, TEXT_PLAIN));
}

static void print_unseen(const struct report *r, uint32_t n)
{
	struct text_flow f = { r->out, r->o->width, 2, 0, false };
	uint32_t i, shown = 0;

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
	struct entry *entries = calloc(r->s->n_nodes, sizeof(*entries));
	uint32_t i;
	size_t n = 0;

	if (!entries)
		return -ENOMEM;
	for (i = 0; i < r->s->n_nodes; i++)
		if (r->dists[i].samples)
			fill_entry(r, i, &entries[n++]);
	qsort(entries, n, sizeof(*entries), by_total);
	if (n)
		print_entries(r, entries, n);
	print_unseen(r, r->s->n_nodes - n);
	free(entries);
	return 0;
}
