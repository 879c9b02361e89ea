// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_compare.c - intervals against SciPy's, Holm's levels, quantiles inside of
 * slots, the order of the runs, and what is said where little is known.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

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

static const struct compare_metric only_mean[] = { { .name = "mean", .millionths = COMPARE_MEAN },
						   {} };

static void near(double found, double wanted)
{
	assert_true(fabs(found - wanted) < 1e-9 * (1 + fabs(wanted)));
}

/* The first view is Welch's; what is said is at least as wide, where it must be. */
static void check_row(const struct compare_row *row, double p, double lo, double hi)
{
	const struct compare_view *v = &row->views[0];
	double half = qt((1 - row->confidence) / 2, v->freedom, 0, 0) * v->error;

	assert_true(row->known);
	near(2 * pt(fabs(v->centre) / v->error, v->freedom, 0, 0), p);
	near(expm1(v->centre - half), lo);
	near(expm1(v->centre + half), hi);
	if (row->a.runs >= 5 && row->b.runs >= 5) {
		near(row->p, p);
		near(row->lo, lo);
		near(row->hi, hi);
	}
	assert_true(row->p > p - 1e-9 && row->lo < lo + 1e-9 && row->hi > hi - 1e-9);
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

/* The level of one row among others, by the rule of Holm. */
static double holm_level(const struct compare *c, const struct compare_row *row)
{
	size_t i, m = c->n, smaller = 0, left;
	double p = 0, next;

	/* From the smallest on, until one does not reach its level. */
	for (left = m; left > 1; left--) {
		next = INFINITY;
		for (i = 0, smaller = 0; i < m; i++)
			smaller += c->rows[i].p < row->p;
		for (i = 0; i < m; i++)
			if (c->rows[i].p > p && c->rows[i].p < next)
				next = c->rows[i].p;
		if (next > 0.05 / left || smaller == m - left)
			break;
		p = next;
	}
	return 1 - 0.05 / left;
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
		assert_true(fabs(c.rows[k].confidence - holm_level(&c, &c.rows[k])) < 1e-12);
		if (fabs(c.rows[k].confidence - welch_cases[k].level) < 1e-12)
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

/* A clock of 20 ns: @low of the samples at 80 ns, the others at the next tick. */
static struct snapshot *ticks(uint64_t when, uint64_t samples, uint64_t low)
{
	struct snapshot *s = snapshot_new(5, 1, 1);

	fixture_name(s, 0, "f");
	s->span.wall_ns = when;
	put(s, 80, low);
	put(s, 100, samples - low);
	return s;
}

struct set_of {
	struct snapshot *runs[24];
	struct compare c;
};

static void set_compare(struct set_of *s, size_t na, size_t nb, const struct compare_metric *m)
{
	const struct compare_set a = { .n = na, .runs = (const struct snapshot *const *)s->runs };
	const struct compare_set b = { .n = nb,
				       .runs = (const struct snapshot *const *)s->runs + na };
	struct error e;

	assert_int_equal(compare_make(&s->c, &a, &b, m, 0.95, &e), 0);
	assert_int_equal(s->c.n, 1);
}

static void set_free(struct set_of *s, size_t n)
{
	compare_free(&s->c);
	while (n--)
		snapshot_free(s->runs[n]);
}

static const struct compare_metric only_p50[] = { { .name = "p50", .millionths = 500000 }, {} };

/* Two runs that are equal on each side are so by chance: their samples differ. */
static void test_equal_runs(void **state)
{
	struct set_of s;
	int i;

	for (i = 0; i < 4; i++)
		s.runs[i] = ticks(0, 101, i < 2 ? 53 : 48);
	set_compare(&s, 2, 2, only_p50);
	assert_true(s.c.rows[0].known);
	assert_true(s.c.rows[0].a.spread == 0 && s.c.rows[0].b.spread == 0);
	assert_true(s.c.rows[0].change > 0.2);
	assert_true(s.c.rows[0].lo < -0.1 && s.c.rows[0].hi > 0.5);
	set_free(&s, 4);
}

/* Less than ten samples beyond the quantile: nothing is known. */
static void test_few(void **state)
{
	struct set_of s;
	int i, samples;

	for (samples = 19; samples <= 20; samples++) {
		for (i = 0; i < 4; i++)
			s.runs[i] = ticks(0, i == 3 ? samples : 100, 2 * i);
		set_compare(&s, 2, 2, only_p50);
		assert_int_equal(s.c.rows[0].known, samples == 20);
		assert_int_equal(s.c.rows[0].b.few, samples == 19);
		assert_int_equal(s.c.rows[0].a.few, 0);
		set_free(&s, 4);
	}
	assert_int_equal(compare_samples_needed(500000), 20);
	assert_int_equal(compare_samples_needed(999000), 10000);
	assert_int_equal(compare_samples_needed(10000), 1000);
	assert_int_equal(compare_samples_needed(300000), 34);
	assert_int_equal(compare_samples_needed(DIST_ONE), 0);
}

/* Means in hundredths, at times in the order that @when tells. */
static void put_runs(struct set_of *s, const int *means, const int *when, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		s->runs[i] = one_mean(means[i]);
		s->runs[i]->span.wall_ns = when ? 1000 + when[i] : 0;
	}
}

static const int drifting[] = { 1000, 1021, 1040, 1061, 1079, 1100,
				1119, 1140, 1161, 1180, 1201, 1220 };

/* The same line through both sides is no change, however they are looked at. */
static void test_apart(void **state)
{
	static const int when[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	struct set_of s;

	put_runs(&s, drifting, NULL, 12);
	set_compare(&s, 6, 6, only_mean);
	assert_int_equal(s.c.rows[0].order, COMPARE_UNORDERED);
	assert_true(s.c.rows[0].lo > 0.05);
	set_free(&s, 12);
	put_runs(&s, drifting, when, 12);
	set_compare(&s, 6, 6, only_mean);
	assert_int_equal(s.c.rows[0].order, COMPARE_APART);
	assert_true(s.c.rows[0].lo < 0);
	assert_int_equal(check_increase(&s.c.rows[0], 0), CHECK_INCONCLUSIVE);
	set_free(&s, 12);
}

/*
 * Runs that rise by 8 % each, then higher ones. At once, that is what a drift would do; a day
 * later, it is too much.
 */
static void test_break(void **state)
{
	static const int rising[] = { 1000, 1080, 1170, 1260, 1360, 1470,
				      1590, 1710, 1850, 2000, 2160, 2330 };
	static const int at_once[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	struct set_of s;
	size_t i;

	put_runs(&s, rising, at_once, 12);
	set_compare(&s, 6, 6, only_mean);
	assert_true(s.c.rows[0].drifts && s.c.rows[0].lo < 0);
	compare_free(&s.c);
	for (i = 6; i < 12; i++)
		s.runs[i]->span.wall_ns += 86400 * 1000000000ULL;
	set_compare(&s, 6, 6, only_mean);
	assert_int_equal(s.c.rows[0].order, COMPARE_APART);
	assert_true(!s.c.rows[0].drifts && s.c.rows[0].lo > 0);
	set_free(&s, 12);
}

/* What few runs, and sides that were not recorded in turn, cannot tell from a change. */
static void test_doubt(void **state)
{
	static const int when[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	static const int turns[] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	static const struct {
		int before, after;
		size_t runs;
		const int *when;
		bool told;
	} rows[] = {
		{ 1000, 1250, 2, NULL, false }, { 1000, 2000, 2, NULL, true },
		{ 1000, 1250, 4, turns, true }, { 1000, 1100, 6, when, false },
		{ 1000, 1220, 6, when, false }, { 1000, 2000, 6, when, true },
	};
	int means[12];
	struct set_of s;
	size_t i, k;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (k = 0; k < 2 * rows[i].runs; k++)
			means[k] =
				(k < rows[i].runs ? rows[i].before : rows[i].after) + 2 * (k % 3);
		put_runs(&s, means, rows[i].when, 2 * rows[i].runs);
		set_compare(&s, rows[i].runs, rows[i].runs, only_mean);
		assert_true((s.c.rows[0].lo > 0) == rows[i].told);
		set_free(&s, 2 * rows[i].runs);
	}
}

/* The same runs in turn: AB BA AB. Only pairs see that 1 % more is in each. */
static void test_pairs(void **state)
{
	static const int when[] = { 0, 3, 4, 7, 8, 11, 1, 2, 5, 6, 9, 10 };
	int means[12];
	struct set_of s;
	size_t i;

	for (i = 0; i < 12; i++)
		means[i] = drifting[when[i]] * (i < 6 ? 100 : 101) / 100;
	put_runs(&s, means, when, 12);
	set_compare(&s, 6, 6, only_mean);
	assert_int_equal(s.c.rows[0].order, COMPARE_IN_TURN);
	assert_true(s.c.rows[0].paired);
	assert_true(s.c.rows[0].lo > -0.02 && s.c.rows[0].hi < 0.04);
	assert_true(s.c.rows[0].lo < 0.01 && s.c.rows[0].hi > 0.01);
	set_free(&s, 12);
	put_runs(&s, means, NULL, 12);
	set_compare(&s, 6, 6, only_mean);
	assert_false(s.c.rows[0].paired);
	assert_true(s.c.rows[0].lo < -0.06 && s.c.rows[0].hi > 0.08);
	set_free(&s, 12);
}

/* Dealt out by lot: one way of 252 is as extreme as the most extreme one. */
static void test_permuted(void **state)
{
	static const int apart[] = { 1000, 1010, 1020, 1030, 1040, 1100, 1110, 1120, 1130, 1140 };
	static const int mixed[] = { 1000, 1010, 1020, 1030, 1050, 1040, 1110, 1120, 1130, 1140 };
	struct set_of s;

	put_runs(&s, apart, NULL, 10);
	set_compare(&s, 5, 5, only_mean);
	near(compare_permuted(&s.c.rows[0], 0, 0.01), 1.0 / 252);
	assert_int_equal(check_increase(&s.c.rows[0], 0), CHECK_FAIL);
	/* Less 20 %, those after are the smallest five. */
	near(compare_permuted(&s.c.rows[0], 0.2, 0.01), 1);
	set_free(&s, 10);
	put_runs(&s, mixed, NULL, 10);
	set_compare(&s, 5, 5, only_mean);
	near(compare_permuted(&s.c.rows[0], 0, 0.01), 2.0 / 252);
	set_free(&s, 10);
}

/* One of six is on the wrong side on each: no proof, even if the interval were one. */
static void test_by_lot(void **state)
{
	static const int means[] = { 1000, 1000, 1000, 1000, 1000, 1001,
				     1001, 1001, 1001, 1001, 1001, 1000 };
	struct set_of s;

	put_runs(&s, means, NULL, 12);
	set_compare(&s, 6, 6, only_mean);
	s.c.rows[0].lo = 1e-6;
	assert_true(compare_permuted(&s.c.rows[0], 0, 0.01) > 0.01);
	s.c.rows[0].alone.confidence = 0.99;
	assert_int_equal(check_increase(&s.c.rows[0], 0), CHECK_INCONCLUSIVE);
	set_free(&s, 12);
}

/* With few runs on one side, what both spread over counts as well. */
static void test_small_side(void **state)
{
	static const int means[] = { 1000, 1001, 1050, 1090, 1010, 1130,
				     1060, 1100, 1020, 1120, 1080, 1070 };
	const struct compare_view *v;
	struct set_of s;

	put_runs(&s, means, NULL, 12);
	set_compare(&s, 2, 10, only_mean);
	v = s.c.rows[0].views;
	assert_int_equal(s.c.rows[0].n_views, 2);
	near(v[1].freedom, 10);
	assert_true(v[1].error > 1.5 * v[0].error);
	assert_true(s.c.rows[0].lo <
		    expm1(v[0].centre - qt(0.025, v[0].freedom, 0, 0) * v[0].error));
	set_free(&s, 12);
}

/* As many runs as it says settle it, one less does not. */
static void test_needed(void **state)
{
	struct compare_row row = { .known = true, .confidence = 0.95, .metric = only_mean };
	unsigned int n;

	row.a = (struct compare_side){ .runs = 2, .value = 100, .spread = 0.02 };
	row.b = (struct compare_side){ .runs = 2, .value = 110, .spread = 0.02 };
	n = compare_runs_needed(&row, 0.05);
	/* t(0.975; 4) = 2.776 x 0.02 x sqrt(2 / 3) = 0.0453, below log(1.1 / 1.05) = 0.0465 */
	assert_int_equal(n, 3);
	row.b.value = 105.1;
	assert_true(compare_runs_needed(&row, 0.05) > 100 || !compare_runs_needed(&row, 0.05));
}

/* A side whose runs differ from @truth by chance. */
static void sample(struct compare_side *s, const struct compare_side *truth)
{
	double x, sum = 0, squares = 0, n = truth->runs;
	size_t i;

	for (i = 0; i < truth->runs; i++) {
		x = truth->spread * norm_rand();
		sum += x;
		squares += x * x;
	}
	*s = *truth;
	s->value *= exp(sum / n);
	s->spread = sqrt((squares - sum * sum / n) / (n - 1));
}

/*
 * So many runs settle it in at least four of five series. Where the change is at the limit, no
 * number does, and few are told one.
 */
static void test_settled(void **state)
{
	static const struct {
		unsigned int runs;
		double spread, change;
		bool never;
	} cases[] = { { 6, 0.05, 0, false },   { 6, 0.1, 0.2, false }, { 12, 0.05, 0.1, false },
		      { 20, 0.1, 0, false },   { 6, 0.1, 0, false },   { 4, 0.05, 0.12, false },
		      { 6, 0.05, 0.05, true }, { 12, 0.1, 0.05, true } };
	static const struct compare_metric metric = { .name = "p50", .above = true, .limit = 0.05 };
	struct compare_row truth = { .known = true, .confidence = 0.99, .metric = &metric }, row;
	unsigned int i, k, n, told, settled, undecided, series = fixture_rounds(1000, 200);

	set_seed(31, 41);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		truth.a = (struct compare_side){ .runs = cases[i].runs, .value = 1000 };
		truth.a.spread = cases[i].spread;
		truth.b = truth.a;
		truth.b.value *= 1 + cases[i].change;
		for (told = settled = undecided = k = 0; k < series; k++) {
			row = truth;
			sample(&row.a, &truth.a);
			sample(&row.b, &truth.b);
			n = compare_runs_needed(&row, 0.05);
			if (n && n <= cases[i].runs)
				continue;
			undecided++;
			n = compare_runs_settled(&row, 0.05);
			if (!n)
				continue;
			told++;
			row = truth;
			row.a.runs = row.b.runs = n;
			sample(&row.a, &row.a);
			sample(&row.b, &row.b);
			settled += compare_runs_needed(&row, 0.05) &&
				   compare_runs_needed(&row, 0.05) <= n;
		}
		if (cases[i].never)
			assert_in_range(100 * told / undecided, 0, 12);
		else
			assert_true(told > undecided / 10 && settled >= 0.8 * told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch),      cmocka_unit_test(test_holm),
		cmocka_unit_test(test_constants),  cmocka_unit_test(test_smooth),
		cmocka_unit_test(test_little),     cmocka_unit_test(test_needed),
		cmocka_unit_test(test_equal_runs), cmocka_unit_test(test_few),
		cmocka_unit_test(test_apart),      cmocka_unit_test(test_break),
		cmocka_unit_test(test_pairs),      cmocka_unit_test(test_permuted),
		cmocka_unit_test(test_by_lot),     cmocka_unit_test(test_small_side),
		cmocka_unit_test(test_settled),    cmocka_unit_test(test_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
