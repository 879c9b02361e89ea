// SPDX-License-Identifier: GPL-2.0-only
/* check.c - rules and verdicts; see check.h. */
#include "judge/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The permutation test: runs dealt out at random are as far apart too often. */
static bool may_be_chance(const struct compare_row *row, double limit)
{
	double level = 1 - row->alone.confidence;

	if (row->history)
		return history_may_be_chance(row, limit, level);
	/* A permutation of so few pairs could not reach the levels of looks. */
	if (row->look.last)
		return false;
	if (row->a.runs < COMPARE_RUNS_PERMUTED || row->b.runs < COMPARE_RUNS_PERMUTED)
		return false;
	level = compare_level(row, row->alone.confidence);
	if (row->ranked)
		return rank_may_be_chance(row, limit, level);
	return compare_permuted(row, limit, level) > level;
}

enum check_verdict check_increase(const struct compare_row *row, double limit)
{
	if (!row->known)
		return CHECK_INCONCLUSIVE;
	if (row->lo > 0 && row->lo > limit)
		return may_be_chance(row, limit) ? CHECK_INCONCLUSIVE : CHECK_FAIL;
	return row->alone.hi <= limit ? CHECK_PASS : CHECK_INCONCLUSIVE;
}

/* ---- relative rules ---- */

static void say_few(struct check_result *r)
{
	uint64_t n = compare_samples_needed(r->row->metric->millionths);
	char need[UNITS_TEXT];

	snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
		 "; %zu of %zu runs have fewer than %u samples beyond it",
		 r->row->a.few + r->row->b.few, r->row->a.runs + r->row->b.runs, COMPARE_BEYOND);
	if (n)
		snprintf(r->next, sizeof(r->next), "record runs of at least %s samples each",
			 units_count(need, n));
	else
		snprintf(r->next, sizeof(r->next),
			 "the largest sample grows with the number of samples: compare a lower "
			 "quantile");
}

/* Only the widening by the floors leaves it undecided. */
static bool floors_decide(const struct compare_row *row, double limit)
{
	double lo = row->lo + row->shift_hi, hi = row->alone.hi + row->shift_lo;

	return row->across && row->known && ((lo > 0 && lo > limit) || hi <= limit);
}

static bool lacks_floor(const struct compare_row *row)
{
	return row->across && (!row->a.cost || !row->b.cost);
}

static void say_needed(struct check_result *r)
{
	const struct compare_row *row = r->row;

	if (!row->a.runs || !row->b.runs)
		snprintf(r->next, sizeof(r->next), "check that the work calls it on both sides");
	else if (lacks_floor(row))
		snprintf(r->next, sizeof(r->next),
			 "the methods differ and a floor is not known: run 'kstats-bpf calibrate', "
			 "and record again");
	else if (floors_decide(row, r->rule->limit))
		snprintf(r->next, sizeof(r->next),
			 "the floors of the methods may explain it: record both sides with the "
			 "same --method");
	else if (row->a.few + row->b.few)
		say_few(r);
	else if (row->tail)
		snprintf(r->next, sizeof(r->next),
			 "rare large samples decide the mean, and the runs of the sides are of "
			 "unlike lengths: compare a quantile such as p50 or p99");
	else if (row->history)
		history_say_needed(r);
	else if (row->look.last)
		check_say_needed(r);
	else if (!row->known)
		snprintf(r->next, sizeof(r->next),
			 "record at least 2 runs on each side (now %zu and %zu)", row->a.runs,
			 row->b.runs);
	else if (row->order == COMPARE_APART)
		snprintf(r->next, sizeof(r->next),
			 "record the sides in turn, as 'trace --runs --vs' does, or keep a "
			 "--history: more runs do not tell what the machine did in between");
	else if (compare_modes_decide(row))
		snprintf(r->next, sizeof(r->next),
			 "so few runs may be in two modes of the program that are up to %.0f%% "
			 "apart: record at least %d on each side",
			 100 * COMPARE_MODES, COMPARE_RUNS_PERMUTED);
	else if (row->lo > 0 && row->lo > r->rule->limit)
		snprintf(r->next, sizeof(r->next),
			 "a permutation test does not confirm it: record more runs");
	else
		check_say_needed(r);
}

/* No percentage leads from 0 to another value. */
static void say_zero(struct check_result *r)
{
	const struct compare_side *a = &r->row->a, *b = &r->row->b;
	bool from = !compare_shown(a), to = !compare_shown(b);

	if (a->runs && b->runs && from != to)
		snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
			 "; 0 counts as %.2g", from ? a->value : b->value);
}

