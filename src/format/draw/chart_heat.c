// SPDX-License-Identifier: GPL-2.0-only
/* chart_heat.c - durations over time, and by CPU. */
#include "format/draw/chart.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/draw/heat.h"
#include "util/units.h"

#define COLUMNS_MAX 240 /* if there are more intervals, neighbours are joined */
#define CPUS_HEIGHT 560 /* of all rows, at most */
#define LEGEND 18 /* height of one, below a drawing */
#define ROW_MAX 18
#define ROWS_TOP (CHART_TOP + 10)
#define ROW_NAMED 18 /* minimum height of a row with a label */

/* ---- over time ---- */

static double seconds_of(const struct recording *rec, size_t i)
{
	return (rec->periods[i].span.end_ns - rec->periods[i].span.begin_ns) / 1e9;
}

static size_t column_of(const struct recording *rec, size_t period)
{
	return rec->n_periods > COLUMNS_MAX ? period * COLUMNS_MAX / rec->n_periods : period;
}

/* Positions of the columns on the axis @time. They adjoin, even if time passed in between. */
static void place_columns(const struct recording *rec, const struct axis *time,
			  struct heat_box *boxes)
{
	double at = 0;
	size_t i, column, last = SIZE_MAX;

	for (i = 0; i < rec->n_periods; i++) {
		column = column_of(rec, i);
		if (column != last)
			boxes[column].from = axis_at(time, at * 1e9);
		at += seconds_of(rec, i);
		boxes[column].to = axis_at(time, at * 1e9);
		last = column;
	}
}

static int count_periods(struct heat *h, const struct recording *rec, uint32_t node)
{
	struct counts_cursor at;
	struct counts *counts;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < rec->n_periods; i++) {
		err = recording_period_counts(rec, i, node, &counts);
		at = counts_begin(counts, COUNTS_ALL_CPUS);
		while (counts_next(&at))
			heat_add(h, column_of(rec, i), at.slot, at.count.samples);
		counts_drop(counts);
	}
	return err;
}

static double all_seconds(const struct recording *rec)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < rec->n_periods; i++)
		sum += seconds_of(rec, i);
	return sum;
}

int chart_intervals(const struct chart *c, const struct recording *rec, uint32_t node,
		    const struct dist *d)
{
	size_t columns = column_of(rec, rec->n_periods - 1) + 1;
	struct axis values = axis_values(d, CHART_BOTTOM, CHART_TOP);
	struct axis time = { 0, all_seconds(rec) * 1e9, CHART_LEFT, CHART_RIGHT, false };
	struct heat_box *boxes = calloc(columns, sizeof(*boxes));
	struct heat h = {};
	int err = boxes ? heat_open(&h, d, columns) : -ENOMEM;

	if (!err)
		err = count_periods(&h, rec, node);
	if (!err) {
		if (time.hi <= 0)
			time.hi = 1;
		place_columns(rec, &time, boxes);
		chart_open(c, CHART_HEIGHT + LEGEND,
			   units_is_time(c->unit) ? "Intervals: durations over time"
						  : "Intervals: values over time");
		chart_axis_x(c, &time, CHART_TOP, CHART_BOTTOM);
		chart_axis_y(c, &values);
		heat_draw(&h, c, &values, boxes, true);
		heat_legend(&h, c, CHART_HEIGHT, true);
		chart_close(c);
	}
	heat_close(&h);
	free(boxes);
	return err;
}

/* ---- by CPU ---- */

/* The CPUs that have samples. */
struct rows {
	size_t n;
	uint32_t *cpus;
	struct dist *dists;
	struct heat_box *boxes;
};

static void close_rows(struct rows *r)
{
	while (r->n)
		dist_close(&r->dists[--r->n]);
	free(r->cpus);
	free(r->dists);
	free(r->boxes);
}

