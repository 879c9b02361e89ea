// SPDX-License-Identifier: GPL-2.0-only
/* text_series.c - a series as a picture for a terminal of 80 by 24. */
#include <math.h>
#include <string.h>

#include "format/writer.h"
#include "util/units.h"

#define LABEL 10 /* columns left of the picture */
#define COLUMNS 66
#define LINES 6
#define GAP_MOST 4 /* columns from a point to the next, if there is room */

struct canvas {
	char cell[LINES][COLUMNS + 1];
	size_t first; /* point of the first column */
	size_t gap;
	double lo; /* logarithms of values */
	double hi;
};

static size_t canvas_column(const struct canvas *c, size_t i)
{
	return (i - c->first) * c->gap;
}

static size_t canvas_line(const struct canvas *c, double value)
{
	double part = (c->hi - log(value)) / (c->hi - c->lo);

	/* The mean of points that are not shown too may lie outside. */
	return lround(fmin(fmax(part, 0), 1) * (LINES - 1));
}

static void canvas_scale(struct canvas *c, const struct report_series *s)
{
	size_t i;

	c->gap = s->n > 1 ? (COLUMNS - 1) / (s->n - 1) : GAP_MOST;
	c->gap = c->gap < 1 ? 1 : c->gap > GAP_MOST ? GAP_MOST : c->gap;
	c->first = s->n > COLUMNS ? s->n - COLUMNS : 0;
	c->lo = INFINITY;
	c->hi = -INFINITY;
	for (i = c->first; i < s->n; i++) {
		c->lo = fmin(c->lo, log(s->points[i].value));
		c->hi = fmax(c->hi, log(s->points[i].value));
	}
	if (c->hi - c->lo < 1e-6) {
		c->lo -= 0.01;
		c->hi += 0.01;
	}
}

/* Mark each place at which the first point after a step may be. */
static void canvas_step(struct canvas *c, const struct report_step *step)
{
	size_t i, line;

	for (i = step->lo; i <= step->hi; i++)
		for (line = 0; i >= c->first && line < LINES; line++)
			c->cell[line][canvas_column(c, i)] = i == step->at ? '|' : ':';
}

static void canvas_draw(struct canvas *c, const struct report_series *s)
{
	const struct report_point *p;
	size_t i, k, column;

	memset(c->cell, ' ', sizeof(c->cell));
	canvas_scale(c, s);
	for (k = 0; k < s->n_steps; k++)
		canvas_step(c, &s->steps[k]);
	for (i = c->first; i < s->n; i++) {
		p = &s->points[i];
		column = canvas_column(c, i);
		for (k = 1; i + 1 < s->n && k < c->gap; k++)
			c->cell[canvas_line(c, p->level)][column + k] = '-';
		c->cell[canvas_line(c, p->value)][column] = p->is_new ? '#' : 'o';
	}
}

void text_series(FILE *out, const struct report_series *s)
{
	char label[UNITS_TEXT];
	struct canvas c;
	size_t line, end;

	canvas_draw(&c, s);
	for (line = 0; line < LINES; line++) {
		*label = '\0';
		if (!line)
			units_duration(label, exp(c.hi), s->unit);
		else if (line == LINES - 1)
			units_duration(label, exp(c.lo), s->unit);
		for (end = COLUMNS; end && c.cell[line][end - 1] == ' '; end--)
			;
		fprintf(out, "  %*s |%.*s\n", LABEL, label, (int)end, c.cell[line]);
	}
}