static void say_change(struct check_result *r)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], change[UNITS_TEXT], lo[UNITS_TEXT], hi[UNITS_TEXT];
	const struct compare_row *row = r->row;

	units_duration(a, compare_shown(&row->a), row->a.unit);
	units_duration(b, compare_shown(&row->b), row->b.unit);
	units_change(change, row->change, 2);
	if (!row->a.runs || !row->b.runs)
		snprintf(r->why, sizeof(r->why), "one side has no samples");
	else if (!row->known)
		snprintf(r->why, sizeof(r->why), "%s went from %s to %s (%s), of unknown certainty",
			 r->rule->metric_name, a, b, change);
	else
		snprintf(r->why, sizeof(r->why),
			 "%s went from %s to %s (%s, between %s and %s, each end at %.5g%%)",
			 r->rule->metric_name, a, b, change, units_change(lo, r->lo, 2),
			 units_change(hi, r->hi, 2), 100 * r->confidence);
	say_zero(r);
	if (row->look.last)
		check_say_look(r);
	else if (row->known && row->order == COMPARE_APART)
		snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
			 "; not recorded in turn, so up to %.0f%% may be due to the machine",
			 100 * COMPARE_DAYS);
	if (row->by_rank)
		snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
			 "; by medians and ranks, since single runs are far off");
	if (row->history)
		snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
			 "; against %s%zu accepted set%s",
			 row->drifted ? "the oldest of all, before the last " : "", row->sets,
			 units_plural(row->sets));
	if (row->a.empty + row->b.empty)
		snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
			 "; left out, without samples: %zu run%s of the base, %zu judged run%s",
			 row->a.empty, units_plural(row->a.empty), row->b.empty,
			 units_plural(row->b.empty));
}

/* A pass needs no correction for other rules: all must hold for all to pass. */
static void relative(struct check_result *r, const struct compare_row *row)
{
	r->row = row;
	r->verdict = check_increase(row, r->rule->limit);
	r->lo = r->verdict == CHECK_PASS ? row->alone.lo : row->lo;
	r->hi = r->verdict == CHECK_PASS ? row->alone.hi : row->hi;
	r->confidence = r->verdict == CHECK_PASS ? row->alone.confidence : row->confidence;
	say_change(r);
	if (r->verdict == CHECK_INCONCLUSIVE)
		say_needed(r);
}

static bool asks(const struct compare_metric *m, const struct check_rule *rule)
{
	return m->millionths == rule->millionths && m->limit == rule->limit &&
	       !strcmp(m->target, rule->target);
}

static const struct compare_row *find_row(const struct compare *c, const char *name,
					  const struct check_rule *rule)
{
	const struct compare_row *row = compare_row(c, name);

	while (row && !asks(row->metric, rule))
		row = row + 1 < c->rows + c->n && !strcmp(row[1].name, name) ? row + 1 : NULL;
	return row;
}

static bool has_metric(const struct compare_metric *m, const struct check_rule *rule)
{
	while (m->name && !asks(m, rule))
		m++;
	return m->name;
}

/* Each metric and limit is compared once: a second time would widen all intervals. */
static int compare_all(struct check *c, const struct check_rule *rules, size_t n_rules,
		       const struct compare_set *runs, const struct compare_set *base,
		       double confidence, struct error *e)
{
	struct compare_set before, after;
	size_t i, n = 0;

	c->metrics = calloc(n_rules + 1, sizeof(*c->metrics));
	if (!c->metrics)
		return -ENOMEM;
	for (i = 0; i < n_rules; i++)
		if (rules[i].relative && !has_metric(c->metrics, &rules[i]))
			c->metrics[n++] =
				(struct compare_metric){ rules[i].metric_name, rules[i].millionths,
							 true, rules[i].limit, rules[i].target };
	if (!n)
		return 0;
	/* Gaps are not judged, and must not widen the intervals of the rest. */
	before = *base;
	after = *runs;
	before.no_gaps = after.no_gaps = true;
	return compare_make(&c->compared, &before, &after, c->metrics, confidence, e);
}

/* ---- all of it ---- */

static struct check_result *add_result(struct check *c, const char *name,
				       const struct check_rule *rule)
{
	struct check_result *r = &c->results[c->n++];

	*r = (struct check_result){ .name = name, .rule = rule, .unit = c->unit };
	return r;
}

