// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_compare.c - intervals against SciPy's, Holm's levels, quantiles inside of
 * slots, and what is said where little is known.
 */
#include "fixture.h"

#include <errno.h>
#include <math.h>

#include "judge/check.h"
#include "judge/compare.h"

#define RUNS_MAX 12
#define HUNDRED 100

struct welch_case {
	int na;
	int nb;
	int a[RUNS_MAX]; /* means, in hundredths */
	int b[RUNS_MAX];
	double p;
	double lo; /* of 95 % */
	double hi;
	double level; /* of Holm, all cases together */
	double holm_lo;
	double holm_hi;
};

#include "data/welch.h"

#define CASES (sizeof(welch_cases) / sizeof(*welch_cases))

/* Exact mean: values below 2^bits have slots of their own. */
static void put_mean(struct snapshot *s, uint32_t node, int hundredths)
{
	uint32_t value = hundredths / HUNDRED, part = hundredths % HUNDRED;
	uint32_t rest = HUNDRED - part;

	fixture_set(s, node, 0, value, (struct kstats_slot){ rest, (uint64_t)value * rest });
	fixture_set(s, node, 0, value + 1,
		    (struct kstats_slot){ part, (uint64_t)(value + 1) * part });
}

static const struct compare_metric only_mean[] = { { "mean", COMPARE_MEAN }, {} };

static void check_row(const struct compare_row *row, double p, double lo, double hi)
{
	assert_true(row->known);
	assert_true(fabs(row->p - p) < 1e-9 * (1 + p));
	assert_true(fabs(row->lo - lo) < 1e-9 * (1 + fabs(lo)));
	assert_true(fabs(row->hi - hi) < 1e-9 * (1 + fabs(hi)));
}

static struct snapshot *one_mean(int hundredths)
{
	struct snapshot *s = snapshot_new(5, 1, 1);

	assert_non_null(s);
	fixture_name(s, 0, "f");
	put_mean(s, 0, hundredths);
	return s;
}

static void compare_case(const struct welch_case *w)
{
	struct snapshot *runs[2 * RUNS_MAX];
	const struct compare_set a = { .n = w->na, .runs = (const struct snapshot *const *)runs };
	const struct compare_set b = { .n = w->nb,
				       .runs = (const struct snapshot *const *)runs + w->na };
	struct error e = {};
	struct compare c;
	int i;

	for (i = 0; i < w->na; i++)
		runs[i] = one_mean(w->a[i]);
	for (i = 0; i < w->nb; i++)
		runs[w->na + i] = one_mean(w->b[i]);
	assert_int_equal(compare_make(&c, &a, &b, only_mean, 0.95, &e), 0);
	assert_int_equal(c.n, 1);
	check_row(&c.rows[0], w->p, w->lo, w->hi);
	compare_free(&c);
	for (i = 0; i < w->na + w->nb; i++)
		snapshot_free(runs[i]);
}

static void test_welch(void **state)
{
	size_t i;

	for (i = 0; i < CASES; i++)
		compare_case(&welch_cases[i]);
}

/* All cases as functions of one comparison; runs that a case lacks are empty. */
static void test_holm(void **state)
{
	struct snapshot *runs[2 * RUNS_MAX];
	const struct compare_set a = { .n = RUNS_MAX,
				       .runs = (const struct snapshot *const *)runs };
	const struct compare_set b = { .n = RUNS_MAX,
				       .runs = (const struct snapshot *const *)runs + RUNS_MAX };
	struct error e = {};
	struct compare c;
	char name[16];
	uint32_t k;
	int i;

	for (i = 0; i < 2 * RUNS_MAX; i++) {
		runs[i] = snapshot_new(5, 1, CASES);
		for (k = 0; k < CASES; k++) {
			snprintf(name, sizeof(name), "f%u", k);
			fixture_name(runs[i], k, name);
			if (i < welch_cases[k].na)
				put_mean(runs[i], k, welch_cases[k].a[i]);
			if (i >= RUNS_MAX && i - RUNS_MAX < welch_cases[k].nb)
				put_mean(runs[i], k, welch_cases[k].b[i - RUNS_MAX]);
		}
	}
	assert_int_equal(compare_make(&c, &a, &b, only_mean, 0.95, &e), 0);
	assert_int_equal(c.n, CASES);
	for (k = 0; k < CASES; k++) {
		assert_true(fabs(c.rows[k].confidence - welch_cases[k].level) < 1e-12);
		check_row(&c.rows[k], welch_cases[k].p, welch_cases[k].holm_lo,
			  welch_cases[k].holm_hi);
	}
	compare_free(&c);
	for (i = 0; i < 2 * RUNS_MAX; i++)
		snapshot_free(runs[i]);
}

static void put(struct snapshot *s, uint64_t value, uint64_t n)
{
	uint32_t i = kstats_slot_index(value, s->bits);
	uint64_t sum = n * kstats_slot_scale(value, i, s->bits);

	fixture_add_slot(s, 0, 0, i, (struct kstats_slot){ n, sum });
}

