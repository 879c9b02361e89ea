// SPDX-License-Identifier: GPL-2.0-only
/*
 * ci.c - results for CI systems; see verdict.h. Names come from files that are not trusted,
 * so each format escapes them in its own way.
 */
#include "render/verdict/verdict.h"

#include <errno.h>
#include <string.h>

#include "render/html.h"
#include "util/safe_str.h"

#define TEXT_MAX 2048

/* Remove control characters; the format's own characters are escaped afterwards. */
static const char *safe(char buf[TEXT_MAX], const char *text)
{
	return safe_str(buf, TEXT_MAX, text);
}

/* Print the methods and end the test case, if there are any. */
static void print_methods(FILE *out, const char *methods)
{
	if (!methods)
		return;
	fputs("      <system-out>", out);
	html_text(out, methods);
	fputs("</system-out>\n    </testcase>\n", out);
}

static void print_case(FILE *out, const struct check *c, const struct check_result *r)
{
	char text[VERDICT_METHODS];
	const char *methods = verdict_methods(r, text);

	fputs("    <testcase classname=\"", out);
	html_text(out, r->name);
	fputs("\" name=\"", out);
	html_text(out, r->rule->text);
	if (r->verdict == CHECK_PASS) {
		fputs(methods ? "\">\n" : "\"/>\n", out);
		print_methods(out, methods);
		return;
	}
	fprintf(out, "\">\n      <%s message=\"%s", verdict_fails(c, r) ? "failure" : "skipped",
		r->verdict == CHECK_INCONCLUSIVE ? "inconclusive: " : "");
	html_text(out, r->why);
	if (r->next[0]) {
		fputs("; ", out);
		html_text(out, r->next);
	}
	fputs("\"/>\n", out);
	print_methods(out, methods);
	if (!methods)
		fputs("    </testcase>\n", out);
}

static void print_looks(FILE *out, const struct sequential *q, const struct compare_set *runs)
{
	fprintf(out,
		"    <properties>\n"
		"      <property name=\"looks\" value=\"%u..%u\"/>\n"
		"      <property name=\"pairs\" value=\"%zu\"/>\n"
		"      <property name=\"confidence\" value=\"%.5g%%\"/>\n"
		"    </properties>\n",
		q->first, q->last, runs->n, 100 * (1 - 2 * q->error));
}

int verdict_junit(FILE *out, const struct check *c, const struct compare_set *runs)
{
	size_t i, failed = 0;

	for (i = 0; i < c->n; i++)
		failed += verdict_fails(c, &c->results[i]);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"  <testsuite name=\"kstats-bpf check\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"0\" skipped=\"%zu\">\n",
		c->n, failed, c->n - failed - verdict_count(c, CHECK_PASS));
	if (c->looks)
		print_looks(out, c->looks, runs);
	for (i = 0; i < c->n; i++)
		print_case(out, c, &c->results[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
	return ferror(out) ? -EIO : 0;
}

/* A "#" would begin a directive. */
static void print_tap(FILE *out, const char *text)
{
	char buf[TEXT_MAX];
	const char *p;

	for (p = safe(buf, text); *p; p++) {
		if (*p == '#' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
}

int verdict_tap(FILE *out, const struct check *c, const struct compare_set *runs)
{
	const struct check_result *r;
	char text[VERDICT_METHODS];
	size_t i;

	fprintf(out, "TAP version 13\n1..%zu\n", c->n);
	for (i = 0; i < c->n; i++) {
		r = &c->results[i];
		fprintf(out, "%sok %zu - ", r->verdict == CHECK_PASS ? "" : "not ", i + 1);
		print_tap(out, r->name);
		fputs(": ", out);
		print_tap(out, r->rule->text);
		fputs(r->verdict == CHECK_PASS || verdict_fails(c, r) ? "\n"
								      : " # TODO inconclusive\n",
		      out);
		fprintf(out, "# %s%s%s\n", r->why, r->next[0] ? "; " : "", r->next);
		if (verdict_methods(r, text)) {
			fputs("# ", out);
			print_tap(out, text);
			fputc('\n', out);
		}
	}
	return ferror(out) ? -EIO : 0;
}

/*
 * In a property "," and ":" must be escaped too; in a message nothing would turn them back.
 */
static void print_github(FILE *out, const char *text, const char *special)
{
	char buf[TEXT_MAX];
	const char *p;

	for (p = safe(buf, text); *p; p++) {
		if (strchr(special, *p))
			fprintf(out, "%%%02X", (unsigned char)*p);
		else
			fputc(*p, out);
	}
}

int verdict_github(FILE *out, const struct check *c, const struct compare_set *runs)
{
	static const char *const levels[CHECK_VERDICTS] = {
		[CHECK_PASS] = "notice",
		[CHECK_FAIL] = "error",
		[CHECK_INCONCLUSIVE] = "warning",
	};
	const struct check_result *r;
	char text[VERDICT_METHODS];
	size_t i;

	for (i = 0; i < c->n; i++) {
		r = &c->results[i];
		fprintf(out, "::%s title=", levels[verdict_fails(c, r) ? CHECK_FAIL : r->verdict]);
		print_github(out, r->name, "%\r\n,:");
		fputs("%3A ", out);
		print_github(out, r->rule->text, "%\r\n,:");
		fprintf(out, "::%s: ", check_verdict_name(r->verdict));
		print_github(out, r->why, "%\r\n");
		if (r->next[0]) {
			fputs("; ", out);
			print_github(out, r->next, "%\r\n");
		}
		if (verdict_methods(r, text)) {
			fputs("; ", out);
			print_github(out, text, "%\r\n");
		}
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}
