// SPDX-License-Identifier: GPL-2.0-only
/* kmem_account.c - the account of memory events as a ledger. */
#include <stdlib.h>
#include <string.h>

#include "kmem/account.h"
#include "report/kmem.h"

#define MANY_PROGRAMS 64 /* a measurement has fewer; a file may have any number */

/* ---- the sums ---- */

/* A term that is left out where it is 0. */
static void account_term(struct report *r, struct report_part *p, uint64_t n, const char *label,
			 const char *explain)
{
	if (n)
		report_term(r, p, "+", n, label, explain);
}

static void account_add_allocations(const struct kmem_report *x, struct report_part *p,
				    const struct kmem_account *a)
{
	report_term(x->r, p, "", a->seen, a->seen == 1 ? "allocation seen" : "allocations seen",
		    NULL);
	if (!x->k->lifetimes)
		return;
	report_term(x->r, p, "=", a->freed, "freed", "while measured");
	report_term(x->r, p, "+", a->live, x->k->span.final ? "live at the end" : "live now", NULL);
	account_term(x->r, p, a->reused, "whose free was not seen", "the address was used again");
	account_term(x->r, p, a->no_live, "not followed: no room (use a larger --limit live)",
		     "the table was full");
}

static void account_add_frees(const struct kmem_report *x, struct report_part *p,
			      const struct kmem_account *a)
{
	uint64_t n;
	int how;

	report_term(x->r, p, "", a->frees, a->frees == 1 ? "free seen" : "frees seen", NULL);
	if (x->k->lifetimes) {
		report_term(x->r, p, "=", a->matched, "matched", "with their allocation");
		account_term(x->r, p, a->null, "of NULL", "kfree(NULL) and its like do nothing");
		account_term(x->r, p, a->unknown, "of objects not known to be live",
			     "allocated before the start, not measured, or not followed");
	} else if (a->null) {
		report_term(x->r, p, "with", a->null, "of NULL", "which do nothing");
	}
	for (how = 0; how < KMEM_FREES; how++) {
		n = x->k->counts[KSTATS_KMEM_N_FREES + how];
		if (n)
			report_term(x->r, p, "by", n, kmem_free_name(how), NULL);
	}
}

/* ---- beside the sums ---- */

static bool account_is_unseen(const struct kmem_program *p)
{
	return !p->method[0] && !p->skipped;
}

/* The next event from @i on that is unseen for a reason; the number of programs if none is. */
static size_t account_next_unseen(const struct kmem *k, size_t i, const char *why)
{
	for (; i < k->n_programs; i++)
		if (account_is_unseen(&k->programs[i]) && !strcmp(k->programs[i].why, why))
			break;
	return i;
}

/* Events that are unseen for the same reason are together, in the place of the first. */
static void account_add_unseen(const struct kmem_report *x, struct report_part *p, size_t i)
{
	const struct kmem *k = x->k;
	const char *why = k->programs[i].why;
	bool together = k->n_programs <= MANY_PROGRAMS, several = false;
	size_t n = k->n_programs, next, after, size;
	char *text = NULL;
	FILE *f;

	if (together && account_next_unseen(k, 0, why) < i)
		return;
	f = open_memstream(&text, &size);
	for (; f && i < n; i = next) {
		next = together ? account_next_unseen(k, i + 1, why) : n;
		after = account_next_unseen(k, next + 1, why);
		fprintf(f, "%s%s", k->programs[i].event,
			next >= n    ? ""
			: after >= n ? " and "
				     : ", ");
		several |= next < n;
	}
	if (f) {
		fprintf(f, " %s unseen: %s", several ? "are" : "is", why);
		fclose(f);
	}
	report_term(x->r, p, NULL, 0, NULL, text);
	free(text);
}

static void account_add_skipped(const struct kmem_report *x, struct report_part *p,
				const struct kmem_program *program)
{
	char *label = NULL, *explain = NULL;

	if (asprintf(&label, "skipped of %s", program->event) < 0)
		label = NULL;
	if (asprintf(&explain, "the kernel did not run the program%s%s%s",
		     program->method[0] ? " on this " : "", program->method,
		     *x->k->filters ? " (they may be of tasks that are not measured)" : "") < 0)
		explain = NULL;
	report_term(x->r, p, "and", program->skipped, label, explain);
	free(label);
	free(explain);
}

static void account_add_programs(const struct kmem_report *x, struct report_part *p)
{
	const struct kmem_program *program;
	size_t i;

	for (i = 0; i < x->k->n_programs; i++) {
		program = &x->k->programs[i];
		if (account_is_unseen(program))
			account_add_unseen(x, p, i);
		if (program->skipped)
			account_add_skipped(x, p, program);
	}
}

static void account_add_unverified(const struct kmem_report *x, struct report_part *p,
				   const struct kmem_account *a)
{
	char n[UNITS_TEXT], text[256];

	if (!a->unverified)
		return;
	snprintf(text, sizeof(text),
		 "a free and the next allocation there may have been skipped meanwhile; at most %s "
		 "of these are too long; no figure of lifetimes contains them",
		 units_count(n, a->too_long));
	report_term(x->r, p, "so", a->unverified,
		    a->unverified == 1 ? "lifetime unverified" : "lifetimes unverified", text);
}

/* ---- all of it ---- */

void kmem_add_account(const struct kmem_report *x)
{
	const struct kmem_account a = kmem_account(x->k);
	struct report_part *p = report_part_add(x->r, REPORT_LEDGER);
	char text[KMEM_ACCOUNT_TEXT];
	const struct kmem_note *note;
	uint64_t faulty = 0;
	int kind;

	if (!p)
		return;
	p->text = strdup("account");
	account_add_allocations(x, p, &a);
	account_add_frees(x, p, &a);
	for (kind = 1; kind <= KMEM_KINDS; kind++)
		faulty += kmem_total(x->k, kind).short_count;
	if (faulty)
		report_term(x->r, p, "and", faulty, "FAULTY",
			    "they were given less than they asked for");
	for (note = kmem_notes; note->label; note++)
		/* With a filter, others allocate in between. */
		if (x->k->counts[note->id] && !(note->id == KSTATS_KMEM_N_AGAIN && *x->k->filters))
			report_term(x->r, p, "and", x->k->counts[note->id], note->label,
				    note->explain);
	account_add_programs(x, p);
	account_add_unverified(x, p, &a);
	p->ledger.good = kmem_account_closes(&a) && !kmem_account_lost(&a) && !faulty;
	p->ledger.verdict = strdup(kmem_account_verdict(x->k, &a, text));
	if (!x->k->lifetimes)
		report_say(x->r, REPORT_SOFT,
			   "--lifetime adds what is live, how long it lives, and who frees it");
}
