/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - the parts of the summary, one file each. In: a report being
 * drawn. Called by summary.c; the head also by hist.
 */
#ifndef KSTATS_SUMMARY_H
#define KSTATS_SUMMARY_H

#include "dist/dist.h"
#include "render/text.h"

/**
 * struct report - what is being drawn, where
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
 * report_open() - make ready to draw
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
 * report_head() - what holds for all nodes: time, kernel, resolution, filters
 * @r: report
 */
void report_head(const struct report *r);

/**
 * report_title() - what a node is, and how it was observed
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
 * report_unverified() - what the figures of a node would be with its unverified samples
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
 * report_empty() - why there may be no samples, and what to check
 * @r: report
 * @node: node index; without samples
 */
void report_empty(const struct report *r, uint32_t node);

/**
 * report_cost() - what measuring takes, for the calls of an owner
 * @r: report
 * @node: node index of an owner
 */
void report_cost(const struct report *r, uint32_t node);

/**
 * report_costs() - the same for each method that was used
 * @r: report
 */
void report_costs(const struct report *r);

/**
 * report_ledger() - the account of an owner's start events
 * @r: report
 * @node: node index of an owner
 */
void report_ledger(const struct report *r, uint32_t node);

/**
 * report_ledgers() - the accounts of all owners added up, and each that is not
 *	exact by itself
 * @r: report
 */
void report_ledgers(const struct report *r);

/**
 * report_table() - one row a node, by total time
 * @r: report
 *
 * Return: 0 or -ENOMEM.
 */
int report_table(const struct report *r);

#endif /* KSTATS_SUMMARY_H */
