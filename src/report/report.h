/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - what recordings, a comparison or a verdict say, whatever format it gets. In: values of
 * result, kmem and judge. Out: a model of titles, sentences, facts, tables, ledgers, drawings and
 * results, which the writers of format/ write; for programs, values, rows and metrics that the
 * writers are told one after the other, as there may be many. One file for each kind makes it.
 * Pure. Called by ui, cmd and format.
 */
#ifndef KSTATS_REPORT_H
#define KSTATS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "judge/check.h"
#include "judge/runs.h"
#include "kmem/compare.h"
#include "kstats_parts.h"
#include "report/look.h"
#include "util/json.h"

#define REPORT_WIDTH 80 /* of sentences where nobody says another width */

/** enum report_kind - what a report is of; formats have bits for these */
enum report_kind {
	REPORT_TRACE = 1 << 0, /* recordings */
	REPORT_KMEM = 1 << 1, /* recordings of memory events */
	REPORT_DIFF = 1 << 2, /* two sets of runs */
	REPORT_KMEM_DIFF = 1 << 3, /* two sets of recordings of memory events */
	REPORT_VERDICT = 1 << 4, /* judged runs */
	REPORT_KMEM_VERDICT = 1 << 5, /* judged recordings of memory events */
	REPORT_WHY = 1 << 6, /* a recording with single calls */
};

/** enum report_detail - how much a report of recordings says */
enum report_detail {
	REPORT_SCREEN, /* what fits a screen */
	REPORT_SLOTS, /* the same with a row for each slot, of each distribution */
	REPORT_PAGE, /* everything, with drawings */
	REPORT_DRAWN, /* only what is drawn of each distribution */
	REPORT_VALUES, /* nothing for people, only values for programs */
};

/** enum report_tone - how a sentence is meant */
enum report_tone {
	REPORT_PLAIN,
	REPORT_SOFT,
	REPORT_GOOD,
	REPORT_BAD,
};

/** struct report_span - where a change may lie, to be drawn */
struct report_span {
	double lo; /* ratio less one */
	double hi;
	double at; /* the change itself */
	double scale; /* the drawing reaches that far to both sides; 0: nothing is drawn */
};

/** enum report_column_kind - what is in a column */
enum report_column_kind {
	REPORT_NUMBER,
	REPORT_WORDS,
	REPORT_LONG, /* words of any length, on pages */
	REPORT_UNDER, /* words that a narrow page puts below the others of the row; the last */
	REPORT_NAME, /* of something that was measured, of any length */
	REPORT_SPAN, /* struct report_span */
	REPORT_BAR, /* struct report_span: up to @at of the longest bar, from @lo on in another
		       colour */
};

/**
 * struct report_column - a column of a table
 * @heading: constant, or lives as long as the report
 * @note: the same of what stands beside each number, such as its bounds; NULL: nothing does
 * @below: where the table is too wide, this column and those after it come below
 * @page: only a page has room for it
 * @parts: stands between the parts of a name, of which the longest is cut first; or NULL
 * @lead: the rows of a text begin with this name, the first column; else a name ends them
 * @apart: such a name has a line of its own in a text
 */
struct report_column {
	const char *heading;
	const char *note;
	enum report_column_kind kind;
	bool below;
	bool page;
	bool lead;
	bool apart;
	const char *parts;
};

/** struct report_cell - a cell of a table */
struct report_cell {
	char *text; /* owned; any bytes; NULL is empty */
	char *note; /* owned; or NULL */
	struct report_span span;
	unsigned int to; /* id of the section about it, or 0 */
};

/** struct report_table - a table */
struct report_table {
	size_t n_columns;
	struct report_column *columns; /* owned */
	size_t n; /* number of complete rows */
	size_t n_cells; /* number of @cells, row by row */
	struct report_cell *cells; /* owned */
	bool *brief; /* owned; rows that stand for all where there is little room; NULL: all do */
	const char *folded; /* a page shows the rows after a click on this; NULL: at once */
};

/** struct report_fact - a name, and what belongs to it */
struct report_fact {
	const char *name; /* constant */
	char *text; /* owned; any bytes */
	char *note; /* owned; of a figure: another one beside it; or NULL */
};

/** struct report_point - a point of a series */
struct report_point {
	double value; /* above 0 */
	double level; /* mean of the points between two steps */
	bool is_new; /* it is the one that was judged */
	char *name; /* owned; any bytes */
	char *when; /* owned */
};

/** struct report_step - where a series changes; indexes of points, each the first after it */
struct report_step {
	size_t at;
	size_t lo; /* it may be as early as this */
	size_t hi; /* or as late as this */
	char *text; /* owned; any bytes */
};

