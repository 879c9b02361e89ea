// SPDX-License-Identifier: GPL-2.0-only
/* test_check_memory.c - bounds of recordings of memory events: their words, and verdicts. */
#include "kmem_fixture.h"

#include "judge/check.h"

static struct check_result judge(const struct kmem *k, const char *text, double max_loss,
				 bool allow_empty)
{
	const struct check_terms terms = { .max_loss = max_loss, .allow_empty = allow_empty };
	struct check_result r;
	struct check_rule rule;
	struct error e = {};
	struct check c;

	if (check_parse_assert(&rule, text, &e) || check_memory(&c, &rule, 1, &k, 1, &terms, &e))
		fail_msg("%s: %s", e.what, e.why);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.verdict, c.results[0].verdict);
	r = c.results[0];
	check_free(&c);
	return r;
}

/* Waste of kmalloc and caches: 95,187 and 40,088 of 198,976 and 5,532,144 bytes. */
static const struct {
	const char *rule;
	enum check_verdict verdict;
} cases[] = {
	{ "waste<10%", CHECK_PASS },
	{ "waste<2.3603%", CHECK_FAIL },
	{ "waste<=2.3604%", CHECK_PASS },
	{ "waste==135275", CHECK_PASS },
	{ "waste<135275", CHECK_FAIL },
	{ "waste<=135275B", CHECK_PASS },
	{ "waste>132KiB", CHECK_PASS },
	{ "waste > 133 KiB", CHECK_FAIL },
	{ "kmalloc:waste<48%", CHECK_PASS },
	{ "kmalloc:waste<47%", CHECK_FAIL },
	{ "cache:waste==40088", CHECK_PASS },
	{ "bytes==5731120", CHECK_PASS },
	{ "bytes<1GiB", CHECK_PASS },
	{ "pages:bytes==1040384", CHECK_PASS },
	{ "requested>=5595845", CHECK_PASS },
	{ "count==6387", CHECK_PASS },
	{ "rate>638.6", CHECK_PASS },
	{ "rate>638.8", CHECK_FAIL },
	{ "kmemdup:count==1061", CHECK_PASS },
	{ "kmemdup+0x1e:count==1061", CHECK_PASS },
	{ "kmem*:count==1061", CHECK_PASS },
	{ "ext4_inode_cache:count==5011", CHECK_PASS },
	{ "live==1112256", CHECK_PASS },
	{ "live<1MiB", CHECK_FAIL },
	{ "objects==1098", CHECK_PASS },
	{ "kmemdup:objects>98", CHECK_FAIL },
	{ "oldest<10s", CHECK_PASS },
	{ "oldest<9s", CHECK_FAIL },
	{ "seq_open:p50<2.1ms", CHECK_PASS },
	{ "seq_open:p99.9>1ms", CHECK_PASS },
	{ "seq_open:p50<2ms", CHECK_INCONCLUSIVE },
	{ "seq_open:p50<1ms", CHECK_FAIL },
	{ "other-cpu<79.7%", CHECK_PASS },
	{ "other-cpu<79.6%", CHECK_FAIL },
	{ "loss==20", CHECK_PASS },
	{ "loss<1%", CHECK_PASS },
	{ "loss<0.1%", CHECK_FAIL },
	{ "nothing:waste<1", CHECK_PASS },
	{ "nothing:live>0", CHECK_FAIL },
	{ "nothing:waste<1%", CHECK_FAIL },
	{ "nothing:count==0", CHECK_PASS },
	{ "nothing:p50<1s", CHECK_FAIL },
};

static void test_verdicts(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct check_result f;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		f = judge(k, cases[i].rule, 0.01, false);
		if (f.verdict != cases[i].verdict)
			fail_msg("%s: %d: %s", cases[i].rule, f.verdict, f.why);
		assert_true(f.why[0]);
	}
	kmem_free(k);
}

static void test_empty(void **state)
{
	struct kmem *k = kmem_fixture(true);

	assert_int_equal(judge(k, "nothing:waste<1", 0.01, true).verdict, CHECK_PASS);
	kmem_free(k);
}

