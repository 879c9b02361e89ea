// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_history.c - a set of runs against accepted ones, and steps in series: worked
 * examples, and in short what tests/bench/history.c shows at length.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "fixture.h"

#include <math.h>

#include "judge/judge.h"
#include "judge/priv.h"

#define BITS 3
#define CENTRE_NS 1e6
#define SAMPLES 1000000
#define RUNS_MAX 1000

/* A run whose mean is known exactly. */
static struct snapshot *run_make(double log)
{
	struct snapshot *s = snapshot_new(BITS, 1, 1);
	uint64_t ns = CENTRE_NS * exp(log);

	fixture_name(s, 0, "f");
	s->span.wall_ns = 1;
	s->span.end_ns = 1000000000;
	fixture_set(s, 0, 0, kstats_slot_index(ns, BITS),
		    (struct kstats_slot){ SAMPLES,
					  kstats_slot_scale(CENTRE_NS * exp(log) * SAMPLES,
							    kstats_slot_index(ns, BITS), BITS) });
	return s;
}

struct sets {
	struct snapshot *runs[RUNS_MAX];
	size_t set_of[RUNS_MAX];
	size_t n;
	size_t base; /* runs of accepted sets */
	size_t last_sets; /* the first of the last sets */
};

static void sets_add(struct sets *s, size_t set, double log)
{
	s->set_of[s->n] = set;
	s->runs[s->n++] = run_make(log);
}

static void sets_judge(struct sets *s, struct check *c, struct check_rule *rule, const char *text)
{
	const struct compare_set base = { .n = s->base,
					  .runs = (const struct snapshot *const *)s->runs,
					  .set_of = s->set_of,
					  .last_sets = s->last_sets };
	const struct compare_set fresh = {
		.n = s->n - s->base, .runs = (const struct snapshot *const *)s->runs + s->base
	};
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 1 };
	struct error e;

	assert_int_equal(check_parse_increase(rule, text, &e), 0);
	assert_int_equal(check_make(c, rule, 1, &fresh, &base, &terms, &e), 0);
}

static void sets_free(struct sets *s)
{
	while (s->n)
		snapshot_free(s->runs[--s->n]);
}

static void near(double a, double b)
{
	if (fabs(a - b) > 2e-3)
		fail_msg("%.6f is not %.6f", a, b);
}

static const double five[] = { 0, 0.01, -0.01, 0.02, -0.02 };

static void add_five(struct sets *s, size_t runs)
{
	size_t i, k;

	for (i = 0; i < 5; i++)
		for (k = 0; k < runs; k++)
			sets_add(s, i, five[i]);
	s->base = s->n;
}

/*
 * Sets of one run tell nothing of runs. The lower end is above the last sets, 0.1 - t(0.99; 4) =
 * 3.747 x sqrt(0.00025 x 6 / 5), the upper end above the three oldest, 0.1 + t(0.99; 4) x
 * sqrt(0.00025 x 4 / 3).
 */
static void test_views(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	const struct compare_row *row;

	add_five(&s, 1);
	sets_add(&s, 5, 0.1);
	sets_judge(&s, &c, &rule, "mean=0%");
	row = &c.compared.rows[0];
	assert_true(row->known && row->history);
	assert_int_equal(row->sets, 5);
	near(row->change, expm1(0.1));
	near(row->sets_spread, sqrt(0.00025));
	near(row->views[0].centre, 0.1);
	near(row->views[0].error, sqrt(0.00025 * 1.2));
	assert_int_equal(row->n_views, 2);
	near(row->lo, expm1(0.1 - 3.747 * sqrt(0.0003)));
	near(row->hi, expm1(0.1 + 3.747 * sqrt(0.001 / 3)));
	assert_int_equal(c.verdict, CHECK_FAIL);
	check_free(&c);
	sets_free(&s);
}

