// SPDX-License-Identifier: GPL-2.0-only
/* kmem_charts.c - what of memory events is drawn on a page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/periods.h"
#include "report/kmem.h"

#define SIZE_BITS 4

/* Takes over @d, which is not drawn where it is empty. */
static void charts_add_dist(const struct kmem_report *x, const char *title, const char *unit,
			    struct dist *d)
{
	struct report_part *p = d->samples ? report_part_add(x->r, REPORT_CHART) : NULL;

	if (p)
		p->chart = (struct report_chart){ .title = title, .unit = unit, .dist = *d };
	else
		dist_close(d);
}

static void charts_add_bytes(const struct kmem_report *x, const struct kmem_entry *e,
			     const char *title, enum kmem_measure what)
{
	struct dist d;

	if (kmem_bytes(&d, x->table, e, what, SIZE_BITS))
		x->r->err = -ENOMEM;
	charts_add_dist(x, title, UNITS_BYTES, &d);
}

static struct report_bar charts_bar(const struct kmem_report *x, const struct kmem_entry *e,
				    size_t period, bool live)
{
	uint32_t site = kmem_group_is(&x->table->group, KMEM_KIND)
				? KMEM_ALL_SITES
				: x->k->rows[x->table->rows[e->first_row]].site;
	struct kmem_part p = kmem_part_find(x->k, period, e->kind, site);
	uint64_t begin = x->k->span.begin_ns;
	struct report_bar b = {
		.begin_ns = kmem_period_begin(x->k, period) - begin,
		.end_ns = x->k->periods[period].end_ns - begin,
	};
	double seconds = (b.end_ns - b.begin_ns) / 1e9;

	b.value = live ? p.live_alloc : p.alloc / seconds;
	if (!live && e->kind != KSTATS_KMEM_PAGES && p.alloc > p.req)
		b.part = (p.alloc - p.req) / seconds;
	return b;
}

/* @live: bytes that are live at the end of each interval, not those that it added. */
static void charts_add_time(const struct kmem_report *x, const struct kmem_entry *e, bool live)
{
	struct report_bar *bars = calloc(x->k->n_periods + 1, sizeof(*bars));
	struct report_part *p;
	bool some = false;
	size_t i;

	for (i = 0; bars && i < x->k->n_periods; i++) {
		bars[i] = charts_bar(x, e, i, live);
		some |= bars[i].value > 0;
	}
	p = some ? report_part_add(x->r, REPORT_CHART) : NULL;
	if (!bars)
		x->r->err = -ENOMEM;
	if (!p) {
		free(bars);
		return;
	}
	p->chart = (struct report_chart){
		.title = live ? "Live bytes over time"
			      : "Allocated per second, and waste, over time",
		.unit = "auto",
		.n = i,
		.bars = bars,
		.rate = !live,
	};
}

static void charts_add(const struct kmem_report *x, const struct kmem_entry *e)
{
	const struct kmem_group *group = &x->table->group;
	bool timed = x->k->n_periods &&
		     (kmem_group_is(group, KMEM_SITE) || kmem_group_is(group, KMEM_KIND));
	struct dist d;

	charts_add_bytes(x, e, "Requested size of an allocation", KMEM_REQUESTED);
	if (timed)
		charts_add_time(x, e, false);
	if (timed && x->k->lifetimes)
		charts_add_time(x, e, true);
	if (e->kind != KSTATS_KMEM_PAGES)
		charts_add_bytes(x, e, "Waste of an allocation", KMEM_WASTED);
	if (!e->n_lifes)
		return;
	if (kmem_lifetimes(&d, x->table, e))
		x->r->err = -ENOMEM;
	charts_add_dist(x, "Lifetime", x->o->base.unit, &d);
}

void kmem_add_entries(const struct kmem_report *x, size_t shown)
{
	const struct kmem_entry *e;
	struct report_part *p;
	size_t i;

	for (i = 0; i < shown && i < KMEM_CHARTED; i++) {
		e = &x->table->entries[i];
		p = report_part_add(x->r, REPORT_BEGIN);
		if (!p)
			return;
		p->id = x->first_id + i;
		p->name = strdup(e->name);
		if (asprintf(&p->text, "%s%s%s", kmem_kind_name(e->kind), e->cache ? " " : "",
			     e->cache ? e->cache : "") < 0)
			p->text = NULL;
		charts_add(x, e);
		report_end(x->r);
	}
}

void kmem_add_kinds(const struct kmem_report *x)
{
	struct kmem_report all = *x;
	struct kmem_table table;
	char text[32];
	size_t i;

	all.table = &table;
	if (kmem_table_make(&table, x->k, kmem_names[KMEM_KIND], KMEM_SORT_BYTES))
		x->r->err = -ENOMEM;
	for (i = 0; !x->r->err && i < table.n; i++) {
		snprintf(text, sizeof(text), "all of %s", kmem_kind_name(table.entries[i].kind));
		report_heading(x->r, text, NULL);
		charts_add(&all, &table.entries[i]);
	}
	kmem_table_free(&table);
}

/* Pages hold the objects of the other kinds, so they have no box beside these. */
void kmem_add_boxes(const struct kmem_report *x)
{
	bool live = x->o->sort == KMEM_SORT_LIVE && x->k->lifetimes;
	const struct kmem_entry *e;
	struct report_part *p;
	size_t boxes = 0;

	for (e = x->table->entries; e < x->table->entries + x->table->n; e++)
		boxes += e->kind != KSTATS_KMEM_PAGES &&
			 (live ? e->sums.live_alloc : e->sums.alloc) > 0;
	if (boxes < 2)
		return;
	report_heading(x->r, "where the bytes are",
		       live ? "Each box is as large as the bytes that kmalloc and caches gave and "
			      "that are still live; its lower end is waste."
			    : "Each box is as large as the bytes that kmalloc and caches gave; its "
			      "lower end is waste.");
	p = report_part_add(x->r, REPORT_BOXES);
	if (p)
		p->boxes = (struct report_boxes){ x->table, live };
}
