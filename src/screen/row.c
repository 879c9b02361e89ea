// SPDX-License-Identifier: GPL-2.0-only
/* row.c - the page of one row: figures, distribution, last minute, processors, ledger. */
#include "screen/priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/account.h"
#include "report/ranges.h"
#include "report/figures.h"
#include "result/ledger.h"
#include "util/units.h"

#define HEAD 4 /* lines above the distribution's heading */
#define AROUND 15 /* all lines but those of ranges, on the smallest page */
#define COUNT 12 /* columns of a count */
#define BAR_MIN 10
#define GAP 2 /* columns between bars and heat map */
#define CPU_WIDTH 26 /* columns of a processor */
#define CPUS_LINES 3
#define LEDGER_LINES 3

/* ---- figures ---- */

static void row_figures(const struct screen *s, struct page *p, const struct dist *d)
{
	const struct screen_row *row = s->open;
	char text[UNITS_TEXT], rate[UNITS_TEXT];
	unsigned int i;

	page_at(p, 0, 1);
	page_cut(p, PAGE_FAINT, p->width, row->what);
	page_at(p, 0, 2);
	page_text(p, PAGE_PLAIN, "%s samples, %s", units_count(text, d->samples),
		  units_rate(rate, d->samples, row->sum.ns));
	if (!*row->unit && row->sum.ns)
		page_text(p, PAGE_PLAIN, ", inside calls %s of the time",
			  units_share(text, 100 * dist_total(d) / row->sum.ns));
	else if (row->sum.ns)
		page_text(p, PAGE_PLAIN, ", together %s a second",
			  units_duration(text, dist_total(d) * 1e9 / row->sum.ns,
					 screen_unit(s, row)));
	page_at(p, 0, 3);
	for (i = 0; d->samples && i + 1 < FIGURES_QUANTILES; i++) {
		page_text(p, PAGE_FAINT, "%s%s<=", i ? "  " : "", figures_quantiles[i].name);
		page_text(p, PAGE_PLAIN, "%s",
			  units_duration(text, dist_quantile(d, figures_quantiles[i].millionths).hi,
					 screen_unit(s, row)));
	}
	if (d->samples) {
		page_text(p, PAGE_FAINT, "  max<=");
		page_text(p, PAGE_PLAIN, "%s",
			  units_duration(text, dist_quantile(d, DIST_ONE).hi, screen_unit(s, row)));
	}
}

/* ---- distribution and last minute ---- */

/* The heat map beside the bars: samples by range and column. */
struct row_heat {
	unsigned int columns;
	unsigned int n;
	uint64_t cells[RANGES_MAX][SCREEN_TICKS];
	uint64_t most;
	uint64_t most_row; /* of a range in all */
};

static void row_heat_count(struct row_heat *h, const struct range *rows, unsigned int column,
			   const struct counts *counts)
{
	struct counts_cursor at = counts_begin(counts, COUNTS_ALL_CPUS);
	unsigned int i;

	while (counts_next(&at)) {
		for (i = 0; i < h->n && (rows[i].skipped || at.slot > rows[i].last); i++)
			;
		if (i == h->n || at.slot < rows[i].first)
			continue;
		h->cells[i][column] += at.count.samples;
		if (h->cells[i][column] > h->most)
			h->most = h->cells[i][column];
	}
}

static void row_heat_make(const struct screen *s, struct row_heat *h, const struct range *rows)
{
	unsigned int step = screen_step(h->columns), i, j;
	const struct screen_tick *tick;

	for (i = 0; i < h->columns; i++)
		for (j = 0; j < step; j++) {
			tick = screen_tick_of(s, s->open, screen_column(s, h->columns, i) + j);
			if (tick && tick->counts)
				row_heat_count(h, rows, i, tick->counts);
		}
	for (i = 0; i < h->n; i++)
		if (!rows[i].skipped && rows[i].samples > h->most_row)
			h->most_row = rows[i].samples;
}

/* By the logarithm: single slow calls are seen beside a million of fast ones. */
static unsigned int row_shade(const struct row_heat *h, uint64_t samples)
{
	if (!samples)
		return 0;
	if (h->most == 1)
		return 1;
	return 1 + (PAGE_SHADES - 1) * log(samples) / log(h->most) + 0.5;
}

/* Widths of the columns of the ranges. */
struct row_widths {
	unsigned int lo;
	unsigned int hi;
	unsigned int bar;
};