/* Runs of a set are no observations of their own: as many as one may record. */
static void test_unit(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	size_t i;

	add_five(&s, 12);
	for (i = 0; i < 12; i++)
		sets_add(&s, 5, 0.1);
	sets_judge(&s, &c, &rule, "mean=0%");
	assert_int_equal(c.compared.rows[0].sets, 5);
	near(c.compared.rows[0].views[0].error, sqrt(0.00025 * 1.2));
	near(c.compared.rows[0].views[0].freedom, 4);
	assert_int_equal(c.verdict, CHECK_FAIL);
	check_free(&c);
	sets_free(&s);
}

/* The new set is not surer than its runs: 0.1 +- 0.06 has a variance of 0.0072 / 2. */
static void test_fresh(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;

	add_five(&s, 1);
	sets_add(&s, 5, 0.04);
	sets_add(&s, 5, 0.16);
	sets_judge(&s, &c, &rule, "mean=0%");
	near(c.compared.rows[0].views[0].error, sqrt(0.0072 / 2 + 0.00025 / 5));
	assert_true(c.compared.rows[0].views[0].freedom < 1.1);
	check_free(&c);
	sets_free(&s);
}

/* Sets of four runs that differ by 0.04, a new one of one run: it may stray by all of it. */
static void test_fewer(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	size_t i, k;

	for (i = 0; i < 6; i++)
		for (k = 0; k < 4; k++)
			sets_add(&s, i, k % 2 ? 0.04 : -0.04);
	s.base = s.n;
	sets_add(&s, 6, 0);
	sets_judge(&s, &c, &rule, "mean=0%");
	/* Within a set 4 x 0.0016 / 3 = 0.0064 / 3, of which a mean of four has a quarter. For a
	 * pass the sets have 5 of 7 degrees of freedom, about 0, and the runs 2: sets differ 1.4
	 * times as much as runs.
	 */
	near(c.compared.rows[0].views[0].error, sqrt(0.0064 / 3 * (0.25 * 7 / 6 + 0.75)));
	near(c.compared.rows[0].views[0].upper.error,
	     sqrt(0.0064 / 3 * (2. / 7 * 2.21 * 7 / 6 + 0.75)));
	check_free(&c);
	/* Of three sets, the runs have 5 for a failure too, with twice as much. */
	s.last_sets = 3;
	sets_judge(&s, &c, &rule, "mean=0%");
	near(c.compared.rows[0].views[0].error, sqrt(0.0064 / 3 * (5. / 7 * 4.25 * 4 / 3 + 0.75)));
	check_free(&c);
	sets_free(&s);
}

/* Without a set, or with one: nothing is decided, and the set is accepted unless it is far off. */
static void test_takes(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;

	sets_add(&s, 0, 0.01);
	sets_add(&s, 0, 0);
	sets_add(&s, 0, -0.01);
	s.base = s.n;
	sets_add(&s, 1, 0.01);
	sets_add(&s, 1, 0.02);
	sets_judge(&s, &c, &rule, "mean=9%");
	assert_int_equal(c.verdict, CHECK_INCONCLUSIVE);
	assert_true(c.results[0].takes && judge_accepts(&c));
	assert_non_null(strstr(c.results[0].next, "1 accepted set is too few"));
	assert_non_null(strstr(c.results[0].next, "accept 1 more"));
	check_free(&c);
	s.base = 0;
	sets_judge(&s, &c, &rule, "mean=0%");
	assert_true(c.results[0].takes && c.verdict == CHECK_INCONCLUSIVE);
	check_free(&c);
	s.base = 3;
	sets_add(&s, 1, 0.7);
	sets_judge(&s, &c, &rule, "mean=9%");
	assert_int_equal(c.verdict, CHECK_INCONCLUSIVE);
	c.undecided = CHECK_PASS;
	assert_false(c.results[0].takes || judge_accepts(&c));
	assert_int_equal(judge_outcome(&c), CHECK_PASS);
	check_free(&c);
	sets_free(&s);
}

