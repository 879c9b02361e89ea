// SPDX-License-Identifier: GPL-2.0-only
/* html_results.c - what became of rules: the verdict, a table, and the intervals of changes. */
#include <math.h>
#include <stdlib.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"
#include "util/text.h"

/* How a verdict looks; its word says it as well. */
static const char *results_class(const struct report_result *x)
{
	return x->fails || x->verdict == CHECK_FAIL ? "bad"
	       : x->verdict == CHECK_PASS           ? "good"
						    : "soft";
}

static void results_title(FILE *out, const struct report *r)
{
	size_t n[CHECK_VERDICTS] = {}, i;
	bool failed = false;

	for (i = 0; i < r->n_results; i++) {
		n[r->results[i].verdict]++;
		failed |= r->results[i].fails;
	}
	fprintf(out, "<h1><span class=\"verdict %s\">",
		failed                  ? "bad"
		: n[CHECK_INCONCLUSIVE] ? "soft"
					: "good");
	html_text(out, r->title);
	fprintf(out, "</span> %zu passed, %zu failed, %zu inconclusive</h1>\n", n[CHECK_PASS],
		n[CHECK_FAIL], n[CHECK_INCONCLUSIVE]);
}

static void results_row(FILE *out, const struct report_result *x, size_t i)
{
	const char *more[] = { x->next, x->methods };
	size_t k;

	fprintf(out, "<tr><td>%zu</td><td class=\"text %s\">%s</td><td class=\"text long\">", i + 1,
		results_class(x), check_verdict_name(x->verdict));
	html_text(out, x->name);
	fputs("</td><td class=\"text\">", out);
	html_text(out, x->rule);
	fputs("</td><td class=\"text\">", out);
	html_text(out, x->why);
	for (k = 0; k < 2; k++) {
		if (!more[k] || !*more[k])
			continue;
		fputs("<br><span class=\"soft\">", out);
		html_text(out, more[k]);
		fputs("</span>", out);
	}
	fputs("</td></tr>\n", out);
}

/* As far as changes and limits reach; of intervals that are all but endless only a part. */
static double results_scale(const struct report *r)
{
	double near = 0.01, far = 0;
	const struct report_result *x;

	for (x = r->results; x < r->results + r->n_results; x++) {
		if (!x->drawn)
			continue;
		near = fmax(near, fmax(fabs(x->span.at), fabs(x->limit)));
		far = fmax(far, fmax(fabs(x->span.lo), fabs(x->span.hi)));
	}
	return fmax(1.2 * near, fmin(1.05 * far, 4 * near));
}

static void results_spans(FILE *out, const struct report *r)
{
	struct chart_span *rows = calloc(r->n_results, sizeof(*rows));
	char(*labels)[32] = calloc(r->n_results, sizeof(*labels));
	const struct report_result *x;
	size_t n = 0;

	for (x = r->results; rows && labels && x < r->results + r->n_results; x++) {
		if (!x->drawn)
			continue;
		snprintf(labels[n], sizeof(*labels), "%zu %s", x - r->results + 1, x->figure);
		rows[n] = (struct chart_span){ labels[n], true, x->span, true, x->limit };
		n++;
	}
	if (n) {
		fputs("<h3>Changes, and where they may lie</h3>\n<div class=\"one\">", out);
		chart_spans(&(struct chart){ .out = out, .unit = "auto" },
			    "Changes, their intervals and limits", rows, n, results_scale(r));
		fputs("</div>\n", out);
	}
	if (!rows || !labels)
		text_short();
	free(rows);
	free(labels);
}

void html_results(FILE *out, const struct report *r)
{
	size_t i;

	results_title(out, r);
	fputs("<section>\n<div class=\"wide\"><table class=\"top\">\n"
	      "<tr><th></th><th class=\"text\">verdict</th><th class=\"text\">of</th>"
	      "<th class=\"text\">rule</th><th class=\"text\">found</th></tr>\n",
	      out);
	for (i = 0; i < r->n_results; i++)
		results_row(out, &r->results[i], i);
	fputs("</table></div>\n", out);
	results_spans(out, r);
	fputs("</section>\n", out);
}
