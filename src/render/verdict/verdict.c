// SPDX-License-Identifier: GPL-2.0-only
/* verdict.c - the table of formats, and the one for people; see verdict.h. */
#include "render/verdict/verdict.h"

#include <errno.h>
#include <string.h>

#include "render/text.h"
#include "render/verdict/history.h"

#define INDENT 14

bool verdict_fails(const struct check *c, const struct check_result *r)
{
	return r->verdict == CHECK_FAIL ||
	       (r->verdict == CHECK_INCONCLUSIVE && c->undecided == CHECK_FAIL);
}

size_t verdict_count(const struct check *c, enum check_verdict v)
{
	size_t i, n = 0;

	for (i = 0; i < c->n; i++)
		n += c->results[i].verdict == v;
	return n;
}

const char *verdict_methods(const struct check_result *r, char buf[VERDICT_METHODS])
{
	return r->row && r->row->across ? methods_all(r->row, buf) : NULL;
}

static void print_words(FILE *out, unsigned int width, const char *words)
{
	struct text_flow f = { out, width, INDENT, INDENT, false };

	fprintf(out, "%*s", INDENT, "");
	if (width)
		text_flow_words(&f, words);
	else
		text_safe(out, words, 0);
	fputc('\n', out);
}

static void print_result(FILE *out, const struct check *c, const struct check_result *r)
{
	char text[VERDICT_METHODS];

	fprintf(out, "%-*s", INDENT, check_verdict_name(r->verdict));
	text_safe(out, r->name, 0);
	fprintf(out, ": %s\n", r->rule->text);
	print_words(out, c->width, r->why);
	if (r->next[0])
		print_words(out, c->width, r->next);
	if (verdict_methods(r, text))
		print_words(out, c->width, text);
}

static int render_text(FILE *out, const struct check *c, const struct compare_set *runs)
{
	size_t i;

	history_print(out, &c->series);
	for (i = 0; i < c->n; i++)
		print_result(out, c, &c->results[i]);
	if (c->looks)
		fprintf(out, "looks: after each pair from %u to %u, %.5g%% together; pairs: %zu\n",
			c->looks->first, c->looks->last, 100 * (1 - 2 * c->looks->error), runs->n);
	fprintf(out, "%s: %zu passed, %zu failed, %zu inconclusive\n",
		check_verdict_name(c->verdict), verdict_count(c, CHECK_PASS),
		verdict_count(c, CHECK_FAIL), verdict_count(c, CHECK_INCONCLUSIVE));
	return ferror(out) ? -EIO : 0;
}

const struct verdict_format verdict_formats[] = {
	{ "text", "for people", render_text },
	{ "junit", "JUnit XML", verdict_junit },
	{ "tap", "TAP 13", verdict_tap },
	{ "github", "annotations of a GitHub workflow", verdict_github },
	{ "json", "for benchmark dashboards, smaller is better", verdict_json },
	{ "gobench", "Go benchmark text, for benchstat", verdict_gobench },
	{ "html", "a page that needs nothing else", verdict_html },
	{ "series", "JSON: results, sets of a history, their steps", verdict_series },
	{ NULL, NULL, NULL },
};

const struct verdict_format *verdict_find(const char *name)
{
	const struct verdict_format *f;

	for (f = verdict_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
