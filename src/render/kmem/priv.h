/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - the parts of the formats of memory events, one file each. Called by nobody else. */
#ifndef KSTATS_RENDER_KMEM_PRIV_H
#define KSTATS_RENDER_KMEM_PRIV_H

#include "kmem/account.h"
#include "render/about.h"
#include "render/kmem/kmem.h"
#include "render/text.h"

/* A report that is being written. */
struct kmem_report {
	FILE *out;
	const struct kmem *k;
	const struct render_kmem_options *o;
	struct kmem_table table;
	struct kmem_table before; /* of the earlier report; empty where there is none */
	size_t top; /* rows shown */
};

/** kmem_table_size() - requested and given sizes of a row; @buf: receives the text. Return: @buf */
const char *kmem_table_size(const struct kmem_entry *e, char buf[2 * UNITS_TEXT]);

/** kmem_table_kind() - words before a name that does not tell its kind. Return: like "cache: " */
const char *kmem_table_kind(enum kmem_group group, enum kstats_kmem_kind kind);

/** kmem_table_sites() - the rows by what was asked for: bytes, waste, count, sizes */
void kmem_table_sites(const struct kmem_report *r);

/** kmem_table_lives() - the rows by live bytes, with lifetimes. Return: 0 or -ENOMEM */
int kmem_table_lives(const struct kmem_report *r);

/** kmem_print_pairs() - who frees what others allocated. Return: 0 or -ENOMEM */
int kmem_print_pairs(const struct kmem_report *r);

/** kmem_print_periods() - the intervals of a measurement. Return: 0 or -ENOMEM */
int kmem_print_periods(const struct kmem_report *r);

/** kmem_put_growth() - a difference of bytes, like "+1.5 KiB" */
void kmem_put_growth(char to[UNITS_TEXT], uint64_t now, uint64_t then);

struct json_object;
/** kmem_json_periods() - the intervals as an array, if there are any. Return: 0 or -ENOMEM */
int kmem_json_periods(struct json_object *to, const struct kmem *k);

/** kmem_csv_part() - what an interval added, as a line of CSV */
void kmem_csv_part(const struct kmem_report *r, const struct kmem_part *p);

/** kmem_html_map() - the rows as boxes of a page. Return: 0 or -ENOMEM */
int kmem_html_map(const struct kmem_report *r);

/** kmem_print_account() - the sums, and what stands beside them */
void kmem_print_account(const struct kmem_report *r);

/** kmem_span_ns() - the time a recording covers */
static inline uint64_t kmem_span_ns(const struct kmem *k)
{
	return k->span.end_ns - k->span.begin_ns;
}

/** kmem_about_each() - what is known beside the figures: time, machine, tags, filters, command */
void kmem_about_each(const struct kmem *k, const struct about *to);

/** render_kmem_summary() - totals, the first rows and the account; see struct render_kmem_format */
int render_kmem_summary(FILE *out, const struct kmem *k, const struct render_kmem_options *o);
/** render_kmem_json() - all rows, as one object; see struct render_kmem_format */
int render_kmem_json(FILE *out, const struct kmem *k, const struct render_kmem_options *o);
/** render_kmem_csv() - a row for each entry; see struct render_kmem_format */
int render_kmem_csv(FILE *out, const struct kmem *k, const struct render_kmem_options *o);
/** render_kmem_openmetrics() - for Prometheus; see struct render_kmem_format */
int render_kmem_openmetrics(FILE *out, const struct render_kmem_set *recs,
			    const struct render_kmem_options *o);
/** render_kmem_html() - a page; see struct render_kmem_format */
int render_kmem_html(FILE *out, const struct render_kmem_set *recs,
		     const struct render_kmem_options *o);

#endif /* KSTATS_RENDER_KMEM_PRIV_H */
