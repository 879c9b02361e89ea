// SPDX-License-Identifier: GPL-2.0-only
/*
 * html.c - memory events as one self-contained page: totals, a bar for each row, distributions
 * of sizes, waste and lifetimes, and the account. Readable in light and dark, at any width.
 */
#include "render/kmem/priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/pairs.h"
#include "kmem/periods.h"
#include "render/draw/chart.h"
#include "render/html.h"

#define BAR_WIDTH 110
#define BAR_HEIGHT 14
#define CHARTED 8 /* rows with drawings of their own */
#define PAIRS 20
#define SIZE_BITS 4

/* ---- head ---- */

static void print_fact(void *ctx, const char *name, const char *text)
{
	const struct kmem_report *r = ctx;

	fputs("<dt>", r->out);
	html_text(r->out, name);
	fputs("</dt><dd>", r->out);
	html_text(r->out, text);
	fputs("</dd>\n", r->out);
}

static void print_about(struct kmem_report *r)
{
	char time[UNITS_TEXT], memory[UNITS_TEXT], text[256];

	fputs("<dl>\n", r->out);
	snprintf(text, sizeof(text), "%s on Linux %.100s; tables of %s",
		 units_duration(time, kmem_span_ns(r->k), "auto"), r->k->kernel,
		 units_bytes(memory, r->k->memory));
	print_fact(r, "time", text);
	kmem_about_each(r->k, &(struct about){ print_fact, r });
	fputs("</dl>\n", r->out);
}

static void print_cell(FILE *out, const char *text)
{
	fprintf(out, "<td>%s</td>", text);
}

static void print_share(FILE *out, uint64_t part, uint64_t whole)
{
	char text[UNITS_TEXT];

	fputs("<td>", out);
	html_text(out, units_percent(text, part, whole));
	fputs("</td>", out);
}

static void print_totals(const struct kmem_report *r)
{
	char text[UNITS_TEXT];
	struct kmem_sums s;
	int kind;

	fputs("<div class=\"wide\"><table class=\"fixed\">\n<tr><th></th><th>allocations</th>"
	      "<th>rate</th><th>requested</th><th>allocated</th><th>waste</th><th></th></tr>\n",
	      r->out);
	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		if (!kmem_is_seen(r->k, kind))
			continue;
		s = kmem_total(r->k, kind);
		fprintf(r->out, "<tr><td>%s</td>", kmem_kind_name(kind));
		print_cell(r->out, units_count(text, s.count));
		print_cell(r->out, units_rate(text, s.count, kmem_span_ns(r->k)));
		print_cell(r->out, kind == KSTATS_KMEM_PAGES ? "" : units_bytes(text, s.req));
		print_cell(r->out, units_bytes(text, s.alloc));
		print_cell(r->out, kind == KSTATS_KMEM_PAGES ? "" : units_bytes(text, s.waste));
		if (kind == KSTATS_KMEM_PAGES)
			print_cell(r->out, "");
		else
			print_share(r->out, s.waste, s.alloc);
		fputs("</tr>\n", r->out);
	}
	fputs("</table></div>\n<p class=\"soft\">Pages hold the slabs and the large kmallocs: do "
	      "not add the kinds up.</p>\n",
	      r->out);
}

/* ---- rows ---- */

/* Bytes as a bar; what of them is waste, in the other colour at its end. */
static void print_bar(FILE *out, uint64_t whole, uint64_t part, uint64_t most)
{
	double all = most ? (double)whole / most * BAR_WIDTH : 0;
	double end = whole ? all * part / whole : 0;

	all = whole ? fmax(all, 1) : 0;
	fprintf(out,
		"<td class=\"text\"><svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"width=\"%d\" height=\"%d\" aria-label=\"bytes, and waste at the end\">"
		"<rect class=\"bar\" width=\"%.1f\" height=\"%d\"/>"
		"<rect class=\"dot\" x=\"%.1f\" width=\"%.1f\" height=\"%d\"/></svg></td>",
		BAR_WIDTH, BAR_HEIGHT, all, BAR_HEIGHT, all - end, end, BAR_HEIGHT);
}

static void print_name(const struct kmem_report *r, size_t index, const struct kmem_entry *e)
{
	if (e->n_rows && index < CHARTED)
		fprintf(r->out, "<a href=\"#r%zu\">", index);
	fputs(kmem_table_kind(r->table.group, e->kind), r->out);
	html_text(r->out, e->name);
	if (index < CHARTED)
		fputs("</a>", r->out);
	if (e->cache && r->table.group == KMEM_GROUP_SITE) {
		fputs(" <span class=\"soft\">", r->out);
		html_text(r->out, e->cache);
		fputs("</span>", r->out);
	}
	if (e->line) {
		fputs(" <span class=\"soft\">", r->out);
		html_text(r->out, e->line);
		fputs("</span>", r->out);
	}
}

