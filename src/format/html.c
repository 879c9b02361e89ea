// SPDX-License-Identifier: GPL-2.0-only
/* html.c - a report as a page that needs nothing else. */
#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "format/priv.h"
#include "render/draw/chart.h"
#include "render/html.h"
#include "util/units.h"

#define SPAN_WIDTH 240
#define SPAN_HEIGHT 18
#define BAR_WIDTH 110
#define BAR_HEIGHT 14
#define SPAN_EDGE 6 /* what is left free at both ends, for the dot */

/* A page that is being written. */
struct html_writer {
	FILE *out;
	bool charts; /* drawings beside each other are open */
	bool section; /* a section is open */
	bool heading; /* it began with a heading, not as one that ends */
	int err;
};

static void html_tag(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	html_text(out, text);
	fprintf(out, "</%s>", tag);
}

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

/* ---- tables ---- */

static double html_span_at(double change, double scale)
{
	double at = SPAN_WIDTH / 2.0 + change / scale * (SPAN_WIDTH / 2.0 - SPAN_EDGE);

	return fmin(fmax(at, 0), SPAN_WIDTH);
}

/* The interval as a bar, the change as a dot, no change as the line in the middle. */
static void html_span(FILE *out, const struct report_span *s)
{
	double lo, hi;

	fputs("<td class=\"text\">", out);
	if (s->scale > 0) {
		lo = html_span_at(s->lo, s->scale);
		hi = html_span_at(s->hi, s->scale);
		fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" "
			"height=\"%d\" aria-label=\"interval of the change\">"
			"<path class=\"zero\" d=\"M%.1f 0V%d\"/>"
			"<rect class=\"bar\" x=\"%.1f\" y=\"6\" width=\"%.1f\" height=\"6\"/>"
			"<circle class=\"dot\" r=\"4\" cx=\"%.1f\" cy=\"9\"/></svg>",
			SPAN_WIDTH, SPAN_HEIGHT, SPAN_WIDTH / 2.0, SPAN_HEIGHT, lo,
			fmax(hi - lo, 1), html_span_at(s->at, s->scale));
	}
	fputs("</td>", out);
}

static void html_bar(FILE *out, const char *label, const struct report_span *s)
{
	double end = s->at * BAR_WIDTH, lo = s->lo * BAR_WIDTH;

	fprintf(out,
		"<td class=\"text\"><svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"width=\"%d\" height=\"%d\" aria-label=\"%s\">"
		"<rect class=\"bar\" width=\"%.1f\" height=\"%d\"/>"
		"<rect class=\"dot\" x=\"%.1f\" width=\"%.1f\" height=\"%d\"/></svg></td>",
		BAR_WIDTH, BAR_HEIGHT, label, end > 0 ? fmax(end, 1) : 0, BAR_HEIGHT, lo, end - lo,
		BAR_HEIGHT);
}

static void html_cell(FILE *out, const struct report_column *column, const struct report_cell *cell)
{
	bool name = column->kind == REPORT_NAME;

	if (column->kind == REPORT_SPAN) {
		html_span(out, &cell->span);
		return;
	}
	if (column->kind == REPORT_BAR) {
		html_bar(out, column->heading, &cell->span);
		return;
	}
	fputs(name || column->kind == REPORT_WORDS ? "<td class=\"text\">" : "<td>", out);
	if (cell->to)
		fprintf(out, "<a href=\"#r%u\">", cell->to);
	html_text(out, cell->text);
	fputs(cell->to ? "</a>" : "", out);
	if (cell->note) {
		fprintf(out, "%s<span class=\"soft\">", name ? " " : "<br>");
		html_text(out, cell->note);
		fputs("</span>", out);
	}
	fputs("</td>", out);
}

static void html_column(FILE *out, const struct report_column *c)
{
	bool drawn = c->kind == REPORT_SPAN || c->kind == REPORT_BAR;

	fputs(c->kind == REPORT_NAME ? "<th class=\"name\">" : "<th>", out);
	html_text(out, drawn ? "" : c->heading);
	fputs("</th>", out);
}

/* A name comes first: a page has room for it. */
static size_t html_name_column(const struct report_table *t)
{
	size_t c = 0;

	while (c < t->n_columns && t->columns[c].kind != REPORT_NAME)
		c++;
	return c;
}

