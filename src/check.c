// SPDX-License-Identifier: GPL-2.0-only
/* check.c - rules and verdicts; see check.h. */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "util/units.h"

const char *check_verdict_name(enum check_verdict v)
{
	static const char *const names[CHECK_VERDICTS] = {
		[CHECK_PASS] = "pass",
		[CHECK_FAIL] = "fail",
		[CHECK_INCONCLUSIVE] = "inconclusive",
	};

	return names[v];
}

enum check_verdict check_increase(const struct compare_row *row, double limit)
{
	if (!row->known)
		return CHECK_INCONCLUSIVE;
	if (row->lo > 0 && row->lo > limit)
		return CHECK_FAIL;
	return row->hi <= limit ? CHECK_PASS : CHECK_INCONCLUSIVE;
}

/* ---- all runs together ---- */

/**
 * struct pool - one distribution over all runs
 * @dist: merged
 * @seconds: time of the runs that have it
 * @started: start events that its ledger accounts for
 * @lost: those of them that are lost
 */
struct pool {
	struct dist dist;
	double seconds;
	uint64_t started;
	uint64_t lost;
};

static void pool_time(struct pool *p, const struct snapshot *s, uint32_t node)
{
	uint32_t owner = s->nodes[node].owner;

	p->seconds += (s->span.end_ns - s->span.begin_ns) / 1e9;
	p->started +=
		s->nodes[owner].ledger[KSTATS_STARTED] + s->nodes[owner].ledger[KSTATS_SKIPPED];
	p->lost += ledger_lost(s, owner);
}

static int pool_add(struct pool *p, const struct snapshot *s, uint32_t node, struct error *e)
{
	struct dist one;
	int err = dist_open(&one, s, node, DIST_ALL_CPUS);

	if (!err && !p->dist.slots) {
		p->dist = one;
		one.slots = NULL;
	} else if (!err && dist_add(&p->dist, &one)) {
		err = error_set(e, EXIT_USAGE, -EINVAL, "they differ in their bits",
				"record all runs with the same -b", "cannot judge the runs of '%s'",
				s->nodes[node].name);
	}
	dist_close(&one);
	if (!err)
		pool_time(p, s, node);
	return err;
}

static int pool_make(struct pool *p, const struct compare_set *set, const char *name,
		     struct error *e)
{
	int err = 0, node;
	size_t i;

	*p = (struct pool){};
	for (i = 0; !err && i < set->n; i++) {
		node = compare_find(set->runs[i], name);
		if (node >= 0)
			err = pool_add(p, set->runs[i], node, e);
	}
	return err;
}

/* ---- absolute rules ---- */

static void find_bounds(struct check_result *r, const struct pool *p)
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
		r->lo = r->hi = rule->share && p->started ? (double)p->lost / p->started : p->lost;
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

static enum check_verdict judge(const struct check_result *r)
{
	double limit = r->rule->limit;
	bool pass, fail;

	switch (r->rule->op) {
	case CHECK_LT:
		pass = r->hi < limit;
		fail = r->lo >= limit;
		break;
	case CHECK_LE:
		pass = r->hi <= limit;
		fail = r->lo > limit;
		break;
	case CHECK_EQ:
		pass = r->lo == limit && r->hi == limit;
		fail = r->lo > limit || r->hi < limit;
		break;
	case CHECK_GE:
		pass = r->lo >= limit;
		fail = r->hi < limit;
		break;
	default:
		pass = r->lo > limit;
		fail = r->hi <= limit;
	}
	return pass ? CHECK_PASS : fail ? CHECK_FAIL : CHECK_INCONCLUSIVE;
}

static char *figure_text(char buf[UNITS_TEXT], const struct check_rule *rule, double value)
{
	if (rule->field == CHECK_COUNT || (rule->field == CHECK_LOSS && !rule->share))
		return units_count(buf, value);
	if (rule->field == CHECK_RATE)
		snprintf(buf, UNITS_TEXT, "%.4g/s", value);
	else if (rule->field == CHECK_LOSS)
		snprintf(buf, UNITS_TEXT, "%.3g%%", 100 * value);
	else
		units_duration(buf, value, "auto");
	return buf;
}

static void say_bounds(struct check_result *r)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT];

	figure_text(lo, r->rule, r->lo);
	figure_text(hi, r->rule, r->hi);
	if (r->lo == r->hi)
		snprintf(r->why, sizeof(r->why), "%s is %s", r->rule->metric_name, lo);
	else
		snprintf(r->why, sizeof(r->why), "%s is in %s .. %s", r->rule->metric_name, lo, hi);
	if (r->verdict == CHECK_INCONCLUSIVE)
		snprintf(r->next, sizeof(r->next),
			 "the limit lies in the slot: choose one outside of it, or record with a "
			 "higher -b");
}

static void absolute(struct check_result *r, const struct pool *p)
{
	bool needs_samples = r->rule->field != CHECK_COUNT && r->rule->field != CHECK_RATE &&
			     r->rule->field != CHECK_LOSS;

	if (needs_samples && !p->dist.samples) {
		r->verdict = CHECK_INCONCLUSIVE;
		snprintf(r->why, sizeof(r->why), "it has no samples");
		snprintf(r->next, sizeof(r->next), "check that the work calls it");
		return;
	}
	find_bounds(r, p);
	r->verdict = judge(r);
	say_bounds(r);
}

/* ---- relative rules ---- */

