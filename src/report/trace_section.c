// SPDX-License-Identifier: GPL-2.0-only
/* trace_section.c - a distribution of a recording: what it is, its figures, floor and ledger. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/about.h"
#include "report/account.h"
#include "report/costs.h"
#include "report/figures.h"
#include "report/trace.h"
#include "result/hint.h"
#include "result/ledger.h"
#include "result/parts.h"

static const char *section_text(const char *text)
{
	return text ? text : "";
}

static uint64_t section_covered(const struct trace_of *x)
{
	return x->rec->whole->span.end_ns - x->rec->whole->span.begin_ns;
}

/* ---- what it is ---- */

void trace_warn(const struct trace_of *x)
{
	char warning[ACCOUNT_TEXT], stepped[COSTS_WARNING];

	if (account_warning(x->rec->whole, warning))
		report_say(x->r, REPORT_BAD, "%s", warning);
	if (costs_warning(x->rec, stepped))
		report_say(x->r, REPORT_PLAIN, "%s", stepped);
}

char *trace_made(const struct trace_of *x, const char *begin)
{
	const struct snapshot *s = x->rec->whole;
	bool why = s->backend_reason && *s->backend_reason;
	char time[UNITS_TEXT], *text = NULL;

	if (asprintf(&text, "%s%s on Linux %s; %s backend%s%s%s; %s%s; bits %u (slots %.3g%% wide)",
		     begin, units_duration(time, section_covered(x), "auto"),
		     section_text(s->kernel), section_text(s->backend), why ? " (" : "",
		     why ? s->backend_reason : "", why ? ")" : "", about_paired(s),
		     section_text(s->pairing), s->bits, 100.0 / (1U << s->bits)) >= 0)
		return text;
	x->r->err = -ENOMEM;
	return NULL;
}

void trace_begin(const struct trace_of *x, uint32_t node, unsigned int id)
{
	const struct snapshot_node *n = &x->rec->whole->nodes[node];
	struct report_part *part = report_part_add(x->r, REPORT_BEGIN);
	bool owner = ledger_is_owner(x->rec->whole, node);

	if (!part)
		return;
	part->id = id;
	part->name = strdup(section_text(n->name));
	if (asprintf(&part->text, "%s%s%s%s%s%s", section_text(n->what), owner ? " by " : "",
		     owner ? section_text(n->method) : "", owner ? " (" : "",
		     owner ? section_text(n->reason) : "", owner ? ")" : "") < 0)
		part->text = NULL;
	if (!part->name || !part->text)
		x->r->err = -ENOMEM;
}

void trace_empty(const struct trace_of *x, uint32_t node)
{
	report_say(x->r, REPORT_PLAIN, "No samples. %s", account_why_empty(x->rec->whole, node));
}

/* ---- figures ---- */

static void section_duration(const struct trace_of *x, const char *name, double ns)
{
	char text[UNITS_TEXT];

	report_figure(x->r, name, units_duration(text, ns, x->unit), NULL);
}

static void section_quantile(const struct trace_of *x, const char *name, const struct dist *d,
			     uint32_t millionths)
{
	char range[FIGURES_RANGE];

	report_figure(x->r, name, figures_range(range, dist_quantile(d, millionths), x->unit),
		      NULL);
}

void trace_figures(const struct trace_of *x, const struct dist *d)
{
	char count[UNITS_TEXT], rate[UNITS_TEXT];
	int i;

	report_figure(x->r, "count", units_count(count, d->samples),
		      units_rate(rate, d->samples, section_covered(x)));
	section_duration(x, "mean", dist_mean(d));
	section_duration(x, "total", dist_total(d));
	section_quantile(x, "min", d, 0);
	section_quantile(x, "max", d, DIST_ONE);
	for (i = 0; i < FIGURES_QUANTILES; i++)
		section_quantile(x, figures_quantiles[i].name, d, figures_quantiles[i].millionths);
}

