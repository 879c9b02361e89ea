// SPDX-License-Identifier: GPL-2.0-only
/*
 * bounds.c - judge absolute rules over all runs together; see check.h.
 *
 * The quantile of the samples is not that of the function. The number of samples below the
 * latter is binomial, which gives two ranks that enclose it. If the runs differ by more than
 * that, the interval of their mean is used.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/ledger.h"
#include "util/units.h"

#define SAME 1e-18 /* largest sum of squares of equal runs, by rounding */

/* ---- all runs together ---- */

static void pool_time(struct check_pool *p, const struct snapshot *s, uint32_t node)
{
	uint32_t owner = s->nodes[node].owner;
	/* Nobody knows whose calls they were: all may be of this function. */
	uint64_t shared = s->nodes[owner].ledger[KSTATS_SKIPPED_SHARED];

	p->seconds += (s->span.end_ns - s->span.begin_ns) / 1e9;
	p->started +=
		s->nodes[owner].ledger[KSTATS_STARTED] + s->nodes[owner].ledger[KSTATS_SKIPPED];
	p->started += shared;
	p->lost += ledger_lost(s, owner) + shared;
	p->may += s->nodes[owner].ledger[KSTATS_SKIPPED_ANYONE] + ledger_may_be_lost(s, owner);
}

static int pool_add_dist(struct check_pool *p, struct dist *one, struct error *e)
{
	int err;

	if (!p->dist.slots) {
		p->dist = *one;
		one->slots = NULL;
		return 0;
	}
	err = dist_add(&p->dist, one);
	if (!err)
		return 0;
	if (err == -EOVERFLOW)
		return error_set(e, EXIT_USAGE, -EINVAL, "together they have 2^64 samples or more",
				 "judge fewer runs at once", "cannot judge the runs of '%s'",
				 p->name);
	return error_set(e, EXIT_USAGE, -EINVAL, "they differ in their bits",
			 "record all runs with the same -b", "cannot judge the runs of '%s'",
			 p->name);
}

static int pool_add(struct check_pool *p, const struct snapshot *s, uint32_t node, struct error *e)
{
	struct dist one;
	int err = dist_open(&one, s, node, DIST_ALL_CPUS);

	if (!err)
		err = pool_add_dist(p, &one, e);
	dist_close(&one);
	if (!err)
		pool_time(p, s, node);
	return err;
}

int check_pool_make(struct check_pool *p, const struct check_side *side, const char *name,
		    struct error *e)
{
	const struct compare_set *set = side->set;
	int err = 0, node;
	size_t i;

	*p = (struct check_pool){ .set = set, .name = name };
	for (i = 0; !err && i < set->n; i++) {
		node = snapshot_find(set->runs[i], name);
		if (node < 0)
			continue;
		err = pool_add(p, set->runs[i], node, e);
		p->recorded += side->recorded[i][set->runs[i]->nodes[node].owner];
	}
	return err;
}

int check_side_make(struct check_side *s, const struct compare_set *set)
{
	size_t i;

	*s = (struct check_side){ .set = set };
	if (!set)
		return 0;
	s->recorded = calloc(set->n + 1, sizeof(*s->recorded));
	for (i = 0; s->recorded && i < set->n; i++) {
		s->recorded[i] = ledger_recorded_all(set->runs[i]);
		if (!s->recorded[i])
			return -ENOMEM;
	}
	return s->recorded ? 0 : -ENOMEM;
}

void check_side_free(struct check_side *s)
{
	size_t i;

	for (i = 0; s->recorded && i < s->set->n; i++)
		free(s->recorded[i]);
	free(s->recorded);
	*s = (struct check_side){};
}

/* ---- absolute rules ---- */

static double loss(const struct check_rule *rule, uint64_t lost, uint64_t started)
{
	return rule->share && started ? (double)lost / started : lost;
}

static void find_bounds(struct check_result *r, const struct check_pool *p)
{
	const struct check_rule *rule = r->rule;
	struct dist_bounds b;

	switch (rule->field) {
	case CHECK_COUNT:
		r->lo = r->hi = p->dist.samples;
		break;
	case CHECK_RATE:
		r->lo = r->hi = p->seconds > 0 ? p->dist.samples / p->seconds : 0;
		break;
	case CHECK_LOSS:
		r->lo = loss(rule, p->lost, p->started);
		r->hi = loss(rule, p->lost + p->may, p->started + p->may);
		break;
	case CHECK_MEAN:
		r->lo = (double)p->dist.sum_lo / p->dist.samples;
		r->hi = (double)p->dist.sum_hi / p->dist.samples;
		break;
	default:
		b = dist_quantile(&p->dist, rule->millionths);
		r->lo = b.lo;
		r->hi = b.hi;
	}
}

/* ---- how sure that is ---- */

/* Bounds of the sample of a rank, counted from 1. */
static struct dist_bounds value_of_rank(const struct dist *d, double rank)
{
	struct dist_row row = DIST_ROW_BEGIN;

