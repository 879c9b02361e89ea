/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - the writers, one file each. All return 0 or -EIO. Called by nobody else. */
#ifndef KSTATS_FORMAT_PRIV_H
#define KSTATS_FORMAT_PRIV_H

#include <stdio.h>

#include "report/report.h"

/** format_text() - for people at a terminal */
int format_text(FILE *out, const struct report *r);

/** format_line() - a line for each function, with its time of day; of a recording */
int format_line(FILE *out, const struct report *r);

/** format_markdown() - for a pull request; results and series are left out */
int format_markdown(FILE *out, const struct report *r);

/** format_html() - a page that needs nothing else */
int format_html(FILE *out, const struct report *r);

/** format_svg() - only drawings of recordings, as one picture */
int format_svg(FILE *out, const struct report *r);

/** format_classic() - the text format of the original kstats, byte for byte; of a recording */
int format_classic(FILE *out, const struct report *r);

/** format_folded() - stacks and their totals, for flame graphs; of a recording */
int format_folded(FILE *out, const struct report *r);

/** format_hgrm() - percentiles as HdrHistogram prints them; of a recording */
int format_hgrm(FILE *out, const struct report *r);

/** format_json() - named values on one line */
int format_json(FILE *out, const struct report *r);

/** format_csv() - CSV by RFC 4180: a header row, and the rows of a report */
int format_csv(FILE *out, const struct report *r);

/** format_openmetrics() - an exposition for Prometheus and similar systems */
int format_openmetrics(FILE *out, const struct report *r);

/** format_vmrange() - the same with the histograms of VictoriaMetrics */
int format_vmrange(FILE *out, const struct report *r);

/** format_protobuf() - the same in Prometheus' protobuf, with native histograms */
int format_protobuf(FILE *out, const struct report *r);

/** format_perfetto() - single calls as a trace that the viewers of Perfetto and Chrome open */
int format_perfetto(FILE *out, const struct report *r);

/** format_junit() - JUnit XML */
int format_junit(FILE *out, const struct report *r);

/** format_tap() - TAP 13 */
int format_tap(FILE *out, const struct report *r);

/** format_github() - annotations of a GitHub workflow */
int format_github(FILE *out, const struct report *r);

/** format_dashboard() - an array of {name, unit, value, range, extra}, smaller is better */
int format_dashboard(FILE *out, const struct report *r);

/** format_gobench() - Go benchmark lines, one for each function and run */
int format_gobench(FILE *out, const struct report *r);

/** format_comments() - name the recording and the interval if there are several, and say whether
 *	the floor was subtracted
 */
void format_comments(FILE *out, const struct recording *rec, const struct report_look *o);

/** text_series() - a series as a picture of characters; @s: has points */
void text_series(FILE *out, const struct report_series *s);

/** html_boxes() - boxes that fill a drawing. Return: 0 or -ENOMEM */
int html_boxes(FILE *out, const struct report_boxes *boxes);

/** html_drawings() - a distribution in every way. Return: 0 or -ENOMEM */
int html_drawings(FILE *out, const struct report_drawings *x);

/** html_keys() - small drawings of keys. Return: 0 or -ENOMEM */
int html_keys(FILE *out, const struct report_keys *keys);

/** html_flames() - a flame graph; @x: has rows. Return: 0 or -ENOMEM */
int html_flames(FILE *out, const struct report_flames *x);

/** html_strips() - durations in their parts; @x: has rows */
void html_strips(FILE *out, const struct report_strips *x);

/** html_runs() - a figure of all runs as points; @r: has runs */
void html_runs(FILE *out, const struct report_runs *r);

/** html_results() - a table of rules, with the intervals of changes */
void html_results(FILE *out, const struct report *r);

/** html_table() - a table, with the intervals of its changes below it */
void html_table(FILE *out, const struct report_table *t);

/** html_series() - a series as a drawing; @s: has points */
void html_series(FILE *out, const struct report_series *s);

#endif /* KSTATS_FORMAT_PRIV_H */