static struct row_widths row_measure(const struct screen *s, const struct page *p,
				     const struct range *rows, const struct row_heat *h)
{
	const char *unit = screen_unit(s, s->open);
	struct row_widths w = {};
	char text[UNITS_TEXT];
	unsigned int i, length, used;

	for (i = 0; i < h->n; i++) {
		if (rows[i].skipped)
			continue;
		length = strlen(units_duration(text, rows[i].value.lo, unit));
		w.lo = length > w.lo ? length : w.lo;
		length = strlen(units_duration(text, rows[i].value.hi, unit));
		w.hi = length > w.hi ? length : w.hi;
	}
	used = w.lo + strlen(" .. ") + w.hi + COUNT + 1 + GAP + h->columns;
	w.bar = p->width > used + BAR_MIN ? p->width - used : BAR_MIN;
	return w;
}

static void row_range(const struct screen *s, struct page *p, const struct range *r,
		      const struct row_widths *w)
{
	const char *unit = screen_unit(s, s->open);
	char text[UNITS_TEXT];

	if (r->skipped) {
		page_right(p, PAGE_FAINT, w->lo + 3, "..");
		return;
	}
	page_right(p, PAGE_PLAIN, w->lo, units_duration(text, r->value.lo, unit));
	page_text(p, PAGE_FAINT, " .. ");
	page_right(p, PAGE_PLAIN, w->hi, units_duration(text, r->value.hi, unit));
	page_right(p, PAGE_PLAIN, COUNT, units_count(text, r->samples));
	page_char(p, ' ');
}

/* Return: number of lines. */
static unsigned int row_distribution(const struct screen *s, struct page *p, const struct dist *d)
{
	unsigned int most = p->height > AROUND + RANGES_LEAST ? p->height - AROUND : RANGES_LEAST;
	struct row_heat *h = calloc(1, sizeof(*h));
	struct range rows[RANGES_MAX];
	char past[2 * UNITS_TEXT];
	struct row_widths w;
	unsigned int i, x;

	if (!h)
		return 0;
	h->n = ranges_make(d, most < RANGES_MAX ? most : RANGES_MAX, rows);
	h->columns = p->width >= 130 ? SCREEN_TICKS : p->width >= 76 ? SCREEN_TICKS / 2 : 0;
	row_heat_make(s, h, rows);
	w = row_measure(s, p, rows, h);
	page_at(p, 0, HEAD);
	page_right(p, PAGE_FAINT, w.lo + 4 + w.hi, "RANGE");
	page_right(p, PAGE_FAINT, COUNT, "COUNT");
	page_at(p, p->width - h->columns, HEAD);
	screen_past(s, past);
	if (h->columns) {
		page_text(p, PAGE_FAINT, "%s", past);
		page_at(p, p->width - strlen("NOW"), HEAD);
		page_text(p, PAGE_FAINT, "NOW");
	}
	for (i = 0; i < h->n; i++) {
		page_at(p, 0, HEAD + 1 + i);
		row_range(s, p, &rows[i], &w);
		if (rows[i].skipped)
			continue;
		page_bar(p, rows[i].samples, h->most_row, w.bar);
		page_at(p, p->width - h->columns, HEAD + 1 + i);
		for (x = 0; x < h->columns; x++)
			page_shade(p, row_shade(h, h->cells[i][x]));
	}
	i = h->n;
	free(h);
	return i;
}

/* ---- processors ---- */

struct row_cpu {
	uint32_t cpu;
	uint64_t samples;
};

static int row_by_samples(const void *a, const void *b)
{
	const struct row_cpu *x = a, *y = b;

	return x->samples == y->samples ? 0 : x->samples < y->samples ? 1 : -1;
}

static int row_by_number(const void *a, const void *b)
{
	const struct row_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : 1;
}

/* Return: number of processors that have samples; @cpus: has room for all. */
static unsigned int row_cpus_find(const struct screen_row *row, struct row_cpu *cpus)
{
	struct counts_cursor at;
	unsigned int n = 0;
	uint32_t cpu;

	for (cpu = 0; counts_next_cpu(row->all, &cpu) && n < row->n_cpus; cpu++) {
		cpus[n] = (struct row_cpu){ cpu, 0 };
		at = counts_begin(row->all, cpu);
		while (counts_next(&at))
			cpus[n].samples += at.count.samples;
		n++;
	}
	return n;
}

static void row_cpu_draw(const struct screen *s, struct page *p, const struct row_cpu *c)
{
	const struct screen_row *row = s->open;
	char rate[UNITS_TEXT], p99[UNITS_TEXT];
	struct dist d;

	if (screen_dist(&d, row, row->all, c->cpu))
		return;
	page_text(p, PAGE_FAINT, "%4u", c->cpu);
	page_right(p, PAGE_PLAIN, 9, units_rate(rate, c->samples, row->sum.ns));
	page_right(p, PAGE_PLAIN, 10,
		   units_duration(p99, dist_quantile(&d, 990000).hi, screen_unit(s, row)));
	dist_close(&d);
}

