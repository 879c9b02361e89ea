// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sequential.c - a look after each pair: its level against simulation, which look
 * decides and what stays so, what is left out, and what is said.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "fixture.h"

#include <math.h>

#include "judge/check.h"
#include "format/format.h"

#define PAIRS_MAX 40
#define ROWS_MAX 3

/* ---- levels ---- */

/* How often any look is beyond the bound of its level, where there is no difference. */
static double simulated(unsigned int first, unsigned int last, double level, unsigned int series)
{
	double bound[101], sum, squares, x, v;
	unsigned int n, i, wrong = 0;

	for (n = first; n <= last; n++)
		bound[n] = qt(level * n / last, n - 1, 0, 0);
	set_seed(1234, 5678);
	for (i = 0; i < series; i++) {
		sum = squares = 0;
		for (n = 1; n <= last; n++) {
			x = norm_rand();
			sum += x;
			squares += x * x;
			v = n > 1 ? (squares - sum * sum / n) / (n - 1) : 1;
			if (n < first || sum / n / sqrt(v / n) < bound[n])
				continue;
			wrong++;
			break;
		}
	}
	return (double)wrong / series;
}

static void test_levels(void **state)
{
	static const struct {
		unsigned int first, last;
		double error;
		unsigned int series;
	} cases[] = {
		{ 6, 40, 0.05, 40000 },   { 2, 10, 0.05, 40000 }, { 2, 3, 0.05, 40000 },
		{ 5, 100, 0.05, 20000 },  { 9, 9, 0.05, 40000 },  { 20, 60, 0.05, 20000 },
		{ 6, 40, 0.005, 100000 },
	};
	double level, found;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		level = sequential_level(cases[i].first, cases[i].last, cases[i].error);
		found = simulated(cases[i].first, cases[i].last, level, cases[i].series);
		if (fabs(found - cases[i].error) > 3 * sqrt(cases[i].error / cases[i].series))
			fail_msg("%u..%u: %g instead of %g", cases[i].first, cases[i].last, found,
				 cases[i].error);
	}
	/* As simulated elsewhere. */
	level = sequential_level(6, 40, 0.005);
	assert_true(level > 1.11e-3 && level < 1.13e-3);
	assert_true(fabs(sequential_level(9, 9, 0.005) - 0.005) < 1e-6);
}

/* What Holm's levels rest on: the error of all looks grows slower than the level. */
static void test_slower(void **state)
{
	static const unsigned int ranges[][2] = { { 6, 40 }, { 2, 5 }, { 10, 12 }, { 5, 60 } };
	double part, last;
	size_t i, k;

	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		last = INFINITY;
		for (k = 1; k <= 1000; k *= 10) {
			part = sequential_level(ranges[i][0], ranges[i][1], 0.005 / k) * k;
			assert_true(part < last);
			last = part;
		}
	}
}

/* ---- rows ---- */

static const struct compare_metric five = { "p99", 990000, true, 0.05, NULL };

struct made {
	struct compare_row rows[ROWS_MAX];
	struct compare_run runs[ROWS_MAX][2 * PAIRS_MAX];
	struct compare c;
	struct sequential q;
};

static void begin(struct made *m, size_t rows, unsigned int first, unsigned int last)
{
	size_t i;

	*m = (struct made){ .c = { .n = rows, .rows = m->rows } };
	for (i = 0; i < rows; i++) {
		m->rows[i].metric = &five;
		m->rows[i].runs = m->runs[i];
	}
	sequential_make(&m->q, first, last, 0.99);
}

/* One run; the newest comes first, as if the clock had been set back. */
static void put(struct made *m, size_t row, bool after, size_t place, double log)
{
	struct compare_row *r = &m->rows[row];

	memmove(r->runs + 1, r->runs, r->n_runs++ * sizeof(*r->runs));
	r->runs[0] = (struct compare_run){ .log = log, .place = place, .after = after };
	(after ? &r->b : &r->a)->runs++;
}