/* 20 sets that rose by 1 % each are above the oldest by more than 5 %, and not above the last. */
static void test_drifted(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	size_t i;

	for (i = 0; i < 20; i++)
		sets_add(&s, i, 0.01 * i);
	s.base = s.n;
	sets_add(&s, 20, 0.2);
	s.last_sets = 15;
	sets_judge(&s, &c, &rule, "mean=5%");
	assert_int_equal(c.compared.rows[0].sets, 5);
	/* t(0.996; 4) of a difference of two observations, five sets apart by 0.01 each. */
	near(c.compared.rows[0].lo, expm1(0.19 - 4.907 * sqrt(2 * 0.00025)));
	assert_true(c.compared.rows[0].drifted);
	near(c.compared.rows[0].change, expm1(0.2 - 0.01));
	assert_int_equal(c.verdict, CHECK_FAIL);
	assert_non_null(strstr(c.results[0].why,
			       "against the oldest of all, before the last 5 accepted sets"));
	check_free(&c);
	sets_judge(&s, &c, &rule, "mean=30%");
	assert_false(c.compared.rows[0].drifted);
	near(c.compared.rows[0].change, expm1(0.2 - 0.01 * 17));
	check_free(&c);
	sets_free(&s);
}

/* Of 120 sets two are higher than the new one: at 1 % that is chance, one is not. */
static void test_rank(void **state)
{
	struct compare_run runs[121];
	struct compare_row row = { .runs = runs, .sets = 120, .n_runs = 121 };
	size_t i;

	row.a.runs = 120;
	row.b.runs = 1;
	for (i = 0; i < 121; i++)
		runs[i] = (struct compare_run){ .set = i, .log = i < 120 ? i * 1e-4 : 0.5 };
	assert_false(history_may_be_chance(&row, 0, 0.01));
	runs[50].log = 1;
	assert_true(history_may_be_chance(&row, 0, 0.01));
	assert_false(history_may_be_chance(&row, 0, 0.02));
	runs[50].log = 0.4;
	assert_true(history_may_be_chance(&row, 0.2, 0.01));
	row.sets = 98; /* of 99 the highest is never so rare */
	assert_false(history_may_be_chance(&row, 0.2, 0.01));
}

/* ---- how often it is right ---- */

static unsigned int fails_of(unsigned int times, size_t sets, double drift, double increase)
{
	unsigned int i, fails = 0;
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	size_t k, run;
	double off;

	for (i = 0; i < times; i++) {
		for (k = 0; k <= sets; k++) {
			off = 0.02 * (norm_rand() + drift * k) + (k < sets ? 0 : increase);
			s.base = k < sets ? s.base : s.n;
			for (run = 0; run < 3; run++)
				sets_add(&s, k, off + 0.01 * norm_rand());
		}
		sets_judge(&s, &c, &rule, "mean=0%");
		fails += c.verdict == CHECK_FAIL;
		check_free(&c);
		sets_free(&s);
	}
	return fails;
}

static void test_level(void **state)
{
	set_seed(20261122, 1);
	assert_in_range(fails_of(400, 10, 0, 0), 0, 4);
	assert_in_range(fails_of(400, 2, 0, 0), 0, 4);
	assert_in_range(fails_of(100, 10, 0, 0.25), 95, 100);
	assert_in_range(fails_of(100, 2, 0, log(2)), 95, 100);
}

/* What a set is said to show is found in four of five cases: with few sets, in more. */
static unsigned int shown_of(unsigned int times, size_t sets)
{
	unsigned int i, found = 0;
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	double off = 0;
	size_t k, run;

	for (i = 0; i < times; i++) {
		for (k = 0; k <= sets; k++) {
			off = 0.02 * norm_rand();
			s.base = s.n;
			for (run = 0; run < 3; run++)
				sets_add(&s, k, off + 0.01 * norm_rand());
		}
		sets_judge(&s, &c, &rule, "mean=5%");
		off = log1p(history_shows(&c.compared.rows[0], 0.01));
		check_free(&c);
		for (run = 0; run < 3; run++)
			snapshot_free(s.runs[--s.n]);
		off += 0.02 * norm_rand();
		for (run = 0; run < 3; run++)
			sets_add(&s, sets, off + 0.01 * norm_rand());
		sets_judge(&s, &c, &rule, "mean=5%");
		found += c.verdict == CHECK_FAIL;
		check_free(&c);
		sets_free(&s);
	}
	return found;
}