static void print_lives(const struct kmem_report *r, const struct kmem_entry *e)
{
	const struct kmem_sums *s = &e->sums;
	char text[UNITS_TEXT];

	print_cell(r->out, units_bytes(text, s->live_alloc));
	print_cell(r->out, s->live ? units_duration(text, s->live_oldest_ns, r->o->base.unit) : "");
	print_cell(r->out,
		   s->freed ? units_duration(text, kmem_life_quantile(&r->table, e, 500000).hi,
					     r->o->base.unit)
			    : "");
	if (s->freed)
		print_share(r->out, s->other_cpu, s->freed);
	else
		print_cell(r->out, "");
}

static void print_row(const struct kmem_report *r, size_t index, uint64_t most)
{
	const struct kmem_entry *e = &r->table.entries[index];
	char text[2 * UNITS_TEXT];

	fputs("<tr><td>", r->out);
	print_name(r, index, e);
	fputs("</td>", r->out);
	print_bar(r->out, e->sums.alloc, e->sums.waste, most);
	print_cell(r->out, units_bytes(text, e->sums.alloc));
	if (e->kind == KSTATS_KMEM_PAGES) {
		print_cell(r->out, "");
		print_cell(r->out, "");
	} else {
		print_cell(r->out, units_bytes(text, e->sums.waste));
		print_share(r->out, e->sums.waste, e->sums.alloc);
	}
	print_cell(r->out, units_count(text, e->sums.count));
	print_cell(r->out, kmem_table_size(e, text));
	if (r->k->lifetimes)
		print_lives(r, e);
	fputs("</tr>\n", r->out);
}

static size_t shown(const struct kmem_report *r)
{
	return r->table.n < r->top ? r->table.n : r->top;
}

static void print_rows(const struct kmem_report *r)
{
	uint64_t most = 0;
	size_t n = shown(r), i;

	for (i = 0; i < n; i++)
		if (r->table.entries[i].sums.alloc > most)
			most = r->table.entries[i].sums.alloc;
	fprintf(r->out,
		"<section>\n<h2>Allocated by %s</h2>\n<p class=\"soft\">Sorted by %s; %zu of %zu "
		"rows. The end of each bar is waste: bytes given but not asked for.</p>\n",
		kmem_group_names[r->table.group], kmem_sort_names[r->o->sort], n, r->table.n);
	fprintf(r->out,
		"<div class=\"wide\"><table>\n<tr><th style=\"min-width:16em\">%s</th><th></th>"
		"<th>bytes</th>"
		"<th>waste</th><th></th><th>count</th><th>size</th>%s</tr>\n",
		kmem_group_names[r->table.group],
		r->k->lifetimes ? "<th>live</th><th>oldest</th><th>p50</th><th>other CPU</th>"
				: "");
	for (i = 0; i < n; i++)
		print_row(r, i, most);
	fputs("</table></div>\n</section>\n", r->out);
}

/* ---- distributions ---- */

static void print_chart(const struct kmem_report *r, const char *title, const struct dist *d,
			const char *unit)
{
	const struct chart c = { .out = r->out, .unit = unit };

	if (!d->samples)
		return;
	fprintf(r->out, "<div><h3>%s</h3>\n", title);
	chart_distribution(&c, d);
	fputs("</div>\n", r->out);
}

static int print_bytes(const struct kmem_report *r, const struct kmem_entry *e, const char *title,
		       enum kmem_measure what)
{
	struct dist d;
	int err = kmem_bytes(&d, &r->table, e, what, SIZE_BITS);

	if (!err)
		print_chart(r, title, &d, "bytes");
	dist_close(&d);
	return err;
}

/* @live: bytes that are live at the end of each interval, not those that it added. */
static int print_time(const struct kmem_report *r, const struct kmem_entry *e, bool live)
{
	bool all = r->table.group == KMEM_GROUP_KIND;
	uint32_t site = all ? KMEM_ALL_SITES : r->k->rows[r->table.rows[e->first_row]].site;
	struct chart c = { .out = r->out, .unit = "auto", .rate = !live };
	struct chart_bar *bars = calloc(r->k->n_periods + 1, sizeof(*bars)), *b = bars;
	uint64_t begin = r->k->span.begin_ns;
	struct kmem_part p;
	bool some = false;
	double seconds;
	size_t i;

	for (i = 0; bars && i < r->k->n_periods; i++, b++) {
		p = kmem_part_find(r->k, i, e->kind, site);
		b->begin_ns = kmem_period_begin(r->k, i) - begin;
		b->end_ns = r->k->periods[i].end_ns - begin;
		seconds = (b->end_ns - b->begin_ns) / 1e9;
		b->value = live ? p.live_alloc : p.alloc / seconds;
		if (!live && e->kind != KSTATS_KMEM_PAGES && p.alloc > p.req)
			b->part = (p.alloc - p.req) / seconds;
		some |= b->value > 0;
	}
	if (some) {
		fprintf(r->out, "<div><h3>%s</h3>\n",
			live ? "Live bytes over time"
			     : "Allocated per second, and waste, over time");
		chart_time(&c, live ? "Live bytes over time" : "Allocated bytes over time", bars,
			   i);
		fputs("</div>\n", r->out);
	}
	free(bars);
	return bars ? 0 : -ENOMEM;
}

