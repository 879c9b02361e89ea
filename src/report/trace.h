/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - the parts of a report of recordings of functions, one file each; see struct report.
 * Called by nobody else.
 */
#ifndef KSTATS_REPORT_TRACE_H
#define KSTATS_REPORT_TRACE_H

#include "report/priv.h"

/** report_trace_values() - the first of the recordings as named values */
void report_trace_values(const struct report *r, struct json_out *w);

/** report_trace_rows() - the same as rows */
int report_trace_rows(const struct report *r, struct report_rows *to);

/** report_trace_metrics() - all of the recordings as metrics. Return: 0 or -ENOMEM */
int report_trace_metrics(const struct report *r, struct report_metrics *to);

#endif /* KSTATS_REPORT_TRACE_H */