	while (dist_next(d, &row) && row.cumulative < rank)
		;
	return row.value;
}

static void widen_by_ranks(struct check_result *r, const struct dist *d, double alpha)
{
	double q = (double)r->rule->millionths / DIST_ONE, n = d->samples;
	double low = qbinom(alpha, n, q, 1, 0), high = qbinom(alpha, n, q, 0, 0) + 1;

	r->sure_lo = low < 1 ? 0 : value_of_rank(d, low).lo;
	r->sure_hi = high > n ? INFINITY : value_of_rank(d, high).hi;
}

/* "mean==" asks for the mean of these very samples. */
static bool is_sampled_mean(const struct check_rule *rule)
{
	return rule->field == CHECK_MEAN && rule->op != CHECK_EQ;
}

/* One interval per side: above, it is the longer the more the samples are skewed. */
static void widen_by_tail(struct check_result *r, const struct dist *d, double alpha)
{
	double z = qnorm(alpha, 0, 1, 0, 0);
	struct tail t;

	tail_of(&t, d);
	r->sure_lo = fmax(0, r->lo - z * t.error);
	r->sure_hi = t.few || t.heavy ? INFINITY : r->hi + tail_reach(&t, d->samples, z);
}

static int widen_by_runs(struct check_result *r, const struct check_pool *p, double alpha)
{
	struct compare_logs l = {};
	struct compare_figure f;
	double half;
	size_t i;

	for (i = 0; i < p->set->n; i++)
		if (compare_take(&l, &f, p->set->runs[i], p->name, r->rule->millionths) == -ENOMEM)
			return -ENOMEM;
	if (l.runs < 2 || l.squares <= SAME)
		return 0;
	half = qt(alpha, l.runs - 1, 0, 0) * sqrt(l.squares / (l.runs - 1) / l.runs);
	r->sure_lo = fmin(r->sure_lo, exp(l.mean - half));
	r->sure_hi = fmax(r->sure_hi, exp(l.mean + half));
	return 0;
}

static int find_sure(struct check_result *r, const struct check_pool *p, double confidence)
{
	double alpha = (1 - confidence) / 2;
	bool quantile = r->rule->field == CHECK_QUANTILE && r->rule->millionths < DIST_ONE;

	r->sure_lo = r->lo;
	r->sure_hi = r->hi;
	if (quantile)
		widen_by_ranks(r, &p->dist, alpha);
	if (is_sampled_mean(r->rule))
		widen_by_tail(r, &p->dist, alpha);
	return quantile || is_sampled_mean(r->rule) ? widen_by_runs(r, p, alpha) : 0;
}

enum check_verdict check_limit(const struct check_rule *rule, double lo, double hi)
{
	double limit = rule->limit;
	bool pass, fail;

	switch (rule->op) {
	case CHECK_LT:
		pass = hi < limit;
		fail = lo >= limit;
		break;
	case CHECK_LE:
		pass = hi <= limit;
		fail = lo > limit;
		break;
	case CHECK_EQ:
		pass = lo == limit && hi == limit;
		fail = lo > limit || hi < limit;
		break;
	case CHECK_GE:
		pass = lo >= limit;
		fail = hi < limit;
		break;
	default:
		pass = lo > limit;
		fail = hi <= limit;
	}
	return pass ? CHECK_PASS : fail ? CHECK_FAIL : CHECK_INCONCLUSIVE;
}

/* ---- in words ---- */

static const char *figure_text(char buf[UNITS_TEXT], const struct check_result *r, double value)
{
	if (r->rule->share)
		return units_share(buf, 100 * value);
	switch (r->rule->field) {
	case CHECK_COUNT:
	case CHECK_LOSS:
	case CHECK_OBJECTS:
		return units_count(buf, value);
	case CHECK_RATE:
		snprintf(buf, UNITS_TEXT, "%.4g/s", value);
		return buf;
	default:
		return units_duration(buf, value, r->unit);
	}
}

static void say_sure(struct check_result *r, double confidence)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT], level[UNITS_TEXT];
	size_t at = strlen(r->why);

	if (r->sure_lo == r->lo && r->sure_hi == r->hi)
		return;
	figure_text(lo, r, r->sure_lo);
	snprintf(level, sizeof(level), "%.6g%%", 100 * confidence);
	if (isinf(r->sure_hi))
		snprintf(r->why + at, sizeof(r->why) - at, "; at %s it is %s or more", level, lo);
	else
		snprintf(r->why + at, sizeof(r->why) - at, "; at %s it is in %s .. %s", level, lo,
			 figure_text(hi, r, r->sure_hi));
}

/* All samples of a run share what runs differ by. */
static void say_one_run(struct check_result *r, const struct check_pool *p)
{
	size_t at = strlen(r->why);

	if (p->set->n == 1 && (r->rule->field == CHECK_QUANTILE || is_sampled_mean(r->rule)))
		snprintf(r->why + at, sizeof(r->why) - at,
			 ", in this run; one run does not tell how runs differ");
}

