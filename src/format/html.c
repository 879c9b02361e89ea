// SPDX-License-Identifier: GPL-2.0-only
/* html.c - a report as a page that needs nothing else. */
#include <ctype.h>
#include <errno.h>

#include "format/priv.h"
#include "format/draw/chart.h"
#include "format/frame.h"
#include "util/units.h"

/* A page that is being written. */
struct html_writer {
	FILE *out;
	bool charts; /* drawings beside each other are open */
	bool section; /* a section is open */
	bool heading; /* it began with a heading, not as one that ends */
	int err;
};

static void html_heading(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>%c", tag, toupper((unsigned char)*text));
	html_text(out, text + !!*text);
	fprintf(out, "</%s>\n", tag);
}

static void html_sentence(FILE *out, const struct report_part *p)
{
	static const char *const begin[] = { "<p>", "<p class=\"soft\">", "<p class=\"good\">",
					     "<p class=\"bad\">" };

	fputs(begin[p->tone], out);
	html_text(out, p->text);
	if (p->name)
		html_text(out, p->name);
	fputs("</p>\n", out);
}

static void html_figures(FILE *out, const struct report_part *p)
{
	size_t i;

	fputs("<div class=\"figures\">\n", out);
	for (i = 0; i < p->n_facts; i++) {
		fputs("<div>", out);
		html_tag(out, "span", p->facts[i].name);
		html_text(out, p->facts[i].text);
		if (p->facts[i].note) {
			fputs(" (", out);
			html_text(out, p->facts[i].note);
			fputc(')', out);
		}
		fputs("</div>\n", out);
	}
	fputs("</div>\n", out);
}

static void html_facts(FILE *out, const struct report_part *p)
{
	size_t i;

	fputs("<dl>", out);
	for (i = 0; i < p->n_facts; i++) {
		html_tag(out, "dt", p->facts[i].name);
		html_tag(out, "dd", p->facts[i].text);
	}
	fputs("</dl>\n", out);
}

/* ---- ledgers ---- */

static void html_term(FILE *out, const struct report_term *x)
{
	char n[UNITS_TEXT];

	if (!x->sign) {
		fputs("<tr><td class=\"text\" colspan=\"3\">", out);
		html_text(out, x->explain);
		fputs("</td></tr>\n", out);
		return;
	}
	fprintf(out, "<tr><td>%s ", x->sign);
	html_text(out, x->label);
	fprintf(out, "</td><td>%s</td><td class=\"text soft\">", units_count(n, x->n));
	html_text(out, x->explain);
	fputs("</td></tr>\n", out);
}

static void html_ledger(struct html_writer *w, const struct report_part *p)
{
	FILE *out = w->out;
	size_t i;

	if (!w->section)
		fputs("<section>\n", out);
	html_heading(out, w->section ? "h3" : "h2", p->text);
	w->section = true;
	fputs("<div class=\"wide\"><table class=\"fixed\">\n", out);
	for (i = 0; i < p->ledger.n; i++)
		html_term(out, &p->ledger.terms[i]);
	fprintf(out, "</table></div>\n<p class=\"%s\">", p->ledger.good ? "good" : "bad");
	html_text(out, p->ledger.verdict);
	fputs("</p>\n", out);
}

/* ---- drawings ---- */

static int html_chart(FILE *out, const struct report_chart *x)
{
	const struct chart c = { .out = out, .unit = x->unit, .rate = x->rate, .from = x->from };
	int err = 0;

	fputs("<div>", out);
	html_tag(out, "h3", x->title);
	fputc('\n', out);
	if (x->n)
		chart_time(&c, x->title, x->bars, x->n);
	else if (x->over.samples)
		err = chart_overlay(&c, &x->dist, &x->over);
	else
		err = chart_distribution(&c, &x->dist);
	fputs("</div>\n", out);
	return err;
}

static void html_runs_of(FILE *out, const struct report_runs *x)
{
	fputs("<div><h3>Each run, for ", out);
	html_text(out, x->title);
	fputs("</h3>\n", out);
	html_runs(out, x);
	fputs("</div>\n", out);
}

/* ---- the page ---- */