static int open_rows(struct rows *r, const struct snapshot *s, uint32_t node)
{
	struct dist d;
	uint32_t cpu;

	r->cpus = calloc(s->n_cpus, sizeof(*r->cpus));
	r->dists = calloc(s->n_cpus, sizeof(*r->dists));
	r->boxes = calloc(s->n_cpus, sizeof(*r->boxes));
	if (!r->cpus || !r->dists || !r->boxes)
		return -ENOMEM;
	for (cpu = 0; counts_next_cpu(s->nodes[node].counts, &cpu); cpu++) {
		if (dist_open(&d, s, node, cpu)) {
			dist_close(&d);
			return -ENOMEM;
		}
		if (!d.samples) {
			dist_close(&d);
			continue;
		}
		r->cpus[r->n] = cpu;
		r->dists[r->n++] = d;
	}
	return 0;
}

static double row_height(const struct rows *r)
{
	return fmin(ROW_MAX, (double)CPUS_HEIGHT / r->n);
}

static void place_rows(struct rows *r)
{
	double height = row_height(r);
	size_t i;

	for (i = 0; i < r->n; i++) {
		r->boxes[i].from = ROWS_TOP + i * height;
		r->boxes[i].to = ROWS_TOP + (i + 1) * height - (height > 4 ? 1 : 0);
	}
}

static void count_cpus(struct heat *h, const struct rows *r)
{
	struct dist_row row;
	size_t i;

	for (i = 0; i < r->n; i++) {
		row = (struct dist_row)DIST_ROW_BEGIN;
		while (dist_next(&r->dists[i], &row))
			heat_add(h, i, row.slot, row.samples);
	}
}

/* Draw strokes for the median and p99, and the CPU's number if there is room. */
static void mark_row(const struct chart *c, const struct rows *r, size_t i,
		     const struct axis *values)
{
	static const uint32_t marks[] = { 500000, 990000 };
	const struct heat_box *box = &r->boxes[i];
	size_t k;

	for (k = 0; k < 2; k++)
		fprintf(c->out, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/>\n",
			axis_at(values, dist_quantile(&r->dists[i], marks[k]).hi + 1.0), box->from,
			box->to);
}

static void name_row(const struct chart *c, const struct rows *r, size_t i, double height)
{
	size_t step = ceil(ROW_NAMED / height);
	char text[16];

	if (i % step)
		return;
	snprintf(text, sizeof(text), "%u", r->cpus[i]);
	chart_text(c, CHART_LEFT - 7, r->boxes[i].from + height / 2 + 4, "end", text);
}

static void draw_rows(const struct chart *c, const struct rows *r, const struct heat *h,
		      const struct axis *values)
{
	double height = row_height(r), bottom = r->boxes[r->n - 1].to + 1;
	size_t i;

	chart_open(c, bottom + 32 + LEGEND,
		   units_is_time(c->unit) ? "CPUs: durations on each" : "CPUs: values on each");
	chart_axis_x(c, values, CHART_TOP, bottom);
	heat_draw(h, c, values, r->boxes, false);
	heat_legend(h, c, bottom + 32, false);
	for (i = 0; i < r->n; i++) {
		mark_row(c, r, i, values);
		name_row(c, r, i, height);
	}
	chart_text(c, CHART_LEFT - 7, CHART_TOP - 7, "end", "CPU");
	chart_text(c, CHART_RIGHT, CHART_TOP - 7, "end", "strokes: p50 and p99");
	chart_close(c);
}

int chart_cpus(const struct chart *c, const struct snapshot *s, uint32_t node, const struct dist *d)
{
	struct axis values = axis_values(d, CHART_LEFT, CHART_RIGHT);
	struct rows rows = {};
	struct heat h = {};
	int err = open_rows(&rows, s, node);

	if (!err)
		err = heat_open(&h, d, rows.n);
	if (!err) {
		place_rows(&rows);
		count_cpus(&h, &rows);
		draw_rows(c, &rows, &h, &values);
	}
	heat_close(&h);
	close_rows(&rows);
	return err;
}
