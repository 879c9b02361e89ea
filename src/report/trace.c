// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - recordings of functions: values for programs, or a page. */
#include "report/priv.h"

void report_trace(struct report *r, const struct report_set *recs, const struct report_look *o,
		  enum report_detail detail)
{
	int err = 0;

	*r = (struct report){ .kind = REPORT_TRACE,
			      .look = o,
			      .values = report_trace_values,
			      .rows = report_trace_rows,
			      .metrics = report_trace_metrics,
			      .of = recs };
	if (detail == REPORT_PAGE)
		err = report_trace_page(r, recs);
	else if (detail == REPORT_DRAWN)
		err = report_trace_drawn(r, recs);
	if (err)
		r->err = err;
}

const struct recording *report_recording(const struct report *r)
{
	const struct report_set *recs = r->of;

	return recs->recs[0];
}
