// SPDX-License-Identifier: GPL-2.0-only
/* test_check.c - rules out of words, and what they say of made-up runs. */
#include "fixture.h"

#include <errno.h>

#include "judge/check.h"

static const char *const bad_asserts[] = {
	"",
	"p",
	"p0<1us",
	"p100.1<1us",
	"p99.99999<1us",
	"p99",
	"p99=1us",
	"p99<",
	"p99<fast",
	"p99<-1us",
	"q99<1us",
	"mean",
	"count<x",
	"count<1%",
	"rate<1/s",
	"loss<1%%",
	"loss<%",
	"loss<1e3",
	"loss<nan",
	"p99.<1us",
	"p9999<1us",
	"p99<1us p50<1us",
	"mean<1111111111111111111111111111111111111111111111111111",
};

static void test_parse_assert(void **state)
{
	static const struct {
		const char *text;
		enum check_field field;
		uint32_t millionths;
		enum check_op op;
		double limit;
		bool share;
	} good[] = {
		{ "p99<10us", CHECK_QUANTILE, 990000, CHECK_LT, 10000, false },
		{ "p99.9 <= 1.5ms", CHECK_QUANTILE, 999000, CHECK_LE, 1500000, false },
		{ "p0.0001>1", CHECK_QUANTILE, 1, CHECK_GT, 1, false },
		{ "p100<1s", CHECK_QUANTILE, 1000000, CHECK_LT, 1e9, false },
		{ "mean<2us", CHECK_MEAN, COMPARE_MEAN, CHECK_LT, 2000, false },
		{ "min>=100ns", CHECK_MIN, 0, CHECK_GE, 100, false },
		{ "max<1s", CHECK_MAX, DIST_ONE, CHECK_LT, 1e9, false },
		{ "count==10007", CHECK_COUNT, 0, CHECK_EQ, 10007, false },
		{ "rate>0.5", CHECK_RATE, 0, CHECK_GT, 0.5, false },
		{ "loss==0", CHECK_LOSS, 0, CHECK_EQ, 0, false },
		{ "loss<0.1%", CHECK_LOSS, 0, CHECK_LT, 0.001, true },
	};
	struct check_rule rule;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(check_parse_assert(&rule, good[i].text, &e), 0);
		assert_string_equal(rule.text, good[i].text);
		assert_int_equal(rule.field, good[i].field);
		assert_int_equal(rule.millionths, good[i].millionths);
		assert_int_equal(rule.op, good[i].op);
		assert_true(rule.limit == good[i].limit);
		assert_int_equal(rule.share, good[i].share);
		assert_false(rule.relative);
	}
	for (i = 0; i < sizeof(bad_asserts) / sizeof(*bad_asserts); i++) {
		if (check_parse_assert(&rule, bad_asserts[i], &e) != -EINVAL)
			fail_msg("taken: %s", bad_asserts[i]);
		assert_true(strlen(e.why) && strlen(e.next));
	}
}

