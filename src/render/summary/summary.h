/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - the parts of the summary, one file each. In: a report. Out: text. Called by
 * summary.c; the head also by hist.
 */
#ifndef KSTATS_SUMMARY_H
#define KSTATS_SUMMARY_H

#include "report/figures.h"
#include "report/options.h"
#include "result/dist.h"
#include "util/text.h"
#include "util/units.h"

/* A report that is being written. */
struct report {
	FILE *out; /* stream */
	const struct recording *rec; /* recording */
	const struct snapshot *s; /* its snapshot */
	const struct report_look *o; /* options */
	/*
	 * the distribution of every node, all CPUs; of keys, of which there may be thousands, only
	 * the samples
	 */
	struct dist *dists;
	const struct snapshot *all; /* with the parts of durations, which @s lacks; NULL: none */
};

/** report_open() - prepare a report; @r: ended by report_close(). Return: 0 or -ENOMEM */
int report_open(struct report *r, FILE *out, const struct recording *rec,
		const struct report_look *o);

/** report_close() - release */
void report_close(struct report *r);

/** report_head() - write what holds for all nodes: time, kernel, resolution, filters */
void report_head(const struct report *r);

/** report_title() - write what a node measures, and by which method */
void report_title(const struct report *r, uint32_t node);

/** report_figures() - count, mean, extremes and quantiles of a node with samples */
void report_figures(const struct report *r, uint32_t node);

/** report_unverified() - the figures of a node including its unverified samples; 0 or -ENOMEM */
int report_unverified(const struct report *r, uint32_t node);

/** report_shape() - a bar for each range of a node with samples */
void report_shape(const struct report *r, uint32_t node);

/** report_cpus() - a row for every CPU with samples. Return: 0 or -ENOMEM */
int report_cpus(const struct report *r, uint32_t node);

/** report_parts() - where the time of an owner's calls went. Return: 0 or -ENOMEM */
int report_parts(const struct report *r, uint32_t node);

/** report_parts_table() - the same of all owners, a row each. Return: 0 or -ENOMEM */
int report_parts_table(const struct report *r);

/** report_share() - the figures of a row: calls, mean, share of @total, p50 and p99 */
void report_share(const struct report *r, const struct dist *d, double total);

/** report_callees() - the time in functions that an owner's calls called. 0 or -ENOMEM */
int report_callees(const struct report *r, uint32_t owner);

/** report_stages() - the time between the points that an owner's calls passed. 0 or -ENOMEM */
int report_stages(const struct report *r, uint32_t owner);

/** report_empty() - why a node may have no samples, and what to check */
void report_empty(const struct report *r, uint32_t node);

/** report_cost() - the overhead for the calls of an owner */
void report_cost(const struct report *r, uint32_t node);

/** report_costs() - write the overhead of each method that was used */
void report_costs(const struct report *r);

/** report_ledger() - the ledger of an owner */
void report_ledger(const struct report *r, uint32_t node);

/** report_ledgers() - the sum of all ledgers, and each ledger that is not exact */
void report_ledgers(const struct report *r);

/** report_table() - write one row for each node. Return: 0 or -ENOMEM */
int report_table(const struct report *r);

/** report_keys() - write the first rows for keys; @owner: their node, or -1. 0 or -ENOMEM */
int report_keys(const struct report *r, int owner);

#endif /* KSTATS_SUMMARY_H */
