/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verdict.h - the results of `check`, for people and for CI systems. One table row a format.
 * In: results and the judged runs. Out: text. Pure: writes only to the given stream. Called
 * by cmd/.
 */
#ifndef KSTATS_VERDICT_H
#define KSTATS_VERDICT_H

#include <stdio.h>

#include "judge/check.h"
#include "render/methods.h"

#define VERDICT_METHODS (3 * METHODS_TEXT)

/** struct verdict_format - one output format */
struct verdict_format {
	const char *name; /* as given to -f */
	const char *help; /* half a line for --help */
	/* writes the results; @runs are what was judged; 0 or -EIO */
	int (*render)(FILE *out, const struct check *c, const struct compare_set *runs);
};

/** verdict_formats - all formats, ended by an entry whose name is NULL */
extern const struct verdict_format verdict_formats[];

/** verdict_find() - find a format. Return: a row of verdict_formats, or NULL */
const struct verdict_format *verdict_find(const char *name);

/** verdict_count() - number of results with verdict @v */
size_t verdict_count(const struct check *c, enum check_verdict v);

/** verdict_fails() - whether a result failed, or is inconclusive and that counts as failed */
bool verdict_fails(const struct check *c, const struct check_result *r);

/**
 * verdict_methods() - the methods of both sides and their floors, not yet safe to print; or NULL
 */
const char *verdict_methods(const struct check_result *r, char buf[VERDICT_METHODS]);

/**
 * verdict_junit() - JUnit XML; an inconclusive result is skipped, with the reason, or a failure
 *	if it counts as one; looks are properties. Return: 0 or -EIO
 */
int verdict_junit(FILE *out, const struct check *c, const struct compare_set *runs);

/** verdict_tap() - TAP 13; an inconclusive result is a TODO, unless it counts as failed */
int verdict_tap(FILE *out, const struct check *c, const struct compare_set *runs);

/** verdict_github() - annotations of a GitHub workflow */
int verdict_github(FILE *out, const struct check *c, const struct compare_set *runs);

/** verdict_json() - an array of {name, unit, value, range, extra}, smaller is better */
int verdict_json(FILE *out, const struct check *c, const struct compare_set *runs);

/** verdict_gobench() - Go benchmark lines, one for each function and run */
int verdict_gobench(FILE *out, const struct check *c, const struct compare_set *runs);

/** verdict_html() - a page with the series of a history as drawings */
int verdict_html(FILE *out, const struct check *c, const struct compare_set *runs);

/** verdict_series() - one JSON object: results, sets of a history, figures and steps */
int verdict_series(FILE *out, const struct check *c, const struct compare_set *runs);

#endif /* KSTATS_VERDICT_H */
