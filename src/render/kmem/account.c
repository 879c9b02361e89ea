// SPDX-License-Identifier: GPL-2.0-only
/* account.c - the account of memory events in words. */
#include "render/kmem/priv.h"

#include <string.h>

#define INDENT 10
#define MANY_PROGRAMS 64 /* a measurement has fewer; a file may have any number */

static struct text_flow begin_line(const struct kmem_report *r, bool first)
{
	struct text_flow f = { r->out, r->o->base.width, INDENT + 4, INDENT, false };

	if (!first)
		fprintf(r->out, "%*s", INDENT, "");
	return f;
}

static void add_term(struct text_flow *f, const char *sign, uint64_t n, const char *words)
{
	char text[UNITS_TEXT];

	if (!n)
		return;
	text_flow_add(f, "%s %s", sign, units_count(text, n));
	text_flow_words(f, words);
}

static void print_allocations(const struct kmem_report *r, const struct kmem_account *a)
{
	struct text_flow f = begin_line(r, true);
	char n[UNITS_TEXT];

	text_flow_add(&f, "%s", units_count(n, a->seen));
	text_flow_words(&f, a->seen == 1 ? "allocation seen" : "allocations seen");
	if (r->k->lifetimes) {
		text_flow_add(&f, "= %s freed", units_count(n, a->freed));
		text_flow_add(&f, "+ %s live", units_count(n, a->live));
		text_flow_words(&f, r->k->span.final ? "at the end" : "now");
		add_term(&f, "+", a->reused, "whose free was not seen (address used again)");
		add_term(&f, "+", a->no_live, "not followed: no room (use a larger --max-live)");
	}
	fputc('\n', r->out);
}

static void print_events(const struct kmem_report *r, struct text_flow *f)
{
	char n[UNITS_TEXT];
	int how, left = 0;

	for (how = 0; how < KMEM_FREES; how++)
		left += r->k->counts[KSTATS_KMEM_N_FREES + how] > 0;
	if (!left)
		return;
	text_flow_words(f, "(by");
	for (how = 0; how < KMEM_FREES; how++) {
		if (!r->k->counts[KSTATS_KMEM_N_FREES + how])
			continue;
		text_flow_words(f, kmem_free_name(how));
		text_flow_add(f, "%s%s", units_count(n, r->k->counts[KSTATS_KMEM_N_FREES + how]),
			      --left ? "," : ")");
	}
}

static void print_frees(const struct kmem_report *r, const struct kmem_account *a)
{
	struct text_flow f = begin_line(r, false);
	char n[UNITS_TEXT];

	text_flow_add(&f, "%s", units_count(n, a->frees));
	text_flow_words(&f, a->frees == 1 ? "free seen" : "frees seen");
	if (r->k->lifetimes) {
		text_flow_add(&f, "= %s matched", units_count(n, a->matched));
		add_term(&f, "+", a->null, "of NULL");
		add_term(&f, "+", a->unknown, "of objects not known to be live");
	} else if (a->null) {
		text_flow_add(&f, "with %s", units_count(n, a->null));
		text_flow_words(&f, "of NULL");
	}
	print_events(r, &f);
	fputc('\n', r->out);
}

static void print_asides(const struct kmem_report *r, uint64_t short_count)
{
	const struct kmem_note *note;
	struct text_flow f;
	char n[UNITS_TEXT];

	if (short_count) {
		f = begin_line(r, false);
		text_flow_add(&f, "and %s FAULTY:", units_count(n, short_count));
		text_flow_words(&f, "they were given less than they asked for");
		fputc('\n', r->out);
	}
	for (note = kmem_notes; note->label; note++) {
		if (!r->k->counts[note->id])
			continue;
		f = begin_line(r, false);
		text_flow_add(&f, "and %s %s:", units_count(n, r->k->counts[note->id]),
			      note->label);
		text_flow_words(&f, note->explain);
		fputc('\n', r->out);
	}
}

static bool is_unseen(const struct kmem_program *p)
{
	return !p->method[0] && !p->skipped;
}

/* The next event from @i on that is unseen for a reason; the number of programs if none is. */
static size_t next_unseen(const struct kmem *k, size_t i, const char *why)
{
	for (; i < k->n_programs; i++)
		if (is_unseen(&k->programs[i]) && !strcmp(k->programs[i].why, why))
			break;
	return i;
}

/* Events that are unseen for the same reason are on one line, in the place of the first. */
static void print_unseen(const struct kmem_report *r, size_t i)
{
	const struct kmem *k = r->k;
	const char *why = k->programs[i].why;
	bool together = k->n_programs <= MANY_PROGRAMS, several = false;
	size_t n = k->n_programs, next, after;
	struct text_flow f;

	if (together && next_unseen(k, 0, why) < i)
		return;
	for (f = begin_line(r, false); i < n; i = next) {
		next = together ? next_unseen(k, i + 1, why) : n;
		after = next_unseen(k, next + 1, why);
		text_flow_add(&f, "%s%s", k->programs[i].event, next < n && after < n ? "," : "");
		if (next < n && after >= n)
			text_flow_add(&f, "and");
		several |= next < n;
	}
	text_flow_add(&f, several ? "are unseen:" : "is unseen:");
	text_flow_words(&f, why);
	fputc('\n', r->out);
}

static void print_programs(const struct kmem_report *r)
{
	const struct kmem_program *p;
	struct text_flow f;
	char n[UNITS_TEXT];
	size_t i;

	for (i = 0; i < r->k->n_programs; i++) {
		p = &r->k->programs[i];
		if (is_unseen(p))
			print_unseen(r, i);
		if (!p->skipped)
			continue;
		f = begin_line(r, false);
		text_flow_add(&f, "and %s skipped of", units_count(n, p->skipped));
		text_flow_add(&f, "%s:", p->event);
		text_flow_words(&f, "the kernel did not run the program");
		if (*r->k->filters)
			text_flow_words(&f, "(they may be of tasks that are not measured)");
		fputc('\n', r->out);
	}
}

void kmem_print_account(const struct kmem_report *r)
{
	const struct kmem_account a = kmem_account(r->k);
	char text[KMEM_ACCOUNT_TEXT];
	struct text_flow f;
	uint64_t faulty = 0;
	bool good;
	int kind;

	for (kind = 1; kind <= KMEM_KINDS; kind++)
		faulty += kmem_total(r->k, kind).short_count;
	fprintf(r->out, "\n  account ");
	print_allocations(r, &a);
	print_frees(r, &a);
	print_asides(r, faulty);
	print_programs(r);
	good = kmem_account_closes(&a) && !kmem_account_lost(&a) && !faulty;
	f = begin_line(r, false);
	fputs(text_color(&r->o->base, good ? TEXT_GOOD : TEXT_WARN), r->out);
	text_flow_words(&f, kmem_account_verdict(r->k, &a, text));
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
	if (r->k->lifetimes)
		return;
	f = begin_line(r, false);
	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	text_flow_words(&f, "--lifetime adds what is live, how long it lives, and who frees it");
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}
