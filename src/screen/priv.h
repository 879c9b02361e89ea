/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of screen share. */
#ifndef KSTATS_SCREEN_PRIV_H
#define KSTATS_SCREEN_PRIV_H

#include "screen/screen.h"
#include "util/units.h"

/** screen_dist() - the distribution of counts of a row. Return: 0 or -ENOMEM; see dist_open() */
int screen_dist(struct dist *d, const struct screen_row *row, struct counts *counts, int cpu);

/** screen_tick_of() - an interval of a row, or NULL if it has no counts; @at: number */
const struct screen_tick *screen_tick_of(const struct screen *s, const struct screen_row *row,
					 uint64_t at);

/** screen_figures() - the figures that are shown of a row; no samples: there are none */
struct screen_figures screen_figures(const struct screen *s, const struct screen_row *row);

/** screen_sort() - find the rows that are shown, in order */
void screen_sort(struct screen *s);

/** screen_unit() - the unit in which a row is shown */
const char *screen_unit(const struct screen *s, const struct screen_row *row);

/** screen_step() - intervals of one column, so that a minute fits into @columns */
unsigned int screen_step(unsigned int columns);

/**
 * screen_column() - first interval of a column of a chart over time, which may be before the first
 * @column: 0 is the oldest of @columns
 *
 * Columns keep their intervals while time goes on, so that a chart moves and does not flicker.
 */
int64_t screen_column(const struct screen *s, unsigned int columns, unsigned int column);

/** screen_past() - "LAST MINUTE": the time that is remembered */
void screen_past(const struct screen *s, char text[2 * UNITS_TEXT]);

/** screen_draw_list() - draw the rows */
void screen_draw_list(struct screen *s, struct page *p);

/** screen_draw_row() - draw one row */
void screen_draw_row(const struct screen *s, struct page *p);

/** screen_draw_help() - draw what the keys do */
void screen_draw_help(struct page *p);

/** screen_draw_title() - draw the first line; @what: text of its left end */
void screen_draw_title(const struct screen *s, struct page *p, const char *what);

/** screen_draw_foot() - draw the last line: the search, a message, or @keys */
void screen_draw_foot(const struct screen *s, struct page *p, const char *keys);

#endif /* KSTATS_SCREEN_PRIV_H */
