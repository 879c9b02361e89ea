// SPDX-License-Identifier: GPL-2.0-only
/*
 * page.c - recordings as one self-contained page: figures, drawings and the ledger of each
 * distribution. Readable in light and dark, at any width.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/ledger.h"
#include "render/about.h"
#include "render/account.h"
#include "render/draw/chart.h"
#include "render/costs.h"
#include "render/formats.h"
#include "render/html.h"
#include "render/keys.h"
#include "render/page.h"
#include "render/text.h"

static uint64_t covered(const struct recording *rec)
{
	return rec->whole->span.end_ns - rec->whole->span.begin_ns;
}

/* ---- the recording ---- */

static const char *or_none(const char *text)
{
	return text ? text : "";
}

static void page_print_fact(void *ctx, const char *name, const char *text)
{
	FILE *out = ((struct page *)ctx)->out;

	fputs("<dt>", out);
	html_text(out, name);
	fputs("</dt><dd>", out);
	html_text(out, text);
	fputs("</dd>\n", out);
}

static void page_print_about(struct page *p)
{
	const struct snapshot *s = p->rec->whole;
	char time[UNITS_TEXT], text[512], warning[ACCOUNT_TEXT], stepped[COSTS_WARNING];

	if (account_warning(s, warning)) {
		fputs("<p class=\"bad\">", p->out);
		html_text(p->out, warning);
		fputs("</p>\n", p->out);
	}
	if (costs_warning(p->rec, stepped)) {
		fputs("<p>", p->out);
		html_text(p->out, stepped);
		fputs("</p>\n", p->out);
	}
	fputs("<dl>\n", p->out);
	snprintf(text, sizeof(text), "%s on Linux %s; %s backend%s%s%s; %s%s; bits %u",
		 units_duration(time, covered(p->rec), "auto"), or_none(s->kernel),
		 or_none(s->backend), *or_none(s->backend_reason) ? " (" : "",
		 or_none(s->backend_reason), *or_none(s->backend_reason) ? ")" : "",
		 about_paired(s), or_none(s->pairing), s->bits);
	page_print_fact(p, "time", text);
	about_each(p->rec, true, &(struct about){ page_print_fact, p });
	fputs("</dl>\n", p->out);
}

/* Unverified samples, of which there are none; the section of an owner has its ledger. */
static bool is_left_out(const struct snapshot *s, uint32_t node)
{
	return s->nodes[node].kind != SNAPSHOT_KEY && !snapshot_is_rest(s, node) &&
	       snapshot_is_hidden(s, node);
}

/* Distributions with a section. */
static uint32_t count_shown(const struct snapshot *s)
{
	uint32_t n = 0, i;

	for (i = 0; i < s->n_nodes; i++)
		n += s->nodes[i].kind < SNAPSHOT_KEY && !is_left_out(s, i);
	return n;
}

/* A table of all distributions, if there are many. */
static int print_index(const struct page *p)
{
	const struct snapshot *s = p->rec->whole;
	char count[UNITS_TEXT], mean[UNITS_TEXT], total[UNITS_TEXT], p99[UNITS_TEXT];
	struct dist d;
	uint32_t i;

	fputs("<div class=\"wide\"><table>\n<tr><th>distribution</th><th>count</th><th>mean</th>"
	      "<th>p99 up to</th><th>total</th></tr>\n",
	      p->out);
	for (i = 0; i < s->n_nodes; i++) {
		if (is_left_out(s, i))
			continue;
		if (dist_open(&d, s, i, DIST_ALL_CPUS)) {
			dist_close(&d);
			return -ENOMEM;
		}
		fprintf(p->out, "<tr><td><a href=\"#n%zu-%u\">", p->index, i);
		html_text(p->out, s->nodes[i].name);
		fprintf(p->out, "</a></td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			units_count(count, d.samples),
			units_duration(mean, dist_mean(&d), p->o->unit),
			units_duration(p99, dist_quantile(&d, 990000).hi, p->o->unit),
			units_duration(total, dist_total(&d), p->o->unit));
		dist_close(&d);
	}
	fputs("</table></div>\n", p->out);
	return 0;
}

/* ---- a distribution ---- */

