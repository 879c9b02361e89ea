// SPDX-License-Identifier: GPL-2.0-only
/*
 * text_bars.c - a distribution: its figures, and rows of ranges or of slots with counts and bars,
 * in columns that fit their contents.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/writer.h"
#include "report/costs.h"
#include "report/figures.h"
#include "report/ranges.h"

#define LEFT_COLUMN 34 /* width of the left half of the figures */
#define BAR_MIN 8
#define BAR_NOTE 13 /* room for "p99.9 p99.99" */
#define BELOW "floor"

/* One row. */
struct bar {
	struct dist_bounds value; /* smallest and largest value */
	uint64_t samples; /* samples in it */
	/* the row stands for ranges that are left out; the other members are unused */
	bool skipped;
	bool below; /* not above the floor, which an empty function reads too */
	char note[BAR_NOTE]; /* text behind the bar */
};

/* Rows of a distribution. */
struct bars {
	const struct text_writer *t;
	const struct report_drawings *x;
	const struct dist *d;
	const struct cost *cost; /* or NULL */
	struct bar *rows;
	size_t n;
};

/* Widths of the columns; each is as wide as its widest cell. */
struct widths {
	int lo;
	int hi;
	int samples;
	unsigned int bar;
	uint64_t most;
	uint64_t total;
};

static int wider(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

/* The text behind a bar. */
static const char *note_of(const struct bar *row, char text[UNITS_TEXT])
{
	snprintf(text, UNITS_TEXT, "%s%s%s", row->note, *row->note && row->below ? " " : "",
		 row->below ? BELOW : "");
	return text;
}

static struct widths bars_measure(const struct bars *b)
{
	const struct bar *rows = b->rows;
	const char *unit = b->x->unit;
	char text[UNITS_TEXT];
	struct widths w = {};
	int used, note = 0;
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (rows[i].skipped)
			continue;
		w.lo = wider(w.lo, units_duration(text, rows[i].value.lo, unit));
		w.hi = wider(w.hi, units_duration(text, rows[i].value.hi, unit));
		w.samples = wider(w.samples, units_count(text, rows[i].samples));
		note = wider(note, note_of(&rows[i], text));
		w.total += rows[i].samples;
		if (rows[i].samples > w.most)
			w.most = rows[i].samples;
	}
	used = b->t->indent + w.lo + strlen(" .. ") + w.hi + strlen("  ") + w.samples +
	       strlen(" >99.99% ") + strlen(" ") + note;
	w.bar = used + BAR_MIN < (int)b->t->r->width ? b->t->r->width - used : BAR_MIN;
	return w;
}

/* Draws @part / @whole of @width columns. A part other than 0 is visible. Returns the columns. */
static unsigned int bars_draw_bar(const struct text_writer *t, uint64_t part, uint64_t whole,
				  unsigned int width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	bool blocks = t->r->look && t->r->look->bars;
	unsigned int steps = blocks ? 8 : 1, i, used;
	FILE *out = t->out;
	uint64_t cells = 0;

	if (whole)
		cells = (unsigned __int128)part * width * steps / whole;
	fputs(text_paint(t, TEXT_BAR), out);
	for (i = 0; i < cells / steps; i++)
		fputs(blocks ? "█" : "#", out);
	used = cells / steps;
	if (cells % steps) {
		fputs(eighths[cells % steps], out);
		used++;
	} else if (part && !cells) {
		fputs(blocks ? eighths[1] : ".", out);
		used++;
	}
	fputs(text_paint(t, TEXT_PLAIN), out);
	return used;
}

static void bars_draw_row(const struct bars *b, const struct bar *row, const struct widths *w)
{
	const struct text_writer *t = b->t;
	FILE *out = t->out;
	char lo[UNITS_TEXT], hi[UNITS_TEXT], samples[UNITS_TEXT], percent[UNITS_TEXT];
	char note[UNITS_TEXT];
	unsigned int used;

	if (row->below)
		fputs(text_paint(t, TEXT_FAINT), out);
	fprintf(out, "%*s%*s .. %*s  %*s %7s ", (int)t->indent, "", w->lo,
		units_duration(lo, row->value.lo, b->x->unit), w->hi,
		units_duration(hi, row->value.hi, b->x->unit), w->samples,
		units_count(samples, row->samples), units_percent(percent, row->samples, w->total));
	used = bars_draw_bar(t, row->samples, w->most, w->bar);
	if (*note_of(row, note))
		fprintf(out, "%*s%s%s%s", (int)(w->bar - used + 1), "", text_paint(t, TEXT_FAINT),
			note, text_paint(t, TEXT_PLAIN));
	fputc('\n', out);
}

