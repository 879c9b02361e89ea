// SPDX-License-Identifier: GPL-2.0-only
/* kmem_periods.c - memory events over time. */
#include "kmem/periods.h"

#include <string.h>

#include "report/kmem.h"

#define ROWS 20 /* unless each interval is asked for; more intervals are joined */
#define GROWING 3 /* sites whose growth is shown */

/* Live bytes of objects at the end of an interval, without pages, which hold the objects. */
static uint64_t periods_live(const struct kmem *k, size_t period)
{
	if (!kmem_is_seen(k, KSTATS_KMEM_KMALLOC) && !kmem_is_seen(k, KSTATS_KMEM_CACHE))
		return kmem_part_find(k, period, KSTATS_KMEM_PAGES, KMEM_ALL_SITES).live_alloc;
	return kmem_part_find(k, period, KSTATS_KMEM_KMALLOC, KMEM_ALL_SITES).live_alloc +
	       kmem_part_find(k, period, KSTATS_KMEM_CACHE, KMEM_ALL_SITES).live_alloc;
}

void kmem_put_growth(char to[UNITS_TEXT], uint64_t now, uint64_t then)
{
	char text[UNITS_TEXT];

	snprintf(to, UNITS_TEXT, "%s%s",
		 now < then   ? "-"
		 : now > then ? "+"
			      : "",
		 units_bytes(text, now < then ? then - now : now - then));
}

static bool periods_have_waste(const struct kmem *k)
{
	return kmem_is_seen(k, KSTATS_KMEM_KMALLOC) || kmem_is_seen(k, KSTATS_KMEM_CACHE);
}

/* Of the intervals from @first to @last. */
static void periods_add_row(struct report *r, const struct kmem *k, size_t first, size_t last)
{
	uint64_t alloc, waste = 0, then = first ? periods_live(k, first - 1) : 0;
	struct kmem_part part;
	char text[UNITS_TEXT];
	size_t i;
	int kind;

	report_cell(r, units_duration(text, k->periods[last].end_ns - k->span.begin_ns, "auto"),
		    NULL);
	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		for (alloc = 0, i = first; i <= last; i++) {
			part = kmem_part_find(k, i, kind, KMEM_ALL_SITES);
			alloc += part.alloc;
			if (kind != KSTATS_KMEM_PAGES && part.alloc > part.req)
				waste += part.alloc - part.req;
		}
		if (kmem_is_seen(k, kind))
			report_cell(r, units_bytes(text, alloc), NULL);
	}
	if (periods_have_waste(k))
		report_cell(r, units_bytes(text, waste), NULL);
	if (!k->lifetimes)
		return;
	report_cell(r, units_bytes(text, periods_live(k, last)), NULL);
	kmem_put_growth(text, periods_live(k, last), then);
	report_cell(r, text, NULL);
}

static void periods_add_table(struct report *r, const struct kmem *k, size_t step)
{
	struct report_column columns[KMEM_KINDS + 5] = { { .heading = "up to" } };
	size_t n = 1, i, last;
	int kind;

	for (kind = 1; kind <= KMEM_KINDS; kind++)
		if (kmem_is_seen(k, kind))
			columns[n++].heading = kmem_kind_name(kind);
	if (periods_have_waste(k))
		columns[n++].heading = "waste";
	if (k->lifetimes) {
		columns[n++].heading = "live";
		columns[n++].heading = "growth";
	}
	report_table_begin(r, columns);
	for (i = 0; i < k->n_periods; i += step) {
		last = i + step < k->n_periods ? i + step - 1 : k->n_periods - 1;
		periods_add_row(r, k, i, last);
	}
}

/* A site whose live bytes grew in the second half: what is still growing then may be a leak. */
struct growing {
	uint32_t site;
	uint64_t bytes;
};

static void periods_keep_largest(struct growing found[GROWING], const struct growing *g)
{
	int at = GROWING;

	while (at > 0 && found[at - 1].bytes < g->bytes)
		at--;
	if (at == GROWING)
		return;
	memmove(&found[at + 1], &found[at], (GROWING - 1 - at) * sizeof(*found));
	found[at] = *g;
}

static void periods_add_growing(struct report *r, const struct kmem *k)
{
	struct growing found[GROWING] = {}, g;
	const struct kmem_part *p;
	char text[UNITS_TEXT], all[GROWING * 192];
	size_t n = 0;
	uint64_t then;
	int i;

	for (p = k->parts; p < k->parts + k->n_parts; p++) {
		if (p->period + 1 < k->n_periods || p->site == KMEM_ALL_SITES)
			continue;
		then = kmem_part_find(k, k->n_periods / 2 - 1, p->kind, p->site).live_alloc;
		g = (struct growing){ p->site, p->live_alloc > then ? p->live_alloc - then : 0 };
		periods_keep_largest(found, &g);
	}
	if (!found[0].bytes)
		return;
	for (i = 0; i < GROWING && found[i].bytes; i++)
		n += snprintf(all + n, sizeof(all) - n, "%s%.128s (+%s)", i ? ", " : "",
			      k->sites[found[i].site].name, units_bytes(text, found[i].bytes));
	report_say(r, REPORT_SOFT, "live bytes grew most in the second half at %s", all);
}

void kmem_add_periods(const struct kmem_report *x)
{
	const struct kmem *k = x->k;
	size_t step = x->o->periods ? 1 : (k->n_periods + ROWS - 1) / ROWS;
	char note[64];

	if (k->n_periods < 2)
		return;
	snprintf(note, sizeof(note), "each row is %zu intervals; --periods shows each", step);
	report_heading(x->r, "allocated over time", step > 1 ? note : NULL);
	periods_add_table(x->r, k, step);
	if (k->lifetimes)
		periods_add_growing(x->r, k);
}
