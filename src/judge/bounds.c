// SPDX-License-Identifier: GPL-2.0-only
/* bounds.c - what absolute rules say of all runs together; see check.h. */
#include "judge/priv.h"

#include <errno.h>
#include <stdio.h>

#include "snapshot/ledger.h"
#include "util/units.h"

/* ---- all runs together ---- */

static void pool_time(struct check_pool *p, const struct snapshot *s, uint32_t node)
{
	uint32_t owner = s->nodes[node].owner;
	/* Of which function they were is not known: they may all be of this one. */
	uint64_t shared = s->nodes[owner].ledger[KSTATS_SKIPPED_SHARED];

	p->seconds += (s->span.end_ns - s->span.begin_ns) / 1e9;
	p->started +=
		s->nodes[owner].ledger[KSTATS_STARTED] + s->nodes[owner].ledger[KSTATS_SKIPPED];
	p->started += shared;
	p->lost += ledger_lost(s, owner) + shared;
	p->may += s->nodes[owner].ledger[KSTATS_SKIPPED_ANYONE];
}

static int pool_add(struct check_pool *p, const struct snapshot *s, uint32_t node, struct error *e)
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

int check_pool_make(struct check_pool *p, const struct compare_set *set, const char *name,
		    struct error *e)
{
	int err = 0, node;
	size_t i;

	*p = (struct check_pool){};
	for (i = 0; !err && i < set->n; i++) {
		node = compare_find(set->runs[i], name);
		if (node >= 0)
			err = pool_add(p, set->runs[i], node, e);
	}
	return err;
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
	if (r->verdict == CHECK_INCONCLUSIVE && r->rule->field == CHECK_LOSS)
		snprintf(r->next, sizeof(r->next),
			 "the kernel skipped calls of all tasks and does not tell whose: measure "
			 "without a filter");
	else if (r->verdict == CHECK_INCONCLUSIVE)
		snprintf(r->next, sizeof(r->next),
			 "the limit lies in the slot: choose one outside of it, or record with a "
			 "higher -b");
}

void check_bounds(struct check_result *r, const struct check_pool *p)
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
