// SPDX-License-Identifier: GPL-2.0-only
/* test_overhead.c - overhead, estimated from counts and costs, against a limit. */
#include "fixture.h"

#include "measure/overhead.h"

#define SECOND 1000000000ULL

static bool near(double a, double b)
{
	return a > b * 0.999999 - 1e-12 && a < b * 1.000001 + 1e-12;
}

/* 100 calls at 152 ns, 10 at 400, and 7 left out, at the dearer price. */
static void test_spent(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 4);
	struct recording *r;

	fixture_name(s, 0, "a");
	fixture_name(s, 1, "a:error");
	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	fixture_name(s, 2, "b");
	fixture_text(&s->nodes[2].method, "kprobe/kretprobe");
	fixture_name(s, 3, "c");
	fixture_text(&s->nodes[3].method, "function pair (fentry)");
	r = fixture_recording(s);
	fixture_cost(r, "fentry/fexit", 38);
	fixture_cost(r, "kprobe/kretprobe", 100);
	s->nodes[0].ledger[KSTATS_STARTED] = 100;
	s->nodes[2].ledger[KSTATS_STARTED] = 10;
	s->nodes[3].ledger[KSTATS_STARTED] = 1000000; /* nobody knows what it costs */
	assert_true(near(overhead_spent(s, &r->costs, 0), 100 * 152 + 10 * 400));
	assert_true(near(overhead_spent(s, &r->costs, 7), 100 * 152 + 10 * 400 + 7 * 400));
	/* Of a pair the ends may be many, and the starts few: half a call each. */
	s->nodes[2].ledger[KSTATS_UNMATCHED] = 1001;
	assert_true(near(overhead_spent(s, &r->costs, 0), 100 * 152 + 510.5 * 400));
	/* What is in the module costs something else. */
	fixture_text(&s->backend, "kmod");
	assert_true(overhead_spent(s, &r->costs, 7) == 0);
	recording_free(r);
}

static void test_limit(void **state)
{
	struct overhead o = { .limit = 1, .cpus = 4 };
	uint64_t now = 5 * SECOND;

	overhead_begin(&o, now);
	/* 1 % of four processors' second is 40 ms. */
	assert_false(overhead_look(&o, 0.040 * SECOND, now + SECOND));
	assert_true(near(o.most, 1));
	/* Each look is of the time since the last: a pause before does not help. */
	assert_false(overhead_look(&o, 0.040 * SECOND, now + 10 * SECOND));
	assert_true(overhead_look(&o, 0.0801 * SECOND, now + 11 * SECOND));
	assert_true(near(o.most, 1.0025));
	/* Passed is passed. */
	assert_true(overhead_look(&o, 0.0801 * SECOND, now + 12 * SECOND));
}

/* What ends before the first look is held against the limit as a whole. */
static void test_short(void **state)
{
	struct overhead o = { .limit = 1 };

	overhead_begin(&o, 0);
	assert_int_equal(o.cpus, 1); /* where nobody knows how many there are */
	overhead_end(&o, 0.0009 * SECOND, SECOND / 10);
	assert_false(o.over);
	assert_true(near(o.most, 0.9));
	overhead_end(&o, 0.0011 * SECOND, SECOND / 10);
	assert_true(o.over);
}

static void test_no_limit(void **state)
{
	struct overhead o = {};

	overhead_begin(&o, 0);
	assert_false(overhead_look(&o, 100.0 * SECOND, SECOND));
	assert_false(overhead_look(&o, 100.0 * SECOND, SECOND)); /* no time has gone by */
	overhead_end(&o, 100.0 * SECOND, 0);
	assert_false(o.over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spent),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_no_limit),
	};

	return cmocka_run_group_tests_name("overhead", tests, NULL, NULL);
}
