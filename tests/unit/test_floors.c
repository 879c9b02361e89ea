// SPDX-License-Identifier: GPL-2.0-only
/* test_floors.c - sides that were measured by methods whose floors differ. */
#include "fixture.h"

#include "format/format.h"

#include <math.h>

#include "judge/check.h"
#include "report/costs.h"

#define RUNS 6
#define BITS 3

/* Means of 10,000 ns, of 10,200 ns after, each run 5 ns above the last. */
static struct snapshot *run_make(const char *method, uint64_t ns, int run)
{
	struct snapshot *s = snapshot_new(BITS, 1, 1);
	uint64_t value = ns + 5 * run;

	fixture_name(s, 0, "f");
	fixture_text(&s->nodes[0].method, method);
	fixture_text(&s->backend, "map");
	fixture_text(&s->pairing, "by task");
	s->span.end_ns = 1000000000;
	fixture_set(s, 0, 0, kstats_slot_index(value, BITS),
		    (struct kstats_slot){ 1000000, kstats_slot_scale(1000000 * value,
								     kstats_slot_index(value, BITS),
								     BITS) });
	return s;
}

static void put(struct costs *c, const char *method, uint64_t hot, uint64_t cold)
{
	struct cost row = { .backend = "map", .pairing = "by task" };

	strcpy(row.method, method);
	row.floor_ns[COST_HOT] = (struct cost_figure){ hot, hot - 2, hot + 2 };
	row.floor_ns[COST_COLD] = (struct cost_figure){ cold, cold - 2, cold + 2 };
	assert_int_equal(costs_put(c, &row), 0);
}

struct sides {
	struct snapshot *runs[2 * RUNS];
	const struct costs *costs[2 * RUNS];
	struct costs of_a;
	struct costs of_b;
	struct costs none;
	struct compare_set a;
	struct compare_set b;
};

static void sides_make(struct sides *s, const char *method, uint64_t hot, uint64_t cold)
{
	int i;

	*s = (struct sides){};
	put(&s->of_a, "fentry/fexit", 40, 120);
	put(&s->of_b, method, hot, cold);
	for (i = 0; i < RUNS; i++) {
		s->runs[i] = run_make("fentry/fexit", 10000, i);
		s->runs[RUNS + i] = run_make(method, 10200, i);
		s->costs[i] = &s->of_a;
		s->costs[RUNS + i] = &s->of_b;
	}
	s->a = (struct compare_set){ .n = RUNS,
				     .runs = (const struct snapshot *const *)s->runs,
				     .costs = s->costs };
	s->b = s->a;
	s->b.runs += RUNS;
	s->b.costs += RUNS;
}

static void sides_free(struct sides *s)
{
	int i;

	for (i = 0; i < 2 * RUNS; i++)
		snapshot_free(s->runs[i]);
	costs_free(&s->of_a);
	costs_free(&s->of_b);
}

static void compare(struct sides *s, struct compare *c, bool above)
{
	static struct compare_metric metrics[] = { { .name = "mean", .millionths = COMPARE_MEAN },
						   {} };
	struct error e;

	metrics[0].above = above;
	assert_int_equal(compare_make(c, &s->a, &s->b, metrics, 0.99, &e), 0);
}

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-5)
		fail_msg("%.7f is not %.7f", a, b);
}

/* Hot -1 to +7 ns, cold -104 to -96 ns, of 10,012.5 ns: both and none. */
static void test_wider(void **state)
{
	struct compare with, without;
	struct sides s;

	sides_make(&s, "fsession", 43, 20);
	compare(&s, &with, false);
	s.a.costs = s.b.costs = NULL;
	compare(&s, &without, false);
	assert_true(with.rows[0].across && with.rows[0].known && !without.rows[0].across);
	near(with.rows[0].shift_lo, -104 / 10012.5);
	near(with.rows[0].shift_hi, 7 / 10012.5);
	near(with.rows[0].lo, without.rows[0].lo - 7 / 10012.5);
	near(with.rows[0].hi, without.rows[0].hi + 104 / 10012.5);
	assert_true(with.rows[0].p > without.rows[0].p);
	near(with.rows[0].change, without.rows[0].change);
	assert_string_equal(with.rows[0].a.method, "fentry/fexit");
	assert_string_equal(with.rows[0].b.cost->method, "fsession");
	compare_free(&with);
	compare_free(&without);
	sides_free(&s);
}

