// SPDX-License-Identifier: GPL-2.0-only
/* test_hgrm.c - what plotters of HdrHistogram's files take from ours. */
#include "fixture.h"

#include <math.h>

#include "format/format.h"

static char *render(struct snapshot *s)
{
	struct recording *r = recording_new(s);
	const struct report_look o = { .unit = "ns" };
	const struct report_set one = { 1, (const struct recording *const *)&r };
	size_t size;
	char *text;
	FILE *out;

	assert_non_null(r);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(format_trace(format_find("hgrm", REPORT_TRACE), out, &one, &o), 0);
	fclose(out);
	recording_free(r);
	return text;
}

static double number_after(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	assert_non_null(at);
	return strtod(at + strlen(what), NULL);
}

/* 777 and 1000 are in one slot of 512 values: what is said must allow for 111.5. */
static void test_deviation(void **state)
{
	struct snapshot *s = fixture_new(0, 1, 1);
	char *text;

	fixture_record(s, 0, 0, 777, 1000);
	fixture_record(s, 0, 0, 1000, 1000);
	text = render(s);
	assert_true(number_after(text, "StdDeviation   =") > 70);
	assert_true(number_after(text, "StdDeviation of ") < 1);
	assert_true(number_after(strstr(text, "StdDeviation of "), " to ") > 111.5);
	free(text);
}

/* Where slots hold one value each, nothing is open. */
static void test_exact(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	char *text;

	fixture_record(s, 0, 0, 10, 500);
	fixture_record(s, 0, 0, 20, 500);
	text = render(s);
	assert_true(number_after(text, "StdDeviation   =") == 5);
	assert_true(number_after(text, "StdDeviation of ") == 5);
	assert_true(number_after(strstr(text, "StdDeviation of "), " to ") == 5);
	free(text);
}

/* Every row has four columns, the last of them finite. */
static void test_last_row(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	char *text, *line, *save = NULL, rest[8];
	double value, part, n, inverse, last = 0;
	unsigned int rows = 0;

	fixture_record(s, 0, 0, 10, 3);
	fixture_record(s, 0, 0, 20, 1);
	text = render(s);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '#' || strstr(line, "Percentile"))
			continue;
		assert_int_equal(
			sscanf(line, "%lf %lf %lf %lf %7s", &value, &part, &n, &inverse, rest), 4);
		assert_true(isfinite(inverse) && inverse > last);
		last = inverse;
		rows++;
	}
	assert_int_equal(rows, 2);
	assert_true(last == 8);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deviation),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_last_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
