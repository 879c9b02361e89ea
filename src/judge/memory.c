// SPDX-License-Identifier: GPL-2.0-only
/* memory.c - judge recordings of memory events by absolute rules; see check.h. */
#include "judge/priv.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/account.h"
#include "kmem/table.h"
#include "util/units.h"

/* ---- what is judged ---- */

/* The pattern matches a site, with or without the offset in its function, or a cache. */
static bool memory_is_named(const char *pattern, const struct kmem_entry *e)
{
	char function[512];

	snprintf(function, sizeof(function), "%s", e->name);
	function[strcspn(function, "+")] = '\0';
	return !fnmatch(pattern, e->name, 0) || !fnmatch(pattern, function, 0) ||
	       (e->cache && !fnmatch(pattern, e->cache, 0));
}

static bool is_target(const struct check_rule *rule, const struct kmem_entry *e)
{
	int kind;

	if (!rule->target[0])
		return e->kind != KSTATS_KMEM_PAGES;
	for (kind = 1; kind <= KMEM_KINDS; kind++)
		if (!strcmp(rule->target, kmem_kind_name(kind)))
			return e->kind == (enum kstats_kmem_kind)kind;
	return memory_is_named(rule->target, e);
}

/* Everything that a rule may ask of its target. */
struct found {
	struct kmem_sums sums;
	struct dist lifetimes;
};

static int memory_add_entry(struct found *f, const struct kmem_table *t, const struct kmem_entry *e)
{
	struct dist d;
	int err;

	kmem_sums_add(&f->sums, &e->sums);
	if (!e->n_lifes)
		return 0;
	err = kmem_lifetimes(&d, t, e);
	if (!err && !f->lifetimes.slots) {
		f->lifetimes = d;
		return 0;
	}
	if (!err)
		dist_add(&f->lifetimes, &d);
	dist_close(&d);
	return err;
}

static void add_no_row(struct found *f, const struct check_rule *rule, const struct kmem *k)
{
	struct kmem_entry of = { .name = "" };
	int kind;

	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		of.kind = kind;
		if (rule->target[0] && strcmp(rule->target, kmem_kind_name(kind)))
			continue;
		if (!is_target(rule, &of))
			continue;
		of.sums = kmem_no_row(k, kind);
		kmem_sums_add(&f->sums, &of.sums);
	}
}

static int find_target(struct found *f, const struct check_rule *rule, const struct kmem *k)
{
	struct kmem_table t;
	size_t i;
	int err = kmem_table_make(&t, k, NULL, KMEM_SORT_BYTES);

	*f = (struct found){};
	for (i = 0; !err && i < t.n; i++)
		if (is_target(rule, &t.entries[i]))
			err = memory_add_entry(f, &t, &t.entries[i]);
	if (!err)
		add_no_row(f, rule, k);
	kmem_table_free(&t);
	return err;
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0;
}

static double lost_share(const struct kmem_account *a)
{
	return share_of(kmem_account_lost(a), kmem_account_events(a));
}

/* The figure, or its bounds. */
static void find_figure(struct check_result *r, const struct kmem *k, const struct found *f)
{
	const struct check_rule *rule = r->rule;
	const struct kmem_sums *s = &f->sums;
	const struct kmem_account a = kmem_account(k);
	const double seconds = (k->span.end_ns - k->span.begin_ns) / 1e9;
	const double values[CHECK_FIELDS] = {
		[CHECK_WASTE] = rule->share ? share_of(s->waste, s->alloc) : s->waste,
		[CHECK_BYTES] = s->alloc,
		[CHECK_REQUESTED] = s->req,
		[CHECK_COUNT] = s->count,
		[CHECK_RATE] = seconds > 0 ? s->count / seconds : 0,
		[CHECK_LIVE] = s->live_alloc,
		[CHECK_OBJECTS] = s->live,
		[CHECK_OLDEST] = s->live_oldest_ns,
		[CHECK_OTHER_CPU] = share_of(s->other_cpu, s->freed),
		[CHECK_LOSS] = rule->share ? lost_share(&a) : kmem_account_lost(&a),
	};
	struct dist_bounds b;

	r->lo = r->hi = values[rule->field];
	if (rule->field == CHECK_QUANTILE) {
		b = dist_quantile(&f->lifetimes, rule->millionths);
		r->lo = b.lo;
		r->hi = b.hi;
	}
	r->sure_lo = r->lo;
	r->sure_hi = r->hi;
}

/* ---- the verdict ---- */

static bool is_of_frees(const struct check_rule *rule)
{
	return rule->field == CHECK_QUANTILE || rule->field == CHECK_OTHER_CPU;
}

static bool needs_lifetimes(const struct check_rule *rule)
{
	return is_of_frees(rule) || rule->field == CHECK_LIVE || rule->field == CHECK_OBJECTS ||
	       rule->field == CHECK_OLDEST;
}