static void test_parse_increase(void **state)
{
	static const char *const bad[] = { "p99=5",   "p99",   "p99<5%", "count=5%",
					   "p99=-5%", "p99=%", "=5%",    "p99=5%x" };
	struct check_rule rule;
	struct error e;
	size_t i;

	assert_int_equal(check_parse_increase(&rule, "p99=5%", &e), 0);
	assert_true(rule.relative);
	assert_true(rule.limit == 0.05);
	assert_int_equal(check_parse_increase(&rule, "mean=0.5%", &e), 0);
	assert_int_equal(rule.millionths, COMPARE_MEAN);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (check_parse_increase(&rule, bad[i], &e) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
}

static const struct check_terms terms = { .confidence = 0.95, .max_loss = 0.01 };

/* 900 samples of 1 us, 100 of 8 us, in 2 s; 1,010 started, of which 10 were lost. */
static struct snapshot *run_make(uint64_t factor)
{
	struct snapshot *s = snapshot_new(3, 2, 2);
	uint32_t i = kstats_slot_index(1000 * factor, 3), k = kstats_slot_index(8000 * factor, 3);

	fixture_name(s, 0, "f");
	fixture_name(s, 1, "GAP-f");
	s->nodes[1].kind = SNAPSHOT_GAP;
	s->nodes[1].owner = 0;
	s->span.begin_ns = 1;
	s->span.end_ns = 2000000001;
	fixture_set(s, 0, 0, i, (struct kstats_slot){ 900, 900000 * factor });
	fixture_set(s, 0, 1, k, (struct kstats_slot){ 100, 800000 * factor });
	s->nodes[0].ledger[KSTATS_STARTED] = 1010;
	s->nodes[0].ledger[KSTATS_BUSY] = 10;
	s->span.final = true;
	return s;
}

/* Above the bound only the loss is judged; at the bound all is. */
static void test_max_loss(void **state)
{
	static const struct {
		uint64_t started, busy, anyone;
		double max;
		const char *text;
		enum check_verdict verdict;
		bool lossy;
	} rows[] = {
		{ 1010, 10, 0, 0.01, "p50<1.1us", CHECK_PASS, false },
		{ 1011, 11, 0, 0.01, "p50<1.1us", CHECK_INCONCLUSIVE, true },
		{ 1011, 11, 0, 0.01, "p50<900", CHECK_INCONCLUSIVE, true },
		{ 1011, 11, 0, 0.02, "p50<900", CHECK_FAIL, false },
		{ 1011, 11, 0, 0.01, "count==1000", CHECK_INCONCLUSIVE, true },
		{ 1011, 11, 0, 0.01, "loss<2%", CHECK_PASS, false },
		{ 1011, 11, 0, 0.01, "loss<1%", CHECK_FAIL, false },
		{ 1000, 0, 0, 0, "p50<1.1us", CHECK_PASS, false },
		{ 1001, 1, 0, 0, "p50<1.1us", CHECK_INCONCLUSIVE, true },
		/* Skipped among all tasks: perhaps some of these, and perhaps none. */
		{ 1000, 0, 9000, 0.01, "p50<1.1us", CHECK_PASS, false },
		{ 1000, 0, 9000, 0.01, "loss==0", CHECK_INCONCLUSIVE, false },
		{ 1000, 0, 9000, 0.01, "loss<=9000", CHECK_PASS, false },
		{ 1000, 0, 9000, 0.01, "loss<91%", CHECK_PASS, false },
		{ 1000, 0, 9000, 0.01, "loss<90%", CHECK_INCONCLUSIVE, false },
		{ 1010, 10, 9000, 0.01, "loss==0", CHECK_FAIL, false },
	};
	struct snapshot *run = run_make(1);
	const struct compare_set set = { .n = 1, .runs = (const struct snapshot *const *)&run };
	struct check_rule rule;
	struct check c;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct check_terms t = { .confidence = 0.95, .max_loss = rows[i].max };

		run->nodes[0].ledger[KSTATS_STARTED] = rows[i].started;
		run->nodes[0].ledger[KSTATS_BUSY] = rows[i].busy;
		run->nodes[0].ledger[KSTATS_SKIPPED_ANYONE] = rows[i].anyone;
		assert_int_equal(check_parse_assert(&rule, rows[i].text, &e), 0);
		assert_int_equal(check_make(&c, &rule, 1, &set, NULL, &t, &e), 0);
		if (c.verdict != rows[i].verdict || c.lossy != rows[i].lossy)
			fail_msg("row %zu: %s: %s", i, check_verdict_name(c.verdict),
				 c.results[0].why);
		if (rows[i].lossy)
			assert_non_null(strstr(c.results[0].why, "calls were lost, more than"));
		check_free(&c);
	}
	snapshot_free(run);
}

/* A base that lost much is nothing to compare with. */
static void test_max_loss_of_base(void **state)
{
	struct snapshot *runs[2] = { run_make(1), run_make(1) };
	struct snapshot *before[2] = { run_make(1), run_make(1) };
	const struct compare_set set = { .n = 2, .runs = (const struct snapshot *const *)runs };
	const struct compare_set base = { .n = 2, .runs = (const struct snapshot *const *)before };
	struct check_rule rules[2];
	struct check c;
	struct error e;

	before[1]->nodes[0].ledger[KSTATS_STARTED] += 100;
	before[1]->nodes[0].ledger[KSTATS_BUSY] += 100;
	assert_int_equal(check_parse_increase(&rules[0], "p50=900%", &e), 0);
	assert_int_equal(check_parse_assert(&rules[1], "p50<1.1us", &e), 0);
	assert_int_equal(check_make(&c, rules, 2, &set, &base, &terms, &e), 0);
	assert_true(c.lossy);
	assert_int_equal(c.results[0].verdict, CHECK_INCONCLUSIVE);
	assert_non_null(strstr(c.results[0].why, "5.66% of its calls were lost, more than 1%"));
	assert_int_equal(c.results[1].verdict, CHECK_PASS);
	check_free(&c);
	for (int i = 0; i < 2; i++) {
		snapshot_free(runs[i]);
		snapshot_free(before[i]);
	}
}