/* What is open is closed before a part that does not belong into it. */
static void html_close(struct html_writer *w, const struct report_part *p)
{
	bool chart = p && (p->kind == REPORT_CHART || p->kind == REPORT_RUNS);

	if (w->charts && !chart)
		fputs("</div>\n", w->out);
	if (chart && !w->charts)
		fputs("<div class=\"charts\">\n", w->out);
	w->charts = chart;
	if (w->section && (!p || p->kind == REPORT_HEADING || p->kind == REPORT_BEGIN ||
			   p->kind == REPORT_TITLE || (p->kind == REPORT_LEDGER && w->heading))) {
		fputs("</section>\n", w->out);
		w->section = false;
	}
}

static void html_begin_section(struct html_writer *w, const struct report_part *p)
{
	if (p->id)
		fprintf(w->out, "<section id=\"r%u\">\n", p->id);
	else
		fputs("<section>\n", w->out);
	w->section = true;
	w->heading = p->kind == REPORT_HEADING;
	if (w->heading) {
		html_heading(w->out, "h2", p->text);
	} else {
		html_tag(w->out, "h2", p->name);
		fputc('\n', w->out);
	}
	if (!(w->heading ? p->name : p->text))
		return;
	fputs("<p class=\"soft\">", w->out);
	html_text(w->out, w->heading ? p->name : p->text);
	fputs("</p>\n", w->out);
}

static int html_drawing(FILE *out, const struct report_part *p)
{
	switch (p->kind) {
	case REPORT_CHART:
		return html_chart(out, &p->chart);
	case REPORT_STRIPS:
		html_strips(out, &p->strips);
		return 0;
	case REPORT_FLAMES:
		return html_flames(out, &p->flames);
	case REPORT_BOXES:
		return html_boxes(out, &p->boxes);
	case REPORT_DRAWINGS:
		return html_drawings(out, &p->drawings);
	case REPORT_KEYS:
		return html_keys(out, &p->keys);
	case REPORT_SERIES:
		html_series(out, &p->series);
		return 0;
	case REPORT_RUNS:
		html_runs_of(out, &p->runs);
		return 0;
	default:
		return 0;
	}
}

static void html_words(FILE *out, const struct report_part *p)
{
	switch (p->kind) {
	case REPORT_TITLE:
		html_tag(out, "h1", p->name);
		fputc('\n', out);
		break;
	case REPORT_LABEL:
		html_heading(out, "h3", p->text);
		break;
	case REPORT_SENTENCE:
		html_sentence(out, p);
		break;
	case REPORT_FACTS:
		html_facts(out, p);
		break;
	case REPORT_FIGURES:
		html_figures(out, p);
		break;
	case REPORT_TABLE:
		html_table(out, &p->table);
		break;
	case REPORT_FOLD:
		fputs("<details>", out);
		html_tag(out, "summary", p->text);
		fputc('\n', out);
		break;
	case REPORT_UNFOLD:
		fputs("</details>\n", out);
		break;
	default: /* results stand first */
		break;
	}
}

static void html_part(struct html_writer *w, const struct report_part *p)
{
	if (p->said)
		return;
	html_close(w, p);
	if (p->kind == REPORT_BEGIN || p->kind == REPORT_HEADING) {
		html_begin_section(w, p);
	} else if (p->kind == REPORT_LEDGER) {
		html_ledger(w, p);
	} else if (p->kind == REPORT_END) {
		fputs("</section>\n", w->out);
		w->section = false;
	} else {
		html_words(w->out, p);
		if (html_drawing(w->out, p))
			w->err = -ENOMEM;
	}
}

int format_html(FILE *out, const struct report *r)
{
	struct html_writer w = { .out = out };
	size_t i;

	html_begin(out, r->title);
	if (!r->n_results)
		html_tag(out, "h1", r->title);
	fputc('\n', out);
	if (r->n_results)
		html_results(out, r);
	if (r->legend)
		fprintf(out, "<p class=\"soft\">%s</p>\n", r->legend);
	for (i = 0; i < r->n; i++)
		html_part(&w, &r->parts[i]);
	html_close(&w, NULL);
	html_end(out);
	return r->err || w.err || ferror(out) ? -EIO : 0;
}
