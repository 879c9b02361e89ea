// SPDX-License-Identifier: GPL-2.0-only
/* periods.c - memory events over time: the table of the summary, the array of JSON, the rows of
 * CSV. */
#include "render/kmem/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/periods.h"

#define COLUMNS (KMEM_KINDS + 4)
#define ROWS 20 /* of the summary; more intervals are joined */
#define GROWING 3 /* sites whose growth is shown */

/* ---- the summary ---- */

/* Some intervals that follow each other, as one row. */
struct period_row {
	char cells[COLUMNS][UNITS_TEXT];
};

/* Live bytes of objects at the end of an interval, without pages, which hold the objects. */
static uint64_t live_bytes(const struct kmem *k, size_t period)
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

/* Of the intervals from @first to @last. */
static void fill_row(const struct kmem *k, size_t first, size_t last, struct period_row *row)
{
	uint64_t alloc, waste = 0, then = first ? live_bytes(k, first - 1) : 0;
	struct kmem_part part;
	size_t i;
	int kind;

	units_duration(row->cells[0], k->periods[last].end_ns - k->span.begin_ns, "auto");
	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		for (alloc = 0, i = first; i <= last; i++) {
			part = kmem_part_find(k, i, kind, KMEM_ALL_SITES);
			alloc += part.alloc;
			if (kind != KSTATS_KMEM_PAGES && part.alloc > part.req)
				waste += part.alloc - part.req;
		}
		units_bytes(row->cells[kind], alloc);
	}
	units_bytes(row->cells[KMEM_KINDS + 1], waste);
	units_bytes(row->cells[KMEM_KINDS + 2], live_bytes(k, last));
	kmem_put_growth(row->cells[KMEM_KINDS + 3], live_bytes(k, last), then);
}

static bool has_column(const struct kmem *k, int column)
{
	if (column >= 1 && column <= KMEM_KINDS)
		return kmem_is_seen(k, column);
	if (column == KMEM_KINDS + 1)
		return kmem_is_seen(k, KSTATS_KMEM_KMALLOC) || kmem_is_seen(k, KSTATS_KMEM_CACHE);
	return column <= KMEM_KINDS || k->lifetimes;
}

static void print_rows(const struct kmem_report *r, const struct period_row *rows, size_t n)
{
	static const char *const headings[COLUMNS] = { "up to", "kmalloc", "cache", "pages",
						       "waste", "live",    "growth" };
	int widths[COLUMNS], c;
	size_t i;

	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	for (c = 0; c < COLUMNS; c++) {
		widths[c] = strlen(headings[c]);
		for (i = 0; i < n; i++)
			if ((int)strlen(rows[i].cells[c]) > widths[c])
				widths[c] = strlen(rows[i].cells[c]);
		if (has_column(r->k, c))
			fprintf(r->out, "%s%*s", c ? "  " : "", widths[c], headings[c]);
	}
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
	for (i = 0; i < n; i++) {
		for (c = 0; c < COLUMNS; c++)
			if (has_column(r->k, c))
				fprintf(r->out, "%s%*s", c ? "  " : "", widths[c],
					rows[i].cells[c]);
		fputc('\n', r->out);
	}
}

/* A site whose live bytes grew in the second half: what is still growing then may be a leak. */
struct growing {
	uint32_t site;
	uint64_t bytes;
};

static void keep_largest(struct growing found[GROWING], const struct growing *g)
{
	int at = GROWING;

	while (at > 0 && found[at - 1].bytes < g->bytes)
		at--;
	if (at == GROWING)
		return;
	memmove(&found[at + 1], &found[at], (GROWING - 1 - at) * sizeof(*found));
	found[at] = *g;
}

static void print_growing(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };
	struct growing found[GROWING] = {}, g;
	const struct kmem *k = r->k;
	const struct kmem_part *p;
	char text[UNITS_TEXT];
	uint64_t then;
	int i;

	for (p = k->parts; p < k->parts + k->n_parts; p++) {
		if (p->period + 1 < k->n_periods || p->site == KMEM_ALL_SITES)
			continue;
		then = kmem_part_find(k, k->n_periods / 2 - 1, p->kind, p->site).live_alloc;
		g = (struct growing){ p->site, p->live_alloc > then ? p->live_alloc - then : 0 };
		keep_largest(found, &g);
	}
	if (!found[0].bytes)
		return;
	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	text_flow_words(&f, "live bytes grew most in the second half at");
	for (i = 0; i < GROWING && found[i].bytes; i++) {
		text_flow_words(&f, k->sites[found[i].site].name);
		text_flow_add(&f, "(+%s)%s", units_bytes(text, found[i].bytes),
			      i + 1 < GROWING && found[i + 1].bytes ? "," : "");
	}
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}

