// SPDX-License-Identifier: GPL-2.0-only
/* test_check_loss.c - bounds on what was lost, and on how many there were. */
#include "fixture.h"

#include "judge/check.h"

/* All may be lost: what --max-loss does is another test's. */
static const struct check_terms terms = { .confidence = 0.95, .max_loss = 1 };

struct row {
	const char *text;
	enum check_verdict verdict;
};

/* 960 recorded; 30 that the kernel skipped and 10 more that were lost. */
static struct snapshot *make(enum kstats_ledger skipped)
{
	struct snapshot *s = fixture_new(3, 1, 1);

	fixture_record(s, 0, 0, 1000, 960);
	fixture_count(s, 0, KSTATS_SUPERSEDED, 10);
	fixture_count(s, 0, skipped, 30);
	return s;
}

static void judge(struct snapshot *s, const struct row *rows, size_t n)
{
	const struct snapshot *run = s;
	const struct compare_set set = { .n = 1, .runs = &run };
	struct check_rule rule;
	struct error e;
	struct check c;
	size_t i;

	for (i = 0; i < n; i++) {
		assert_int_equal(check_parse_assert(&rule, rows[i].text, &e), 0);
		assert_int_equal(check_make(&c, &rule, 1, &set, NULL, &terms, &e), 0);
		if (c.verdict != rows[i].verdict)
			fail_msg("%s: %s, %s", rows[i].text, check_verdict_name(c.verdict),
				 c.results[0].why);
		check_free(&c);
	}
	snapshot_free(s);
}

/* What the kernel skipped is lost as well, and was a call as well. */
static const struct row lost[] = {
	{ "loss==40", CHECK_PASS },   { "loss<40", CHECK_FAIL }, { "loss>40", CHECK_FAIL },
	{ "loss<=4%", CHECK_PASS },   { "loss<4%", CHECK_FAIL }, { "loss>=4%", CHECK_PASS },
	{ "loss<=3.9%", CHECK_FAIL }, { "loss==0", CHECK_FAIL },
};

static void test_skipped(void **state)
{
	judge(make(KSTATS_SKIPPED), lost, sizeof(lost) / sizeof(*lost));
}

static void test_skipped_shared(void **state)
{
	judge(make(KSTATS_SKIPPED_SHARED), lost, sizeof(lost) / sizeof(*lost));
}

/* One too few is as wrong as one too many. */
static void test_count(void **state)
{
	static const struct row rows[] = {
		{ "count==960", CHECK_PASS }, { "count==961", CHECK_FAIL },
		{ "count==959", CHECK_FAIL }, { "count>=960", CHECK_PASS },
		{ "count>=961", CHECK_FAIL }, { "count>959", CHECK_PASS },
		{ "count>960", CHECK_FAIL },  { "count<=960", CHECK_PASS },
		{ "count<=959", CHECK_FAIL }, { "count<961", CHECK_PASS },
		{ "count<960", CHECK_FAIL },
	};

	judge(make(KSTATS_SKIPPED), rows, sizeof(rows) / sizeof(*rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_skipped_shared),
		cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