static int print_charts(const struct kmem_report *r, const struct kmem_entry *e)
{
	bool timed = r->table.group == KMEM_GROUP_SITE || r->table.group == KMEM_GROUP_KIND;
	struct dist d;
	int err = print_bytes(r, e, "Requested size of an allocation", KMEM_REQUESTED);

	if (!err && timed && r->k->n_periods)
		err = print_time(r, e, false);
	if (!err && timed && r->k->n_periods && r->k->lifetimes)
		err = print_time(r, e, true);
	if (!err && e->kind != KSTATS_KMEM_PAGES)
		err = print_bytes(r, e, "Waste of an allocation", KMEM_WASTED);
	if (err || !e->n_lifes)
		return err;
	err = kmem_lifetimes(&d, &r->table, e);
	if (!err)
		print_chart(r, "Lifetime", &d, r->o->base.unit);
	dist_close(&d);
	return err;
}

static int print_entry(const struct kmem_report *r, size_t index)
{
	const struct kmem_entry *e = &r->table.entries[index];
	int err;

	fprintf(r->out, "<section id=\"r%zu\">\n<h2>", index);
	html_text(r->out, e->name);
	fprintf(r->out, "</h2>\n<p class=\"soft\">%s", kmem_kind_name(e->kind));
	if (e->cache) {
		fputs(" ", r->out);
		html_text(r->out, e->cache);
	}
	fputs("</p>\n<div class=\"charts\">\n", r->out);
	err = print_charts(r, e);
	fputs("</div>\n</section>\n", r->out);
	return err;
}

/* All objects of each kind. */
static int print_kinds(const struct kmem_report *r)
{
	struct kmem_report all = *r;
	int err = kmem_table_make(&all.table, r->k, KMEM_GROUP_KIND, KMEM_SORT_BYTES);
	size_t i;

	for (i = 0; !err && i < all.table.n; i++) {
		fprintf(r->out, "<section>\n<h2>All of %s</h2>\n<div class=\"charts\">\n",
			kmem_kind_name(all.table.entries[i].kind));
		err = print_charts(&all, &all.table.entries[i]);
		fputs("</div>\n</section>\n", r->out);
	}
	kmem_table_free(&all.table);
	return err;
}

/* ---- frees ---- */

static void print_pair(const struct kmem_report *r, const struct kmem_pair *p)
{
	const char *from = p->from < r->k->n_sites ? r->k->sites[p->from].name : "(no row)";
	const char *to = r->k->sites[p->to].name;
	char text[UNITS_TEXT];

	fputs("<tr><td>", r->out);
	html_text(r->out, *from ? from : "(pages)");
	fputs("</td><td class=\"text\">", r->out);
	html_text(r->out, *to ? to : "");
	fprintf(r->out, "</td><td class=\"text\">%s</td>", kmem_free_name(p->how));
	print_cell(r->out, units_count(text, p->count));
	print_cell(r->out, units_count(text, p->other_cpu));
	print_share(r->out, p->other_cpu, p->count);
	print_share(r->out, p->other_numa, p->count);
	print_share(r->out, p->other_task, p->count);
	fputs("</tr>\n", r->out);
}

static int print_pairs(const struct kmem_report *r)
{
	struct kmem_pair *pairs;
	size_t n, i;
	int err = kmem_pairs(r->k, &pairs, &n);

	if (!err && n) {
		fprintf(r->out,
			"<section>\n<h2>Freed elsewhere</h2>\n<p class=\"soft\">Where objects were "
			"allocated and where freed: %zu of %zu pairs.</p>\n",
			n < PAIRS ? n : PAIRS, n);
		fputs("<div class=\"wide\"><table>\n<tr>"
		      "<th style=\"min-width:16em\">allocated in</th>"
		      "<th style=\"min-width:16em;text-align:left\">freed in</th>"
		      "<th>by</th><th>objects</th><th>on another CPU</th><th></th>"
		      "<th>NUMA node</th><th>task</th></tr>\n",
		      r->out);
		for (i = 0; i < n && i < PAIRS; i++)
			print_pair(r, &pairs[i]);
		fputs("</table></div>\n</section>\n", r->out);
	}
	free(pairs);
	return err;
}

