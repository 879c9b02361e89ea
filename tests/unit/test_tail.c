// SPDX-License-Identifier: GPL-2.0-only
/* test_tail.c - what samples tell of the mean, and what they do not where a tail is heavy. */
#include "fixture.h"

#include <math.h>

#include "judge/check.h"

static const struct check_terms terms = { .confidence = 0.99, .max_loss = 0.01 };

/* A run whose samples have the quantiles of a Pareto distribution, or of an exponential one. */
static struct snapshot *tail_run(double index, unsigned int samples)
{
	struct snapshot *s = snapshot_new(5, 1, 1);
	double left;
	unsigned int i;

	fixture_name(s, 0, "f");
	fixture_begin(s);
	for (i = 0; i < samples; i++) {
		left = (i + 0.5) / samples;
		fixture_record(s, 0, 0, 1000 * (index > 0 ? pow(left, -1 / index) : -log(left)), 1);
	}
	fixture_end(s);
	return s;
}

static enum check_verdict verdict_of(struct snapshot *run, const char *text, const char *next)
{
	const struct compare_set set = { .n = 1, .runs = (const struct snapshot *const *)&run };
	enum check_verdict v;
	struct check_rule rule;
	struct check c;
	struct error e;

	assert_int_equal(check_parse_assert(&rule, text, &e), 0);
	assert_int_equal(check_make(&c, &rule, 1, &set, NULL, &terms, &e), 0);
	v = c.verdict;
	assert_non_null(strstr(c.results[0].next, next));
	assert_non_null(strstr(c.results[0].why, "one run does not tell how runs differ"));
	check_free(&c);
	return v;
}

static void test_assert(void **state)
{
	struct snapshot *s = tail_run(0, 10000);

	assert_int_equal(verdict_of(s, "mean<1100", ""), CHECK_PASS);
	assert_int_equal(verdict_of(s, "mean<1010", "too near the limit"), CHECK_INCONCLUSIVE);
	assert_int_equal(verdict_of(s, "mean<900", ""), CHECK_FAIL);
	snapshot_free(s);
	s = tail_run(0, 50);
	assert_int_equal(verdict_of(s, "mean<1s", "limit a quantile"), CHECK_INCONCLUSIVE);
	snapshot_free(s);
	/* Its mean is 6,000, and that of most samples of it is smaller. */
	s = tail_run(1.2, 10000);
	assert_int_equal(verdict_of(s, "mean<10us", "limit a quantile such as p50 or p99"),
			 CHECK_INCONCLUSIVE);
	assert_int_equal(verdict_of(s, "mean<1us", ""), CHECK_FAIL);
	assert_int_equal(verdict_of(s, "p50<10us", ""), CHECK_PASS);
	snapshot_free(s);
}

/* Runs of unlike lengths have other means, where few samples decide them. */
static void test_lengths(void **state)
{
	static const struct {
		double index;
		unsigned int before, after;
		bool known;
	} rows[] = { { 1.2, 300, 3000, false },
		     { 1.2, 3000, 300, false },
		     { 1.2, 3000, 3000, true },
		     { 0, 3000, 9000, true } };
	const struct compare_metric mean[] = { { .name = "mean", .millionths = COMPARE_MEAN }, {} };
	struct snapshot *runs[12];
	const struct compare_set a = { .n = 6, .runs = (const struct snapshot *const *)runs };
	const struct compare_set b = { .n = 6, .runs = (const struct snapshot *const *)runs + 6 };
	struct compare c;
	struct error e;
	size_t i, k;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (k = 0; k < 12; k++)
			runs[k] = tail_run(rows[i].index, k < 6 ? rows[i].before : rows[i].after);
		assert_int_equal(compare_make(&c, &a, &b, mean, 0.95, &e), 0);
		assert_int_equal(c.rows[0].known, rows[i].known);
		compare_free(&c);
		for (k = 0; k < 12; k++)
			snapshot_free(runs[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assert),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
