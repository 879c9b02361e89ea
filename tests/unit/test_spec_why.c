// SPDX-License-Identifier: GPL-2.0-only
/* test_spec_why.c - the words of `why`: which calls are slow, and what it refuses. */
#include <errno.h>
#include <stdio.h>

#include "fixture.h"

#include "spec/spec.h"
#include "util/words.h"

#define WORDS 16

static int parse_why(struct spec *spec, const char *line, struct error *e)
{
	static char text[256];
	struct option_row rows[128] = {};
	char *words[WORDS + 1] = {}, *rest = text;
	size_t n = 0, i;
	int argc = 0;

	for (i = 0; spec_options[i].name; i++)
		rows[n++] = spec_options[i];
	rows[n++] = spec_why_options[0];
	snprintf(text, sizeof(text), "why %s", line);
	while (rest && argc < WORDS && (words[argc] = words_next(&rest)))
		argc++;
	*e = (struct error){};
	return spec_parse_why(spec, rows, argc, words, e);
}

static void test_slower(void **state)
{
	static const struct {
		const char *line;
		unsigned int millionths;
		uint64_t ns;
	} rows[] = {
		{ "a", 990000, 0 },
		{ "a --slower p99", 990000, 0 },
		{ "a --slower p99.9", 999000, 0 },
		{ "a --slower p50", 500000, 0 },
		{ "a --slower 1ms", 0, 1000000 },
		{ "a --slower 250", 0, 250 },
		{ "a --slower p99 --slower 2s", 0, 2000000000 },
	};
	struct spec spec;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(parse_why(&spec, rows[i].line, &e), 0);
		assert_int_equal(spec.slower.millionths, rows[i].millionths);
		assert_int_equal(spec.slower.ns, rows[i].ns);
		assert_true(spec.why && spec.parts);
		spec_free(&spec);
	}
}

static void test_no_parts(void **state)
{
	struct spec spec;
	struct error e;

	assert_int_equal(parse_why(&spec, "--start tp:a --end tp:b --key arg0", &e), 0);
	assert_true(spec.why && !spec.parts);
	spec_free(&spec);
	assert_int_equal(parse_why(&spec, "--start tp:a --end tp:b --key cpu", &e), 0);
	assert_true(spec.why && !spec.parts);
	spec_free(&spec);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line, *what;
	} rows[] = {
		{ "a --slower p49", "'p49' for --slower" },
		{ "a --slower p100", "'p100' for --slower" },
		{ "a --slower p", "'p' for --slower" },
		{ "a --slower p99x", "'p99x' for --slower" },
		{ "a --slower 0", "'0' for --slower" },
		{ "a --slower soon", "'soon' for --slower" },
		{ "a --value ret", "--value with why" },
		{ "a --gap", "--gap with why" },
		{ "a -i 1", "--interval with why" },
		{ "a -d 1 --assert 'p99<1ms'", "with why" },
		{ "a --by 'ret < 0'", "--by 'ret < 0' with why" },
		{ "a --floor subtract", "--floor subtract with why" },
		{ "a -m direct", "--method direct with why" },
		{ "--start tp:a --end tp:b -m trace-event", "--method trace-event with why" },
	};
	struct spec spec;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(parse_why(&spec, rows[i].line, &e), -EINVAL);
		if (!strstr(e.what, rows[i].what))
			fail_msg("%s: %s: %s", rows[i].line, e.what, e.why);
		assert_true(*e.why);
		spec_free(&spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slower),
		cmocka_unit_test(test_no_parts),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
