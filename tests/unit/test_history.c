// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_history.c - a set of runs against accepted ones, and steps in series: worked
 * examples, and in short what tests/bench/history.c shows at length.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "fixture.h"

#include <math.h>

#include "judge/check.h"
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
					  .set_of = s->set_of };
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
 * Level: 0.1 +- t(0.995; 4) = 4.604 x sqrt(0.00025 x 1.2). Line: slope -0.003, so that the
 * next is -0.009: 0.109 +- t(0.995; 3) = 5.841 x sqrt(0.00091 / 3 x (1 + 0.2 + 9 / 10)).
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
	near(row->views[1].centre, 0.109);
	near(row->views[1].error, sqrt(0.00091 / 3 * 2.1));
	near(row->lo, expm1(0.109 - 5.841 * 0.025239));
	near(row->hi, expm1(0.109 + 5.841 * 0.025239));
	assert_int_equal(c.verdict, CHECK_INCONCLUSIVE);
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
	assert_int_equal(c.verdict, CHECK_INCONCLUSIVE);
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
	/* within a set 4 x 0.0016 / 3, of which a mean of four has a quarter */
	near(c.compared.rows[0].views[0].error, sqrt(0.0064 / 3 + 0.0064 / 3 / 4 / 6));
	check_free(&c);
	sets_free(&s);
}

static void test_young(void **state)
{
	struct check_rule rule;
	struct sets s = {};
	struct check c;
	size_t i;

	for (i = 0; i < 4; i++)
		sets_add(&s, i, 0);
	s.base = s.n;
	sets_add(&s, 4, 1);
	sets_judge(&s, &c, &rule, "mean=0%");
	assert_int_equal(c.verdict, CHECK_INCONCLUSIVE);
	assert_true(c.results[0].young);
	assert_non_null(strstr(c.results[0].next, "4 accepted sets are too few"));
	assert_non_null(strstr(c.results[0].next, "accept 1 more"));
	check_free(&c);
	s.base = 0;
	sets_judge(&s, &c, &rule, "mean=0%");
	assert_true(c.results[0].young && c.verdict == CHECK_INCONCLUSIVE);
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
	assert_in_range(fails_of(400, 10, 0.3, 0), 0, 4);
	assert_in_range(fails_of(100, 10, 0, 0.25), 95, 100);
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
		cmocka_unit_test(test_views),  cmocka_unit_test(test_unit),
		cmocka_unit_test(test_fresh),  cmocka_unit_test(test_fewer),
		cmocka_unit_test(test_young),  cmocka_unit_test(test_rank),
		cmocka_unit_test(test_level),  cmocka_unit_test(test_no_step),
		cmocka_unit_test(test_orders), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_covers), cmocka_unit_test(test_covers_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
