// SPDX-License-Identifier: GPL-2.0-only
/* verdict.c - results of rules: the series of a history, the results, and their number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/methods.h"
#include "report/priv.h"

static bool verdict_fails(const struct check *c, const struct check_result *r)
{
	return r->verdict == CHECK_FAIL ||
	       (r->verdict == CHECK_INCONCLUSIVE && c->undecided == CHECK_FAIL);
}

static size_t verdict_count(const struct check *c, enum check_verdict v)
{
	size_t i, n = 0;

	for (i = 0; i < c->n; i++)
		n += c->results[i].verdict == v;
	return n;
}

char *report_methods(const struct check_result *r)
{
	char text[3 * METHODS_TEXT];

	return r->row && r->row->across ? strdup(methods_all(r->row, text)) : NULL;
}

/* Of a rule on a change whose interval is known. */
static void verdict_fill_span(struct report_result *to, const struct check_result *from)
{
	to->figure = from->rule->metric_name;
	if (!from->row || !from->row->known)
		return;
	to->drawn = true;
	to->span = (struct report_span){ .lo = from->lo, .hi = from->hi, .at = from->row->change };
	to->limit = from->rule->limit;
}

static void verdict_add_results(struct report *r, const struct check *c)
{
	const struct check_result *from;
	size_t i;

	r->results = calloc(c->n + 1, sizeof(*r->results));
	if (!r->results)
		r->err = -ENOMEM;
	for (i = 0; !r->err && i < c->n; i++) {
		from = &c->results[i];
		r->results[r->n_results++] = (struct report_result){
			.verdict = from->verdict,
			.fails = verdict_fails(c, from),
			.name = from->name,
			.rule = from->rule->text,
			.why = from->why,
			.next = from->next,
			.methods = report_methods(from),
		};
		verdict_fill_span(&r->results[i], from);
	}
}

static void verdict_add_looks(struct report *r, const struct sequential *q, size_t pairs)
{
	double confidence = 100 * (1 - q->error);
	char text[32];

	report_say(r, REPORT_SOFT,
		   "looks: after each pair from %u to %u, %.5g%% together; pairs: %zu", q->first,
		   q->last, confidence, pairs);
	snprintf(text, sizeof(text), "%u..%u", q->first, q->last);
	report_fact_add(r, &r->about, "looks", text);
	snprintf(text, sizeof(text), "%zu", pairs);
	report_fact_add(r, &r->about, "pairs", text);
	snprintf(text, sizeof(text), "%.5g%%", confidence);
	report_fact_add(r, &r->about, "confidence", text);
}

/* ---- what a page shows beside them ---- */

/* What the runs are compared with: a base, or the accepted sets that count. */
static struct compare_set verdict_base(const struct check *c, const struct report_sides *sides)
{
	const struct history_sets *h = &c->series.sets;
	size_t first;

	if (sides->before && sides->before->n && !sides->before->memory)
		return runs_set(sides->before, false);
	if (!c->history || !h->n || h->judged + 1 >= h->n)
		return (struct compare_set){};
	first = h->sets[h->judged].first;
	return (struct compare_set){ .n = h->sets[h->n - 1].first - first,
				     .runs = h->runs + first };
}

/* The figure of a rule in each run, and the limit. */
static void verdict_add_runs(struct report *r, const struct check_result *x,
			     const struct compare_set *before, const struct compare_set *after)
{
	struct report_runs like = { .title = x->rule->text,
				    .name = x->name,
				    .millionths = x->rule->millionths,
				    .unit = x->row ? x->row->b.unit : x->unit,
				    .limit = x->rule->limit };

	if (x->rule->field == CHECK_MIN || x->rule->field == CHECK_MAX)
		like.millionths = x->rule->field == CHECK_MIN ? 0 : DIST_ONE;
	else if (x->rule->field != CHECK_QUANTILE && x->rule->field != CHECK_MEAN)
		return;
	if (x->rule->relative)
		like.limit = x->row ? x->row->a.value * (1 + x->rule->limit) : 0;
	report_add_runs(r, before, after, &like);
}

/* Results are by function, then rule. */
static bool verdict_is_first(const struct check *c, size_t i)
{
	return !i || strcmp(c->results[i - 1].name, c->results[i].name) != 0;
}

static bool verdict_all_pass(const struct check *c, size_t first)
{
	size_t i = first;

	do
		if (c->results[i].verdict != CHECK_PASS)
			return false;
	while (++i < c->n && !verdict_is_first(c, i));
	return true;
}

static void verdict_add_function(struct report *r, const struct check *c, size_t first,
				 const struct compare_set *before, const struct compare_set *after)
{
	const struct check_result *x = &c->results[first];
	size_t i;

	report_begin(r, x->name);
	report_overlay(r, before, after, x->name, x->row ? x->row->b.unit : x->unit);
	for (i = first; i < c->n && (i == first || !verdict_is_first(c, i)); i++)
		verdict_add_runs(r, &c->results[i], before, after);
	report_end(r);
}

/* Those that do not pass come first, as there may be thousands. */
static void verdict_add_functions(struct report *r, const struct check *c,
				  const struct compare_set *before, const struct compare_set *after)
{
	size_t shown = 0, left = 0, i;
	int pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < c->n; i++) {
			if (!verdict_is_first(c, i) || c->results[i].empty ||
			    verdict_all_pass(c, i) != pass)
				continue;
			if (shown < REPORT_OVERLAYS)
				verdict_add_function(r, c, i, before, after);
			else
				left++;
			shown++;
		}
	}
	if (left)
		report_say(r, REPORT_SOFT, "not drawn: %zu more", left);
}

static void verdict_add_page(struct report *r, const struct check *c,
			     const struct report_sides *sides)
{
	struct compare_set before, after;
	size_t first = r->n, i;

	if (!sides)
		return;
	if (!c->memory) {
		before = verdict_base(c, sides);
		after = runs_set(sides->after, false);
		verdict_add_functions(r, c, &before, &after);
	}
	report_add_sides(r, sides);
	for (i = first; i < r->n; i++)
		r->parts[i].page = true;
}

void report_verdict(struct report *r, const struct check *c, const struct compare_set *runs,
		    const struct report_sides *sides)
{
	*r = (struct report){ .kind = REPORT_VERDICT,
			      .title = check_verdict_name(c->verdict),
			      .width = c->width,
			      .values = report_verdict_values,
			      .of = c,
			      .runs = runs };
	report_history(r, c);
	verdict_add_results(r, c);
	report_part_add(r, REPORT_RESULTS);
	if (c->looks)
		verdict_add_looks(r, c->looks, runs->n);
	if (*c->machines) {
		report_say(r, REPORT_PLAIN, "%s", c->machines);
		report_fact_add(r, &r->about, "machines", c->machines);
	}
	if (*c->one_sided) {
		report_say(r, REPORT_PLAIN, "%s", c->one_sided);
		report_fact_add(r, &r->about, "one_sided", c->one_sided);
	}
	report_say(r, REPORT_PLAIN, "%s: %zu passed, %zu failed, %zu inconclusive",
		   check_verdict_name(c->verdict), verdict_count(c, CHECK_PASS),
		   verdict_count(c, CHECK_FAIL), verdict_count(c, CHECK_INCONCLUSIVE));
	if (r->n)
		r->parts[r->n - 1].said = true;
	verdict_add_page(r, c, sides);
}