/* @change with a spread of about @spread, the same each time. */
static void put_pair(struct made *m, size_t row, size_t place, double change, double spread)
{
	static const double z[] = { 0.3, -1.1, 0.8, -0.4, 1.2, -0.9, 0.5, -0.2, 0.1, -0.3 };
	double drift = 0.07 * place; /* of both runs: pairs take it off */

	put(m, row, false, place, 7 + drift);
	put(m, row, true, place, 7 + drift + log1p(change) + spread * z[place % 10]);
}

static const struct compare_look *look(struct made *m, size_t row)
{
	assert_int_equal(sequential_judge(&m->c, &m->q), 0);
	return &m->rows[row].look;
}

/* Nothing is decided before the first look; then by the look whose level it reaches. */
static void test_decides(void **state)
{
	static const struct {
		double change, spread;
		enum check_verdict verdict;
		unsigned int pairs;
	} cases[] = {
		{ 0.5, 0.01, CHECK_FAIL, 6 },          { 0, 0.001, CHECK_PASS, 6 },
		{ 0.2, 0.1, CHECK_FAIL, 9 },           { 0, 0.04, CHECK_PASS, 10 },
		{ 0.05, 0.02, CHECK_INCONCLUSIVE, 0 },
	};
	const struct compare_look *l;
	struct made m;
	size_t i, k;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(&m, 1, 6, 40);
		for (k = 0, l = &m.rows[0].look; k < 40 && !l->decided; k++) {
			put_pair(&m, 0, k, cases[i].change, cases[i].spread);
			l = look(&m, 0);
			assert_true(k >= 5 || (!m.rows[0].known && !l->decided));
		}
		assert_int_equal(check_increase(&m.rows[0], 0.05), cases[i].verdict);
		assert_int_equal(l->decided ? l->pairs : 0, cases[i].pairs);
	}
}

/* One that was decided stays so, with its interval, whatever the pairs after it say. */
static void test_stays(void **state)
{
	struct made m;
	double lo, hi;
	size_t k;

	begin(&m, 1, 6, 40);
	for (k = 0; k < 8; k++)
		put_pair(&m, 0, k, 0.5, 0.01);
	assert_true(look(&m, 0)->decided);
	assert_int_equal(m.rows[0].look.pairs, 6);
	lo = m.rows[0].lo;
	hi = m.rows[0].hi;
	for (; k < 40; k++)
		put_pair(&m, 0, k, -0.5, 0.01);
	assert_int_equal(look(&m, 0)->pairs, 6);
	assert_true(m.rows[0].lo == lo && m.rows[0].hi == hi);
	assert_int_equal(check_increase(&m.rows[0], 0.05), CHECK_FAIL);
	assert_true(m.rows[0].change > 0.45);
}

/* A run without samples takes its pair along, and no other. */
static void test_pairs(void **state)
{
	struct made m;
	size_t k;

	begin(&m, 1, 6, 40);
	for (k = 0; k < 8; k++)
		if (k == 3)
			put(&m, 0, false, k, 7);
		else
			put_pair(&m, 0, k, 0.5, 0.01);
	assert_int_equal(look(&m, 0)->pairs, 6);
	assert_true(m.rows[0].look.decided);
	begin(&m, 1, 6, 40);
	for (k = 0; k < 6; k++)
		if (k == 3)
			put(&m, 0, true, k, 7);
		else
			put_pair(&m, 0, k, 0.5, 0.01);
	assert_false(look(&m, 0)->decided);
	assert_false(m.rows[0].known);
	assert_int_equal(m.rows[0].look.pairs, 5);
}

/* Equal runs of few samples, and what slots leave open, are no certainty. */
static void test_open(void **state)
{
	struct made m;
	size_t i, k;

	for (i = 0; i < 3; i++) {
		begin(&m, 1, 6, 40);
		for (k = 0; k < 12; k++)
			put_pair(&m, 0, k, 0.5, 0);
		for (k = 0; k < 24; k++) {
			m.runs[0][k].noise = i == 1 ? 0.5 : 0;
			m.runs[0][k].slack = i == 2 ? 0.2 : 0;
		}
		assert_int_equal(look(&m, 0)->decided, i == 0);
	}
	/* log(1.5) less the slack of both sides is below log(1.05). */
	assert_true(m.rows[0].look.hopeless);
	for (k = 0; k < 24; k++)
		m.runs[0][k].slack = 0.17;
	assert_true(look(&m, 0)->decided);
}