static void say_needed(struct check_result *r)
{
	const struct compare_row *row = r->row;
	unsigned int n = compare_runs_needed(row, r->rule->limit);

	if (!row->a.runs || !row->b.runs)
		snprintf(r->next, sizeof(r->next), "check that the work calls it on both sides");
	else if (!row->known)
		snprintf(r->next, sizeof(r->next),
			 "record at least 2 runs on each side (now %zu and %zu)", row->a.runs,
			 row->b.runs);
	else if (n)
		snprintf(r->next, sizeof(r->next), "about %u runs on each side would settle it%s",
			 n > row->a.runs ? n : (unsigned int)row->a.runs + 1,
			 row->a.noise + row->b.noise > (row->a.spread + row->b.spread) / 2
				 ? ", fewer if they were longer"
				 : "");
	else
		snprintf(r->next, sizeof(r->next),
			 "the change is too near the limit for %u runs to settle it",
			 COMPARE_RUNS_MAX);
}

static void relative(struct check_result *r, const struct compare_row *row)
{
	char a[UNITS_TEXT], b[UNITS_TEXT];

	r->row = row;
	r->lo = row->lo;
	r->hi = row->hi;
	r->verdict = check_increase(row, r->rule->limit);
	units_duration(a, row->a.value, "auto");
	units_duration(b, row->b.value, "auto");
	if (!row->a.runs || !row->b.runs)
		snprintf(r->why, sizeof(r->why), "one side has no samples");
	else if (!row->known)
		snprintf(r->why, sizeof(r->why),
			 "%s went from %s to %s (%+.2f%%), of unknown certainty",
			 r->rule->metric_name, a, b, 100 * row->change);
	else
		snprintf(r->why, sizeof(r->why),
			 "%s went from %s to %s (%+.2f%%, between %+.2f%% and %+.2f%%)",
			 r->rule->metric_name, a, b, 100 * row->change, 100 * row->lo,
			 100 * row->hi);
	if (r->verdict == CHECK_INCONCLUSIVE)
		say_needed(r);
}

static const struct compare_row *find_row(const struct compare *c, const char *name,
					  const struct check_rule *rule)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (!strcmp(c->rows[i].name, name) &&
		    c->rows[i].metric->millionths == rule->millionths)
			return &c->rows[i];
	return NULL;
}

static int compare_all(struct check *c, const struct check_rule *rules, size_t n_rules,
		       const struct compare_set *runs, const struct compare_set *base,
		       double confidence, struct error *e)
{
	size_t i, n = 0;

	c->metrics = calloc(n_rules + 1, sizeof(*c->metrics));
	if (!c->metrics)
		return -ENOMEM;
	for (i = 0; i < n_rules; i++)
		if (rules[i].relative)
			c->metrics[n++] = (struct compare_metric){ rules[i].metric_name,
								   rules[i].millionths };
	return n ? compare_make(&c->compared, base, runs, c->metrics, confidence, e) : 0;
}

/* ---- all of it ---- */

static void add_result(struct check *c, const char *name, const struct check_rule *rule,
		       const struct pool *pool)
{
	struct check_result *r = &c->results[c->n++];
	const struct compare_row *row;

	*r = (struct check_result){ .name = name, .rule = rule };
	if (!rule->relative) {
		absolute(r, pool);
	} else {
		row = find_row(&c->compared, name, rule);
		if (row) {
			relative(r, row);
		} else {
			r->verdict = CHECK_INCONCLUSIVE;
			snprintf(r->why, sizeof(r->why), "the base does not measure it");
			snprintf(r->next, sizeof(r->next), "record the base with it");
		}
	}
	if (r->verdict == CHECK_FAIL || c->verdict == CHECK_PASS)
		c->verdict = r->verdict;
}

static bool first_of_name(const struct compare_set *set, size_t run, uint32_t node)
{
	const char *name = set->runs[run]->nodes[node].name;
	size_t i;

	for (i = 0; i < run; i++)
		if (compare_find(set->runs[i], name) >= 0)
			return false;
	return compare_find(set->runs[run], name) == (int)node;
}

static int judge_node(struct check *c, const char *name, const struct check_rule *rules,
		      size_t n_rules, const struct compare_set *runs, struct error *e)
{
	struct pool pool;
	int err = pool_make(&pool, runs, name, e);
	size_t i;

	for (i = 0; !err && i < n_rules; i++)
		add_result(c, name, &rules[i], &pool);
	dist_close(&pool.dist);
	return err;
}

static int judge_nodes(struct check *c, const struct check_rule *rules, size_t n_rules,
		       const struct compare_set *runs, struct error *e)
{
	const struct snapshot *s;
	int err = 0;
	uint32_t node;
	size_t run;

	for (run = 0; run < runs->n; run++) {
		s = runs->runs[run];
		for (node = 0; !err && node < s->n_nodes; node++)
			if (s->nodes[node].kind != SNAPSHOT_GAP && first_of_name(runs, run, node))
				err = judge_node(c, s->nodes[node].name, rules, n_rules, runs, e);
	}
	return err;
}

int check_make(struct check *c, const struct check_rule *rules, size_t n_rules,
	       const struct compare_set *runs, const struct compare_set *base, double confidence,
	       struct error *e)
{
	size_t i, n = 0;
	int err;

	*c = (struct check){};
	for (i = 0; i < runs->n; i++)
		n += runs->runs[i]->n_nodes;
	c->results = calloc(n * n_rules + 1, sizeof(*c->results));
	err = c->results ? compare_all(c, rules, n_rules, runs, base, confidence, e) : -ENOMEM;
	if (!err)
		err = judge_nodes(c, rules, n_rules, runs, e);
	if (!err && !c->n)
		err = error_set(e, EXIT_USAGE, -EINVAL, "they measure no function", NULL,
				"cannot judge the runs");
	if (err == -ENOMEM)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot judge the runs");
	if (err)
		check_free(c);
	return err;
}

void check_free(struct check *c)
{
	compare_free(&c->compared);
	free(c->metrics);
	free(c->results);
	*c = (struct check){};
}
