// SPDX-License-Identifier: GPL-2.0-only
/*
 * ledger.c - the ledger in words, advice, and what to check if there are no samples.
 */
#include "render/summary/summary.h"

#include "result/hint.h"
#include "result/ledger.h"
#include "report/account.h"

#define INDENT 10

static void print_terms(const struct report *r, const struct account *a)
{
	struct text_flow f = { r->out, r->o->width, INDENT, INDENT, false };
	char n[UNITS_TEXT];
	int id, i;

	text_flow_add(&f, "%s started", units_count(n, a->ledger[KSTATS_STARTED]));
	text_flow_add(&f, "= %s recorded", units_count(n, a->recorded));
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (ledger_rows[id].of_started && a->ledger[id])
			text_flow_add(&f, "+ %s %s", units_count(n, a->ledger[id]),
				      ledger_rows[id].label);
	}
	fputc('\n', r->out);
}

/*
 * Starts and ends outside the equation, whose other end was not seen, and what has to be explained
 * of those in it.
 */
static void summary_ledger_print_asides(const struct report *r, const struct account *a)
{
	struct text_flow f = { r->out, r->o->width, INDENT + 2, 0, false };
	char n[UNITS_TEXT];
	int id, i;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (id == KSTATS_STARTED || !a->ledger[id] ||
		    (ledger_rows[id].of_started && !ledger_rows[id].explained))
			continue;
		fprintf(r->out, "%*s", INDENT, "");
		f.column = INDENT;
		f.begun = false;
		f.indent = INDENT;
		text_flow_add(&f, "%s%s %s:", ledger_rows[id].of_started ? "" : "and ",
			      units_count(n, a->ledger[id]), ledger_rows[id].label);
		f.indent = INDENT + 4;
		text_flow_words(&f, ledger_rows[id].explain);
		fputc('\n', r->out);
	}
}

static void print_verdict(const struct report *r, const struct account *a)
{
	char text[ACCOUNT_TEXT];

	fprintf(r->out, "%*s%s%s%s\n", INDENT, "",
		text_color(r->o->color, account_good(a) ? TEXT_GOOD : TEXT_WARN),
		account_verdict(a, r->s->span.final, text), text_color(r->o->color, TEXT_PLAIN));
}

static void summary_ledger_print_account(const struct report *r, const struct account *a)
{
	fprintf(r->out, "\n  ledger  ");
	print_terms(r, a);
	summary_ledger_print_asides(r, a);
	print_verdict(r, a);
}

static void print_hint(const struct report *r, uint32_t node)
{
	struct text_flow f = { r->out, r->o->width, INDENT, INDENT, false };
	char text[HINT_TEXT];

	if (!hint_pair(r->s, node, text))
		return;
	fprintf(r->out, "\n  %shint%s    ", text_color(r->o->color, TEXT_WARN),
		text_color(r->o->color, TEXT_PLAIN));
	text_flow_words(&f, text);
	fputc('\n', r->out);
}

void report_ledger(const struct report *r, uint32_t node)
{
	struct account a = {};

	account_add(&a, r->s, node);
	summary_ledger_print_account(r, &a);
	print_hint(r, node);
}

/* Name the nodes that are not exact, since the sum would hide them. */
static void print_culprit(const struct report *r, uint32_t node)
{
	struct account a = {};

	account_add(&a, r->s, node);
	/* A number that is of all functions together says nothing about one. */
	a.ledger[KSTATS_SKIPPED_SHARED] = 0;
	if (account_good(&a))
		return;
	fprintf(r->out, "\n  ");
	text_safe(r->out, r->s->nodes[node].name, 0);
	fprintf(r->out, "\n%*s", INDENT, "");
	print_terms(r, &a);
	summary_ledger_print_asides(r, &a);
	print_verdict(r, &a);
}

void report_ledgers(const struct report *r)
{
	struct account a = {};
	uint32_t i;

	for (i = 0; i < r->s->n_nodes; i++)
		if (ledger_is_owner(r->s, i))
			account_add(&a, r->s, i);
	summary_ledger_print_account(r, &a);
	for (i = 0; i < r->s->n_nodes; i++)
		if (ledger_is_owner(r->s, i))
			print_culprit(r, i);
}

/* ---- no samples ---- */

void report_empty(const struct report *r, uint32_t node)
{
	struct text_flow f = { r->out, r->o->width, 2, 2, false };

	fprintf(r->out, "\n  %sno samples.%s ", text_color(r->o->color, TEXT_WARN),
		text_color(r->o->color, TEXT_PLAIN));
	f.column = 14;
	f.indent = 14;
	text_flow_words(&f, account_why_empty(r->s, node));
	fputc('\n', r->out);
}