static struct snapshot *constant(unsigned int bits, uint64_t value)
{
	struct snapshot *s = snapshot_new(bits, 1, 1);

	fixture_name(s, 0, "f");
	put(s, value, 1000);
	return s;
}

/* 999 and 1001 lie in different slots 6 % and more apart: that is no change. */
static void test_constants(void **state)
{
	static const uint64_t pairs[][2] = { { 999, 1001 },  { 1023, 1024 }, { 1024, 1023 },
					     { 1000, 1000 }, { 2047, 2049 }, { 95, 96 } };
	struct compare_figure f;
	struct snapshot *runs[4];
	const struct compare_set a = { .n = 2, .runs = (const struct snapshot *const *)runs };
	const struct compare_set b = { .n = 2, .runs = (const struct snapshot *const *)runs + 2 };
	struct error e = {};
	struct compare c;
	unsigned int bits;
	size_t i, k;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
			for (k = 0; k < 4; k++)
				runs[k] = constant(bits, pairs[i][k / 2]);
			assert_int_equal(compare_figure(&f, runs[0], 0, 990000), 0);
			assert_true(f.value * (1 - f.slack) <= pairs[i][0] + 1);
			assert_true(f.value * (1 + f.slack) >= pairs[i][0]);
			assert_int_equal(compare_make(&c, &a, &b, compare_metrics, 0.95, &e), 0);
			for (k = 1; k < c.n; k++) /* the mean is exact, and may tell */
				assert_int_not_equal(check_increase(&c.rows[k], 0.02), CHECK_FAIL);
			compare_free(&c);
			for (k = 0; k < 4; k++)
				snapshot_free(runs[k]);
		}
	}
}

/* Over many slots, a quantile is right far within a slot. */
static void test_smooth(void **state)
{
	struct snapshot *s = snapshot_new(3, 1, 1);
	struct compare_figure f;
	uint64_t v;

	fixture_name(s, 0, "f");
	for (v = 1000; v < 3000; v++)
		put(s, v, 7);
	assert_int_equal(compare_figure(&f, s, 0, 500000), 0);
	assert_true(fabs(f.value - 2000) < 2);
	assert_int_equal(compare_figure(&f, s, 0, 900000), 0);
	assert_true(fabs(f.value - 2800) < 2);
	assert_true(f.slack < 0.01);
	snapshot_free(s);
}

static void test_little(void **state)
{
	struct snapshot *runs[3] = { one_mean(1000), one_mean(1100), snapshot_new(5, 1, 1) };
	const struct compare_set a = { .n = 1, .runs = (const struct snapshot *const *)runs };
	const struct compare_set b = { .n = 2, .runs = (const struct snapshot *const *)runs + 1 };
	struct compare_figure f;
	struct error e = {};
	struct compare c;

	fixture_name(runs[2], 0, "g");
	assert_int_equal(compare_figure(&f, runs[2], 0, 500000), -ENODATA);
	/* So near the lowest sample that one standard error reaches rank 0. */
	assert_int_equal(compare_figure(&f, runs[1], 0, 1), 0);
	assert_true(f.value >= 11 && f.value < 12);
	assert_true(isfinite(f.noise));
	assert_int_equal(compare_make(&c, &a, &b, only_mean, 0.95, &e), 0);
	assert_int_equal(c.n, 1);
	assert_false(c.rows[0].known);
	assert_true(fabs(c.rows[0].change - 0.1) < 1e-9);
	assert_true(isinf(c.rows[0].hi));
	assert_int_equal(check_increase(&c.rows[0], 0), CHECK_INCONCLUSIVE);
	assert_int_equal(compare_runs_needed(&c.rows[0], 0), 0);
	assert_int_equal(c.n_missing, 1);
	assert_string_equal(c.missing[0], "g");
	compare_free(&c);
	snapshot_free(runs[0]);
	snapshot_free(runs[1]);
	snapshot_free(runs[2]);
}

/* As many runs as it says settle it, one less does not. */
static void test_needed(void **state)
{
	struct compare_row row = { .known = true, .confidence = 0.95 };
	unsigned int n;

	row.a = (struct compare_side){ .runs = 2, .value = 100, .spread = 0.02 };
	row.b = (struct compare_side){ .runs = 2, .value = 110, .spread = 0.02 };
	n = compare_runs_needed(&row, 0.05);
	/* t(0.975; 4) = 2.776 x 0.02 x sqrt(2 / 3) = 0.0453, below log(1.1 / 1.05) = 0.0465 */
	assert_int_equal(n, 3);
	row.b.value = 105.1;
	assert_true(compare_runs_needed(&row, 0.05) > 100 || !compare_runs_needed(&row, 0.05));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch),     cmocka_unit_test(test_holm),
		cmocka_unit_test(test_constants), cmocka_unit_test(test_smooth),
		cmocka_unit_test(test_little),    cmocka_unit_test(test_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
