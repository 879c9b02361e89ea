// SPDX-License-Identifier: GPL-2.0-only
/* kmem_diff.c - two sets of recordings of memory events side by side: the largest changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/kmem.h"
#include "report/priv.h"

#define CELL (UNITS_TEXT + 8)

/* ---- words ---- */

static const char *kmem_diff_unit(const struct kmem_compare *c)
{
	return c->per_second ? "per second" : "per recording";
}

static const char *kmem_diff_figure(enum kmem_sort sort)
{
	static const char *const words[] = {
		[KMEM_SORT_WASTE] = "wasted bytes", [KMEM_SORT_BYTES] = "allocated bytes",
		[KMEM_SORT_COUNT] = "allocations",  [KMEM_SORT_LIVE] = "live bytes",
		[KMEM_SORT_RATE] = "allocations",
	};

	return words[sort];
}

static double kmem_diff_before(const struct kmem_compare *c, const struct kmem_change *row)
{
	return kmem_compare_value(&row->a, c->sort) / c->unit_a;
}

static double kmem_diff_after(const struct kmem_compare *c, const struct kmem_change *row)
{
	return kmem_compare_value(&row->b, c->sort) / c->unit_b;
}

/* ---- rows ---- */

static void kmem_diff_cell(struct report *r, double v, const char *sign, bool bytes)
{
	char text[UNITS_TEXT], cell[CELL];

	if (bytes)
		snprintf(cell, CELL, "%s%s", sign, units_bytes(text, v));
	else if (v < 100 && v != floor(v))
		snprintf(cell, CELL, "%s%.2f", sign, v);
	else
		snprintf(cell, CELL, "%s%s", sign, units_count(text, llround(v)));
	report_cell(r, cell, NULL);
}

static void kmem_diff_row(struct report *r, const struct kmem_compare *c,
			  const struct kmem_change *row)
{
	bool bytes = c->sort != KMEM_SORT_COUNT && c->sort != KMEM_SORT_RATE;
	double a = kmem_diff_before(c, row), b = kmem_diff_after(c, row);
	char *name = NULL;

	if (asprintf(&name, "%s%s", kmem_table_kind(&c->group, row->kind), row->name) < 0)
		name = NULL;
	report_cell(r, name, NULL);
	free(name);
	kmem_diff_cell(r, a, "", bytes);
	kmem_diff_cell(r, b, "", bytes);
	kmem_diff_cell(r, fabs(b - a), b < a ? "-" : "+", bytes);
	kmem_diff_cell(r, row->a.count / c->unit_a, "", false);
	kmem_diff_cell(r, row->b.count / c->unit_b, "", false);
}

/* The rows with a change come first. */
static size_t kmem_diff_changed(const struct kmem_compare *c)
{
	size_t n = 0;

	while (n < c->n && kmem_diff_before(c, &c->rows[n]) != kmem_diff_after(c, &c->rows[n]))
		n++;
	return n;
}

static void kmem_diff_total(struct report *r, const struct kmem_compare *c,
			    const struct kmem_change *t)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], wa[UNITS_TEXT], wb[UNITS_TEXT];
	char pa[UNITS_TEXT], pb[UNITS_TEXT], text[8 * UNITS_TEXT];
	int n = snprintf(text, sizeof(text), "%s -> %s", units_bytes(a, t->a.alloc / c->unit_a),
			 units_bytes(b, t->b.alloc / c->unit_b));

	if (t->kind != KSTATS_KMEM_PAGES)
		snprintf(text + n, sizeof(text) - n, ", waste %s (%s) -> %s (%s)",
			 units_bytes(wa, t->a.waste / c->unit_a),
			 units_percent(pa, t->a.waste, t->a.alloc),
			 units_bytes(wb, t->b.waste / c->unit_b),
			 units_percent(pb, t->b.waste, t->b.alloc));
	report_fact(r, kmem_kind_name(t->kind), text);
}

/* ---- the report ---- */

void report_kmem_diff(struct report *r, const struct kmem_compare *c, size_t top,
		      const struct report_sides *sides)
{
	const char *unit = kmem_diff_unit(c);
	const struct report_column columns[] = {
		{ .heading = c->group.by, .kind = REPORT_NAME },
		{ .heading = "before" },
		{ .heading = "after" },
		{ .heading = "change" },
		{ .heading = "count" },
		{ .heading = "after" },
		{},
	};
	size_t changed = kmem_diff_changed(c), n = changed < top ? changed : top, i;
	char a[UNITS_TEXT], b[UNITS_TEXT];
	int kind;

	*r = (struct report){ .kind = REPORT_KMEM_DIFF,
			      .title = "Kernel memory before and after",
			      .width = REPORT_WIDTH,
			      .values = report_kmem_diff_values,
			      .of = c };
	report_say(r, REPORT_SOFT, "%s, before -> after", unit);
	if (c->functions)
		report_say(r, REPORT_SOFT,
			   "sites are matched by function, since the kernels differ");
	if (strcmp(c->filters_a, c->filters_b))
		report_say(r, REPORT_BAD, "the filters differ: %s before, %s after",
			   *c->filters_a ? c->filters_a : "none",
			   *c->filters_b ? c->filters_b : "none");
	/* Figures leave out lost events, so say how many there are. */
	if (c->lost_a || c->lost_b)
		report_say(r, REPORT_BAD,
			   "LOST %s events before and %s after: skipped, no room, or no value",
			   units_count(a, c->lost_a), units_count(b, c->lost_b));
	for (kind = 1; kind <= KMEM_KINDS; kind++)
		if (c->totals[kind].a.count || c->totals[kind].b.count)
			kmem_diff_total(r, c, &c->totals[kind]);
	report_say(r, REPORT_PLAIN, "%s by %s, %s: the largest changes, %zu of %zu",
		   kmem_diff_figure(c->sort), c->group.by, unit, n, changed);
	if (n)
		report_table_begin(r, columns);
	for (i = 0; i < n; i++)
		kmem_diff_row(r, c, &c->rows[i]);
	if (c->n > changed)
		report_say(r, REPORT_SOFT, "%zu without a change", c->n - changed);
	report_add_sides(r, sides);
}
