// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - recordings of functions, of which there are only values for programs. */
#include "report/priv.h"

void report_trace(struct report *r, const struct render_set *recs, const struct render_options *o)
{
	*r = (struct report){ .kind = REPORT_TRACE,
			      .look = o,
			      .values = report_trace_values,
			      .rows = report_trace_rows,
			      .metrics = report_trace_metrics,
			      .of = recs };
}

const struct recording *report_recording(const struct report *r)
{
	const struct render_set *recs = r->of;

	return recs->recs[0];
}