/* @y: line of the heading. Return: the line after the last. */
static unsigned int row_processors(const struct screen *s, struct page *p, unsigned int y)
{
	unsigned int columns = p->width / CPU_WIDTH, room = columns * CPUS_LINES, n, i;
	struct row_cpu *cpus = calloc(s->open->n_cpus + 1, sizeof(*cpus));

	if (!cpus)
		return y;
	n = row_cpus_find(s->open, cpus);
	qsort(cpus, n, sizeof(*cpus), row_by_samples);
	page_at(p, 0, y);
	if (n > room)
		page_text(p, PAGE_FAINT, "PROCESSOR, RATE, P99<= (the busiest %u of %u)", room, n);
	else
		page_text(p, PAGE_FAINT, "PROCESSOR, RATE, P99<=");
	n = n > room ? room : n;
	qsort(cpus, n, sizeof(*cpus), row_by_number);
	for (i = 0; i < n; i++) {
		page_at(p, i % columns * CPU_WIDTH, y + 1 + i / columns);
		row_cpu_draw(s, p, &cpus[i]);
	}
	free(cpus);
	return y + 1 + (n + columns - 1) / columns;
}

/* ---- ledger ---- */

static int row_node(const struct screen *s)
{
	int node = s->view ? snapshot_find(s->view, s->open->name) : -1;

	return node < 0 ? node : (int)s->view->nodes[node].owner;
}

/* The places where starts have ended, or what else was counted. */
static void row_terms_of(FILE *out, const struct account *a, bool of_started)
{
	char n[UNITS_TEXT];
	int id, i;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (id != KSTATS_STARTED && a->ledger[id] &&
		    ledger_rows[id].of_started == of_started)
			fprintf(out, "%s %s %s", of_started ? " +" : ", and",
				units_count(n, a->ledger[id]), ledger_label(id, a->ledger[id]));
	}
}

static void row_terms(const struct account *a, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	char n[UNITS_TEXT];

	*text = '\0';
	if (!out)
		return;
	fprintf(out, "%s started", units_count(n, a->ledger[KSTATS_STARTED]));
	fprintf(out, " = %s recorded", units_count(n, a->recorded));
	row_terms_of(out, a, true);
	row_terms_of(out, a, false);
	fclose(out);
	text[size - 1] = '\0';
}

static void row_ledger(const struct screen *s, struct page *p, unsigned int y)
{
	char verdict[ACCOUNT_TEXT], terms[512];
	int owner = row_node(s);
	struct account a = {};

	if (owner < 0 || !ledger_is_owner(s->view, owner))
		return;
	account_add(&a, s->view, owner);
	a.over = a.under = 0; /* calls that are open */
	row_terms(&a, terms, sizeof(terms));
	page_at(p, 0, y);
	page_text(p, PAGE_FAINT, "LEDGER%s",
		  s->open->kind == SNAPSHOT_KEY ? " (of all keys together)" : "");
	page_at(p, 2, y + 1);
	y += 1 + page_wrap(p, LEDGER_LINES - 1, terms);
	page_at(p, 2, y);
	page_text(p, account_good(&a) ? PAGE_GOOD : PAGE_WARN, "%s",
		  account_verdict(&a, s->view->span.final, verdict));
}

/* ---- the page ---- */

static void row_refused(const struct screen_row *row, struct page *p)
{
	page_at(p, 0, 1);
	page_cut(p, PAGE_FAINT, p->width, row->what);
	page_at(p, 0, HEAD);
	page_text(p, PAGE_WARN, "It is not measured:");
	page_at(p, 2, HEAD + 1);
	page_wrap(p, 6, row->why);
}

void screen_draw_row(const struct screen *s, struct page *p)
{
	const struct screen_row *row = s->open;
	unsigned int y = HEAD + 1;
	char title[256];
	struct dist d;

	snprintf(title, sizeof(title), "%s%s%s", row->name, *row->method ? ": " : "", row->method);
	screen_draw_title(s, p, title);
	if (row->why) {
		row_refused(row, p);
	} else if (!screen_dist(&d, row, row->all, DIST_ALL_CPUS)) {
		row_figures(s, p, &d);
		if (d.samples) {
			y += row_distribution(s, p, &d) + 1;
			y = row_processors(s, p, y) + 1;
		} else {
			page_at(p, 0, HEAD + 1);
			page_text(p, PAGE_FAINT, "No call has ended since the view began.");
			y += 2;
		}
		row_ledger(s, p, y);
		dist_close(&d);
	}
	screen_draw_foot(s, p, "Esc back  Up Down other rows  Space pause  r reset  ? help");
}
