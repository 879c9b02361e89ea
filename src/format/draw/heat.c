// SPDX-License-Identifier: GPL-2.0-only
/* heat.c - a grid of counts as colours. */
#include "format/draw/heat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/units.h"

#define LEVELS 10
#define SWATCH 14 /* width of a colour in the legend */

int heat_open(struct heat *h, const struct dist *d, size_t lines)
{
	uint32_t n;

	*h = (struct heat){ .dist = d, .lines = lines };
	h->first = dist_quantile_slot(d, 0);
	h->last = dist_quantile_slot(d, DIST_ONE);
	n = h->last - h->first + 1;
	h->per_bin = (n + HEAT_BINS - 1) / HEAT_BINS;
	h->bins = (n + h->per_bin - 1) / h->per_bin;
	h->cells = calloc(lines * h->bins, sizeof(*h->cells));
	return h->cells ? 0 : -ENOMEM;
}

void heat_close(struct heat *h)
{
	free(h->cells);
	h->cells = NULL;
}

void heat_add(struct heat *h, size_t line, uint32_t slot, uint64_t samples)
{
	uint32_t bin = slot < h->first ? 0 : (slot - h->first) / h->per_bin;

	if (bin >= h->bins)
		bin = h->bins - 1;
	h->cells[line * h->bins + bin] += samples;
}

static uint64_t most_of(const uint64_t *cells, size_t n)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		most = cells[i] > most ? cells[i] : most;
	return most;
}

/* Returns 1 to LEVELS, or 0 for no samples. The square root keeps few samples visible. */
static int heat_level(uint64_t samples, uint64_t most)
{
	int level = ceil(sqrt((double)samples / most) * LEVELS);

	return samples ? (level < 1 ? 1 : level) : 0;
}

static void draw_cell(const struct heat *h, const struct chart *c, const struct axis *values,
		      const struct heat_box *box, uint32_t bin, bool upright)
{
	uint32_t first = h->first + bin * h->per_bin, last = first + h->per_bin - 1;
	double from, to;

	if (last > h->last)
		last = h->last;
	from = axis_at(values, dist_slot_value(h->dist, first).lo);
	to = axis_at(values, dist_slot_value(h->dist, last).hi + 1.0);
	chart_to(c, 'M', upright ? box->from : from);
	chart_to(c, ' ', upright ? to : box->from);
	chart_to(c, 'H', upright ? box->to : to);
	chart_to(c, 'V', upright ? from : box->to);
	chart_to(c, 'H', upright ? box->from : from);
	fputc('z', c->out);
}

static double heat_opacity(int level)
{
	return 0.12 + 0.88 * (level - 1) / (LEVELS - 1);
}

void heat_legend(const struct heat *h, const struct chart *c, double y, bool upright)
{
	uint64_t most = most_of(h->cells, h->lines * h->bins);
	char count[UNITS_TEXT], all[UNITS_TEXT + 16];
	double x = CHART_RIGHT - 132 - LEVELS * SWATCH;
	int level;

	snprintf(all, sizeof(all), "%s sample%s", units_count(count, most), units_plural(most));
	chart_text(c, x - 6, y + 11, "end", upright ? "in a cell: 1" : "in a row: fewest");
	for (level = 1; level <= LEVELS; level++)
		fprintf(c->out,
			"<rect class=\"heat\" fill-opacity=\"%.2f\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"%d\" height=\"12\"/>",
			heat_opacity(level), x + (level - 1) * SWATCH, y, SWATCH);
	fputc('\n', c->out);
	chart_text(c, x + LEVELS * SWATCH + 6, y + 11, "start", upright ? all : "most");
}

/* Draws one path for each level, so that a page stays small. */
void heat_draw(const struct heat *h, const struct chart *c, const struct axis *values,
	       const struct heat_box *boxes, bool upright)
{
	uint64_t all = most_of(h->cells, h->lines * h->bins), most;
	const uint64_t *cells;
	uint32_t bin;
	size_t line;
	int level;

	for (level = 1; level <= LEVELS; level++) {
		fprintf(c->out, "<path class=\"heat\" fill-opacity=\"%.2f\" d=\"",
			heat_opacity(level));
		for (line = 0; line < h->lines; line++) {
			cells = h->cells + line * h->bins;
			most = upright ? all : most_of(cells, h->bins);
			for (bin = 0; most && bin < h->bins; bin++)
				if (heat_level(cells[bin], most) == level)
					draw_cell(h, c, values, &boxes[line], bin, upright);
		}
		fputs("\"/>\n", c->out);
	}
}
