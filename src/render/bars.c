// SPDX-License-Identifier: GPL-2.0-only
/* bars.c - rows with bars. */
#include "render/bars.h"

#include <string.h>

#include "util/text.h"
#include "util/units.h"

#define BAR_MIN 8
#define BELOW "floor"

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

static struct widths bars_measure(const struct report_look *o, const struct bar *rows, size_t n)
{
	char text[UNITS_TEXT];
	struct widths w = {};
	int used, note = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (rows[i].skipped)
			continue;
		w.lo = wider(w.lo, units_duration(text, rows[i].value.lo, o->unit));
		w.hi = wider(w.hi, units_duration(text, rows[i].value.hi, o->unit));
		w.samples = wider(w.samples, units_count(text, rows[i].samples));
		note = wider(note, note_of(&rows[i], text));
		w.total += rows[i].samples;
		if (rows[i].samples > w.most)
			w.most = rows[i].samples;
	}
	used = strlen("  ") + w.lo + strlen(" .. ") + w.hi + strlen("  ") + w.samples +
	       strlen(" >99.99% ") + strlen(" ") + note;
	w.bar = used + BAR_MIN < (int)o->width ? o->width - used : BAR_MIN;
	return w;
}

/* Draws @part / @whole of @width columns. A part other than 0 is visible. Returns the columns. */
static unsigned int bars_draw_bar(FILE *out, const struct report_look *o, uint64_t part,
				  uint64_t whole, unsigned int width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned int steps = o->bars ? 8 : 1, i, used;
	uint64_t cells = 0;

	if (whole)
		cells = (unsigned __int128)part * width * steps / whole;
	fputs(text_color(o->color, TEXT_BAR), out);
	for (i = 0; i < cells / steps; i++)
		fputs(o->bars ? "█" : "#", out);
	used = cells / steps;
	if (cells % steps) {
		fputs(eighths[cells % steps], out);
		used++;
	} else if (part && !cells) {
		fputs(o->bars ? eighths[1] : ".", out);
		used++;
	}
	fputs(text_color(o->color, TEXT_PLAIN), out);
	return used;
}

static void bars_draw_row(FILE *out, const struct report_look *o, const struct bar *row,
			  const struct widths *w)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT], samples[UNITS_TEXT], percent[UNITS_TEXT];
	char note[UNITS_TEXT];
	unsigned int used;

	if (row->below)
		fputs(text_color(o->color, TEXT_FAINT), out);
	fprintf(out, "  %*s .. %*s  %*s %7s ", w->lo, units_duration(lo, row->value.lo, o->unit),
		w->hi, units_duration(hi, row->value.hi, o->unit), w->samples,
		units_count(samples, row->samples), units_percent(percent, row->samples, w->total));
	used = bars_draw_bar(out, o, row->samples, w->most, w->bar);
	if (*note_of(row, note))
		fprintf(out, "%*s%s%s%s", (int)(w->bar - used + 1), "",
			text_color(o->color, TEXT_FAINT), note, text_color(o->color, TEXT_PLAIN));
	fputc('\n', out);
}

void bars_draw(FILE *out, const struct report_look *o, const struct bar *rows, size_t n)
{
	struct widths w = bars_measure(o, rows, n);
	size_t i;

	for (i = 0; i < n; i++) {
		if (rows[i].skipped)
			fprintf(out, "  %s%*s%s\n", text_color(o->color, TEXT_FAINT), w.lo + 3,
				"..", text_color(o->color, TEXT_PLAIN));
		else
			bars_draw_row(out, o, &rows[i], &w);
	}
}
