// SPDX-License-Identifier: GPL-2.0-only
/* judge.c - recordings to a verdict; see judge.h. */
#include "judge/judge.h"

#include <errno.h>
#include <string.h>

static bool judge_is_told(const struct history *h, const struct check_result *r)
{
	size_t i;

	/* The results of a distribution follow each other. */
	for (i = h->n; i-- && !strcmp(h->rows[i].name, r->name);)
		if (!strcmp(h->rows[i].metric, r->rule->metric_name))
			return true;
	return false;
}

static int make_series(struct check *c, const struct judge_terms *terms, struct error *e)
{
	const struct check_result *r;
	struct history *h = &c->series;
	int err = 0;

	h->sets = accepted_series(terms->accepted, terms->last);
	for (r = c->results; !err && r < c->results + c->n; r++)
		if (r->rule->relative && !judge_is_told(h, r))
			err = history_add(h, r->name, r->rule->metric_name, r->rule->millionths);
	if (!err)
		err = history_find_steps(h);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot judge the runs") : 0;
}

/* Of the sets that are compared, the first that is of another machine. */
static void judge_say_machines(struct check *c, const struct runs *runs, const struct runs *base,
			       const struct accepted *accepted)
{
	bool differs = judge_machines(c->machines, sizeof(c->machines), runs, base);
	size_t i;

	for (i = accepted ? accepted->first : 0; accepted && !differs && i < accepted->end; i++)
		differs = judge_machines(c->machines, sizeof(c->machines), runs,
					 &accepted->found[i].runs);
}

static int judge_calls(struct check *c, const struct check_rule *rules, size_t n_rules,
		       const struct runs *runs, const struct runs *base,
		       const struct judge_terms *terms, struct error *e)
{
	struct compare_set a = runs_set(runs, terms->across), b = runs_set(base, terms->across);
	int err = check_rules_fit(rules, n_rules, CHECK_CALLS, e);

	if (!err && !terms->force)
		err = runs_check(runs, base, terms->across, e);
	if (!err && terms->accepted) {
		err = accepted_choose(terms->accepted, runs, terms->last, !terms->force, e);
		if (!err)
			b = accepted_base(terms->accepted, terms->last);
	}
	if (!err)
		err = check_make(c, rules, n_rules, &a, &b, &terms->check, e);
	if (!err)
		judge_say_machines(c, runs, base, terms->accepted);
	if (!err && terms->accepted)
		err = make_series(c, terms, e);
	return err;
}

int judge_runs(struct check *c, const struct check_rule *rules, size_t n_rules,
	       const struct runs *runs, const struct runs *base, const struct judge_terms *terms,
	       struct error *e)
{
	const struct kmem *const *memory = (const struct kmem *const *)runs->memory;

	*c = (struct check){};
	if (memory && terms->check.n_require)
		return error_set(e, EXIT_USAGE, -EINVAL, "recordings of memory events have none",
				 "write a rule on a site, like 'kmemdup*:count>0'",
				 "cannot require a function");
	if (memory)
		return check_memory(c, rules, n_rules, memory, runs->n, &terms->check, e);
	return judge_calls(c, rules, n_rules, runs, base, terms, e);
}

/* What is not judged because of its loss stays undecided, whatever that counts as. */
enum check_verdict judge_outcome(const struct check *c)
{
	return c->verdict == CHECK_INCONCLUSIVE && !c->lossy ? c->undecided : c->verdict;
}

/*
 * Undecided sets are accepted if they are likely within the limit.
 * --inconclusive=pass changes the exit status, not whether the set is accepted.
 */
bool judge_accepts(const struct check *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->results[i].verdict != CHECK_PASS && !c->results[i].takes)
			return false;
	return true;
}
