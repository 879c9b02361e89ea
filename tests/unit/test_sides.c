// SPDX-License-Identifier: GPL-2.0-only
/* test_sides.c - functions and keys that only one side has, rules for one of them. */
#include "fixture.h"

#include "judge/check.h"

#define RUNS 6
#define NAMES 3

/* Of each name: the first so many runs of a side that have samples of it. */
struct has {
	const char *name;
	unsigned int before, after;
};

static struct snapshot *sides_run(const struct has *has, unsigned int run, bool after)
{
	struct snapshot *s = snapshot_new(5, 1, NAMES);
	unsigned int k;

	s->span.wall_ns = 1000000000ULL * (2 * run + after + 1);
	for (k = 0; k < NAMES; k++) {
		fixture_name(s, k, has[k].name);
		if (run < (after ? has[k].after : has[k].before))
			fixture_record(s, k, 0, 1000 + run, 100);
	}
	return s;
}

static enum check_verdict judge(const struct has *has, const char *const *words,
				const char *require, struct check *c)
{
	const struct check_terms terms = {
		.confidence = 0.99, .max_loss = 0.01, .require = &require, .n_require = !!require
	};
	static struct check_rule rules[4];
	static struct snapshot *runs[2 * RUNS];
	const struct compare_set base = { .n = RUNS, .runs = (const struct snapshot *const *)runs };
	const struct compare_set judged = { .n = RUNS,
					    .runs = (const struct snapshot *const *)runs + RUNS };
	struct error e;
	size_t i, n;

	for (i = 0; i < 2 * RUNS; i++) {
		snapshot_free(runs[i]);
		runs[i] = has ? sides_run(has, i % RUNS, i >= RUNS) : NULL;
	}
	if (!has)
		return CHECK_PASS;
	for (n = 0; words[n]; n++)
		assert_int_equal(strchr(words[n], '<')
					 ? check_parse_assert(&rules[n], words[n], &e)
					 : check_parse_increase(&rules[n], words[n], &e),
				 0);
	assert_int_equal(check_make(c, rules, n, &judged, &base, &terms, &e), 0);
	return c->verdict;
}

static const char *const p50[] = { "p50=20%", NULL };

static void test_rare(void **state)
{
	static const struct {
		unsigned int before, after;
		enum check_verdict verdict;
		bool told;
	} rows[] = {
		/* All of six and none of six: once in 924, by chance. Two of six: five in 22. */
		{ 6, 0, CHECK_FAIL, false }, { 0, 6, CHECK_FAIL, false },
		{ 5, 0, CHECK_FAIL, false }, { 4, 0, CHECK_PASS, true },
		{ 2, 0, CHECK_PASS, true },  { 0, 1, CHECK_PASS, true },
	};
	struct has has[NAMES] = { { "f", 6, 6 }, { "g", 6, 6 }, { "rare", 0, 0 } };
	struct check c;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		has[2].before = rows[i].before;
		has[2].after = rows[i].after;
		assert_int_equal(judge(has, p50, NULL, &c), rows[i].verdict);
		assert_int_equal(!!strstr(c.one_sided, "only one side has rare"), rows[i].told);
		assert_int_equal(c.n, rows[i].told ? 2 : 3);
		check_free(&c);
		assert_int_equal(judge(has, p50, "rare", &c), CHECK_FAIL);
		check_free(&c);
		assert_int_equal(judge(has, p50, "[fg]", &c), rows[i].verdict);
		check_free(&c);
	}
	/* Two names share the error: 5 of 6 are no longer enough. */
	has[1] = (struct has){ "g", 0, 5 };
	has[2] = (struct has){ "rare", 5, 0 };
	assert_int_equal(judge(has, p50, NULL, &c), CHECK_PASS);
	check_free(&c);
	/* Where nothing else is compared, no pass. */
	has[0] = (struct has){ "f", 0, 2 };
	assert_int_equal(judge(has, p50, NULL, &c), CHECK_FAIL);
	check_free(&c);
	judge(NULL, NULL, NULL, NULL);
}

/* A rule for one function widens no interval of it for the others. */
static void test_named(void **state)
{
	static const char *const one[] = { "f:p50=20%", "ns::g(int[3]):p50<1s", NULL };
	static const char *const none[] = { "h:p50<1s", "f:p50=20%", NULL };
	static const struct has has[NAMES] = { { "f", 6, 6 },
					       { "ns::g(int[3])", 6, 6 },
					       { "rest", 6, 6 } };
	struct check c;

	assert_int_equal(judge(has, one, NULL, &c), CHECK_PASS);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.compared.n, 1);
	check_free(&c);
	assert_int_equal(judge(has, none, NULL, &c), CHECK_FAIL);
	assert_int_equal(c.n, 2);
	check_free(&c);
	judge(NULL, NULL, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rare),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