/* One distribution in the judged runs and in the base. */
struct pools {
	struct check_pool runs;
	struct check_pool base;
};

/* Samples of the function with any kind of return are enough. */
static bool nothing_in(const struct pools *pools)
{
	return !pools->runs.recorded || !pools->base.recorded;
}

/* Measured in one file, of which only one side need be a process. */
static bool is_in_program(const struct compare_set *set, const char *name)
{
	int node = set->n ? snapshot_find(set->runs[0], name) : -1;

	return node >= 0 && strstr(set->runs[0]->nodes[node].method, "uprobe");
}

static void say_nothing_in(struct check_result *r, const struct pools *pools, bool allowed)
{
	const struct check_pool *has = pools->runs.recorded ? &pools->runs : &pools->base;
	bool both = !pools->runs.recorded && !pools->base.recorded;

	if (both)
		check_empty(r, "neither side has samples of it",
			    "check that the work calls it on both sides", allowed);
	else if (is_in_program(has->set, has->name))
		check_empty(
			r,
			has == &pools->runs ? "the base has no samples of it: only one file was "
					      "traced, and the base may run another one"
					    : "it has no samples, but the base has: only one file "
					      "was traced, and the runs may run another one",
			"write u:%:FUNCTION to trace each side's own program, or check that both "
			"sides call the function",
			allowed);
	else
		check_empty(r,
			    has == &pools->runs ? "the base has no samples of it"
						: "it has no samples, but the base has",
			    "check that the work calls it on both sides", allowed);
}

static int judge_one(struct check *c, const char *name, const struct check_rule *rule,
		     const struct pools *pools, const struct check_terms *terms)
{
	struct check_result *r = add_result(c, name, rule);
	const struct compare_row *row = find_row(&c->compared, name, rule);

	if (check_loss(r, &pools->runs, terms->max_loss) ||
	    (rule->relative && check_loss(r, &pools->base, terms->max_loss)))
		c->lossy = true;
	else if (!rule->relative)
		return check_bounds(r, &pools->runs, terms);
	else if (!row && c->history)
		history_say_none(r);
	else if (!row)
		check_empty(r, "the base does not measure it", "record the base with it",
			    terms->allow_empty);
	else if (nothing_in(pools))
		say_nothing_in(r, pools, terms->allow_empty);
	else
		relative(r, row);
	return 0;
}

static bool first_of_name(const struct compare_set *set, size_t run, uint32_t node)
{
	const char *name = set->runs[run]->nodes[node].name;

	return !compare_seen(set, run, name) && snapshot_find(set->runs[run], name) == (int)node;
}

/* The arguments of check_make(). */
struct judging {
	const struct check_rule *rules;
	size_t n_rules;
	struct check_side runs;
	struct check_side base;
	struct sides sides;
	const struct check_terms *terms;
};

/* Not a result of its own, see sides.c. */
static bool is_only_told(const struct judging *j, const char *name)
{
	return !j->terms->allow_empty && sides_may_be_chance(&j->sides, name);
}

static int judge_node(struct check *c, const char *name, const struct judging *j, struct error *e)
{
	struct pools pools = {};
	int err = check_pool_make(&pools.runs, &j->runs, name, e);
	size_t i;

	if (!err && c->compared.n)
		err = check_pool_make(&pools.base, &j->base, name, e);
	for (i = 0; !err && i < j->n_rules; i++)
		if (compare_is_target(j->rules[i].target, name) &&
		    !(j->rules[i].relative && is_only_told(j, name)))
			err = judge_one(c, name, &j->rules[i], &pools, j->terms);
	dist_close(&pools.runs.dist);
	dist_close(&pools.base.dist);
	return err;
}

static int judge_nodes(struct check *c, const struct judging *j, struct error *e)
{
	const struct compare_set *runs = j->runs.set;
	const struct snapshot *s;
	int err = 0;
	uint32_t node;
	size_t run;

	for (run = 0; run < runs->n; run++) {
		s = runs->runs[run];
		for (node = 0; !err && node < s->n_nodes; node++)
			if (snapshot_is_recorded(s->nodes[node].kind) &&
			    first_of_name(runs, run, node) &&
			    !compare_is_empty_rest(runs, s->nodes[node].name))
				err = judge_node(c, s->nodes[node].name, j, e);
	}
	return err;
}