/** struct report_series - values in the order of time, to be drawn */
struct report_series {
	const char *unit; /* of the values, as for units_duration() */
	double limit; /* that the new one must not exceed; 0: there is none */
	size_t n;
	struct report_point *points; /* owned */
	size_t n_steps;
	struct report_step *steps; /* owned */
};

/**
 * struct report_term - a term of a ledger
 * @sign: "" begins a sum, "=", "+" and "with" follow; "by" tells of what the sum consists, "and"
 *and "so" stand beside it; NULL: @explain alone
 * @explain: owned; or NULL
 * @below: of a term of a sum: a text gives @explain too, below the sum
 */
struct report_term {
	const char *sign;
	uint64_t n;
	char *label; /* owned; behind the number */
	char *explain;
	bool below;
};

/** struct report_ledger - what became of all events */
struct report_ledger {
	size_t n;
	struct report_term *terms; /* owned */
	char *verdict; /* owned */
	bool good;
};

/** struct report_bar - an amount of bytes in some time, counted from the begin of the drawing */
struct report_bar {
	uint64_t begin_ns;
	uint64_t end_ns;
	double value; /* height of the bar */
	double part; /* of it, drawn in another colour */
};

/** struct report_chart - a drawing that only pages have: a distribution, or bars over time */
struct report_chart {
	const char *title; /* constant */
	const char *unit;
	struct dist dist; /* owned */
	struct dist over; /* owned; drawn over it, if it has samples */
	size_t n; /* number of @bars; 0: the distribution is drawn */
	struct report_bar *bars; /* owned */
	bool rate; /* bars are per second */
	double from; /* values of the distribution from here on are marked; 0: none are */
};

#define REPORT_STRIP_PARTS 8 /* that colours can tell apart */

/** struct report_strip - a duration in its parts, as a bar */
struct report_strip {
	char *label; /* owned; beside it, any bytes */
	double ns[REPORT_STRIP_PARTS]; /* by part */
};

/** struct report_strips - durations below each other, with one scale */
struct report_strips {
	const char *title; /* constant */
	size_t n;
	struct report_strip *rows; /* owned */
	size_t n_parts;
	char *parts[REPORT_STRIP_PARTS]; /* owned; their names, any bytes */
};

/** struct report_flame - a stack, and what it stands for */
struct report_flame {
	char *stack; /* owned; the outermost function first, joined by ";" */
	double value;
};

/** struct report_flames - a flame graph */
struct report_flames {
	const char *title; /* constant */
	const char *unit; /* of the values */
	size_t n;
	struct report_flame *rows; /* owned */
};

/** struct report_boxes - amounts, to be drawn as boxes that fill a page; not owned */
struct report_boxes {
	const struct kmem_table *table;
	bool live; /* sizes are live bytes */
};

/**
 * struct report_drawings - a distribution of a recording, drawn in every way
 *
 * Its slots are read when it is drawn, as a page may have thousands of distributions.
 */
struct report_drawings {
	const struct recording *rec; /* not owned */
	uint32_t node;
	const char *unit;
	bool slots; /* a text has a row for each slot, not for ranges of them */
};

/** struct report_key - a key of --by that has samples */
struct report_key {
	uint32_t node;
	double figure; /* they are sorted by it */
	uint64_t samples;
};

/** struct report_keys - distributions of keys as small drawings; read when they are drawn */
struct report_keys {
	const struct snapshot *of; /* not owned */
	const struct snapshot *all; /* not owned; the keys are together in its @owner */
	uint32_t owner;
	const char *unit;
	size_t n;
	struct report_key *rows; /* owned */
};

/** struct report_run - a figure of a run */
struct report_run {
	double value;
	uint64_t lo; /* bounds of the slot that holds it */
	uint64_t hi;
	uint64_t when_ns; /* wall clock at its begin */
	size_t place; /* in its side, from 1 */
	bool after;
};

/** struct report_runs - a figure of all runs of both sides, to be drawn as points */
struct report_runs {
	const char *title; /* lives as long as the report */
	const char *name; /* of the distribution; lives as long as the report */
	uint32_t millionths; /* quantile, or COMPARE_MEAN */
	const char *unit;
	double limit; /* a line across the points; 0: there is none */
	size_t n;
	struct report_run *runs; /* owned; by time */
};

/** struct report_sides - what was compared, where that is known */
struct report_sides {
	const struct runs *before; /* may be empty, or NULL */
	const struct runs *after;
};

