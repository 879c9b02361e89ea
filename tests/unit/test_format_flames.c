// SPDX-License-Identifier: GPL-2.0-only
/* test_format_flames.c - stacks as a flame graph: which boxes there are, and how wide they are. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "format/priv.h"

static char *drawn(struct report_flame *rows, size_t n)
{
	const struct report_flames x = { "stacks", "auto", n, rows };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(html_flames(out, &x), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void shows(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in: %s", part, text);
}

static void test_boxes(void **state)
{
	struct report_flame rows[] = {
		{ "main;b;<x>", 10 },
		{ "main;a", 20 },
		{ "main;a;c", 30 },
		{ "main.part.0;a", 40 },
	};
	char *text = drawn(rows, 4);

	/* One of a name stands on each of its callers; the outermost function is at the bottom. */
	shows(text, "viewBox=\"0 0 1100 57\"");
	shows(text,
	      "x=\"440.0\" y=\"38.0\" width=\"659.0\" height=\"18\"><title>main: 60 ns, 60.0%<");
	shows(text, "x=\"0.0\" y=\"38.0\" width=\"439.0\" height=\"18\"><title>main.part.0: 40 ns");
	shows(text, "x=\"0.0\" y=\"19.0\" width=\"439.0\" height=\"18\"><title>a: 40 ns, 40.0%<");
	shows(text, "x=\"440.0\" y=\"19.0\" width=\"549.0\" height=\"18\"><title>a: 50 ns, 50.0%<");
	shows(text, "x=\"660.0\" y=\"0.0\" width=\"329.0\" height=\"18\"><title>c: 30 ns, 30.0%<");
	shows(text, "width=\"109.0\" height=\"18\"><title>&lt;x&gt;: 10 ns, 10.0%<");
	free(text);
}

/* A function that is too narrow has no name, and then no box. */
static void test_narrow(void **state)
{
	struct report_flame rows[] = {
		{ "long_name_of_a_function", 960 },
		{ "second", 39.9 },
		{ "third", 0.1 },
	};
	char *text = drawn(rows, 3);

	shows(text, ">long_name_of_a_function</text>");
	shows(text, "<title>second: ");
	assert_null(strstr(text, ">second</text>"));
	assert_null(strstr(text, "third"));
	free(text);
	assert_string_equal(text = drawn(rows, 0), "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes),
		cmocka_unit_test(test_narrow),
	};

	return cmocka_run_group_tests_name("flames", tests, NULL, NULL);
}