/* What was not measured, or lost too much, or does not close, is not judged. */
static void test_inconclusive(void **state)
{
	struct kmem *k = kmem_fixture(false);
	struct check_result f = judge(k, "live<1", 0.01, false);

	assert_int_equal(f.verdict, CHECK_INCONCLUSIVE);
	assert_string_equal(f.next, "measure with --lifetime");
	assert_int_equal(judge(k, "waste<10%", 0.0001, false).verdict, CHECK_INCONCLUSIVE);
	assert_int_equal(judge(k, "loss<10%", 0.0001, false).verdict, CHECK_PASS);
	kmem_free(k);
	k = kmem_fixture(true);
	k->counts[KSTATS_KMEM_N_REUSED]++;
	assert_int_equal(judge(k, "waste<10%", 0.01, false).verdict, CHECK_INCONCLUSIVE);
	kmem_free(k);
}

static const struct {
	const char *text, *why;
} wrong[] = {
	{ "", "known figure" },
	{ "wast<1", "known figure" },
	{ "p<1", "known figure" },
	{ "p0<1", "known figure" },
	{ "p101<1", "known figure" },
	{ "p5x<1", "known figure" },
	{ "site:<1", "known figure" },
	{ "waste", "no comparison" },
	{ "waste=1", "no comparison" },
	{ "waste<", "limit cannot be read" },
	{ "waste<-1", "limit cannot be read" },
	{ "waste<nan", "limit cannot be read" },
	{ "waste<1x", "limit cannot be read" },
	{ "waste<1.2.3", "limit cannot be read" },
	{ "bytes<1%", "limit cannot be read" },
	{ "count<1KiB", "limit cannot be read" },
	{ "other-cpu<1", "limit cannot be read" },
	{ "p99.12345<1s", "known figure" },
	{ "oldest<1%", "limit cannot be read" },
	{ "bytes<999999999999999999999999999999999999", "larger than any figure" },
	{ "bytes<9999999TiB", "larger than any figure" },
	{ "waste<99999999999999999999999999999999%", "larger than any figure" },
	{ "count<99999999999999999999", "larger than any figure" },
	{ "p99999999999999999999999999999<1ms", "known figure" },
	{ "a_pattern_that_is_longer_than_what_fits_into_it_and_in_the_name_of_any_function_even_"
	  "of_cpp_"
	  "a_pattern_that_is_longer_than_what_fits_into_it_and_in_the_name_of_any_function_even_of_"
	  "cpp*:waste<1",
	  "longer than" },
};

static void test_wrong(void **state)
{
	struct check_rule rule;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		e = (struct error){};
		if (!check_parse_assert(&rule, wrong[i].text, &e))
			fail_msg("'%s' is taken", wrong[i].text);
		if (!strstr(e.why, wrong[i].why))
			fail_msg("'%s': %s", wrong[i].text, e.why);
	}
}

/* Some figures belong to recordings of calls, some to memory events, some to both. */
static void test_kinds(void **state)
{
	static const struct {
		const char *text;
		unsigned int kinds;
	} rows[] = {
		{ "mean<1", CHECK_CALLS },
		{ "p50<4KiB", CHECK_CALLS },
		{ "p50<4pages", CHECK_CALLS },
		{ "p50<4us", CHECK_CALLS | CHECK_MEMORY },
		{ "p50<4", CHECK_CALLS | CHECK_MEMORY },
		{ "count<4", CHECK_CALLS | CHECK_MEMORY },
		{ "loss<1%", CHECK_CALLS | CHECK_MEMORY },
		{ "a*:count<4", CHECK_CALLS | CHECK_MEMORY },
		{ "ns::f(int):p99<1ms", CHECK_CALLS | CHECK_MEMORY },
		{ "a:mean<1us", CHECK_CALLS },
		{ "a:p50<1KiB", CHECK_CALLS },
		{ "a:loss<1", CHECK_CALLS },
		{ "a:live<1", CHECK_MEMORY },
		{ "waste<4", CHECK_MEMORY },
	};
	struct check_rule rule;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(check_parse_assert(&rule, rows[i].text, &e), 0);
		assert_int_equal(!check_rules_fit(&rule, 1, CHECK_CALLS, &e),
				 !!(rows[i].kinds & CHECK_CALLS));
		assert_int_equal(!check_rules_fit(&rule, 1, CHECK_MEMORY, &e),
				 !!(rows[i].kinds & CHECK_MEMORY));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),     cmocka_unit_test(test_empty),
		cmocka_unit_test(test_inconclusive), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests_name("check_memory", tests, NULL, NULL);
}
