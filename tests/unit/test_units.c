// SPDX-License-Identifier: GPL-2.0-only
/* test_units.c - durations read and written, counts, rates, percentages. */
#include "fixture.h"

#include <errno.h>
#include <math.h>

#include "util/units.h"

#define US 1000ULL
#define MS 1000000ULL
#define S 1000000000ULL

static void test_parse_good(void **state)
{
	static const struct {
		const char *text;
		uint64_t unit, ns;
	} good[] = {
		{ "250ns", S, 250 },
		{ "10us", S, 10 * US },
		{ "1.5ms", S, 1500 * US },
		{ "2s", 1, 2 * S },
		{ "1m", S, 60 * S },
		{ "1h", S, 3600 * S },
		{ "7", S, 7 * S },
		{ "7", 1, 7 },
		{ "0.25", S, 250 * MS },
		{ "0", S, 0 },
		{ "0.000000001s", 1, 1 },
		{ "00012us", 1, 12 * US },
		{ "18446744073709551615ns", S, UINT64_MAX },
		{ "18446744073", S, 18446744073 * S },
		{ "1.50000us", 1, 1500 },
	};
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ns = 42;
		assert_int_equal(units_parse_duration(good[i].text, good[i].unit, &ns), 0);
		assert_true(ns == good[i].ns);
	}
}

static void test_parse_bad(void **state)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", -EINVAL },
		{ "us", -EINVAL },
		{ "-1", -EINVAL },
		{ "+1", -EINVAL },
		{ " 1", -EINVAL },
		{ "1 ", -EINVAL },
		{ "1.", -EINVAL },
		{ ".5", -EINVAL },
		{ "1..5", -EINVAL },
		{ "1e3", -EINVAL },
		{ "0x10", -EINVAL },
		{ "1US", -EINVAL },
		{ "1us2", -EINVAL },
		{ "nan", -EINVAL },
		{ "inf", -EINVAL },
		{ "1.5ns", -ERANGE },
		{ "0.0001us", -ERANGE },
		{ "18446744073709551616ns", -ERANGE },
		{ "18446744073709551616s", -ERANGE },
		{ "18446744074", -ERANGE },
		{ "99999999999999999999999", -ERANGE },
		{ "5124096h", -ERANGE },
		{ "0.1234567890123456", -ERANGE },
	};
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (units_parse_duration(bad[i].text, S, &ns) != bad[i].err)
			fail_msg("'%s' is read as %d", bad[i].text,
				 units_parse_duration(bad[i].text, S, &ns));
}

static void test_parse_bytes(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t bytes;
	} rows[] = {
		{ "1", 0, 1 },
		{ "4096", 0, 4096 },
		{ "512k", 0, 512 << 10 },
		{ "200M", 0, 200 << 20 },
		{ "1G", 0, 1 << 30 },
		{ "255T", 0, 255ULL << 40 },
		{ "0", -ERANGE, 0 },
		{ "0G", -ERANGE, 0 },
		{ "256T", -ERANGE, 0 },
		{ "281474976710656", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "281474976710655k", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "M", -EINVAL, 0 },
		{ "1.5G", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1MB", -EINVAL, 0 },
		{ "1m", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
	};
	uint64_t bytes;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bytes = 0;
		assert_int_equal(units_parse_bytes(rows[i].text, &bytes), rows[i].err);
		assert_int_equal(bytes, rows[i].bytes);
	}
}

static void test_duration(void **state)
{
	static const struct {
		double ns;
		const char *unit, *text;
	} known[] = {
		{ 0, "auto", "0 ns" },
		{ 1, "auto", "1 ns" },
		{ 999, "auto", "999 ns" },
		{ 1000, "auto", "1.000 us" },
		{ 12.34, "auto", "12.34 ns" },
		{ 999.94, "auto", "999.9 ns" },
		{ 999.96, "auto", "1.000 us" },
		{ 9999.4, "auto", "9.999 us" },
		{ 9999.6, "auto", "10.00 us" },
		{ 123456, "auto", "123.5 us" },
		{ 999960, "auto", "1.000 ms" },
		{ 1.5e9, "auto", "1.500 s" },
		{ 1e13, "auto", "10000 s" },
		{ 1.8446744073709552e19, "auto", "18446744074 s" },
		{ 1500, "ns", "1500 ns" },
		{ 1500, "ms", "0.002 ms" },
		{ 2.5e9, "us", "2500000 us" },
		{ 250, "us", "0.250 us" },
		{ 1.8446744073709552e19, "ns", "18446744073709551616 ns" },
	};
	char buf[UNITS_TEXT];
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		assert_string_equal(units_duration(buf, known[i].ns, known[i].unit), known[i].text);
}

/* Four digits and a unit, whatever the size, until seconds run out. */
static void test_duration_fits(void **state)
{
	char buf[UNITS_TEXT];
	double ns;

	for (ns = 1; ns < 9e12; ns *= 1.0003) {
		units_duration(buf, ns, "auto");
		if (strlen(buf) > 8 || strstr(buf, "1000"))
			if (ns < 999e9)
				fail_msg("%f is written as %s", ns, buf);
	}
}