static void page_print_title(const struct page *p, uint32_t node)
{
	const struct snapshot_node *n = &p->rec->whole->nodes[node];

	fputs("<h2>", p->out);
	html_text(p->out, n->name);
	fputs("</h2>\n<p class=\"soft\">", p->out);
	html_text(p->out, n->what);
	if (ledger_is_owner(p->rec->whole, node)) {
		fputs(", by ", p->out);
		html_text(p->out, n->method);
		fputs(" (", p->out);
		html_text(p->out, n->reason);
		fputs(")", p->out);
	}
	fputs("</p>\n", p->out);
}

static void print_figure(const struct page *p, const char *name, const char *value)
{
	fprintf(p->out, "<div><span>%s</span>%s</div>\n", name, value);
}

static void page_print_figures(const struct page *p, const struct dist *d)
{
	char text[UNITS_TEXT], range[TEXT_RANGE];
	int i;

	fputs("<div class=\"figures\">\n", p->out);
	print_figure(p, "count", units_count(text, d->samples));
	print_figure(p, "rate", units_rate(text, d->samples, covered(p->rec)));
	print_figure(p, "mean", units_duration(text, dist_mean(d), p->o->unit));
	print_figure(p, "total", units_duration(text, dist_total(d), p->o->unit));
	print_figure(p, "min", text_range(range, dist_quantile(d, 0), p->o->unit));
	for (i = 0; i < TEXT_QUANTILES; i++)
		print_figure(p, text_quantiles[i].name,
			     text_range(range, dist_quantile(d, text_quantiles[i].millionths),
					p->o->unit));
	print_figure(p, "max", text_range(range, dist_quantile(d, DIST_ONE), p->o->unit));
	fputs("</div>\n", p->out);
}

static int page_print_charts(const struct page *p, uint32_t node, const struct dist *d)
{
	const struct chart c = { .out = p->out, .unit = p->o->unit };
	int err = 0;

	fputs("<div class=\"charts\">\n<div><h3>Distribution</h3>\n", p->out);
	chart_distribution(&c, d);
	fputs("</div>\n<div><h3>Cumulative</h3>\n", p->out);
	chart_percentiles(&c, d);
	if (p->rec->n_periods) {
		fputs("</div>\n<div><h3>Over time</h3>\n", p->out);
		err = chart_intervals(&c, p->rec, node, d);
	}
	if (!err) {
		fputs("</div>\n<div><h3>By CPU</h3>\n", p->out);
		err = chart_cpus(&c, p->rec->whole, node, d);
	}
	fputs("</div></div>\n", p->out);
	return err;
}

static void page_print_entry(const struct page *p, const char *sign, uint64_t n, const char *label,
			     const char *explain)
{
	char text[UNITS_TEXT];

	fprintf(p->out, "<tr><td>%s%s</td><td>%s</td><td class=\"text soft\">%s</td></tr>\n", sign,
		label, units_count(text, n), explain);
}

static void page_print_ledger(const struct page *p, uint32_t node)
{
	const struct cost *cost = recording_cost(p->rec, node);
	struct account a = {};
	char text[ACCOUNT_TEXT], words[COSTS_TEXT];
	int id, i;

	if (cost)
		fprintf(p->out, "<h3>Floor</h3>\n<p>%s</p>\n", costs_text(cost, p->o->unit, words));
	account_add(&a, p->rec->whole, node);
	fputs("<h3>Ledger</h3>\n<div class=\"wide\"><table class=\"fixed\">\n", p->out);
	page_print_entry(p, "", a.ledger[KSTATS_STARTED], "started", "");
	page_print_entry(p, "= ", a.recorded, "recorded", "");
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (ledger_rows[id].of_started && a.ledger[id])
			page_print_entry(p, "+ ", a.ledger[id], ledger_rows[id].label,
					 ledger_rows[id].explain);
	}
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (!ledger_rows[id].of_started && id != KSTATS_STARTED && a.ledger[id])
			page_print_entry(p, "and ", a.ledger[id], ledger_rows[id].label,
					 ledger_rows[id].explain);
	}
	fprintf(p->out, "</table></div>\n<p class=\"%s\">%s</p>\n",
		account_good(&a) ? "good" : "bad",
		account_verdict(&a, p->rec->whole->span.final, text));
}