static void say_open(struct check_result *r, const char *why, const char *next)
{
	r->verdict = CHECK_INCONCLUSIVE;
	snprintf(r->why, sizeof(r->why), "%s", why);
	snprintf(r->next, sizeof(r->next), "%s", next);
}

/* Why a figure cannot be judged; false where it can. */
static bool is_open(struct check *c, struct check_result *r, const struct kmem *k, double max_loss)
{
	const struct kmem_account a = kmem_account(k);
	double share = lost_share(&a);
	char lost[UNITS_TEXT], why[sizeof(r->why)];

	if (r->rule->field == CHECK_LOSS)
		return false;
	if (needs_lifetimes(r->rule) && !k->lifetimes) {
		say_open(r, "allocations were not matched with their frees",
			 "measure with --lifetime");
	} else if (!kmem_account_closes(&a)) {
		say_open(r, "the account of the recording does not close", "please report it");
	} else if (share > max_loss) {
		snprintf(why, sizeof(why), "%s of the events were skipped or found no room",
			 units_share(lost, 100 * share));
		say_open(r, why,
			 "measure with a larger --limit sites=N,live=N, or allow more with "
			 "--max-loss");
		c->lossy = true;
	} else {
		return false;
	}
	return true;
}

static bool memory_is_empty(const struct check_rule *rule, const struct found *f)
{
	if (rule->field == CHECK_LOSS || rule->field == CHECK_COUNT || rule->field == CHECK_RATE)
		return false;
	return is_of_frees(rule) ? !f->lifetimes.samples : !f->sums.count;
}

/* The sum of nothing is 0; a share or a quantile of nothing is not a figure. */
static bool is_sum(const struct check_rule *rule)
{
	return rule->target[0] && !rule->share &&
	       (rule->field == CHECK_WASTE || rule->field == CHECK_BYTES ||
		rule->field == CHECK_REQUESTED || rule->field == CHECK_LIVE ||
		rule->field == CHECK_OBJECTS);
}

static int judge_memory(struct check *c, struct check_result *r, const struct kmem *k,
			const struct check_terms *terms)
{
	const struct kmem_account a = kmem_account(k);
	struct found found;
	bool empty;
	int err;

	if (is_open(c, r, k, terms->max_loss))
		return 0;
	err = find_target(&found, r->rule, k);
	empty = !err && memory_is_empty(r->rule, &found);
	/* A pattern that names nothing is 0 only beside others that were seen. */
	if (empty && !(is_sum(r->rule) && a.seen)) {
		check_empty(r,
			    needs_lifetimes(r->rule) && found.sums.count
				    ? "nothing that it names was freed"
				    : "nothing that it names was allocated",
			    "see that the work was running", terms->allow_empty);
	} else if (!err) {
		find_figure(r, k, &found);
		r->verdict = check_limit(r->rule, r->lo, r->hi);
		check_say_bounds(r);
		if (empty)
			snprintf(r->why + strlen(r->why), sizeof(r->why) - strlen(r->why),
				 ": nothing that it names was allocated");
		if (r->verdict == CHECK_INCONCLUSIVE)
			snprintf(r->next, sizeof(r->next),
				 "the limit lies between these bounds: choose another limit");
	}
	dist_close(&found.lifetimes);
	return err;
}

/* Figures in bytes; all others are times or plain numbers. */
static const char *memory_unit_of(const struct check_rule *rule)
{
	switch (rule->field) {
	case CHECK_WASTE:
	case CHECK_BYTES:
	case CHECK_REQUESTED:
	case CHECK_LIVE:
		return UNITS_BYTES;
	default:
		return "auto";
	}
}

int check_memory(struct check *c, const struct check_rule *rules, size_t n_rules,
		 const struct kmem *const *recs, size_t n, const struct check_terms *terms,
		 struct error *e)
{
	int err = check_rules_fit(rules, n_rules, CHECK_MEMORY, e);
	struct check_result *r;
	size_t i;

	*c = (struct check){ .unit = "auto", .undecided = CHECK_INCONCLUSIVE, .memory = true };
	if (err)
		return err;
	c->results = calloc(n * n_rules + 1, sizeof(*c->results));
	err = c->results ? 0 : -ENOMEM;
	for (i = 0; !err && i < n * n_rules; i++) {
		r = &c->results[c->n++];
		*r = (struct check_result){ .name = recs[i / n_rules]->source,
					    .rule = &rules[i % n_rules],
					    .unit = memory_unit_of(&rules[i % n_rules]) };
		err = judge_memory(c, r, recs[i / n_rules], terms);
	}
	c->verdict = check_sum_up(c);
	if (!err)
		return 0;
	check_free(c);
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot judge the recordings");
}