/* With so many, the outermost sample is beyond the quantile at this confidence. */
static double samples_to_bound(const struct check_result *r, double confidence)
{
	double q = (double)r->rule->millionths / DIST_ONE;

	return ceil(log((1 - confidence) / 2) / log(isinf(r->sure_hi) ? q : 1 - q));
}

static void say_next(struct check_result *r, const struct check_pool *p, double confidence)
{
	char n[UNITS_TEXT], need[UNITS_TEXT];
	bool quantile = r->rule->field == CHECK_QUANTILE;

	if (r->rule->field == CHECK_LOSS)
		snprintf(r->next, sizeof(r->next),
			 "the kernel skipped calls of all tasks and does not tell whose: measure "
			 "without a filter");
	else if (r->lo <= r->rule->limit && r->rule->limit <= r->hi)
		snprintf(r->next, sizeof(r->next),
			 "the limit lies in the slot: choose one outside of it, or record with a "
			 "higher -b");
	else if (r->rule->field == CHECK_MEAN && isinf(r->sure_hi))
		snprintf(r->next, sizeof(r->next),
			 "rare large samples decide the mean, and these may hold too few of them: "
			 "limit a quantile such as p50 or p99, or take many more samples");
	else if (quantile && (isinf(r->sure_hi) || r->sure_lo <= 0))
		snprintf(r->next, sizeof(r->next),
			 "%s samples are too few to tell: take at least %s",
			 units_count(n, p->dist.samples),
			 units_count(need, samples_to_bound(r, confidence)));
	else
		snprintf(r->next, sizeof(r->next),
			 "it is too near the limit for this number of samples and runs: take more");
}

void check_say_bounds(struct check_result *r)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT];

	figure_text(lo, r, r->lo);
	figure_text(hi, r, r->hi);
	if (r->lo == r->hi)
		snprintf(r->why, sizeof(r->why), "%s is %s", r->rule->metric_name, lo);
	else
		snprintf(r->why, sizeof(r->why), "%s is in %s .. %s", r->rule->metric_name, lo, hi);
}

/* ---- all of it ---- */

void check_empty(struct check_result *r, const char *why, const char *next, bool allowed)
{
	r->verdict = allowed ? CHECK_PASS : CHECK_FAIL;
	r->empty = true;
	snprintf(r->why, sizeof(r->why), "%s%s", why,
		 allowed ? ", which --allow-empty takes for a pass"
			 : ", so the rule is not shown to hold");
	if (!allowed)
		snprintf(r->next, sizeof(r->next), "%s; or allow it with --allow-empty", next);
}

static bool needs_samples(const struct check_result *r)
{
	return r->rule->field != CHECK_COUNT && r->rule->field != CHECK_RATE &&
	       r->rule->field != CHECK_LOSS;
}

/* The samples decide which look is the last: the looks share the error (Bonferroni). */
static double confidence_of(const struct check_terms *terms)
{
	const struct sequential *q = terms->looks;

	return q ? 1 - (1 - terms->confidence) / (q->last - q->first + 1) : terms->confidence;
}

int check_bounds(struct check_result *r, const struct check_pool *p,
		 const struct check_terms *terms)
{
	static const char no_samples[] = "it has no samples",
			  calls[] = "check that the work calls it";
	double confidence = confidence_of(terms);
	int err;

	if (!p->recorded && needs_samples(r)) {
		check_empty(r, no_samples, calls, terms->allow_empty);
		return 0;
	}
	/* The function was called, but never returned in this way, such as with an error. */
	if (!p->dist.samples && needs_samples(r)) {
		r->verdict = CHECK_INCONCLUSIVE;
		snprintf(r->why, sizeof(r->why), "%s", no_samples);
		snprintf(r->next, sizeof(r->next), "%s", calls);
		return 0;
	}
	find_bounds(r, p);
	err = find_sure(r, p, confidence);
	r->verdict = check_limit(r->rule, r->sure_lo, r->sure_hi);
	/* A rule may want a count of 0; a rate or a loss without samples shows nothing. */
	if (!p->recorded && r->rule->field != CHECK_COUNT && r->verdict == CHECK_PASS) {
		check_empty(r, no_samples, calls, terms->allow_empty);
		return err;
	}
	check_say_bounds(r);
	say_sure(r, confidence);
	say_one_run(r, p);
	if (r->verdict == CHECK_INCONCLUSIVE)
		say_next(r, p, confidence);
	return err;
}

bool check_loss(struct check_result *r, const struct check_pool *p, double max_loss)
{
	char lost[UNITS_TEXT], most[UNITS_TEXT];

	if (r->rule->field == CHECK_LOSS || p->lost <= max_loss * p->started)
		return false;
	r->verdict = CHECK_INCONCLUSIVE;
	snprintf(r->why, sizeof(r->why), "not judged: %s of its calls were lost, more than %s",
		 units_percent(lost, p->lost, p->started), units_share(most, 100 * max_loss));
	snprintf(r->next, sizeof(r->next),
		 "see its ledger; use a method that loses less, or allow more with --max-loss");
	return true;
}