int kmem_print_periods(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };
	const struct kmem *k = r->k;
	size_t step = r->o->periods ? 1 : (k->n_periods + ROWS - 1) / ROWS, n = 0, i, last;
	struct period_row *rows;

	if (k->n_periods < 2)
		return 0;
	rows = calloc(k->n_periods, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < k->n_periods; i += step) {
		last = i + step < k->n_periods ? i + step - 1 : k->n_periods - 1;
		fill_row(k, i, last, &rows[n++]);
	}
	fprintf(r->out, "\n%s", text_color(&r->o->base, TEXT_TITLE));
	text_flow_words(&f, "allocated over time");
	if (step > 1)
		text_flow_add(&f, "(each row is %zu intervals; --periods shows each)", step);
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
	print_rows(r, rows, n);
	if (k->lifetimes)
		print_growing(r);
	free(rows);
	return 0;
}

/* ---- JSON ---- */

static struct json_object *make_part(const struct kmem *k, const struct kmem_part *p)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "kind", kmem_kind_name(p->kind));

	if (p->site != KMEM_ALL_SITES)
		err |= json_add_text(o, "name", k->sites[p->site].name);
	err |= json_add_u64(o, "count", p->count);
	err |= json_add_u64(o, "requested_bytes", p->req);
	err |= json_add_u64(o, "allocated_bytes", p->alloc);
	if (k->lifetimes) {
		err |= json_add_u64(o, "live", p->live);
		err |= json_add_u64(o, "live_allocated_bytes", p->live_alloc);
	}
	return json_made(o, err);
}

/* The parts of an interval, which follow each other from @at on; moves @at behind them. */
static int add_parts(struct json_object *to, const struct kmem *k, size_t period, size_t *at)
{
	struct json_object *totals = json_object_new_array(), *rows = json_object_new_array();
	const struct kmem_part *p;
	int err = 0;

	for (; !err && *at < k->n_parts && k->parts[*at].period == period; ++*at) {
		p = &k->parts[*at];
		err = json_push(p->site == KMEM_ALL_SITES ? totals : rows, make_part(k, p));
	}
	err |= json_add(to, "totals", totals);
	return err | json_add(to, "rows", rows);
}

int kmem_json_periods(struct json_object *to, const struct kmem *k)
{
	struct json_object *array, *o;
	size_t i, at = 0;
	int err = 0;

	if (!k->n_periods)
		return 0;
	array = json_object_new_array();
	for (i = 0; !err && i < k->n_periods; i++) {
		o = json_object_new_object();
		err = json_add_u64(o, "begin_ns", kmem_period_begin(k, i) - k->span.begin_ns);
		err |= json_add_u64(o, "end_ns", k->periods[i].end_ns - k->span.begin_ns);
		err |= add_parts(o, k, i, &at);
		err |= json_push(array, o);
	}
	return json_add(to, "periods", array) | err;
}

/* ---- CSV ---- */

void kmem_csv_part(const struct kmem_report *r, const struct kmem_part *p)
{
	bool all = p->site == KMEM_ALL_SITES;
	const struct kmem_site *site = all ? NULL : &r->k->sites[p->site];

	fprintf(r->out, "%" PRIu32 ",%s,%s,", p->period + 1, all ? "kind" : "site",
		kmem_kind_name(p->kind));
	text_cell(r->out, all ? kmem_kind_name(p->kind) : site->name);
	fputc(',', r->out);
	if (!all && site->line)
		text_cell(r->out, site->line);
	fprintf(r->out, ",,,,,,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", p->count, p->req,
		p->alloc, p->alloc > p->req ? p->alloc - p->req : 0);
	if (r->k->lifetimes)
		fprintf(r->out, "%" PRIu64 ",,%" PRIu64, p->live, p->live_alloc);
	else
		fputs(",,", r->out);
	fputs(",,,,,,,,,,,,", r->out);
	if (r->k->source)
		text_cell(r->out, r->k->source);
	fputs("\r\n", r->out);
}
