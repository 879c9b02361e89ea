// SPDX-License-Identifier: GPL-2.0-only
/* test_kmem_rules.c - bounds of recordings of memory events: their words, and verdicts. */
#include "kmem_fixture.h"

#include "kmem/rules.h"

static struct kmem_finding judge(const struct kmem *k, const char *text, double max_loss,
				 bool allow_empty)
{
	struct kmem_finding f = {};
	struct kmem_rule rule;
	struct error e = {};

	if (kmem_rule_parse(&rule, text, &e))
		fail_msg("%s: %s", e.what, e.why);
	assert_int_equal(kmem_rule_judge(&rule, k, max_loss, allow_empty, &f), 0);
	return f;
}

/* Waste of kmalloc and caches: 95,187 and 40,088 of 198,976 and 5,532,144 bytes. */
static const struct {
	const char *rule;
	enum kmem_verdict verdict;
} cases[] = {
	{ "waste<10%", KMEM_PASS },
	{ "waste<2.3603%", KMEM_FAIL },
	{ "waste<=2.3604%", KMEM_PASS },
	{ "waste==135275", KMEM_PASS },
	{ "waste<135275", KMEM_FAIL },
	{ "waste<=135275B", KMEM_PASS },
	{ "waste>132KiB", KMEM_PASS },
	{ "waste > 133KiB", KMEM_FAIL },
	{ "kmalloc:waste<48%", KMEM_PASS },
	{ "kmalloc:waste<47%", KMEM_FAIL },
	{ "cache:waste==40088", KMEM_PASS },
	{ "bytes==5731120", KMEM_PASS },
	{ "bytes<1GiB", KMEM_PASS },
	{ "pages:bytes==1040384", KMEM_PASS },
	{ "requested>=5595845", KMEM_PASS },
	{ "count==6387", KMEM_PASS },
	{ "rate>638.6", KMEM_PASS },
	{ "rate>638.8", KMEM_FAIL },
	{ "kmemdup:count==1061", KMEM_PASS },
	{ "kmemdup+0x1e:count==1061", KMEM_PASS },
	{ "kmem*:count==1061", KMEM_PASS },
	{ "ext4_inode_cache:count==5011", KMEM_PASS },
	{ "live==1112256", KMEM_PASS },
	{ "live<1MiB", KMEM_FAIL },
	{ "objects==1098", KMEM_PASS },
	{ "kmemdup:objects>98", KMEM_FAIL },
	{ "oldest<10s", KMEM_PASS },
	{ "oldest<9s", KMEM_FAIL },
	{ "seq_open:p50<2.1ms", KMEM_PASS },
	{ "seq_open:p99.9>1ms", KMEM_PASS },
	{ "seq_open:p50<2ms", KMEM_INCONCLUSIVE },
	{ "seq_open:p50<1ms", KMEM_FAIL },
	{ "other-cpu<79.7%", KMEM_PASS },
	{ "other-cpu<79.6%", KMEM_FAIL },
	{ "loss==20", KMEM_PASS },
	{ "loss<1%", KMEM_PASS },
	{ "loss<0.1%", KMEM_FAIL },
	{ "nothing:waste<1", KMEM_FAIL },
	{ "nothing:count==0", KMEM_PASS },
	{ "nothing:p50<1s", KMEM_FAIL },
};

static void test_verdicts(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_finding f;
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

	assert_int_equal(judge(k, "nothing:waste<1", 0.01, true).verdict, KMEM_PASS);
	kmem_free(k);
}

/* What was not measured, or lost too much, or does not close, is not judged. */
static void test_inconclusive(void **state)
{
	struct kmem *k = kmem_fixture(false);
	struct kmem_finding f = judge(k, "live<1", 0.01, false);

	assert_int_equal(f.verdict, KMEM_INCONCLUSIVE);
	assert_string_equal(f.next, "measure with --lifetime");
	assert_int_equal(judge(k, "waste<10%", 0.0001, false).verdict, KMEM_INCONCLUSIVE);
	assert_int_equal(judge(k, "loss<10%", 0.0001, false).verdict, KMEM_PASS);
	kmem_free(k);
	k = kmem_fixture(true);
	k->counts[KSTATS_KMEM_N_REUSED]++;
	assert_int_equal(judge(k, "waste<10%", 0.01, false).verdict, KMEM_INCONCLUSIVE);
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
	{ "waste<1 KiB", "limit cannot be read" },
	{ "bytes<1%", "limit cannot be read" },
	{ "count<1KiB", "limit cannot be read" },
	{ "other-cpu<1", "limit cannot be read" },
	{ "p50<1KiB", "limit cannot be read" },
	{ "oldest<1%", "limit cannot be read" },
	{ "bytes<999999999999999999999999999999999999", "larger than any figure" },
	{ "bytes<9999999TiB", "larger than any figure" },
	{ "waste<99999999999999999999999999999999%", "larger than any figure" },
	{ "count<99999999999999999999", "larger than any figure" },
	{ "p99999999999999999999999999999<1ms", "known figure" },
	{ "kmemdup:loss<1", "not known by site" },
	{ "a_pattern_that_is_longer_than_what_fits_into_it*:waste<1", "longer than" },
};

static void test_wrong(void **state)
{
	struct kmem_rule rule;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		e = (struct error){};
		if (!kmem_rule_parse(&rule, wrong[i].text, &e))
			fail_msg("'%s' is taken", wrong[i].text);
		if (!strstr(e.why, wrong[i].why))
			fail_msg("'%s': %s", wrong[i].text, e.why);
	}
}

static void test_knows(void **state)
{
	assert_true(kmem_rule_knows("waste<x"));
	assert_true(kmem_rule_knows("kmemdup*:live=1"));
	assert_false(kmem_rule_knows("mean<1"));
	assert_false(kmem_rule_knows("p50<1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),     cmocka_unit_test(test_empty),
		cmocka_unit_test(test_inconclusive), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_knows),
	};

	return cmocka_run_group_tests_name("kmem_rules", tests, NULL, NULL);
}
