/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * writer.h - what a report for a terminal is written with, one file for each kind of its parts.
 * Called by text.c.
 */
#ifndef KSTATS_FORMAT_WRITER_H
#define KSTATS_FORMAT_WRITER_H

#include <stdio.h>

#include "report/report.h"
#include "util/text.h"

/** struct text_writer - a text that is being written */
struct text_writer {
	FILE *out;
	const struct report *r;
	unsigned int ranges; /* rows that a distribution may have, RANGES_MAX at most */
	unsigned int indent;
	int last; /* kind of the part before, or -1 */
	bool noted; /* that was a note */
	int err; /* 0 or -ENOMEM */
};

/** text_paint() - what switches to a colour; "" without colours */
static inline const char *text_paint(const struct text_writer *t, enum text_color color)
{
	return t->r->look ? text_color(t->r->look->color, color) : "";
}

/** text_table() - a table */
void text_table(const struct text_writer *t, const struct report_table *table);

/** text_figures() - figures in two columns */
void text_figures(const struct text_writer *t, const struct report_part *p);

/** text_drawings() - a distribution, as bars. Return: 0 or -ENOMEM */
int text_drawings(const struct text_writer *t, const struct report_drawings *x);

/** text_series() - a series as a picture of characters; @s: has points */
void text_series(FILE *out, const struct report_series *s);

#endif /* KSTATS_FORMAT_WRITER_H */
