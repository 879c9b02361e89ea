/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - judge recordings by rules: bounds of the runs or of memory events, and increases
 * over a base. In: rules, a set of runs, a set to compare with. Out: a verdict for each rule
 * and function or recording, and the reason. Pure. Called by ui and render.
 *
 * A rule passes if the runs show that it holds, and fails if they show that it does not
 * hold. Else it is inconclusive.
 */
#ifndef KSTATS_JUDGE_CHECK_H
#define KSTATS_JUDGE_CHECK_H

#include "judge/compare.h"
#include "judge/history.h"
#include "judge/sequential.h"
#include "kmem/kmem.h"

/** enum check_verdict - result of a rule */
enum check_verdict {
	CHECK_PASS,
	CHECK_FAIL,
	CHECK_INCONCLUSIVE,
	CHECK_VERDICTS,
};

/** enum check_kind - recordings of what; the kinds that a rule can judge are a set of them */
enum check_kind {
	CHECK_CALLS = 1, /* struct recording */
	CHECK_MEMORY = 2, /* struct kmem */
};

/** enum check_field - the figure that a rule limits */
enum check_field {
	CHECK_QUANTILE, /* of the samples; of memory events, of the lifetimes */
	CHECK_MEAN,
	CHECK_MIN,
	CHECK_MAX,
	CHECK_COUNT, /* samples, or allocations */
	CHECK_RATE, /* the same a second */
	CHECK_LOSS, /* lost events, or their share of the started ones */
	CHECK_WASTE, /* bytes, or their share of what was allocated */
	CHECK_BYTES, /* allocated */
	CHECK_REQUESTED,
	CHECK_LIVE, /* allocated bytes that were not freed */
	CHECK_OBJECTS, /* number of live objects */
	CHECK_OLDEST, /* the largest of their ages */
	CHECK_OTHER_CPU, /* share of the freed objects that were freed on another CPU */
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

#define CHECK_TEXT 192

/**
 * struct check_rule - one rule
 * @text: as the user wrote it
 * @target: "" for all; a name or a pattern of distributions; or of memory events, where "" is
 *	all of kmalloc and caches: "kmalloc", "cache", "pages", or a pattern of call sites and
 *	caches
 * @kinds: set of enum check_kind that have the figure
 * @relative: limits the increase over the base; else the figure of the runs
 * @field: the figure
 * @millionths: quantile, or COMPARE_MEAN
 * @metric_name: "p99", "mean"
 * @op: comparison; CHECK_LE where @relative
 * @limit: ns or another unit, events, events a second, or a share
 * @share: @limit is a share
 * @unit: of @limit: "" for a plain number, "ns", or see units_is_word()
 */
struct check_rule {
	char text[CHECK_TEXT];
	char target[CHECK_TEXT];
	unsigned int kinds;
	bool relative;
	enum check_field field;
	uint32_t millionths;
	char metric_name[16];
	enum check_op op;
	double limit;
	bool share;
	char unit[UNITS_WORD];
};

/**
 * struct check_result - one rule on one distribution, or on one recording of memory events
 * @name: of the distribution or the recording; not owned
 * @rule: not owned
 * @verdict: of the rule
 * @lo: lower bound of the figure, in the unit of the limit; of a relative rule, lower end of
 *	the interval of the change
 * @hi: upper bound or end
 * @sure_lo: of an absolute rule: lower bound that allows for the number of samples and for
 *	the differences between runs; this one is judged
 * @sure_hi: the same, upper bound; infinite if there are too few samples
 * @confidence: of the interval of a relative rule
 * @row: of a relative rule, or NULL
 * @unit: of the figure, for units_duration(); not owned
 * @empty: there is nothing to judge, and so no figure
 * @takes: inconclusive, and a history may accept the set all the same
 * @why: what was found, as text
 * @next: what would decide it, or ""
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
	const char *unit;
	bool empty;
	bool takes;
	char why[320];
	char next[256];
};

/**
 * struct check - all rules on all distributions
 * @n: number of @results
 * @results: owned; by distribution, then rule
 * @unit: of the figures, for units_duration(); not owned
 * @verdict: fail when any fails, else inconclusive when any is
 * @lossy: a function was not judged because too many of its calls were lost
 * @undecided: the verdict that an inconclusive one counts as; set by the caller after
 *	check_make(), which leaves it at CHECK_INCONCLUSIVE
 * @compared: rows of the relative rules
 * @metrics: owned; of @compared
 * @history: the base is a history; the caller fills in @series after check_make()
 * @series: of a history; released by check_free()
 * @memory: the results are of memory events
 * @looks: from the terms
 * @machines: "", or that the base was recorded on another machine; set by the caller
 * @one_sided: "", or what only one side has without that being a failure
 * @required: owned; rules of the results for what must be there
 * @width: columns in which text for people wraps; 0, from check_make(): it does not
 */
struct check {
	size_t n;
	struct check_result *results;
	const char *unit;
	enum check_verdict verdict;
	bool lossy;
	bool memory;
	enum check_verdict undecided;
	struct compare compared;
	struct compare_metric *metrics;
	bool history;
	struct history series;
	const struct sequential *looks;
	char machines[512];
	char one_sided[512];
	struct check_rule *required;
	unsigned int width;
};

/**
 * struct check_terms - settings of a judgement
 * @confidence: of the intervals, all relative rules together
 * @max_loss: share of the calls of a function that may be lost; above it, only rules on loss
 *	are judged
 * @allow_empty: a function without samples, or one that is not measured, passes; else it fails
 * @require: names or patterns of what must have samples on both sides; not owned
 * @n_require: number of @require
 * @looks: relative rules are judged after each pair of runs; NULL: once
 */
struct check_terms {
	double confidence;
	double max_loss;
	bool allow_empty;
	const char *const *require;
	size_t n_require;
	struct sequential *looks;
};

/**
 * check_parse_assert() - read "p99<10us", "loss<0.1%", "work:p99<1ms", "kmemdup*:live<1MiB"
 * @rule: filled in
 * @text: field, one of < <= == >= >, and a number with its unit; what a rule on memory events
 *	names may stand before it
 *
 * Return: 0 or -EINVAL.
 */
int check_parse_assert(struct check_rule *rule, const char *text, struct error *e);

/**
 * check_rules_fit() - whether all rules limit what recordings of a kind have
 * @n: number of @rules
 * @e: filled in with the rule that does not
 *
 * Return: 0 or -EINVAL.
 */
int check_rules_fit(const struct check_rule *rules, size_t n, enum check_kind kind,
		    struct error *e);

/**
 * check_parse_increase() - read "p99=5%", "mean=2%", "work:p50=3%"
 * @rule: filled in
 * @text: a quantile or the mean, =, and a percentage
 *
 * Return: 0 or -EINVAL.
 */
int check_parse_increase(struct check_rule *rule, const char *text, struct error *e);

/**
 * check_make() - judge runs by rules
 * @c: filled in; freed with check_free()
 * @rules: rules; must outlive @c
 * @n_rules: number of @rules, at least 1
 * @runs: what is judged, at least one run; must outlive @c
 * @base: what relative rules compare with; may be empty if there are none
 * @terms: settings
 * @e: filled in if the runs differ in their bits or units, if a limit is in another unit, or if
 *	there is nothing to judge
 *
 * An absolute rule is judged by the samples of all runs together, and by how much the runs
 * differ. Gaps are not judged. A function that was not measured, or was never called, fails
 * unless @terms allows it.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int check_make(struct check *c, const struct check_rule *rules, size_t n_rules,
	       const struct compare_set *runs, const struct compare_set *base,
	       const struct check_terms *terms, struct error *e);

/**
 * check_memory() - judge each recording of memory events by each rule
 * @c: filled in; freed with check_free()
 * @rules: not relative; must outlive @c
 * @n_rules: number of @rules, at least 1
 * @recs: must outlive @c
 * @n: number of @recs
 * @terms: settings, of which the confidence is not used
 *
 * Return: 0, -EINVAL if a rule is not on memory events, or -ENOMEM.
 */
int check_memory(struct check *c, const struct check_rule *rules, size_t n_rules,
		 const struct kmem *const *recs, size_t n, const struct check_terms *terms,
		 struct error *e);

/**
 * check_state() - whether a series may end after this look
 * @c: judged with looks
 * @pairs: so far
 * @said: receives a text: how many relative rules are decided, and the interval of the first
 *	open one
 * @size: of @said
 *
 * A relative rule is open until it is decided or hopeless, and the series goes on while one
 * is open. A rule on a function without samples is open until the first look. Absolute rules
 * do not keep a series going.
 *
 * Return: true if it may end.
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
 * The whole interval must be above 0 and above the limit to fail. If the row is judged only
 * once, the permutation test must agree, from COMPARE_RUNS_PERMUTED runs a side on; for a
 * history, the test of history_may_be_chance(). To pass, the whole interval must be at the
 * limit or below; that is the interval of the row alone, which is not wider for other rows.
 *
 * Return: CHECK_FAIL, CHECK_PASS or CHECK_INCONCLUSIVE.
 */
enum check_verdict check_increase(const struct compare_row *row, double limit);

#endif /* KSTATS_JUDGE_CHECK_H */