static void test_count(void **state)
{
	char buf[UNITS_TEXT];

	assert_string_equal(units_count(buf, 0), "0");
	assert_string_equal(units_count(buf, 999), "999");
	assert_string_equal(units_count(buf, 1000), "1,000");
	assert_string_equal(units_count(buf, 1234567), "1,234,567");
	assert_string_equal(units_count(buf, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void test_rate(void **state)
{
	char buf[UNITS_TEXT];

	assert_string_equal(units_rate(buf, 5, 0), "-");
	assert_string_equal(units_rate(buf, 0, S), "0/s");
	assert_string_equal(units_rate(buf, 1, 5 * S), "0.2/s");
	assert_string_equal(units_rate(buf, 9999, S), "9999/s");
	assert_string_equal(units_rate(buf, 12345, S), "12.3k/s");
	assert_string_equal(units_rate(buf, 5000000, S), "5M/s");
	assert_string_equal(units_rate(buf, 999600, S), "1M/s");
	assert_string_equal(units_rate(buf, 123456789, S), "123M/s");
}

static void test_percent(void **state)
{
	char buf[UNITS_TEXT];

	assert_string_equal(units_percent(buf, 0, 0), "-");
	assert_string_equal(units_percent(buf, 0, 7), "0%");
	assert_string_equal(units_percent(buf, 7, 7), "100%");
	assert_string_equal(units_percent(buf, 1, 3), "33.3%");
	assert_string_equal(units_percent(buf, 1, 30), "3.33%");
	assert_string_equal(units_percent(buf, 1, 300), "0.333%");
	assert_string_equal(units_percent(buf, 1, 1000000), "<0.001%");
	assert_string_equal(units_percent(buf, 999999, 1000000), ">99.999%");
	assert_string_equal(units_percent(buf, 99995, 100000), ">99.99%");
	assert_string_equal(units_percent(buf, 9995, 10000), ">99.9%");
	assert_string_equal(units_percent(buf, 1, UINT64_MAX), "<0.001%");
}

static void test_share(void **state)
{
	static const struct {
		double percent;
		const char *text;
	} rows[] = {
		{ 0, "0%" },
		{ 1, "1%" },
		{ 0.5, "0.5%" },
		{ 1.04, "1.04%" },
		{ 9.994, "9.99%" },
		{ 9.996, "10%" },
		{ 20.04, "20%" },
		{ 99.97, "100%" },
		{ 119.7, "120%" },
		{ 200, "200%" },
		{ 0.00027, "0.00027%" },
		{ 0.000012345, "0.0000123%" },
		{ 1e-9, "0.000000001%" },
		{ 1e-12, "<0.000000001%" },
		{ 1e18, "1000000000000000000%" },
	};
	char buf[UNITS_TEXT];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(units_share(buf, rows[i].percent), rows[i].text);
}

static void test_change(void **state)
{
	char buf[UNITS_TEXT];

	assert_string_equal(units_change(buf, 0, 1), "+0.0%");
	assert_string_equal(units_change(buf, -0.0424, 2), "-4.24%");
	assert_string_equal(units_change(buf, 10, 1), "+1000.0%");
	assert_string_equal(units_change(buf, 10.1, 1), ">+1000%");
	assert_string_equal(units_change(buf, INFINITY, 2), ">+1000%");
}

static void test_values(void **state)
{
	static const struct {
		double value;
		const char *unit;
		const char *text;
	} rows[] = {
		{ 0, "none", "0" },
		{ 4096, "none", "4096" },
		{ 99999, "none", "99999" },
		{ 100000, "none", "100.0 k" },
		{ 2.5, "none", "2.500" },
		{ 1e6, "pages", "1.000 M pages" },
		{ 1, "pages", "1 pages" },
		{ 1.8e19, "none", "18.00 E" },
		{ 1.8e19, "a_word-of15chrs", "18.00 E a_word-of15chrs" },
		{ 1536, "bytes", "1.500 KiB" },
	};
	char buf[UNITS_TEXT];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(units_duration(buf, rows[i].value, rows[i].unit), rows[i].text);
}

static void test_words(void **state)
{
	static const char *const good[] = { "bytes", "none",  "pages",
					    "a",     "x_1-y", "a234567890_2345" };
	static const char *const bad[] = { "",        "auto", "ns",  "us", "m", "h",
					   "1a",      "a b",  "a\"", "_a", "-", "a23456789012345b",
					   "\xc3\xa4" };
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(units_is_word(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(units_is_word(bad[i]));
}

static void test_parse_values(void **state)
{
	static const struct {
		const char *text;
		double value;
		const char *unit;
	} good[] = {
		{ "17", 17, "" },
		{ "10us", 10000, "ns" },
		{ "1.5ms", 1500000, "ns" },
		{ "4KiB", 4096, "bytes" },
		{ "1.5 MiB", 1572864, "bytes" },
		{ "12B", 12, "bytes" },
		{ "3pages", 3, "pages" },
		{ "2.5 pages", 2.5, "pages" },
	};
	static const char *const bad[] = { "",      "KiB",    "-1",   "1.2.3KiB", ".5KiB",
					   "1e3 B", "4 Ki B", "0x10", "nan",      "inf" };
	char unit[UNITS_WORD];
	double value;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(units_parse_value(good[i].text, &value, unit), 0);
		assert_true(value == good[i].value);
		assert_string_equal(unit, good[i].unit);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_true(units_parse_value(bad[i], &value, unit) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_good),   cmocka_unit_test(test_parse_bad),
		cmocka_unit_test(test_duration),     cmocka_unit_test(test_duration_fits),
		cmocka_unit_test(test_count),        cmocka_unit_test(test_rate),
		cmocka_unit_test(test_percent),      cmocka_unit_test(test_share),
		cmocka_unit_test(test_change),       cmocka_unit_test(test_parse_bytes),
		cmocka_unit_test(test_values),       cmocka_unit_test(test_words),
		cmocka_unit_test(test_parse_values),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