static void html_row(FILE *out, const struct report_table *t, const struct report_cell *cells)
{
	size_t c, name = html_name_column(t), i;

	fputs("<tr>", out);
	for (i = 0; i < t->n_columns; i++) {
		c = name >= t->n_columns ? i : !i ? name : i <= name ? i - 1 : i;
		if (cells)
			html_cell(out, &t->columns[c], &cells[c]);
		else
			html_column(out, &t->columns[c]);
	}
	fputs("</tr>\n", out);
}

static void html_table(FILE *out, const struct report_table *t)
{
	size_t row;

	if (t->folded)
		fprintf(out, "<details><summary>%s</summary>", t->folded);
	fputs("<div class=\"wide\"><table>\n", out);
	html_row(out, t, NULL);
	for (row = 0; row < t->n; row++)
		html_row(out, t, &t->cells[row * t->n_columns]);
	fprintf(out, "</table></div>%s\n", t->folded ? "</details>" : "");
}

/* ---- results ---- */

static void html_result(FILE *out, const struct report_result *x)
{
	static const char *const classes[CHECK_VERDICTS] = { "good", "bad", "soft" };

	fprintf(out, "<p><span class=\"%s\">%s</span> ",
		classes[x->fails ? CHECK_FAIL : x->verdict], check_verdict_name(x->verdict));
	html_text(out, x->name);
	fputs(": ", out);
	html_text(out, x->rule);
	fputs("<br>", out);
	html_text(out, x->why);
	if (*x->next) {
		fputs("<br>", out);
		html_text(out, x->next);
	}
	if (x->methods) {
		fputs("<br>", out);
		html_text(out, x->methods);
	}
	fputs("</p>\n", out);
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

static void html_chart(FILE *out, const struct report_chart *x)
{
	const struct chart c = { .out = out, .unit = x->unit, .rate = x->rate };

	fputs("<div>", out);
	html_tag(out, "h3", x->title);
	fputc('\n', out);
	if (x->n)
		chart_time(&c, x->title, x->bars, x->n);
	else
		chart_distribution(&c, &x->dist);
	fputs("</div>\n", out);
}

/* ---- the page ---- */

/* What is open is closed before a part that does not belong into it. */
static void html_close(struct html_writer *w, const struct report_part *p)
{
	bool chart = p && p->kind == REPORT_CHART;

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

static void html_part(struct html_writer *w, const struct report_part *p)
{
	FILE *out = w->out;

	html_close(w, p);
	switch (p->kind) {
	case REPORT_TITLE:
		html_tag(out, "h1", p->name);
		fputc('\n', out);
		break;
	case REPORT_BEGIN:
	case REPORT_HEADING:
		html_begin_section(w, p);
		break;
	case REPORT_LEDGER:
		html_ledger(w, p);
		break;
	case REPORT_CHART:
		html_chart(out, &p->chart);
		break;
	case REPORT_BOXES:
		if (html_boxes(out, &p->boxes))
			w->err = -ENOMEM;
		break;
	case REPORT_END:
		fputs("</section>\n", out);
		w->section = false;
		break;
	case REPORT_SENTENCE:
		html_sentence(out, p);
		break;
	case REPORT_FACTS:
		html_facts(out, p);
		break;
	case REPORT_TABLE:
		html_table(out, &p->table);
		break;
	case REPORT_SERIES:
		html_series(out, &p->series);
		break;
	case REPORT_RESULTS: /* they stand first */
		break;
	}
}

int format_html(FILE *out, const struct report *r)
{
	struct html_writer w = { .out = out };
	size_t i;

	html_begin(out, r->title);
	html_tag(out, "h1", r->title);
	fputc('\n', out);
	if (r->legend)
		fprintf(out, "<p class=\"soft\">%s</p>\n", r->legend);
	for (i = 0; i < r->n_results; i++)
		html_result(out, &r->results[i]);
	for (i = 0; i < r->n; i++)
		html_part(&w, &r->parts[i]);
	html_close(&w, NULL);
	html_end(out);
	return r->err || w.err || ferror(out) ? -EIO : 0;
}
