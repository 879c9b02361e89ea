/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - what a screen and a page say alike of a distribution of a recording. In: a recording.
 * Out: parts of a report. Called by trace_screen and trace_page.
 */
#ifndef KSTATS_REPORT_TRACE_H
#define KSTATS_REPORT_TRACE_H

#include "report/report.h"

/** struct trace_of - what a report is made of */
struct trace_of {
	struct report *r; /* receives parts */
	const struct recording *rec;
	const char *unit; /* of its values */
};

/** report_untraced_callees() - say which callees count as the calls themselves */
void report_untraced_callees(struct report *r, const struct snapshot *s, uint32_t owner);

/** trace_warn() - say first what nobody may overlook */
void trace_warn(const struct trace_of *x);

/** trace_made() - how it was measured: "5.021 s on Linux 6.12; map backend ...", by printf's %s */
char *trace_made(const struct trace_of *x, const char *begin);

/** trace_begin() - begin the section of a distribution; @id: that cells refer to, or 0 */
void trace_begin(const struct trace_of *x, uint32_t node, unsigned int id);

/** trace_empty() - say why there may be no samples */
void trace_empty(const struct trace_of *x, uint32_t node);

/** trace_figures() - count, mean, total, extremes and quantiles */
void trace_figures(const struct trace_of *x, const struct dist *d);

/**
 * trace_divided() - tables of where the time of an owner's calls went: its parts, the stages
 *	between points, the functions that were called
 * @s: with all that is recorded of them
 *
 * Return: 0 or -ENOMEM.
 */
int trace_divided(const struct trace_of *x, const struct snapshot *s, uint32_t owner);

/** trace_stages() - the second of these tables alone. Return: 0 or -ENOMEM */
int trace_stages(const struct trace_of *x, const struct snapshot *s, uint32_t owner);

/** trace_shares() - a row for each owner with the shares of its parts. Return: 0 or -ENOMEM */
int trace_shares(const struct trace_of *x, const struct snapshot *s);

/** trace_unverified() - the figures of an owner with its unverified samples. 0 or -ENOMEM */
int trace_unverified(const struct trace_of *x, uint32_t node);

/** trace_floor() - floor and added time of an owner's method, if they are known */
void trace_floor(const struct trace_of *x, uint32_t node);

/** trace_ledger() - the ledger of an owner, and a hint if it looks wrong */
void trace_ledger(const struct trace_of *x, uint32_t node);

/** trace_ledgers() - the ledger of all owners together, and of each that is not exact */
void trace_ledgers(const struct trace_of *x);

/**
 * trace_rows() - a table of the distributions that have samples, a row each
 * @heading: of their names; lives as long as the report, see struct report_column
 *
 * Return: 0 or -ENOMEM.
 */
int trace_rows(const struct trace_of *x, const char *heading);

/**
 * trace_key_rows() - a table of the keys of an owner, the first of them
 * @owner: or -1: of all owners
 * @heading: see trace_rows()
 *
 * Return: 0 or -ENOMEM.
 */
int trace_key_rows(const struct trace_of *x, int owner, const char *heading);

/** trace_cpu_rows() - a row for each CPU with samples of a distribution. Return: 0 or -ENOMEM */
int trace_cpu_rows(const struct trace_of *x, uint32_t node);

#endif /* KSTATS_REPORT_TRACE_H */