/* 200 ns more are no regression where the floors may make 240, but where they make 150. */
static void test_verdict(void **state)
{
	static const struct {
		uint64_t hot;
		enum check_verdict verdict;
	} rows[] = { { 278, CHECK_INCONCLUSIVE }, { 186, CHECK_FAIL }, { 40, CHECK_FAIL } };
	struct compare c;
	struct sides s;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sides_make(&s, "fsession", rows[i].hot, 120);
		compare(&s, &c, true);
		assert_int_equal(check_increase(&c.rows[0], 0), rows[i].verdict);
		compare_free(&c);
		sides_free(&s);
	}
}

/* All ways to deal the runs out, after what the floors may make is taken off. */
static void test_by_lot(void **state)
{
	struct compare c;
	struct sides s;

	sides_make(&s, "fsession", 40, 120);
	compare(&s, &c, true);
	assert_true(compare_permuted(&c.rows[0], 0, 0) < 0.002);
	c.rows[0].shift_hi = 0.02;
	assert_true(compare_permuted(&c.rows[0], 0, 0) > 0.1);
	compare_free(&c);
	sides_free(&s);
}

static void test_alike(void **state)
{
	struct compare c;
	struct sides s;

	sides_make(&s, "fentry/fexit", 278, 120);
	compare(&s, &c, true);
	assert_false(c.rows[0].across);
	assert_true(c.rows[0].shift_lo == 0 && c.rows[0].shift_hi == 0);
	assert_int_equal(check_increase(&c.rows[0], 0), CHECK_FAIL);
	compare_free(&c);
	sides_free(&s);
}

/* One run without a floor is enough. */
static void test_unknown(void **state)
{
	struct compare c;
	struct sides s;

	sides_make(&s, "fsession", 40, 120);
	s.costs[2 * RUNS - 1] = &s.none;
	compare(&s, &c, true);
	assert_true(c.rows[0].across && !c.rows[0].known);
	assert_null(c.rows[0].b.cost);
	assert_non_null(c.rows[0].a.cost);
	assert_int_equal(check_increase(&c.rows[0], 0), CHECK_INCONCLUSIVE);
	compare_free(&c);
	sides_free(&s);
}

/* A report says so, unless the floor is subtracted; with its figure where it is known. */
static void test_stepped(void **state)
{
	struct snapshot *s = run_make("uprobe session, single-stepped", 15000, 0);
	struct recording rec = { .whole = s };
	struct costs costs = {};
	char text[COSTS_WARNING];

	assert_non_null(costs_warning(&rec, text));
	assert_non_null(strstr(text, "each duration of f contains the time of a probe"));
	put(&costs, "uprobe session, single-stepped", 9100, 9900);
	rec.costs = costs;
	assert_non_null(costs_warning(&rec, text));
	assert_non_null(strstr(text, "each duration of f contains 9.100 us of a probe"));
	s->nodes[0].subtract_ns = 9100;
	assert_null(costs_warning(&rec, text));
	snapshot_free(s);
	s = run_make("uprobe session on push", 15000, 0);
	rec.whole = s;
	assert_null(costs_warning(&rec, text));
	snapshot_free(s);
	costs_free(&costs);
}

/* What a format writes of a function whose probe is stepped and of one whose is not. */
static bool writes(const char *format, const char *method, const char *words)
{
	struct snapshot *s = run_make(method, 15000, 0);
	struct recording rec = { .whole = s };
	const struct recording *recs[] = { &rec };
	const struct report_look o = { .unit = "auto", .width = 80 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool found;

	fixture_text(&s->kernel, "");
	assert_int_equal(format_trace(format_find(format, REPORT_TRACE), out,
				      &(struct report_set){ 1, recs }, &o),
			 0);
	fclose(out);
	found = strstr(text, words);
	free(text);
	snapshot_free(s);
	return found;
}

/* Also where only figures are looked at. */
static void test_marked(void **state)
{
	static const char *const rows[][2] = {
		{ "csv", ",single_stepped\r\n" },
		{ "csv", ",yes\r\n" },
		{ "classic", "# each duration of f contains the time of a probe" },
		{ "hgrm", "# each duration of f contains the time of a probe" },
		{ "hist", "each duration of f contains the time of a probe" },
		{ "summary", "each duration of f contains the time of a probe" },
		{ "html", "each duration of f contains the time of a probe" },
		{ "svg", "with a single-stepped probe: " },
		{ "json", "single-stepped" },
		{ "openmetrics", "single-stepped" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!writes(rows[i][0], "uprobe session, single-stepped", rows[i][1]))
			fail_msg("%s does not say it", rows[i][0]);
		if (writes(rows[i][0], "uprobe session on nop", rows[i][1]))
			fail_msg("%s says it of a nop", rows[i][0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wider),   cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_by_lot),  cmocka_unit_test(test_alike),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_stepped),
		cmocka_unit_test(test_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