static int page_print_node(const struct page *p, uint32_t node)
{
	const struct snapshot *s = p->rec->whole;
	struct dist d;
	int err = dist_open(&d, s, node, DIST_ALL_CPUS);

	fprintf(p->out, "<section id=\"n%zu-%u\">\n", p->index, node);
	page_print_title(p, node);
	if (!err && d.samples) {
		page_print_figures(p, &d);
		err = page_print_charts(p, node, &d);
		if (!err && p->keys && ledger_is_owner(s, node))
			err = page_keys(p, node, &d);
	} else if (!err) {
		fprintf(p->out, "<p><b>No samples.</b> %s</p>\n", account_why_empty(s, node));
	}
	if (ledger_is_owner(s, node))
		page_print_ledger(p, node);
	fputs("</section>\n", p->out);
	dist_close(&d);
	return err;
}

/* ---- the page ---- */

static int page_print_recording(struct page *p)
{
	uint32_t i;
	int err = 0;

	if (p->index || p->o->titled) {
		fputs("<h1>", p->out);
		html_text(p->out, p->rec->source);
		fputs("</h1>\n", p->out);
	}
	page_print_about(p);
	if (count_shown(p->rec->whole) > 1)
		err = print_index(p);
	for (i = 0; !err && i < p->rec->whole->n_nodes; i++)
		if (!is_left_out(p->rec->whole, i))
			err = page_print_node(p, i);
	return err;
}

/* A view of a recording without its keys. */
struct folded {
	struct recording recording;
	struct snapshot whole;
	struct snapshot **periods;
};

static int fold(struct folded *f, const struct recording *rec)
{
	size_t i;

	*f = (struct folded){ .recording = *rec, .whole = *rec->whole };
	f->periods = calloc(rec->n_periods + 1, sizeof(*f->periods));
	if (!f->periods)
		return -ENOMEM;
	f->recording.periods = f->periods;
	f->recording.whole = &f->whole;
	f->whole.n_nodes = snapshot_plain(rec->whole);
	for (i = 0; i < rec->n_periods; i++) {
		f->periods[i] = snapshot_fold(rec->periods[i]);
		if (!f->periods[i])
			return -ENOMEM;
	}
	return 0;
}

static void close_folded(struct folded *f)
{
	size_t i;

	for (i = 0; f->periods && i < f->recording.n_periods; i++)
		snapshot_free(f->periods[i]);
	free(f->periods);
}

static int page_print_keys(struct page *p, const struct recording *rec)
{
	struct folded f;
	int err = fold(&f, rec);

	p->rec = &f.recording;
	p->keys = rec->whole;
	if (!err)
		err = page_print_recording(p);
	close_folded(&f);
	return err;
}

static void print_page_title(FILE *out, const struct render_set *recs)
{
	const struct snapshot *s = recs->recs[0]->whole;
	char title[256], heading[KEYS_HEADING];
	uint32_t n = count_shown(s);

	if (recs->n > 1)
		snprintf(title, sizeof(title), "%zu recordings", recs->n);
	else if (n > 1)
		snprintf(title, sizeof(title), "%s and %u more", s->nodes[0].name, n - 1);
	else
		snprintf(title, sizeof(title), "%s%s%s", s->nodes[0].name ? s->nodes[0].name : "",
			 snapshot_has_keys(s) ? " " : "",
			 snapshot_has_keys(s) ? keys_heading(s, -1, heading) : "");
	html_begin(out, title);
	fputs("<h1>", out);
	html_text(out, title);
	fputs("</h1>\n", out);
}

int render_html(FILE *out, const struct render_set *recs, const struct render_options *o)
{
	struct render_options each = *o;
	struct page p = { .out = out, .o = &each };
	int err = 0;

	each.titled = recs->n > 1;
	print_page_title(out, recs);
	for (p.index = 0; !err && p.index < recs->n; p.index++) {
		p.rec = recs->recs[p.index];
		p.keys = NULL;
		each.unit = snapshot_unit(p.rec->whole, o->unit);
		err = snapshot_has_keys(p.rec->whole) ? page_print_keys(&p, p.rec)
						      : page_print_recording(&p);
	}
	html_end(out);
	return err || ferror(out) ? -EIO : 0;
}