/* Too few samples beyond a quantile: hopeless from the first pair on. */
static void test_few(void **state)
{
	struct made m;

	begin(&m, 1, 6, 40);
	put_pair(&m, 0, 0, 0.5, 0.01);
	assert_false(look(&m, 0)->hopeless);
	m.rows[0].a.few = 1;
	assert_true(look(&m, 0)->hopeless);
	assert_false(m.rows[0].known);
}

/* At the limit it ends early; a change that is only small it goes on with. */
static void test_hopeless(void **state)
{
	const struct compare_look *l;
	struct made m;
	size_t k;

	begin(&m, 1, 6, 40);
	for (k = 0; k < 35; k++) {
		put_pair(&m, 0, k, 0.05, 0.05);
		l = look(&m, 0);
		if (l->hopeless)
			break;
	}
	assert_in_range(k + 1, 10, 34);
	assert_int_equal(l->needed, 0);
	begin(&m, 1, 6, 40);
	for (k = 0; k < 20; k++)
		put_pair(&m, 0, k, 0.1, 0.15);
	l = look(&m, 0);
	assert_false(l->hopeless || l->decided);
	begin(&m, 1, 6, 40);
	for (k = 0; k < 8; k++)
		put_pair(&m, 0, k, 0, 0.06);
	l = look(&m, 0);
	assert_false(l->hopeless || l->decided);
	assert_in_range(l->needed, 9, 400);
}