/* ---- the account ---- */

static void print_term(const struct kmem_report *r, const char *sign, uint64_t n, const char *label,
		       const char *explain)
{
	char text[UNITS_TEXT];

	fprintf(r->out, "<tr><td>%s%s</td><td>%s</td><td class=\"text soft\">", sign, label,
		units_count(text, n));
	html_text(r->out, explain);
	fputs("</td></tr>\n", r->out);
}

static void print_sums(const struct kmem_report *r, const struct kmem_account *a)
{
	int how;

	print_term(r, "", a->seen, "allocations seen", "");
	if (r->k->lifetimes) {
		print_term(r, "= ", a->freed, "freed", "while measured");
		print_term(r, "+ ", a->live, "live", "at the end");
		print_term(r, "+ ", a->reused, "free not seen", "the address was used again");
		print_term(r, "+ ", a->no_live, "not followed",
			   "the table was full; measure with a larger --max-live");
	}
	print_term(r, "", a->frees, "frees seen", "");
	if (r->k->lifetimes) {
		print_term(r, "= ", a->matched, "matched", "with their allocation");
		print_term(r, "+ ", a->null, "of NULL", "kfree(NULL) and its like do nothing");
		print_term(r, "+ ", a->unknown, "unknown",
			   "allocated before the start, not measured, or not followed");
	}
	for (how = 0; how < KMEM_FREES; how++)
		if (r->k->counts[KSTATS_KMEM_N_FREES + how])
			print_term(r, "by ", r->k->counts[KSTATS_KMEM_N_FREES + how],
				   kmem_free_name(how), "");
}

static void print_account(const struct kmem_report *r)
{
	const struct kmem_account a = kmem_account(r->k);
	const struct kmem_program *p;
	const struct kmem_note *note;
	char text[KMEM_ACCOUNT_TEXT];
	size_t i;

	fputs("<section>\n<h2>Account</h2>\n<div class=\"wide\"><table class=\"fixed\">\n", r->out);
	print_sums(r, &a);
	for (note = kmem_notes; note->label; note++)
		if (r->k->counts[note->id])
			print_term(r, "and ", r->k->counts[note->id], note->label, note->explain);
	for (i = 0; i < r->k->n_programs; i++) {
		p = &r->k->programs[i];
		if (p->method[0] && !p->skipped)
			continue;
		fputs("<tr><td>", r->out);
		html_text(r->out, p->event);
		fprintf(r->out, "</td><td>%s</td><td class=\"text soft\">",
			p->method[0] ? units_count(text, p->skipped) : "unseen");
		html_text(r->out,
			  p->method[0] ? "skipped: the kernel did not run the program" : p->why);
		fputs("</td></tr>\n", r->out);
	}
	fputs("</table></div>\n", r->out);
	fprintf(r->out, "<p class=\"%s\">%s</p>\n</section>\n",
		kmem_account_closes(&a) && !kmem_account_lost(&a) ? "good" : "bad",
		kmem_account_verdict(r->k, &a, text));
}

/* ---- the page ---- */

static int print_recording(struct kmem_report *r)
{
	size_t i;
	int err = 0;

	if (r->o->base.titled) {
		fputs("<h1>", r->out);
		html_text(r->out, r->k->source);
		fputs("</h1>\n", r->out);
	}
	print_about(r);
	print_totals(r);
	err = kmem_html_map(r);
	if (r->table.n)
		print_rows(r);
	else
		fputs("<p><b>No allocations.</b></p>\n", r->out);
	if (!err)
		err = print_kinds(r);
	if (!err)
		err = print_pairs(r);
	if (!err)
		print_account(r);
	for (i = 0; !err && !r->o->base.titled && i < shown(r) && i < CHARTED; i++)
		err = print_entry(r, i);
	return err;
}

int render_kmem_html(FILE *out, const struct render_kmem_set *recs,
		     const struct render_kmem_options *o)
{
	struct render_kmem_options each = *o;
	struct kmem_report r = { .out = out, .o = &each, .top = o->top ? o->top : RENDER_KMEM_TOP };
	size_t i;
	int err = 0;

	each.base.titled = recs->n > 1;
	html_begin(out, "Kernel memory");
	fputs("<h1>Kernel memory</h1>\n", out);
	for (i = 0; !err && i < recs->n; i++) {
		r.k = recs->recs[i];
		err = kmem_table_make(&r.table, r.k, o->group, o->sort);
		if (!err)
			err = print_recording(&r);
		kmem_table_free(&r.table);
	}
	html_end(out);
	return err || ferror(out) ? -EIO : 0;
}