static void section_say_unverified(const struct trace_of *x, const struct dist *d, uint64_t n)
{
	char count[UNITS_TEXT], mean[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT], max[UNITS_TEXT];

	report_say(x->r, REPORT_PLAIN,
		   "With the %s unverified samples the mean would be %s, p50 up to %s, p99 up to "
		   "%s, max up to %s.",
		   units_count(count, n), units_duration(mean, dist_mean(d), x->unit),
		   units_duration(p50, dist_quantile(d, 500000).hi, x->unit),
		   units_duration(p99, dist_quantile(d, 990000).hi, x->unit),
		   units_duration(max, dist_quantile(d, DIST_ONE).hi, x->unit));
}

int trace_unverified(const struct trace_of *x, uint32_t node)
{
	const struct snapshot *s = x->rec->whole;
	struct dist with = {}, unverified = {};
	int i = snapshot_part(s, node, SNAPSHOT_UNVERIFIED), err;

	if (i < 0 || !counts_samples(s->nodes[i].counts))
		return 0;
	err = dist_open(&with, s, node, DIST_ALL_CPUS);
	if (!err)
		err = dist_open(&unverified, s, i, DIST_ALL_CPUS);
	if (!err && !dist_add(&with, &unverified))
		section_say_unverified(x, &with, unverified.samples);
	dist_close(&unverified);
	dist_close(&with);
	return err;
}

/* ---- the floor and the ledger ---- */

void trace_floor(const struct trace_of *x, uint32_t node)
{
	const struct cost *cost = recording_cost(x->rec, node);
	char text[COSTS_TEXT];

	if (cost)
		report_fact(x->r, "floor", costs_text(cost, x->unit, text));
}

static void section_add_terms(const struct trace_of *x, struct report_part *part,
			      const struct account *a, bool of_started)
{
	int id, i;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (ledger_rows[id].of_started != of_started || id == KSTATS_STARTED ||
		    !a->ledger[id])
			continue;
		report_term(x->r, part, of_started ? "+" : "and", a->ledger[id],
			    ledger_label(id, a->ledger[id]), ledger_explain(id, a->ledger[id]));
		if (part->ledger.n)
			part->ledger.terms[part->ledger.n - 1].below = ledger_rows[id].explained;
	}
}

static void section_add_account(const struct trace_of *x, const struct account *a, const char *name)
{
	struct report_part *part = report_part_add(x->r, REPORT_LEDGER);
	char text[ACCOUNT_TEXT];

	if (!part)
		return;
	part->text = strdup(name);
	report_term(x->r, part, "", a->ledger[KSTATS_STARTED], "started", NULL);
	report_term(x->r, part, "=", a->recorded, "recorded", NULL);
	section_add_terms(x, part, a, true);
	section_add_terms(x, part, a, false);
	part->ledger.good = account_good(a);
	part->ledger.verdict = strdup(account_verdict(a, x->rec->whole->span.final, text));
	if (!part->text || !part->ledger.verdict)
		x->r->err = -ENOMEM;
}

void trace_ledger(const struct trace_of *x, uint32_t node)
{
	struct account a = {};
	char text[HINT_TEXT];

	account_add(&a, x->rec->whole, node);
	section_add_account(x, &a, "ledger");
	if (hint_pair(x->rec->whole, node, text))
		report_say(x->r, REPORT_BAD, "Hint: %s", text);
}

/* Those that are not exact are named, since the sum would hide them. */
static void section_add_culprit(const struct trace_of *x, uint32_t node)
{
	struct account a = {};

	account_add(&a, x->rec->whole, node);
	/* A number that is of all functions together says nothing about one. */
	a.ledger[KSTATS_SKIPPED_SHARED] = 0;
	if (!account_good(&a))
		section_add_account(x, &a, section_text(x->rec->whole->nodes[node].name));
}

void trace_ledgers(const struct trace_of *x)
{
	const struct snapshot *s = x->rec->whole;
	struct account a = {};
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (ledger_is_owner(s, i))
			account_add(&a, s, i);
	section_add_account(x, &a, "ledger");
	for (i = 0; i < s->n_nodes; i++)
		if (ledger_is_owner(s, i))
			section_add_culprit(x, i);
}