/* Three rows: the level of the last one is that of one row once the others have failed. */
static void test_holm(void **state)
{
	struct made m;
	size_t i, k;

	begin(&m, 3, 6, 40);
	for (i = 0; i < 3; i++)
		for (k = 0; k < 6; k++)
			put_pair(&m, i, k, i ? 0.5 : 0.09, 0.01);
	look(&m, 0);
	assert_true(fabs(m.rows[0].confidence - 0.99) < 1e-9);
	assert_true(fabs(m.rows[1].confidence + m.rows[2].confidence - (2 - 0.01 / 3 - 0.01 / 2)) <
		    1e-9);
	assert_true(m.rows[0].look.decided);
	/* As only one of three that differ, the same is not enough. */
	begin(&m, 3, 6, 40);
	for (i = 0; i < 3; i++)
		for (k = 0; k < 6; k++)
			put_pair(&m, i, k, i ? 0 : 0.0865, 0.01);
	look(&m, 0);
	assert_true(fabs(m.rows[0].confidence - (1 - 0.01 / 3)) < 1e-9);
	assert_false(m.rows[0].look.decided);
	begin(&m, 1, 6, 40);
	for (k = 0; k < 6; k++)
		put_pair(&m, 0, k, 0.0865, 0.01);
	assert_true(look(&m, 0)->decided);
	/* "Not slower" needs no correction. */
	begin(&m, 3, 6, 40);
	for (i = 0; i < 3; i++)
		for (k = 0; k < 6; k++)
			put_pair(&m, i, k, 0.015, 0.01);
	look(&m, 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(check_increase(&m.rows[i], 0.05), CHECK_PASS);
}

/* ---- all of it ---- */

static unsigned int lost; /* calls of each run */

/* A run of @n samples at about @ns. */
static struct snapshot *run_make(uint64_t ns, unsigned int n)
{
	struct snapshot *s = snapshot_new(5, 1, 1);

	assert_non_null(s);
	fixture_name(s, 0, "f");
	s->span.end_ns = 1000000000;
	if (n)
		fixture_set(s, 0, 0, kstats_slot_index(ns, 5), (struct kstats_slot){ n, n * ns });
	s->nodes[0].ledger[KSTATS_STARTED] = n + lost;
	s->nodes[0].ledger[KSTATS_BUSY] = lost;
	return s;
}

/* What `check` says of so many pairs: the base at 1000, the others at @ns and @ns + 2 in turn. */
struct said {
	enum check_verdict verdict;
	bool ended;
	char state[160];
	char text[4096];
};

static struct said say(const char *const *rules_text, unsigned int pairs, uint64_t ns,
		       unsigned int samples, const char *format)
{
	struct snapshot *runs[2][PAIRS_MAX];
	const struct compare_set base = { .n = pairs,
					  .runs = (const struct snapshot *const *)runs[0] };
	const struct compare_set judged = { .n = pairs,
					    .runs = (const struct snapshot *const *)runs[1] };
	struct sequential q;
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 0.01, .looks = &q };
	struct check_rule rules[2];
	struct said said = {};
	struct report r;
	struct check c;
	struct error e;
	unsigned int i, n;
	FILE *f = fmemopen(said.text, sizeof(said.text), "w");

	sequential_make(&q, 6, 40, 0.99);
	for (n = 0; rules_text[n]; n++)
		assert_int_equal(strchr(rules_text[n], '<')
					 ? check_parse_assert(&rules[n], rules_text[n], &e)
					 : check_parse_increase(&rules[n], rules_text[n], &e),
				 0);
	for (i = 0; i < pairs; i++) {
		runs[0][i] = run_make(1000 + 2 * (i % 3), samples);
		runs[1][i] = run_make(ns + 2 * (i % 2), samples);
	}
	assert_int_equal(check_make(&c, rules, n, &judged, &base, &terms, &e), 0);
	said.verdict = c.verdict;
	said.ended = check_state(&c, pairs, said.state, sizeof(said.state));
	report_verdict(&r, &c, &judged, NULL);
	assert_int_equal(format_find(format, REPORT_VERDICT)->write(f, &r), 0);
	report_free(&r);
	fclose(f);
	check_free(&c);
	for (i = 0; i < pairs; i++) {
		snapshot_free(runs[0][i]);
		snapshot_free(runs[1][i]);
	}
	return said;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

/* Each pair is twice as slow as the last one: only its own runs can be compared. */
static void test_places(void **state)
{
	struct snapshot *runs[2][7];
	const struct compare_set base = { .n = 7, .runs = (const struct snapshot *const *)runs[0] };
	const struct compare_set judged = { .n = 7,
					    .runs = (const struct snapshot *const *)runs[1] };
	struct sequential q;
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 1, .looks = &q };
	struct check_rule rule;
	struct check c;
	struct error e;
	unsigned int i;

	sequential_make(&q, 6, 40, 0.99);
	assert_int_equal(check_parse_increase(&rule, "mean=5%", &e), 0);
	for (i = 0; i < 7; i++) {
		runs[0][i] = run_make(1000 << i, i == 2 ? 0 : 1000);
		runs[1][i] = run_make(1200 << i, 1000);
	}
	assert_int_equal(check_make(&c, &rule, 1, &judged, &base, &terms, &e), 0);
	assert_int_equal(c.verdict, CHECK_FAIL);
	assert_int_equal(c.results[0].row->look.pairs, 6);
	assert_true(fabs(c.results[0].row->change - 0.2) < 0.01);
	check_free(&c);
	for (i = 0; i < 7; i++) {
		snapshot_free(runs[0][i]);
		snapshot_free(runs[1][i]);
	}
}