static void bars_draw(const struct bars *b)
{
	const struct text_writer *t = b->t;
	struct widths w = bars_measure(b);
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (b->rows[i].skipped)
			fprintf(t->out, "%*s%s%*s%s\n", (int)t->indent, "",
				text_paint(t, TEXT_FAINT), w.lo + 3, "..",
				text_paint(t, TEXT_PLAIN));
		else
			bars_draw_row(b, &b->rows[i], &w);
	}
}

/* ---- ranges ---- */

/* The quantiles in a range: "p50", "p50 p90" or "p50..p99.9". */
static void note_quantiles(char note[BAR_NOTE], const struct dist *d, const struct range *range)
{
	int first = -1, last = -1, i;
	uint32_t slot;

	for (i = 0; i < FIGURES_QUANTILES; i++) {
		slot = dist_quantile_slot(d, figures_quantiles[i].millionths);
		if (slot < range->first || slot > range->last)
			continue;
		first = first < 0 ? i : first;
		last = i;
	}
	if (first < 0)
		return;
	snprintf(note, BAR_NOTE, "%s", figures_quantiles[first].name);
	if (last > first)
		snprintf(note + strlen(note), BAR_NOTE - strlen(note), "%s%s",
			 last > first + 1 ? ".." : " ", figures_quantiles[last].name);
}

static void bars_of_ranges(struct bars *b)
{
	struct range ranges[RANGES_MAX];
	size_t i;

	b->n = ranges_make(b->d, b->t->ranges, ranges);
	for (i = 0; i < b->n; i++) {
		b->rows[i].value = ranges[i].value;
		b->rows[i].samples = ranges[i].samples;
		b->rows[i].skipped = ranges[i].skipped;
		b->rows[i].below = costs_below(b->cost, b->d, ranges[i].value.hi);
		note_quantiles(b->rows[i].note, b->d, &ranges[i]);
	}
}

/* ---- slots ---- */

/* Of all that have samples; behind the bar the cumulative share. */
static void bars_of_slots(struct bars *b)
{
	struct dist_row row = DIST_ROW_BEGIN;
	char percent[UNITS_TEXT];
	int32_t last = -1;
	struct bar *bar;

	while (dist_next(b->d, &row)) {
		if (b->n && row.first != last + 1)
			b->rows[b->n++].skipped = true;
		last = row.slot;
		bar = &b->rows[b->n++];
		bar->value = row.value;
		bar->samples = row.samples;
		bar->below = costs_below(b->cost, b->d, row.value.hi);
		units_percent(percent, row.cumulative, b->d->samples);
		snprintf(bar->note, BAR_NOTE, "%.*s", BAR_NOTE - 1, percent);
	}
}

int text_drawings(const struct text_writer *t, const struct report_drawings *x)
{
	const struct snapshot *s = x->rec->whole;
	size_t room = x->slots ? 2 * kstats_n_slots(s->bits) : RANGES_MAX;
	struct bars b = { .t = t,
			  .x = x,
			  .cost = recording_cost(x->rec, x->node),
			  .rows = calloc(room, sizeof(*b.rows)) };
	struct dist d;
	int err = dist_open(&d, s, x->node, DIST_ALL_CPUS);

	b.d = &d;
	if (!b.rows)
		err = -ENOMEM;
	if (!err && x->slots)
		bars_of_slots(&b);
	else if (!err)
		bars_of_ranges(&b);
	if (!err)
		bars_draw(&b);
	dist_close(&d);
	free(b.rows);
	return err;
}

/* ---- figures ---- */

void text_figures(const struct text_writer *t, const struct report_part *p)
{
	size_t rows = (p->n_facts + 1) / 2, i;
	const struct report_fact *f;
	char left[2 * LEFT_COLUMN];

	for (i = 0; i < rows; i++) {
		f = &p->facts[i];
		snprintf(left, sizeof(left), "%-6s %s%s%s", f->name, f->text, f->note ? "  " : "",
			 f->note ? f->note : "");
		fprintf(t->out, "%*s%-*s", (int)t->indent, "",
			i + rows < p->n_facts ? LEFT_COLUMN : 0, left);
		f += rows;
		if (i + rows < p->n_facts)
			fprintf(t->out, "  %s%-6s%s %s", text_paint(t, TEXT_FAINT), f->name,
				text_paint(t, TEXT_PLAIN), f->text);
		fputc('\n', t->out);
	}
}