static void test_shows(void **state)
{
	set_seed(20261122, 4);
	assert_in_range(shown_of(300, 10), 225, 265);
	assert_in_range(shown_of(300, 20), 225, 265);
	assert_in_range(shown_of(300, 4), 215, 275);
}

/*
 * Half a year of weeks, the limit is 5 %: see tests/bench/history.c. @rise: after 13 weeks; @creep:
 * each week; @noise: of sets. Return: sets accepted in the last 8 weeks, less than
 * 100 x those above the limit.
 */
static int weeks_of(double rise, double creep, double noise, bool *failed)
{
	struct check_rule rule;
	struct sets s = {};
	unsigned int week, set = 0;
	double level, off;
	struct check c;
	int taken = 0;
	size_t run;

	*failed = false;
	for (week = 0; week < 26; week++) {
		level = (week < 13 ? 0 : log1p(rise)) + week * log1p(creep);
		off = level + noise * norm_rand();
		s.base = s.n;
		s.last_sets = set > 20 ? set - 20 : 0;
		for (run = 0; run < 6; run++)
			sets_add(&s, set, off + 0.01 * norm_rand());
		sets_judge(&s, &c, &rule, "mean=5%");
		*failed |= c.verdict == CHECK_FAIL && week >= 13 && week < 16;
		if (judge_accepts(&c)) {
			set++;
			taken += (week >= 18) - 100 * (level > log1p(0.05));
		} else {
			while (s.n > s.base)
				snapshot_free(s.runs[--s.n]);
		}
		check_free(&c);
	}
	sets_free(&s);
	return taken;
}

static void test_weeks(void **state)
{
	unsigned int i, stuck = 0, wrong = 0, found = 0, taken = 0, crept = 0;
	unsigned int noisy = 0;
	bool failed;

	set_seed(20261122, 5);
	for (i = 0; i < 40; i++) {
		stuck += weeks_of(0, 0, 0.01, &failed) < 1;
		wrong += failed;
		taken += weeks_of(0.1, 0, 0.01, &failed) < 0;
		found += failed;
		crept += weeks_of(0, 0.01, 0.01, &failed) < 0;
	}
	for (i = 0; i < 20; i++)
		noisy += weeks_of(0, 0, 0.03, &failed) < 1;
	assert_in_range(stuck, 0, 2);
	assert_in_range(wrong, 0, 1);
	assert_in_range(found, 34, 40);
	assert_int_equal(taken, 0);
	assert_in_range(crept, 0, 7);
	assert_in_range(noisy, 0, 4);
}

/* ---- steps ---- */

static size_t steps_of(const double *y, size_t n, struct history_step *steps)
{
	size_t n_steps;

	assert_int_equal(history_steps(y, n, 0.01, steps, &n_steps), 0);
	return n_steps;
}

static void test_no_step(void **state)
{
	struct history_step steps[24];
	double y[24] = {}, two[2] = { 0, 1 };
	unsigned int i, k, found = 0;

	assert_int_equal(steps_of(y, 0, steps), 0);
	assert_int_equal(steps_of(y, 1, steps), 0);
	assert_int_equal(steps_of(two, 2, steps), 0);
	assert_int_equal(steps_of(y, 24, steps), 0);
	set_seed(20261122, 2);
	for (i = 0; i < 300; i++) {
		for (k = 0; k < 24; k++)
			y[k] = norm_rand();
		found += steps_of(y, 24, steps) > 0;
	}
	assert_in_range(found, 0, 3);
}