static void test_words(void **state)
{
	static const char *const one[] = { "mean=5%", NULL };
	static const char *const two[] = { "mean=5%", "mean<2us", NULL };
	static const char *const high[] = { "p99=5%", NULL };
	struct said s;

	s = say(one, 6, 1200, 1000, "text");
	assert_true(s.verdict == CHECK_FAIL && s.ended);
	expect(s.text,
	       "each end at 99%); decided after pair 6 of at most 40, the confidence holds for "
	       "all looks from pair 6 on\n");
	expect(s.text, "looks: after each pair from 6 to 40, 99% together; pairs: 6\n");
	expect(s.state, "1 of 1 decided");
	s = say(one, 5, 1200, 1000, "text");
	assert_true(s.verdict == CHECK_INCONCLUSIVE && !s.ended);
	expect(s.text, "undecided after pair 5 of at most 40");
	expect(s.text, "5 pairs have samples on both sides, and at least 6 are needed");
	/* Without looks of its own, a rule has a level for any of them being the last. */
	s = say(two, 6, 1000, 1000, "text");
	assert_true(s.verdict == CHECK_PASS && s.ended);
	expect(s.text, "at 99.9714% it is in ");
	/* Without samples: before the first look another run may have some. */
	s = say(one, 5, 1200, 0, "text");
	assert_true(s.verdict == CHECK_FAIL && !s.ended);
	s = say(one, 6, 1200, 0, "text");
	assert_true(s.verdict == CHECK_FAIL && s.ended);
	expect(s.text, "neither side has samples of it, so the rule is not shown to hold");
	/* Too few of them: no other run mends that. */
	s = say(high, 1, 1200, 999, "text");
	assert_true(s.verdict == CHECK_INCONCLUSIVE && s.ended);
	expect(s.text, "record runs of at least 1,000 samples each");
	expect(s.state, "0 of 1 decided, 1 hopeless");
	/* Too much lost: more runs lose as much. */
	lost = 11;
	s = say(one, 5, 1200, 1000, "text");
	assert_true(s.verdict == CHECK_INCONCLUSIVE && !s.ended);
	s = say(one, 6, 1200, 1000, "text");
	assert_true(s.verdict == CHECK_INCONCLUSIVE && s.ended);
	expect(s.text, "not judged: 1.09% of its calls were lost");
	lost = 0;
	s = say(one, 30, 1051, 1000, "text");
	assert_true(s.verdict == CHECK_INCONCLUSIVE && s.ended);
	expect(s.text, "it is too near the limit for 40 pairs: ");
	expect(s.text, "choose another limit, make the runs longer or the machine quieter");
	s = say(one, 8, 1050, 1000, "text");
	assert_true(s.verdict == CHECK_INCONCLUSIVE && !s.ended);
	expect(s.text, "choose another limit, make the runs longer");
	s = say(one, 6, 1048, 1000, "text");
	assert_false(s.ended);
	expect(s.state, "0 of 1 decided, mean=5% between ");
}

static void test_formats(void **state)
{
	static const char *const one[] = { "mean=5%", NULL };
	struct said s;

	s = say(one, 7, 1200, 1000, "json");
	expect(s.text, "\"pairs\":6,\"first_look\":6,\"last_look\":40,\"confidence\":99}");
	s = say(one, 7, 1200, 1000, "series");
	expect(s.text, "\"look\":{\"first\":6,\"last\":40,\"pairs\":6,\"decided\":true,"
		       "\"hopeless\":false,\"confidence\":99.0}}");
	s = say(one, 30, 1051, 1000, "series");
	expect(s.text, "\"decided\":false,\"hopeless\":true,");
	s = say(one, 7, 1200, 1000, "junit");
	expect(s.text, "<property name=\"looks\" value=\"6..40\"/>\n");
	expect(s.text, "<property name=\"pairs\" value=\"7\"/>\n");
	expect(s.text, "<property name=\"confidence\" value=\"99%\"/>\n");
	expect(s.text, "; decided after pair 6 of at most 40, ");
	s = say(one, 7, 1200, 1000, "github");
	expect(s.text, "; decided after pair 6 of at most 40, ");
	s = say(one, 7, 1200, 1000, "tap");
	expect(s.text, "; decided after pair 6 of at most 40, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),  cmocka_unit_test(test_slower),
		cmocka_unit_test(test_decides), cmocka_unit_test(test_stays),
		cmocka_unit_test(test_pairs),   cmocka_unit_test(test_open),
		cmocka_unit_test(test_few),     cmocka_unit_test(test_hopeless),
		cmocka_unit_test(test_holm),    cmocka_unit_test(test_words),
		cmocka_unit_test(test_places),  cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