/*
 * Nothing shows that a function which only the base measures is as fast as before. In a
 * history the newest set counts: once a set without the function is accepted, it is gone.
 */
static void add_gone(struct check *c, const struct judging *j)
{
	struct compare_set newest;
	const char *name;
	size_t i, k;

	if (!c->compared.n_missing)
		return;
	newest = sides_newest(j->base.set);
	for (i = 0; i < c->compared.n_missing; i++) {
		name = c->compared.missing[i];
		if (compare_measures(j->runs.set, name) || !compare_measures(&newest, name) ||
		    is_only_told(j, name))
			continue;
		for (k = 0; k < j->n_rules; k++)
			if (j->rules[k].relative && compare_is_target(j->rules[k].target, name))
				check_empty(add_result(c, name, &j->rules[k]),
					    "only the base measures it", "record the runs with it",
					    j->terms->allow_empty);
	}
}

/* No function, no pass: a rule on a name that nothing has shows nothing. */
static void add_unnamed(struct check *c, const struct judging *j)
{
	size_t i, k;

	for (i = 0; i < j->n_rules; i++) {
		for (k = 0; k < c->n && c->results[k].rule != &j->rules[i]; k++)
			;
		if (k == c->n && j->rules[i].target[0])
			check_empty(add_result(c, j->rules[i].target, &j->rules[i]),
				    "nothing of that name is compared or measured",
				    "write a name that the recordings have", j->terms->allow_empty);
	}
}

enum check_verdict check_sum_up(const struct check *c)
{
	enum check_verdict v = CHECK_PASS;
	size_t i;

	for (i = 0; i < c->n && v != CHECK_FAIL; i++)
		if (c->results[i].verdict != CHECK_PASS)
			v = c->results[i].verdict;
	return v;
}

/* A plain number is in the unit of the runs. */
static int check_units(const struct check_rule *rules, size_t n, const char *unit, struct error *e)
{
	const char *is = units_is_time(unit) ? "ns" : unit;
	char why[128];
	size_t i;

	for (i = 0; i < n; i++) {
		if (!*rules[i].unit || !strcmp(rules[i].unit, is))
			continue;
		snprintf(why, sizeof(why), "its limit is in %s, and the unit of the runs is %s",
			 rules[i].unit, is);
		return error_set(e, EXIT_USAGE, -EINVAL, why, "write the limit in that unit",
				 "cannot judge by '%s'", rules[i].text);
	}
	return 0;
}

static int judge_all(struct check *c, struct judging *j, const struct compare_set *runs,
		     const struct compare_set *base, struct error *e)
{
	int err = check_side_make(&j->runs, runs);

	sides_make(&j->sides, runs, base, j->terms->confidence);

	if (!err)
		err = check_side_make(&j->base, base);
	if (!err)
		err = judge_nodes(c, j, e);
	if (!err) {
		add_gone(c, j);
		add_unnamed(c, j);
		if (c->compared.rows && !j->terms->allow_empty)
			sides_say(&j->sides, c->one_sided, sizeof(c->one_sided));
		err = sides_require_all(c, &j->sides, j->terms, c->compared.rows);
	}
	check_side_free(&j->runs);
	check_side_free(&j->base);
	return err;
}

int check_make(struct check *c, const struct check_rule *rules, size_t n_rules,
	       const struct compare_set *runs, const struct compare_set *base,
	       const struct check_terms *terms, struct error *e)
{
	struct judging j = { .rules = rules, .n_rules = n_rules, .terms = terms };
	const char *unit;
	int err;

	*c = (struct check){};
	if (compare_unit(runs, base, &unit, e) || check_units(rules, n_rules, unit, e))
		return -EINVAL;
	*c = (struct check){
		.unit = unit,
		.undecided = CHECK_INCONCLUSIVE,
		.looks = terms->looks,
		.history = base && base->set_of,
	};
	c->results = calloc((compare_count(runs) + compare_count(base) + 1) * n_rules +
				    terms->n_require + 1,
			    sizeof(*c->results));
	err = c->results ? compare_all(c, rules, n_rules, runs, base, terms->confidence, e)
			 : -ENOMEM;
	if (!err && terms->looks)
		err = sequential_judge(&c->compared, terms->looks);
	if (!err)
		err = judge_all(c, &j, runs, base, e);
	c->verdict = check_sum_up(c);
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
	free(c->required);
	history_free(&c->series);
	*c = (struct check){};
}