/** enum report_part_kind - what a part of a report is */
enum report_part_kind {
	REPORT_TITLE, /* @name: one of several recordings */
	REPORT_HEADING, /* @text; @name in small letters behind it */
	REPORT_BEGIN, /* a section about @name begins; @text is what it is */
	REPORT_LABEL, /* @text is a heading within a section */
	REPORT_SENTENCE,
	REPORT_FACTS,
	REPORT_FIGURES, /* facts that are numbers */
	REPORT_TABLE,
	REPORT_SERIES,
	REPORT_RUNS,
	REPORT_LEDGER,
	REPORT_CHART,
	REPORT_STRIPS,
	REPORT_FLAMES,
	REPORT_BOXES,
	REPORT_DRAWINGS,
	REPORT_KEYS,
	REPORT_END, /* the section ends */
	REPORT_FOLD, /* what follows is shown after a click on @text */
	REPORT_UNFOLD, /* up to here */
	REPORT_RESULTS, /* the place of the results in a text */
};

/** struct report_part - a part; which members are used depends on its kind */
struct report_part {
	enum report_part_kind kind;
	bool page; /* only a page has room for it */
	bool said; /* a page has said it already */
	enum report_tone tone;
	char *text; /* owned; safe but for names in it */
	char *name; /* owned; any bytes; behind the text; or NULL */
	unsigned int id; /* of a section that cells refer to, or 0 */
	size_t n_facts;
	struct report_fact *facts; /* owned */
	struct report_table table;
	struct report_series series;
	struct report_runs runs;
	struct report_ledger ledger;
	struct report_chart chart;
	struct report_strips strips;
	struct report_flames flames;
	struct report_boxes boxes;
	struct report_drawings drawings;
	struct report_keys keys;
};

/** struct report_result - what became of a rule; the texts live as long as what was judged */
struct report_result {
	enum check_verdict verdict;
	bool fails; /* it failed, or is inconclusive and that counts as failed */
	const char *name; /* of what was judged, any bytes */
	const char *rule;
	const char *why;
	const char *next; /* what to do; "" if there is nothing */
	char *methods; /* owned; of both sides, if they differ; any bytes; or NULL */
	const char *figure; /* that the rule limits: "p99" */
	bool drawn; /* it limits a change whose interval is known: @span, @limit */
	struct report_span span; /* without a scale */
	double limit; /* of the change */
};

/** enum report_value_kind - what a cell of a row for programs is */
enum report_value_kind {
	REPORT_NONE, /* it is not known */
	REPORT_COUNT, /* @n */
	REPORT_WORD, /* @text, which needs no quotes */
	REPORT_TEXT, /* @text, any bytes; NULL is as REPORT_NONE */
};

/** struct report_value - a value for programs: a cell of a row */
struct report_value {
	const char *name; /* constant; of the column; NULL: it is left out */
	enum report_value_kind kind;
	uint64_t n;
	const char *text;
};

/**
 * struct report_rows - a writer of rows, which is told one after the other
 *
 * The first row is there for the names of its columns alone, as there may be no other.
 */
struct report_rows {
	void (*row)(struct report_rows *to, const struct report_value *cells, size_t n);
};

/** struct report_metric - a metric; all its samples follow it */
struct report_metric {
	const char *name;
	const char *type; /* as in the text formats: "gauge", "counter", "histogram" */
	const char *unit; /* or NULL */
	const char *help;
};

/** struct report_metrics - a writer of metrics, which is told one after the other */
struct report_metrics {
	void (*metric)(struct report_metrics *to, const struct report_metric *m);
	/* a label of the next sample; @name: needs no escapes; @text: any bytes, or NULL */
	void (*label)(struct report_metrics *to, const char *name, const char *text);
	/* since when the next sample, which only grows, has counted; NULL: it is not written */
	void (*since)(struct report_metrics *to, uint64_t wall_ns);
	/* a sample of the last metric: a number; a time, with at least so many decimals; all of a
	 * distribution */
	void (*sample)(struct report_metrics *to, uint64_t n);
	void (*seconds)(struct report_metrics *to, uint64_t ns, int decimals);
	void (*dist)(struct report_metrics *to, const struct dist *d);
	bool in_slots; /* buckets of a distribution are its slots, whatever bounds were asked for */
};

/** struct report - a model of what is to be said */
struct report {
	enum report_kind kind;
	const char *title; /* lives as long as the report; of a page */
	const char *legend; /* constant: how to read a page, or NULL */
	int err; /* 0, or -ENOMEM: the report must not be written */
	unsigned int width; /* columns of a text; 0: lines are not wrapped */
	const struct report_look *look; /* colours and so on; NULL: none; not owned */
	size_t n; /* number of @parts */
	struct report_part *parts; /* owned */
	size_t n_results;
	struct report_result *results; /* owned */
	struct report_part about; /* facts for programs, with words that do not change */
	/* tells a writer the same as named values, rows or metrics, or NULL; @of is its subject */
	void (*values)(const struct report *r, struct json_out *w);
	int (*rows)(const struct report *r, struct report_rows *to); /* 0 or -ENOMEM */
	int (*metrics)(const struct report *r, struct report_metrics *to); /* the same */
	const void *of; /* not owned: what the report is of */
	const void *how; /* not owned: options of those of recordings */
	void *own; /* released with the report by @release */
	void (*release)(void *own);
	const struct compare_set *runs; /* of a verdict: what was judged; not owned */
};

