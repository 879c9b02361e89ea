// SPDX-License-Identifier: GPL-2.0-only
/*
 * ci.c - results for CI systems. Names come from files that are not trusted, so each format
 * escapes them in its own way.
 */
#include <errno.h>
#include <string.h>

#include "format/priv.h"
#include "format/frame.h"
#include "util/safe_str.h"

#define TEXT_MAX 2048

/* ---- JUnit XML: an inconclusive result is skipped, or a failure if it counts as one ---- */

static void junit_methods(FILE *out, const char *methods)
{
	if (methods) {
		fputs("      <system-out>", out);
		html_text(out, methods);
		fputs("</system-out>\n", out);
	}
}

static void junit_case(FILE *out, const struct report_result *x)
{
	fputs("    <testcase classname=\"", out);
	html_text(out, x->name);
	fputs("\" name=\"", out);
	html_text(out, x->rule);
	if (x->verdict == CHECK_PASS && !x->methods) {
		fputs("\"/>\n", out);
		return;
	}
	fputs("\">\n", out);
	if (x->verdict != CHECK_PASS) {
		fprintf(out, "      <%s message=\"%s", x->fails ? "failure" : "skipped",
			x->verdict == CHECK_INCONCLUSIVE ? "inconclusive: " : "");
		html_text(out, x->why);
		fputs(*x->next ? "; " : "", out);
		html_text(out, x->next);
		fputs("\"/>\n", out);
	}
	junit_methods(out, x->methods);
	fputs("    </testcase>\n", out);
}

static void junit_properties(FILE *out, const struct report_part *about)
{
	size_t i;

	if (!about->n_facts)
		return;
	fputs("    <properties>\n", out);
	for (i = 0; i < about->n_facts; i++) {
		fprintf(out, "      <property name=\"%s\" value=\"", about->facts[i].name);
		html_text(out, about->facts[i].text);
		fputs("\"/>\n", out);
	}
	fputs("    </properties>\n", out);
}

int format_junit(FILE *out, const struct report *r)
{
	size_t i, failed = 0, skipped = 0;

	for (i = 0; i < r->n_results; i++) {
		failed += r->results[i].fails;
		skipped += !r->results[i].fails && r->results[i].verdict != CHECK_PASS;
	}
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"  <testsuite name=\"kstats-bpf check\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"0\" skipped=\"%zu\">\n",
		r->n_results, failed, skipped);
	junit_properties(out, &r->about);
	for (i = 0; i < r->n_results; i++)
		junit_case(out, &r->results[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
	return r->err || ferror(out) ? -EIO : 0;
}

/* ---- TAP 13: an inconclusive result is a TODO, unless it counts as failed ---- */

/* A "#" would begin a directive. */
static void tap_text(FILE *out, const char *text)
{
	char buf[TEXT_MAX];
	const char *p;

	for (p = safe_str(buf, TEXT_MAX, text); *p; p++) {
		if (*p == '#' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
}

static void tap_result(FILE *out, const struct report_result *x, size_t number)
{
	fprintf(out, "%sok %zu - ", x->verdict == CHECK_PASS ? "" : "not ", number);
	tap_text(out, x->name);
	fputs(": ", out);
	tap_text(out, x->rule);
	fputs(x->verdict == CHECK_PASS || x->fails ? "\n" : " # TODO inconclusive\n", out);
	fprintf(out, "# %s%s%s\n", x->why, *x->next ? "; " : "", x->next);
	if (x->methods) {
		fputs("# ", out);
		tap_text(out, x->methods);
		fputc('\n', out);
	}
}

int format_tap(FILE *out, const struct report *r)
{
	size_t i;

	fprintf(out, "TAP version 13\n1..%zu\n", r->n_results);
	for (i = 0; i < r->n_results; i++)
		tap_result(out, &r->results[i], i + 1);
	return r->err || ferror(out) ? -EIO : 0;
}

/* ---- annotations of a GitHub workflow ---- */

/* In a property "," and ":" must be escaped too; in a message nothing would turn them back. */
static void github_text(FILE *out, const char *text, const char *special)
{
	char buf[TEXT_MAX];
	const char *p;

	for (p = safe_str(buf, TEXT_MAX, text); *p; p++) {
		if (strchr(special, *p))
			fprintf(out, "%%%02X", (unsigned char)*p);
		else
			fputc(*p, out);
	}
}

static void github_result(FILE *out, const struct report_result *x)
{
	static const char *const levels[CHECK_VERDICTS] = {
		[CHECK_PASS] = "notice",
		[CHECK_FAIL] = "error",
		[CHECK_INCONCLUSIVE] = "warning",
	};

	fprintf(out, "::%s title=", levels[x->fails ? CHECK_FAIL : x->verdict]);
	github_text(out, x->name, "%\r\n,:");
	fputs("%3A ", out);
	github_text(out, x->rule, "%\r\n,:");
	fprintf(out, "::%s: ", check_verdict_name(x->verdict));
	github_text(out, x->why, "%\r\n");
	fputs(*x->next ? "; " : "", out);
	github_text(out, x->next, "%\r\n");
	fputs(x->methods ? "; " : "", out);
	github_text(out, x->methods, "%\r\n");
	fputc('\n', out);
}

int format_github(FILE *out, const struct report *r)
{
	size_t i;

	for (i = 0; i < r->n_results; i++)
		github_result(out, &r->results[i]);
	return r->err || ferror(out) ? -EIO : 0;
}
