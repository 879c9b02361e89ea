/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diff.h - two sets of runs side by side. One table row a format. Pure: writes to
 * the stream it is given and nothing else. Called by cmd/.
 */
#ifndef KSTATS_DIFF_H
#define KSTATS_DIFF_H

#include <stdio.h>

#include "judge/compare.h"
#include "util/units.h"

/* One output format. */
struct diff_format {
	const char *name; /* as given to -f */
	const char *help; /* half a line for --help */
	int (*render)(FILE *out, const struct compare *c); /* writes the rows; 0 or -EIO */
};

#define DIFF_SENTENCE 256

/** diff_formats - all formats, ended by an entry whose name is NULL */
extern const struct diff_format diff_formats[];

/**
 * diff_find() - the format of that name
 * @name: exact name
 *
 * Return: a row of diff_formats, or NULL.
 */
const struct diff_format *diff_find(const char *name);

/**
 * diff_sentence() - what can be said of one distribution, in one plain sentence
 * @n: their number
 * @buf: receives the text
 *
 * Return: @buf.
 */
const char *diff_sentence(const struct compare_row *rows, size_t n, char buf[DIFF_SENTENCE]);

/**
 * diff_level() - of an interval
 * @row: a known row
 * @buf: receives the text
 *
 * Return: @buf, "98.75%".
 */
const char *diff_level(const struct compare_row *row, char buf[UNITS_TEXT]);

/**
 * diff_unknown() - why a row has no interval
 * @row: a row that is not known
 * @buf: receives the text
 *
 * Return: @buf; empty where the sentence of the distribution says it.
 */
const char *diff_unknown(const struct compare_row *row, char buf[DIFF_SENTENCE]);

/**
 * diff_warning() - what may look like a change
 * @rows: rows of one distribution
 * @n: their number
 *
 * Return: constant text, or NULL.
 */
const char *diff_warning(const struct compare_row *rows, size_t n);

/** diff_rows() - rows of one distribution; @c: all; @first: index of its first row */
size_t diff_rows(const struct compare *c, size_t first);

/**
 * diff_scale() - how far from no change the pictures of one distribution reach
 * @n: their number
 *
 * As far as its intervals, but where few runs leave them all but endless: what
 * reaches farther is cut off, so that both of its sides are seen.
 *
 * Return: a ratio less one, no change of a row is larger; 0 when no interval is known.
 */
double diff_scale(const struct compare_row *rows, size_t n);

/** diff_html() - a page that needs nothing else; @c: rows. Return: 0 or -EIO */
int diff_html(FILE *out, const struct compare *c);

/** diff_markdown() - tables for a pull request; @c: rows. Return: 0 or -EIO */
int diff_markdown(FILE *out, const struct compare *c);

/** diff_json() - one object on one line; @c: rows. Return: 0 or -EIO */
int diff_json(FILE *out, const struct compare *c);

#endif /* KSTATS_DIFF_H */