/** report_free() - release what it owns; it may be zero-filled */
void report_free(struct report *r);

/* ---- what there is a report of: each fills in @r, which is released by report_free() ---- */

/** report_trace() - recordings of functions; both must outlive the report */
void report_trace(struct report *r, const struct report_set *recs, const struct report_look *o,
		  enum report_detail detail);

/**
 * report_why() - a recording with single calls; both must outlive the report
 * @recs: one recording
 */
void report_why(struct report *r, const struct report_set *recs, const struct report_look *o,
		enum report_detail detail);

/** report_recording() - the first of the recordings that a report of report_trace() is of */
const struct recording *report_recording(const struct report *r);

/** report_kmem() - recordings of memory events; both must outlive the report */
void report_kmem(struct report *r, const struct report_kmem_set *recs,
		 const struct report_kmem_look *o, enum report_detail detail);

/**
 * report_diff() - two sets of runs
 * @c: must outlive the report
 * @sides: the runs themselves, for pages; the same; or NULL
 */
void report_diff(struct report *r, const struct compare *c, const struct report_sides *sides);

/**
 * report_diff_slow() - add what became of slow calls, where both sides have single calls
 * @r: of report_diff()
 *
 * Return: 0 or -ENOMEM.
 */
int report_diff_slow(struct report *r, const struct runs *before, const struct runs *after);

/** report_kmem_diff() - two sets of recordings of memory events; @top: rows that are shown */
void report_kmem_diff(struct report *r, const struct kmem_compare *c, size_t top,
		      const struct report_sides *sides);

/** report_verdict() - results of rules; @runs: what was judged; @sides: as for report_diff() */
void report_verdict(struct report *r, const struct check *c, const struct compare_set *runs,
		    const struct report_sides *sides);

/** report_methods() - methods and floors of both sides of a result if they differ; or NULL */
char *report_methods(const struct check_result *r);

/* ---- to make one; a failure is kept in @err ---- */

/** report_begin() - begin a section; @name: of what it is about, any bytes */
void report_begin(struct report *r, const char *name);

/** report_end() - end a section */
void report_end(struct report *r);

/** report_say() - add a sentence */
void report_say(struct report *r, enum report_tone tone, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** report_name() - add a sentence with a name behind it, which may hold any bytes */
void report_name(struct report *r, const char *text, const char *name);

/** report_fact() - add a fact to those before, or begin anew; @text: any bytes */
void report_fact(struct report *r, const char *name, const char *text);

/** report_fact_add() - add a fact to a part, which may be NULL after a failure */
void report_fact_add(struct report *r, struct report_part *p, const char *name, const char *text);

/** report_table_begin() - begin a table; @columns: copied, ended by a NULL heading */
void report_table_begin(struct report *r, const struct report_column *columns);

/** report_cell() - add a cell to the last table; @text, @note: copied; NULL is empty */
void report_cell(struct report *r, const char *text, const char *note);

/** report_cell_to() - let the last cell refer to the section with this id */
void report_cell_to(struct report *r, unsigned int id);

/** report_brief() - rows of the last table after these are left out where there is little room */
void report_brief(struct report *r, size_t rows);

/** report_heading() - add a heading; @note: beside it, or NULL; any bytes */
void report_heading(struct report *r, const char *text, const char *note);

/** report_label() - add a heading within a section */
void report_label(struct report *r, const char *text);

/** report_figure() - add a figure to those before, or begin anew; @note: beside it, or NULL */
void report_figure(struct report *r, const char *name, const char *text, const char *note);

/** report_fold() - what follows is shown after a click on the text, up to report_unfold() */
void report_fold(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** report_unfold() - end what is folded */
void report_unfold(struct report *r);

/** report_term() - add a term to a ledger, which may be NULL after a failure; texts are copied */
void report_term(struct report *r, struct report_part *p, const char *sign, uint64_t n,
		 const char *label, const char *explain);

/** report_cell_span() - add a cell with a drawing */
void report_cell_span(struct report *r, struct report_span span);

/** report_part_add() - add any part. Return: it, or NULL */
struct report_part *report_part_add(struct report *r, enum report_part_kind kind);

#endif /* KSTATS_REPORT_H */
