/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - the gate: is it slower, is it within its bounds? In: rules, and runs
 * or compared sets of them. Out: a verdict for each rule and function, and why.
 * Pure. Called by cmd/ and render.
 *
 * Three answers: what is not shown to hold and not shown to fail is inconclusive.
 */
#ifndef KSTATS_JUDGE_CHECK_H
#define KSTATS_JUDGE_CHECK_H

#include "judge/compare.h"
#include "judge/history.h"
#include "judge/sequential.h"

/** enum check_verdict - what can be said of one rule */
enum check_verdict {
	CHECK_PASS,
	CHECK_FAIL,
	CHECK_INCONCLUSIVE,
	CHECK_VERDICTS,
};

/** enum check_field - what a rule is about */
enum check_field {
	CHECK_QUANTILE,
	CHECK_MEAN,
	CHECK_MIN,
	CHECK_MAX,
	CHECK_COUNT,
	CHECK_RATE, /* samples a second */
	CHECK_LOSS, /* events lost, or their share of the started */
	CHECK_FIELDS,
};

/** enum check_op - comparison of a rule */
enum check_op {
	CHECK_LT,
	CHECK_LE,
	CHECK_EQ,
	CHECK_GE,
	CHECK_GT,
};

#define CHECK_TEXT 48

/** struct check_rule - one rule */
struct check_rule {
	char text[CHECK_TEXT]; /* as the user wrote it */
	bool relative; /* about the increase over the base, else about the runs alone */
	enum check_field field; /* what */
	uint32_t millionths; /* quantile, or COMPARE_MEAN */
	char metric_name[16]; /* "p99", "mean" */
	enum check_op op; /* comparison; CHECK_LE where @relative */
	double limit; /* ns, events, events a second, or a share */
	bool share; /* @limit of a loss is a share */
};

/**
 * struct check_result - one rule on one distribution
 * @name: of the distribution; not owned
 * @rule: not owned
 * @verdict: what can be said
 * @lo: what was found, at least: in the unit of the limit; the change, where
 *	relative
 * @hi: at most
 * @sure_lo: @lo less what the number of samples and the runs leave open; what is judged
 * @sure_hi: @hi and that; infinite where there are too few samples
 * @confidence: of the interval of a relative rule
 * @row: of a relative rule, or NULL
 * @young: inconclusive only since there are too few accepted sets
 * @why: what was found, in words
 * @next: what would settle it, or ""
 */
struct check_result {
	const char *name;
	const struct check_rule *rule;
	enum check_verdict verdict;
	double lo;
	double hi;
	double sure_lo;
	double sure_hi;
	double confidence;
	const struct compare_row *row;
	bool young;
	char why[320];
	char next[200];
};

/**
 * struct check - all rules on all distributions
 * @n: number of @results
 * @results: owned; by distribution, then rule
 * @verdict: fail when any fails, else inconclusive when any is
 * @lossy: something was not judged, since too many of its calls were lost
 * @undecided: what the user takes inconclusive for; set by the caller after
 *	check_make(), which leaves it at CHECK_INCONCLUSIVE
 * @compared: rows of the relative rules
 * @metrics: owned; of @compared
 * @history: the base was a history; its series is filled in by the caller after
 *	check_make()
 * @series: of a history; released by check_free()
 * @looks: of the terms
 */
struct check {
	size_t n;
	struct check_result *results;
	enum check_verdict verdict;
	bool lossy;
	enum check_verdict undecided;
	struct compare compared;
	struct compare_metric *metrics;
	bool history;
	struct history series;
	const struct sequential *looks;
};

/**
 * struct check_terms - on which terms runs are judged
 * @confidence: of the intervals, all relative rules together
 * @max_loss: share of the calls; where more was lost, nothing is judged but the loss
 * @allow_empty: what has no samples, or is not measured, passes; else it fails
 * @looks: relative rules are looked at after each pair of runs; NULL: once
 */
struct check_terms {
	double confidence;
	double max_loss;
	bool allow_empty;
	struct sequential *looks;
};

/**
 * check_parse_assert() - read "p99<10us", "count>=1000", "loss<0.1%"
 * @rule: filled in
 * @text: field, one of < <= == >= >, and a number with its unit
 *
 * Return: 0 or -EINVAL.
 */
int check_parse_assert(struct check_rule *rule, const char *text, struct error *e);

/**
 * check_parse_increase() - read "p99=5%", "mean=2%"
 * @rule: filled in
 * @text: a quantile or the mean, =, and a percentage
 *
 * Return: 0 or -EINVAL.
 */
int check_parse_increase(struct check_rule *rule, const char *text, struct error *e);

/**
 * check_make() - judge
 * @c: filled in; freed with check_free()
 * @rules: rules; must outlive @c
 * @n_rules: number of @rules, at least 1
 * @runs: what is judged, at least one run; must outlive @c
 * @base: what relative rules compare with; may be empty where there are none
 * @terms: on which terms
 * @e: why not: the runs differ in their bits, or there is nothing to judge
 *
 * Absolute rules look at the samples of all runs together, and at how far the runs
 * differ; gaps are not judged. What was not measured, or was never called, fails.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int check_make(struct check *c, const struct check_rule *rules, size_t n_rules,
	       const struct compare_set *runs, const struct compare_set *base,
	       const struct check_terms *terms, struct error *e);

/**
 * check_state() - may a series end after this look
 * @c: judged with looks
 * @pairs: so far
 * @said: receives how many relative rules are decided, and where the first of the others is
 * @size: of @said
 *
 * It may not while a rule is open: neither decided nor hopeless. What has no samples is open
 * before the first look. Absolute rules are not waited for.
 *
 * Return: true where it may.
 */
bool check_state(const struct check *c, unsigned int pairs, char *said, size_t size);

/** check_free() - release; @c may be zero-filled */
void check_free(struct check *c);

/** check_verdict_name() - "pass", "fail" or "inconclusive"; @v: verdict. Return: constant text */
const char *check_verdict_name(enum check_verdict v);

/**
 * check_increase() - has a metric grown by more than is allowed
 * @row: compared metric
 * @limit: 0.05 allows 5 %; 0 or more
 *
 * Return: CHECK_FAIL when the interval excludes no change, all of it is above the
 * limit, and, unless it is looked at after each pair, from 5 runs a side on dealing the
 * runs out by lot agrees; CHECK_PASS when
 * all of what it were as the only row is at or below; else CHECK_INCONCLUSIVE.
 */
enum check_verdict check_increase(const struct compare_row *row, double limit);

#endif /* KSTATS_JUDGE_CHECK_H */
