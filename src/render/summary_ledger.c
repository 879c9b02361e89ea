// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary_ledger.c - the account of the start events in words, and what to
 * check where there are no samples; see summary.h.
 */
#include "render/summary.h"

#include "ledger.h"

#define INDENT 10

/* The account of one owner, or of several added up. */
struct account {
	uint64_t ledger[KSTATS_LEDGER_N];
	uint64_t recorded;
	uint64_t lost;
	uint64_t over; /* starts that are unaccounted for */
	uint64_t under; /* ends without a start that claim to have one */
};

static void account_add(struct account *a, const struct snapshot *s, uint32_t node)
{
	int64_t balance = s->span.final ? ledger_balance(s, node) : 0;
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		a->ledger[i] += s->nodes[node].ledger[i];
	a->recorded += ledger_recorded(s, node);
	a->lost += ledger_lost(s, node);
	a->over += balance > 0 ? balance : 0;
	a->under += balance < 0 ? -(uint64_t)balance : 0;
}

static void print_terms(const struct report *r, const struct account *a)
{
	struct text_flow f = { r->out, r->o->width, INDENT, INDENT, false };
	char n[UNITS_TEXT];
	int i;

	text_flow_add(&f, "%s started", units_count(n, a->ledger[KSTATS_STARTED]));
	text_flow_add(&f, "= %s recorded", units_count(n, a->recorded));
	for (i = 0; i < KSTATS_LEDGER_N; i++)
		if (ledger_rows[i].of_started && a->ledger[i])
			text_flow_add(&f, "+ %s %s", units_count(n, a->ledger[i]),
				      ledger_rows[i].label);
	fputc('\n', r->out);
}

/* What is not in the equation: starts and ends whose other end nobody saw. */
static void print_asides(const struct report *r, const struct account *a)
{
	struct text_flow f = { r->out, r->o->width, INDENT + 2, 0, false };
	char n[UNITS_TEXT];
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		if (ledger_rows[i].of_started || i == KSTATS_STARTED || !a->ledger[i])
			continue;
		fprintf(r->out, "%*s", INDENT, "");
		f.column = INDENT;
		f.begun = false;
		f.indent = INDENT;
		text_flow_add(&f, "and %s %s:", units_count(n, a->ledger[i]), ledger_rows[i].label);
		f.indent = INDENT + 4;
		text_flow_words(&f, ledger_rows[i].explain);
		fputc('\n', r->out);
	}
}

static void print_verdict(const struct report *r, const struct account *a)
{
	uint64_t all = a->ledger[KSTATS_STARTED] + a->ledger[KSTATS_SKIPPED];
	bool good = !a->lost && !a->over && !a->under;
	char n[UNITS_TEXT], m[UNITS_TEXT], percent[UNITS_TEXT];

	fprintf(r->out, "%*s%s", INDENT, "", text_color(r->o, good ? TEXT_GOOD : TEXT_WARN));
	if (a->over)
		fprintf(r->out, "DOES NOT BALANCE: %s starts unaccounted for; please report it",
			units_count(n, a->over));
	else if (a->under)
		fprintf(r->out, "DOES NOT BALANCE: %s more ended than started; please report it",
			units_count(n, a->under));
	else
		fputs(r->s->span.final ? "balanced" : "still running: in flight is the difference",
		      r->out);
	if (a->lost)
		fprintf(r->out, "; LOST %s of %s (%s)", units_count(n, a->lost),
			units_count(m, all), units_percent(percent, a->lost, all));
	else if (good)
		fputs(r->s->span.final ? ", nothing lost" : "; nothing lost", r->out);
	fprintf(r->out, "%s\n", text_color(r->o, TEXT_PLAIN));
}

static void print_account(const struct report *r, const struct account *a)
{
	fprintf(r->out, "\n  ledger  ");
	print_terms(r, a);
	print_asides(r, a);
	print_verdict(r, a);
}

void report_ledger(const struct report *r, uint32_t node)
{
	struct account a = {};

	account_add(&a, r->s, node);
	print_account(r, &a);
}

/* The nodes that are not exact, by name: the sum would hide which. */
static void print_culprit(const struct report *r, uint32_t node)
{
	struct account a = {};

	account_add(&a, r->s, node);
	if (!a.lost && !a.over && !a.under)
		return;
	fprintf(r->out, "\n  ");
	text_safe(r->out, r->s->nodes[node].name, 0);
	fprintf(r->out, "\n%*s", INDENT, "");
	print_terms(r, &a);
	print_asides(r, &a);
	print_verdict(r, &a);
}

void report_ledgers(const struct report *r)
{
	struct account a = {};
	uint32_t i;

	for (i = 0; i < r->s->n_nodes; i++)
		if (ledger_is_owner(r->s, i))
			account_add(&a, r->s, i);
	print_account(r, &a);
	for (i = 0; i < r->s->n_nodes; i++)
		if (ledger_is_owner(r->s, i))
			print_culprit(r, i);
}

/* ---- no samples ---- */

static const char *why_empty(const struct snapshot *s, uint32_t node)
{
	const struct snapshot_node *n = &s->nodes[node], *owner = &s->nodes[n->owner];

	if (n->kind == SNAPSHOT_GAP)
		return "No CPU saw an end and then another start.";
	if (n->kind == SNAPSHOT_ERROR)
		return "No call returned an error.";
	if (owner->ledger[KSTATS_SKIPPED])
		return "The kernel did not run the programs: see the ledger.";
	if (owner->ledger[KSTATS_STARTED])
		return "It started, and no start gave a sample: see the ledger for where they are.";
	if (owner->ledger[KSTATS_UNMATCHED])
		return "Only ends were seen, of calls that were open at the begin: measure for "
		       "longer than a call takes.";
	if (s->filters && *s->filters)
		return "It did not start in this time, for those who are measured: check the "
		       "filters, and that the work was going on.";
	return "It did not start in this time: check that the work was going on, and that its "
	       "callers call it (the compiler may have inlined it in some of them).";
}

void report_empty(const struct report *r, uint32_t node)
{
	struct text_flow f = { r->out, r->o->width, 2, 2, false };

	fprintf(r->out, "\n  %sno samples.%s ", text_color(r->o, TEXT_WARN),
		text_color(r->o, TEXT_PLAIN));
	f.column = 14;
	f.indent = 14;
	text_flow_words(&f, why_empty(r->s, node));
	fputc('\n', r->out);
}
