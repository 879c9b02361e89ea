/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - the parts of the summary, one file each. In: a report. Out: text. Called by
 * summary.c; the head also by hist.
 */
#ifndef KSTATS_SUMMARY_H
#define KSTATS_SUMMARY_H

#include "dist/dist.h"
#include "render/text.h"

/**
 * struct report - a report that is being written
 * @out: stream
 * @rec: recording
 * @s: its snapshot
 * @o: options
 * @dists: the distribution of every node, all CPUs
 */
struct report {
	FILE *out;
	const struct recording *rec;
	const struct snapshot *s;
	const struct render_options *o;
	struct dist *dists;
};

/**
 * report_open() - prepare a report
 * @r: filled in; freed with report_close()
 * @out: stream
 * @rec: recording
 * @o: options
 *
 * Return: 0 or -ENOMEM.
 */
int report_open(struct report *r, FILE *out, const struct recording *rec,
		const struct render_options *o);

/**
 * report_close() - release
 * @r: report
 */
void report_close(struct report *r);

/**
 * report_head() - write what holds for all nodes: time, kernel, resolution, filters
 * @r: report
 */
void report_head(const struct report *r);

/**
 * report_title() - write what a node measures, and by which method
 * @r: report
 * @node: node index
 */
void report_title(const struct report *r, uint32_t node);

/**
 * report_figures() - count, mean, extremes and quantiles of a node
 * @r: report
 * @node: node index; with samples
 */
void report_figures(const struct report *r, uint32_t node);

/**
 * report_unverified() - write the figures that a node would have with its unverified samples
 * @r: report
 * @node: node index; with a ledger
 *
 * Return: 0 or -ENOMEM.
 */
int report_unverified(const struct report *r, uint32_t node);

/**
 * report_shape() - a bar for each range
 * @r: report
 * @node: node index; with samples
 */
void report_shape(const struct report *r, uint32_t node);

/**
 * report_cpus() - a row for every CPU with samples
 * @r: report
 * @node: node index
 *
 * Return: 0 or -ENOMEM.
 */
int report_cpus(const struct report *r, uint32_t node);

/**
 * report_empty() - write why there may be no samples, and what to check
 * @r: report
 * @node: node index; without samples
 */
void report_empty(const struct report *r, uint32_t node);

/**
 * report_cost() - write the overhead for the calls of an owner
 * @r: report
 * @node: node index of an owner
 */
void report_cost(const struct report *r, uint32_t node);

/**
 * report_costs() - write the overhead of each method that was used
 * @r: report
 */
void report_costs(const struct report *r);

/**
 * report_ledger() - write the ledger of an owner
 * @r: report
 * @node: node index of an owner
 */
void report_ledger(const struct report *r, uint32_t node);

/**
 * report_ledgers() - write the sum of the ledgers of all owners, and each ledger that is not
 *	exact
 * @r: report
 */
void report_ledgers(const struct report *r);

/**
 * report_table() - write one row for each node, by total time
 * @r: report
 *
 * Return: 0 or -ENOMEM.
 */
int report_table(const struct report *r);

#endif /* KSTATS_SUMMARY_H */