static void test_absolute(void **state)
{
	static const struct {
		const char *text;
		enum check_verdict verdict;
	} rows[] = {
		{ "p50<1.1us", CHECK_PASS },
		{ "p50<1us", CHECK_INCONCLUSIVE },
		{ "p50<900", CHECK_FAIL },
		{ "p99<8us", CHECK_INCONCLUSIVE },
		{ "p99<8.5us", CHECK_PASS },
		{ "p99>7.5us", CHECK_PASS },
		{ "p99>9us", CHECK_FAIL },
		{ "mean==1700", CHECK_PASS },
		{ "mean<2us", CHECK_PASS },
		{ "mean<1.5us", CHECK_FAIL },
		{ "mean<1.75us", CHECK_INCONCLUSIVE },
		{ "count==2000", CHECK_PASS },
		{ "count>2000", CHECK_FAIL },
		{ "rate>=500", CHECK_PASS },
		{ "rate<500", CHECK_FAIL },
		{ "loss==0", CHECK_FAIL },
		{ "loss<=20", CHECK_PASS },
		{ "loss<1%", CHECK_PASS },
		{ "loss<0.9%", CHECK_FAIL },
		{ "min>=800", CHECK_PASS },
		{ "max<16us", CHECK_PASS },
		{ "max<7us", CHECK_FAIL },
	};
	struct snapshot *runs[2] = { run_make(1), run_make(1) };
	const struct compare_set set = { .n = 2, .runs = (const struct snapshot *const *)runs };
	struct check_rule rule;
	struct error e;
	struct check c;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(check_parse_assert(&rule, rows[i].text, &e), 0);
		assert_int_equal(check_make(&c, &rule, 1, &set, NULL, &terms, &e), 0);
		assert_int_equal(c.n, 1); /* and none of the gap */
		if (c.results[0].verdict != rows[i].verdict)
			fail_msg("%s: %s, %s", rows[i].text,
				 check_verdict_name(c.results[0].verdict), c.results[0].why);
		assert_int_equal(c.verdict, rows[i].verdict);
		assert_int_equal(!c.results[0].next[0], c.verdict != CHECK_INCONCLUSIVE);
		check_free(&c);
	}
	snapshot_free(runs[0]);
	snapshot_free(runs[1]);
}

static void test_relative(void **state)
{
	struct snapshot *runs[4] = { run_make(1), run_make(1), run_make(2), run_make(2) };
	const struct compare_set base = { .n = 2, .runs = (const struct snapshot *const *)runs };
	const struct compare_set twice = { .n = 2,
					   .runs = (const struct snapshot *const *)runs + 2 };
	const struct compare_set one = { .n = 1, .runs = (const struct snapshot *const *)runs + 2 };
	struct check_rule rules[3];
	struct error e;
	struct check c;

	assert_int_equal(check_parse_increase(&rules[0], "mean=20%", &e), 0);
	assert_int_equal(check_parse_increase(&rules[1], "mean=200%", &e), 0);
	assert_int_equal(check_parse_assert(&rules[2], "loss<1%", &e), 0);
	assert_int_equal(check_make(&c, rules, 3, &twice, &base, &terms, &e), 0);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.results[0].verdict, CHECK_FAIL);
	assert_int_equal(c.results[1].verdict, CHECK_PASS);
	assert_int_equal(c.results[2].verdict, CHECK_PASS);
	assert_int_equal(c.verdict, CHECK_FAIL);
	check_free(&c);
	assert_int_equal(check_make(&c, rules, 1, &one, &base, &terms, &e), 0);
	assert_int_equal(c.verdict, CHECK_INCONCLUSIVE);
	assert_non_null(strstr(c.results[0].next, "at least 2 runs"));
	check_free(&c);
	fixture_name(runs[2], 0, "g");
	assert_int_equal(check_make(&c, rules, 1, &one, &base, &terms, &e), 0);
	assert_non_null(strstr(c.results[0].why, "does not measure"));
	check_free(&c);
	snapshot_free(runs[3]);
	runs[3] = snapshot_new(5, 2, 1);
	fixture_name(runs[3], 0, "g");
	assert_int_equal(check_make(&c, &rules[2], 1, &twice, NULL, &terms, &e), -EINVAL);
	assert_non_null(strstr(e.why, "bits"));
	for (size_t i = 0; i < 4; i++)
		snapshot_free(runs[i]);
}

static double upper_end(struct snapshot *const *runs, uint64_t gaps)
{
	const struct compare_set base = { .n = 2, .runs = (const struct snapshot *const *)runs };
	const struct compare_set after = { .n = 2,
					   .runs = (const struct snapshot *const *)runs + 2 };
	struct check_rule rule;
	struct error e;
	struct check c;
	double hi;
	int i;

	/* What repeats in every run has an interval, and one that is wide. */
	for (i = 0; i < 4; i++)
		fixture_set(runs[i], 1, 0, 7 + i % 2,
			    (struct kstats_slot){ gaps, gaps * (7 + i % 2) });
	assert_int_equal(check_parse_increase(&rule, "mean=50%", &e), 0);
	assert_int_equal(check_make(&c, &rule, 1, &after, &base, &terms, &e), 0);
	assert_int_equal(c.n, 1);
	hi = c.results[0].hi;
	check_free(&c);
	return hi;
}

/* Gaps are not judged, so they take nothing from the level of what is. */
static void test_gaps(void **state)
{
	struct snapshot *runs[4] = { run_make(1), run_make(2), run_make(1), run_make(2) };
	double without = upper_end(runs, 0);
	int i;

	assert_true(without > 0.5);
	assert_true(upper_end(runs, 100) == without);
	for (i = 0; i < 4; i++)
		snapshot_free(runs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_assert), cmocka_unit_test(test_parse_increase),
		cmocka_unit_test(test_max_loss),     cmocka_unit_test(test_max_loss_of_base),
		cmocka_unit_test(test_absolute),     cmocka_unit_test(test_relative),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
