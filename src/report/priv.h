/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the kinds of reports are made of, one file each. Called by nobody else. */
#ifndef KSTATS_REPORT_PRIV_H
#define KSTATS_REPORT_PRIV_H

#include "report/report.h"
#include "util/units.h"
#include "why/why.h"

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

/** report_trace_screen() - fill in what fits a screen. Return: 0 or -ENOMEM */
int report_trace_screen(struct report *r, const struct recording *rec);

/** report_trace_slots() - fill in every slot */
void report_trace_slots(struct report *r, const struct recording *rec);

/** report_trace_page() - fill in all of a page. Return: 0 or -ENOMEM */
int report_trace_page(struct report *r, const struct report_set *recs);

/** report_trace_drawn() - fill in what is drawn of each distribution. Return: 0 or -ENOMEM */
int report_trace_drawn(struct report *r, const struct report_set *recs);

/** report_diff_values() - two sets of runs as named values */
void report_diff_values(const struct report *r, struct json_out *w);

/** report_kmem_diff_values() - two sets of recordings of memory events as named values */
void report_kmem_diff_values(const struct report *r, struct json_out *w);

/** report_verdict_values() - results, and the sets and series of a history, as named values */
void report_verdict_values(const struct report *r, struct json_out *w);

/** report_why_study() - what was found out for a report of report_why() */
const struct study *report_why_study(const struct report *r);

/** report_why_time() - a duration in words, in the unit that was asked for */
const char *report_why_time(const struct report *r, double ns, char buf[UNITS_TEXT]);

/** report_why_share() - a share in words; less than nothing is nothing */
const char *report_why_share(double share, char buf[UNITS_TEXT]);

/** report_why_cell() - a cell of a table, with numbers in it */
void report_why_cell(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** report_why_part_name() - "blocked" */
const char *report_why_part_name(enum kstats_part p);

/** report_why_add_parts() - a table of the parts of slow and of ordinary calls */
void report_why_add_parts(struct report *r, const struct study *s);

/** report_why_add_callees() - the same of callees, if their times are known */
void report_why_add_callees(struct report *r, const struct recording *rec, const struct study *s);

/** report_why_draw() - draw the distribution, with the slow calls marked */
void report_why_draw(struct report *r, const struct recording *rec);

/** report_why_draw_parts() - draw the mean parts of slow and of ordinary calls */
void report_why_draw_parts(struct report *r, const struct study *s);

/** report_why_draw_callees() - the same of their mean time in callees, if it is known */
void report_why_draw_callees(struct report *r, const struct why *w, const struct study *s);

/**
 * report_why_order() - parts by how much longer slow calls are in them
 * @order: receives the indexes of those in which any call was
 *
 * Return: their number.
 */
size_t report_why_order(const struct study_part *of, size_t n_of, size_t *order);

/** report_why_draw_waits() - draw the stacks at which slow calls waited longest */
void report_why_draw_waits(struct report *r, const struct why *w);

/**
 * report_draw_keys() - draw the stacks of the keys of @owner, if they have any
 *
 * Return: 0 or -ENOMEM.
 */
int report_draw_keys(struct report *r, const struct snapshot *s, uint32_t owner);

/** report_why_draw_calls() - draw the worst calls, with their stacks */
void report_why_draw_calls(struct report *r, const struct recording *rec, const struct study *s);

/** report_why_values() - single calls, and what they say, as named values */
void report_why_values(const struct report *r, struct json_out *w);

/** report_why_rows() - single calls as rows. Return: 0 or -ENOMEM */
int report_why_rows(const struct report *r, struct report_rows *to);

#define REPORT_OVERLAYS 64 /* distributions of both sides that a page draws, at most */

/** report_overlay() - draw all runs of both sides as distributions over each other */
void report_overlay(struct report *r, const struct compare_set *before,
		    const struct compare_set *after, const char *name, const char *unit);

/** report_add_runs() - draw the runs as points; @like: what is drawn, without runs */
void report_add_runs(struct report *r, const struct compare_set *before,
		     const struct compare_set *after, const struct report_runs *like);

/** report_add_sides() - tell how both sides were measured; @sides: or NULL */
void report_add_sides(struct report *r, const struct report_sides *sides);

/** report_history() - a section for each series of a judgement by a history */
void report_history(struct report *r, const struct check *c);

#endif /* KSTATS_REPORT_PRIV_H */
