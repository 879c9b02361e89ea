/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the kinds of reports are made of, one file each. Called by nobody else. */
#ifndef KSTATS_REPORT_PRIV_H
#define KSTATS_REPORT_PRIV_H

#include "report/report.h"

/** values_bounds() - between which values something lies */
void values_bounds(struct json_out *w, const char *key, struct dist_bounds b);

/** values_quantiles() - the quantiles that reports show; @d: has samples */
void values_quantiles(struct json_out *w, const char *key, const struct dist *d);

/** report_trace_values() - the first of recordings as named values; see struct report */
void report_trace_values(const struct report *r, struct json_out *w);

/** report_trace_rows() - the same as rows. Return: 0 or -ENOMEM */
int report_trace_rows(const struct report *r, struct report_rows *to);

/** report_trace_metrics() - all of the recordings as metrics. Return: 0 or -ENOMEM */
int report_trace_metrics(const struct report *r, struct report_metrics *to);

/** report_diff_values() - two sets of runs as named values */
void report_diff_values(const struct report *r, struct json_out *w);

/** report_kmem_diff_values() - two sets of recordings of memory events as named values */
void report_kmem_diff_values(const struct report *r, struct json_out *w);

/** report_verdict_values() - results, and the sets and series of a history, as named values */
void report_verdict_values(const struct report *r, struct json_out *w);

/** report_history() - a section for each series of a history */
void report_history(struct report *r, const struct history *h);

#endif /* KSTATS_REPORT_PRIV_H */