/* The level holds, and hundreds of series do not take minutes. */
static void test_orders(void **state)
{
	size_t rows, orders, as_good, y[] = { 2000, 20000, 20000, 100000 };
	int i;

	for (i = 0, rows = 1; i < 4; i++, rows *= 10) {
		orders = history_orders(HISTORY_STEP_LEVEL / rows, &as_good);
		assert_int_equal(orders, y[i]);
		assert_in_range(as_good, 1, 20);
		assert_true(as_good <= HISTORY_STEP_LEVEL / rows * orders * (1 + 1e-9));
	}
	assert_int_equal(as_good, 1);
}

static void test_steps(void **state)
{
	struct history_step steps[30];
	double y[30];
	size_t i;

	for (i = 0; i < 30; i++)
		y[i] = (i % 3) * 0.01 + (i >= 10 ? 0.3 : 0) - (i >= 21 ? 0.2 : 0);
	assert_int_equal(steps_of(y, 30, steps), 2);
	assert_int_equal(steps[0].at, 10);
	assert_int_equal(steps[1].at, 21);
	assert_in_range(steps[0].lo, 9, 10);
	assert_in_range(steps[0].hi, 10, 11);
	/* Means of 0 1 2 0 1 2 0 1 2 0 before, of 1 2 0 1 2 0 1 2 0 1 2 between. */
	near(steps[0].change, expm1(0.3 + 0.12 / 11 - 0.009));
	assert_true(steps[0].change_lo < steps[0].change && steps[0].change < steps[0].change_hi);
	assert_true(steps[1].change < 0 && steps[1].change_hi < 0);
}

static void test_covers(void **state)
{
	unsigned int i, k, found = 0, covered = 0, height = 0, width = 0;
	struct history_step steps[24];
	double y[24];

	set_seed(20261122, 3);
	for (i = 0; i < 150; i++) {
		for (k = 0; k < 24; k++)
			y[k] = 0.01 * (norm_rand() + (k < 15 ? 0 : 3));
		if (steps_of(y, 24, steps) != 1)
			continue;
		found++;
		width += steps->hi - steps->lo + 1;
		covered += steps->lo <= 15 && 15 <= steps->hi;
		height += steps->change_lo <= expm1(0.03) && expm1(0.03) <= steps->change_hi;
	}
	assert_in_range(found, 140, 150);
	assert_in_range(covered, 0.95 * found, found);
	assert_in_range(width, found, 4 * found);
	assert_in_range(height, 0.95 * found, found);
}

/* Of steps as small as the noise, those are found that look larger than they are. */
static void test_covers_small(void **state)
{
	unsigned int i, k, found = 0, covered = 0;
	struct history_step steps[24];
	double y[24];

	set_seed(20261122, 3);
	for (i = 0; i < 600; i++) {
		for (k = 0; k < 24; k++)
			y[k] = 0.01 * (norm_rand() + (k < 12 ? 0 : 1));
		if (steps_of(y, 24, steps) != 1)
			continue;
		found++;
		covered += steps->lo <= 12 && 12 <= steps->hi;
	}
	assert_in_range(found, 90, 160);
	assert_in_range(covered, 0.92 * found, found); /* 95 %, less 1.5 standard errors */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_views),        cmocka_unit_test(test_unit),
		cmocka_unit_test(test_fresh),        cmocka_unit_test(test_fewer),
		cmocka_unit_test(test_takes),        cmocka_unit_test(test_rank),
		cmocka_unit_test(test_level),        cmocka_unit_test(test_shows),
		cmocka_unit_test(test_weeks),        cmocka_unit_test(test_drifted),
		cmocka_unit_test(test_no_step),      cmocka_unit_test(test_orders),
		cmocka_unit_test(test_steps),        cmocka_unit_test(test_covers),
		cmocka_unit_test(test_covers_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
