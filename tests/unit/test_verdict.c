// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_verdict.c - results in every format of `check`: whole, and with names that
 * would like to be more than names.
 */
#include "fixture.h"

#include <json-c/json.h>

#include "format/format.h"

#define HOSTILE "f\"><failure/>&%0A::error::x\n::error::y # SKIP \x1b[2J,:\xef\xbf\xbf"

static struct snapshot *run_make(const char *name)
{
	struct snapshot *s = snapshot_new(3, 1, 1);
	uint32_t i = kstats_slot_index(1000, 3);

	fixture_name(s, 0, name);
	s->span.end_ns = 1000000000;
	fixture_set(s, 0, 0, i, (struct kstats_slot){ 100, 100000 });
	return s;
}

/* One that passes, one that fails, one that is neither. */
static char *show_as(const char *format, const char *name, enum check_verdict undecided)
{
	static const char *const rules_text[] = { "count==100", "p50<500", "p99<1us" };
	struct snapshot *run = run_make(name);
	const struct compare_set set = { .n = 1, .runs = (const struct snapshot *const *)&run };
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 0.01 };
	struct check_rule rules[3];
	struct report r;
	struct check c;
	struct error e;
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < 3; i++)
		assert_int_equal(check_parse_assert(&rules[i], rules_text[i], &e), 0);
	assert_int_equal(check_make(&c, rules, 3, &set, NULL, &terms, &e), 0);
	assert_int_equal(c.verdict, CHECK_FAIL);
	assert_int_equal(c.undecided, CHECK_INCONCLUSIVE);
	c.undecided = undecided;
	report_verdict(&r, &c, &set, NULL);
	assert_int_equal(format_find(format, REPORT_VERDICT)->write(f, &r), 0);
	report_free(&r);
	fclose(f);
	check_free(&c);
	snapshot_free(run);
	return text;
}

static char *show(const char *format, const char *name)
{
	return show_as(format, name, CHECK_INCONCLUSIVE);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void expect_as(const char *format, enum check_verdict undecided, const char *const *wanted)
{
	char *text = show_as(format, "vfs_read", undecided);

	for (; *wanted; wanted++)
		if (!strstr(text, *wanted))
			fail_msg("%s: no '%s' in:\n%s", format, *wanted, text);
	free(text);
}

static void expect(const char *format, const char *const *wanted)
{
	expect_as(format, CHECK_INCONCLUSIVE, wanted);
}

static void test_undecided_fails(void **state)
{
	static const char *const junit[] = {
		" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\">",
		"<failure message=\"p50 is in", "<failure message=\"inconclusive: p99 is in", NULL
	};
	static const char *const tap[] = { "\nnot ok 3 - vfs_read: p99<1us\n#", NULL };
	static const char *const github[] = { "::error title=vfs_read%3A p99<1us::inconclusive: ",
					      NULL };

	expect_as("junit", CHECK_FAIL, junit);
	expect_as("tap", CHECK_FAIL, tap);
	expect_as("github", CHECK_FAIL, github);
}

static void test_formats(void **state)
{
	static const char *const text[] = {
		"pass          vfs_read: count==100\n              count is 100\n",
		"fail          vfs_read: p50<500\n",
		"inconclusive  vfs_read: p99<1us\n",
		"the limit lies in the slot",
		"\nfail: 1 passed, 1 failed, 1 inconclusive\n",
		NULL,
	};
	static const char *const junit[] = {
		"<testsuite name=\"kstats-bpf check\" tests=\"3\" failures=\"1\" errors=\"0\" "
		"skipped=\"1\">",
		"<testcase classname=\"vfs_read\" name=\"count==100\"/>",
		"name=\"p50&lt;500\">\n      <failure message=\"p50 is in 960 ns",
		"<skipped message=\"inconclusive: p99 is in",
		"</testsuites>\n",
		NULL,
	};
	static const char *const tap[] = {
		"TAP version 13\n1..3\nok 1 - vfs_read: count==100\n",
		"\nnot ok 2 - vfs_read: p50<500\n",
		"\nnot ok 3 - vfs_read: p99<1us # TODO inconclusive\n",
		NULL,
	};
	static const char *const github[] = {
		"::notice title=vfs_read%3A count==100::pass: count is 100\n",
		"::error title=vfs_read%3A p50<500::fail: p50 is in",
		"::warning title=vfs_read%3A p99<1us::inconclusive: ",
		NULL,
	};
	static const char *const gobench[] = { "BenchmarkKstats/vfs_read 100 1000 mean-ns ", NULL };

	expect("text", text);
	expect("junit", junit);
	expect("tap", tap);
	expect("github", github);
	expect("gobench", gobench);
}

static void test_json(void **state)
{
	char *text = show("json", HOSTILE);
	struct json_object *o = json_tokener_parse(text), *first, *value;

	assert_non_null(o);
	assert_int_equal(json_object_array_length(o), 3);
	first = json_object_array_get_idx(o, 0);
	assert_true(json_object_object_get_ex(first, "value", &value));
	assert_true(json_object_get_double(value) == 100);
	assert_true(json_object_object_get_ex(first, "unit", &value));
	assert_string_equal(json_object_get_string(value), "samples");
	json_object_put(o);
	free(text);
}

/* Nothing of the name gets out of its place. */
static void test_hostile(void **state)
{
	const struct format *f;
	char *text;

	for (f = format_next(NULL, REPORT_VERDICT); f; f = format_next(f, REPORT_VERDICT)) {
		text = show(f->name, HOSTILE);
		assert_null(strchr(text, '\x1b'));
		assert_null(strstr(text, "\n::error::y"));
		assert_int_equal(count(text, "\n::error::"), 0);
		if (!strcmp(f->name, "tap"))
			assert_int_equal(count(text, " # SKIP"), 0);
		if (!strcmp(f->name, "gobench"))
			assert_int_equal(count(text, "\n"), 1);
		if (!strcmp(f->name, "github")) {
			assert_int_equal(count(text, "::error "), 1);
			assert_int_equal(count(text, "\n"), 3);
			assert_null(strstr(text, "%0A::"));
		}
		if (!strcmp(f->name, "junit")) {
			assert_int_equal(count(text, "<failure"), 1);
			assert_null(strstr(text, "\xef\xbf\xbf")); /* XML has no U+FFFF */
		}
		free(text);
	}
	assert_null(format_find("yaml", REPORT_VERDICT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_undecided_fails),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
