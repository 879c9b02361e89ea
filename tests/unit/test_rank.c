// SPDX-License-Identifier: GPL-2.0-only
/* test_rank.c - an increase that single runs hide, by the ranks of the runs. */
#include "fixture.h"

#include <math.h>

#include "judge/check.h"
#include "judge/priv.h"

#define RUNS 12
#define BEFORE 10
#define AFTER 5
#define LIMIT 0.05

static const struct check_terms terms = { .confidence = 0.99, .max_loss = 0.01 };

/* A run with many samples around a value, as far as its slots go. */
static struct snapshot *run_of(double ns, unsigned int when)
{
	struct snapshot *s = snapshot_new(5, 1, 1);
	uint64_t i;

	fixture_name(s, 0, "f");
	fixture_begin(s);
	for (i = 0; i < 1000; i++)
		fixture_record(s, 0, 0, ns * (0.8 + 0.4 * i / 1000), 1);
	fixture_end(s);
	s->span.wall_ns = 1000000000ULL * (when + 1);
	return s;
}

/* In turn; of each side, one run in @strays is twice as slow. */
static enum check_verdict verdict_of(double factor, unsigned int strays, struct check *c,
				     struct snapshot **runs)
{
	const struct compare_set base = { .n = RUNS, .runs = (const struct snapshot *const *)runs };
	const struct compare_set judged = { .n = RUNS,
					    .runs = (const struct snapshot *const *)runs + RUNS };
	static struct check_rule rule;
	struct error e;
	double off;
	int i;

	for (i = 0; i < RUNS; i++) {
		off = 1 + 0.04 * ((i * 5) % 7 - 3) / 3;
		runs[i] = run_of(10000 * off * (strays && i % strays == 1 ? 2 : 1), 2 * i);
		off = 1 + 0.04 * ((i * 3) % 7 - 3) / 3;
		runs[RUNS + i] = run_of(10000 * off * factor, 2 * i + 1);
	}
	assert_int_equal(check_parse_increase(&rule, "p50=5%", &e), 0);
	assert_int_equal(check_make(c, &rule, 1, &judged, &base, &terms, &e), 0);
	return c->verdict;
}

static void end(struct check *c, struct snapshot **runs)
{
	int i;

	check_free(c);
	for (i = 0; i < 2 * RUNS; i++)
		snapshot_free(runs[i]);
}

/* Two of twelve runs of the base hide a change of 20 % from the mean. */
static void test_strays(void **state)
{
	struct snapshot *runs[2 * RUNS];
	struct check c;

	assert_int_equal(verdict_of(1.2, 6, &c, runs), CHECK_FAIL);
	assert_true(c.results[0].row->by_rank);
	assert_true(c.results[0].lo > 0.05 && c.results[0].lo < 0.2);
	assert_true(fabs(c.results[0].row->change - 0.2) < 0.03);
	assert_non_null(strstr(c.results[0].why, "by medians and ranks"));
	end(&c, runs);
	assert_int_equal(verdict_of(1.2, 0, &c, runs), CHECK_FAIL);
	assert_false(c.results[0].row->by_rank);
	end(&c, runs);
}

static void test_equal(void **state)
{
	struct snapshot *runs[2 * RUNS];
	struct check c;

	assert_int_equal(verdict_of(1, 6, &c, runs), CHECK_INCONCLUSIVE);
	assert_false(c.results[0].row->by_rank);
	end(&c, runs);
	assert_int_equal(verdict_of(1.06, 6, &c, runs), CHECK_INCONCLUSIVE);
	assert_false(c.results[0].row->by_rank);
	end(&c, runs);
	assert_int_equal(verdict_of(1, 0, &c, runs), CHECK_PASS);
	end(&c, runs);
}

/* A program in two modes: @upper has a bit for each run in the slower one. */
static bool modes_may_be_chance(unsigned int upper, double change)
{
	static const struct compare_metric metric = { "p50", COMPARE_MEAN, true, LIMIT, NULL };
	struct compare_run runs[BEFORE + AFTER] = {};
	const struct compare_row row = {
		.metric = &metric,
		.a.runs = BEFORE,
		.b.runs = AFTER,
		.n_runs = BEFORE + AFTER,
		.runs = runs,
		.ranked = true,
	};
	unsigned int i;

	for (i = 0; i < BEFORE + AFTER; i++) {
		runs[i].after = i >= BEFORE;
		/* No two runs are equal. */
		runs[i].log = 0.001 * ((i * 7) % (BEFORE + AFTER)) +
			      (upper >> i & 1 ? log(1.25) : 0) +
			      (runs[i].after ? log1p(change) : 0);
	}
	return rank_may_be_chance(&row, LIMIT, 0.01);
}

/* The change is the limit: that the runs after it are all in one mode shows no more. */
static void test_modes(void **state)
{
	unsigned int i, n = fixture_rounds(1000, 100), wrong = 0;
	uint64_t draw = 20261124;

	assert_true(modes_may_be_chance(0x1f << BEFORE | 0x155, LIMIT));
	assert_false(modes_may_be_chance(0x1f << BEFORE | 0x155, 0.4));
	for (i = 0; i < n; i++) {
		draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
		wrong += !modes_may_be_chance(draw >> 40, LIMIT);
	}
	/* Three standard errors above 1 %. */
	if (wrong > n * 0.01 + 3 * sqrt(n * 0.01))
		fail_msg("%u of %u are taken for more than the limit", wrong, n);
}

/* The fewest runs that are dealt out, in 252 ways: by one of them they are so far apart. */
static void test_few(void **state)
{
	static const struct compare_metric metric = { "p50", COMPARE_MEAN, true, 0, NULL };
	struct compare_run runs[2 * COMPARE_RUNS_PERMUTED] = {};
	const struct compare_row row = {
		.metric = &metric,
		.a.runs = COMPARE_RUNS_PERMUTED,
		.b.runs = COMPARE_RUNS_PERMUTED,
		.n_runs = 2 * COMPARE_RUNS_PERMUTED,
		.runs = runs,
		.ranked = true,
	};
	unsigned int i;

	for (i = 0; i < row.n_runs; i++) {
		runs[i].after = i >= COMPARE_RUNS_PERMUTED;
		runs[i].log = 0.01 * i;
	}
	assert_true(fabs(rank_p(&row, 1) - 1 / 252.0) < 1e-9);
	assert_false(rank_may_be_chance(&row, 0, 1.01 / 252));
	assert_true(rank_may_be_chance(&row, 0, 0.99 / 252));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strays),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
