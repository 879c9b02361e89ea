/* SPDX-License-Identifier: GPL-2.0-only */
/* kmem.h - the parts of a report of memory events, one file each. Called by nobody else. */
#ifndef KSTATS_REPORT_KMEM_H
#define KSTATS_REPORT_KMEM_H

#include "report/priv.h"
#include "util/units.h"

#define KMEM_CHARTED 8 /* rows with drawings of their own */

/* The tables of recordings, one of each. */
struct kmem_tables {
	size_t n;
	struct kmem_table *tables;
};

/* A report that is being made. */
struct kmem_report {
	struct report *r;
	const struct kmem *k;
	const struct report_kmem_look *o;
	struct kmem_table *table;
	struct kmem_table before; /* of the earlier report; empty where there is none */
	unsigned int first_id; /* of the section of the first row, or 0: there are none */
};

/** report_kmem_values() - the first of the recordings as named values; see struct report */
void report_kmem_values(const struct report *r, struct json_out *w);

/** report_kmem_rows() - the same as rows */
int report_kmem_rows(const struct report *r, struct report_rows *to);

/** report_kmem_metrics() - all of the recordings as metrics */
int report_kmem_metrics(const struct report *r, struct report_metrics *to);

/** kmem_span_ns() - the time a recording covers */
static inline uint64_t kmem_span_ns(const struct kmem *k)
{
	return k->span.end_ns - k->span.begin_ns;
}

/** kmem_add_account() - the sums, and what stands beside them */
void kmem_add_account(const struct kmem_report *x);

/** kmem_add_periods() - the intervals of a measurement */
void kmem_add_periods(const struct kmem_report *x);

/** kmem_add_boxes() - the rows as boxes, as large as their bytes */
void kmem_add_boxes(const struct kmem_report *x);

/** kmem_add_kinds() - the distributions of each kind */
void kmem_add_kinds(const struct kmem_report *x);

/** kmem_add_entries() - the distributions of the first rows; @shown: rows of the tables */
void kmem_add_entries(const struct kmem_report *x, size_t shown);

/** kmem_put_growth() - a difference of bytes, like "+1.5 KiB" */
void kmem_put_growth(char to[UNITS_TEXT], uint64_t now, uint64_t then);

/** kmem_table_kind() - words before a name that does not tell its kind. Return: like "cache: " */
const char *kmem_table_kind(const struct kmem_group *group, enum kstats_kmem_kind kind);

/** kmem_table_size() - requested and given sizes of a row. Return: @buf */
const char *kmem_table_size(const struct kmem_entry *e, char buf[2 * UNITS_TEXT]);

#endif /* KSTATS_REPORT_KMEM_H */
