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

void report_verdict(struct report *r, const struct check *c, const struct compare_set *runs)
{
	*r = (struct report){ .kind = REPORT_VERDICT,
			      .title = check_verdict_name(c->verdict),
			      .width = c->width,
			      .values = report_verdict_values,
			      .of = c,
			      .runs = runs };
	report_history(r, &c->series);
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
}
