// SPDX-License-Identifier: GPL-2.0-only
/* summary.c - the most important figures of memory events on one screen. */
#include "render/kmem/priv.h"

#include <errno.h>
#include <string.h>

#define ABOUT_COLUMN 10
#define TOTALS 6
static const char overlap[] =
	"pages hold the slabs and the large kmallocs: do not add the kinds up";

#define MUCH 0.01 /* if a larger share of the events was skipped, the report begins with that */

/* ---- head ---- */

static void print_about(void *ctx, const char *name, const char *text)
{
	const struct kmem_report *r = ctx;
	struct text_flow f = { r->out, r->o->base.width, ABOUT_COLUMN, ABOUT_COLUMN, false };

	fprintf(r->out, "%s:%*s", name, ABOUT_COLUMN - 1 - (int)strlen(name), "");
	text_flow_words(&f, text);
	fputc('\n', r->out);
}

/* Printed before any figure, so that nobody reads the figures without it. */
static void print_warning(const struct kmem_report *r)
{
	const struct kmem_account a = kmem_account(r->k);
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };
	uint64_t all = a.seen + a.frees + a.skipped;
	char percent[UNITS_TEXT];

	if (a.skipped <= all * MUCH)
		return;
	fputs(text_color(&r->o->base, TEXT_WARN), r->out);
	text_flow_add(&f, *r->k->filters ? "SKIPPED up to %s" : "SKIPPED %s",
		      units_percent(percent, a.skipped, all));
	text_flow_words(&f, "of the events: the figures leave them out");
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}

static void print_methods(struct text_flow *f, const struct kmem *k)
{
	const char *last = "";
	char text[128];
	size_t i;

	for (i = 0; i < k->n_programs; i++) {
		if (!k->programs[i].method[0] || !strcmp(k->programs[i].method, last))
			continue;
		snprintf(text, sizeof(text), "%s%.100s", *last ? "and " : "by ",
			 k->programs[i].method);
		text_flow_words(f, text);
		last = k->programs[i].method;
	}
}

static void print_head(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 2, false };
	const struct kmem *k = r->k;
	char text[UNITS_TEXT];

	if (r->o->base.titled) {
		fprintf(r->out, "%s%s== ", r->o->base.continued ? "\n" : "",
			text_color(&r->o->base, TEXT_TITLE));
		text_safe(r->out, k->source, 0);
		fprintf(r->out, " ==%s\n", text_color(&r->o->base, TEXT_PLAIN));
	}
	print_warning(r);
	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	if (r->o->base.period)
		text_flow_add(&f, "period %u,", r->o->base.period);
	text_flow_add(&f, "%s", units_duration(text, kmem_span_ns(k), "auto"));
	text_flow_add(&f, "on Linux %s;", k->kernel);
	print_methods(&f, k);
	text_flow_add(&f, "(tables: %s)", units_bytes(text, k->memory));
	fputc('\n', r->out);
	kmem_about_each(k, &(struct about){ print_about, (void *)r });
	fputs(text_color(&r->o->base, TEXT_PLAIN), r->out);
}

/* ---- totals ---- */

struct total {
	const char *name;
	char text[TOTALS][UNITS_TEXT];
};

static void fill_total(const struct kmem *k, enum kstats_kmem_kind kind, struct total *t)
{
	const struct kmem_sums s = kmem_total(k, kind);

	t->name = kmem_kind_name(kind);
	units_count(t->text[0], s.count);
	units_rate(t->text[1], s.count, kmem_span_ns(k));
	units_bytes(t->text[2], s.req);
	units_bytes(t->text[3], s.alloc);
	units_bytes(t->text[4], s.waste);
	units_percent(t->text[5], s.waste, s.alloc);
	/* How much of a page is used is not known. */
	if (kind == KSTATS_KMEM_PAGES)
		t->text[2][0] = t->text[4][0] = t->text[5][0] = '\0';
}

static void print_total(FILE *out, const struct total *t, const int *widths)
{
	int c;

	fprintf(out, "%-7s", t->name);
	for (c = 0; c < TOTALS; c++)
		if (t->text[c][0] || c == 2)
			fprintf(out, "  %*s", widths[c], t->text[c]);
	fputc('\n', out);
}

static void print_totals(const struct kmem_report *r)
{
	static const char *const headings[TOTALS] = { "allocations", "rate",  "requested",
						      "allocated",   "waste", "" };
	struct total totals[KMEM_KINDS];
	int widths[TOTALS], c, i, n = 0;

	for (i = 1; i <= KMEM_KINDS; i++)
		if (kmem_is_seen(r->k, i))
			fill_total(r->k, i, &totals[n++]);
	fprintf(r->out, "\n%s%-7s", text_color(&r->o->base, TEXT_FAINT), "");
	for (c = 0; c < TOTALS; c++) {
		widths[c] = strlen(headings[c]);
		for (i = 0; i < n; i++)
			if ((int)strlen(totals[i].text[c]) > widths[c])
				widths[c] = strlen(totals[i].text[c]);
		if (*headings[c])
			fprintf(r->out, "  %*s", widths[c], headings[c]);
	}
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
	for (i = 0; i < n; i++)
		print_total(r->out, &totals[i], widths);
	if (n > 1 && kmem_is_seen(r->k, KSTATS_KMEM_PAGES))
		fprintf(r->out, "%s%s%s\n", text_color(&r->o->base, TEXT_FAINT), overlap,
			text_color(&r->o->base, TEXT_PLAIN));
}

/* ---- the whole ---- */

static void print_empty(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };

	fprintf(r->out, "\n");
	text_flow_words(&f, *r->k->filters || *r->k->command
				    ? "No allocations: check the filters, and that the work was "
				      "running."
				    : "No allocations: measure for longer.");
	fputc('\n', r->out);
}

static int print_all(const struct kmem_report *r)
{
	int err = 0;

	print_head(r);
	if (!r->table.n) {
		print_empty(r);
	} else {
		print_totals(r);
		if (r->o->sort != KMEM_SORT_LIVE || !r->k->lifetimes)
			kmem_table_sites(r);
		if (r->k->lifetimes)
			err = kmem_table_lives(r);
		if (!err && r->k->lifetimes)
			err = kmem_print_pairs(r);
		if (!err)
			err = kmem_print_periods(r);
	}
	kmem_print_account(r);
	return err;
}

int render_kmem_summary(FILE *out, const struct kmem *k, const struct render_kmem_options *o)
{
	struct kmem_report r = {
		.out = out, .k = k, .o = o, .top = o->top ? o->top : RENDER_KMEM_TOP
	};
	int err = kmem_table_make(&r.table, k, o->group, o->sort);

	if (!err && o->before)
		err = kmem_table_make(&r.before, o->before, o->group, o->sort);
	if (!err)
		err = print_all(&r);
	if (o->base.period)
		fputc('\n', out);
	kmem_table_free(&r.table);
	kmem_table_free(&r.before);
	return err || ferror(out) ? -EIO : 0;
}
