// SPDX-License-Identifier: GPL-2.0-only
/* test_ledger.c - the account of start events. */
#include "fixture.h"

#include "snapshot/ledger.h"

/* An owner with an error and a gap node beside it, and somebody else. */
static struct snapshot *four_nodes(void)
{
	struct snapshot *s = fixture_new(3, 2, 4);

	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	s->nodes[2].kind = SNAPSHOT_GAP;
	s->nodes[2].owner = 0;
	fixture_record(s, 0, 0, 100, 7);
	fixture_record(s, 0, 1, 5000, 11);
	fixture_record(s, 1, 1, 60, 13);
	fixture_record(s, 2, 0, 900, 17);
	fixture_record(s, 3, 0, 900, 19);
	return s;
}

static void test_owners(void **state)
{
	struct snapshot *s = four_nodes();

	assert_true(ledger_is_owner(s, 0));
	assert_false(ledger_is_owner(s, 1));
	assert_false(ledger_is_owner(s, 2));
	assert_true(ledger_is_owner(s, 3));
	snapshot_free(s);
}

static void test_recorded(void **state)
{
	struct snapshot *s = four_nodes();

	assert_int_equal(ledger_recorded(s, 0), 7 + 11 + 13);
	assert_int_equal(ledger_recorded(s, 3), 19);
	assert_int_equal(ledger_balance(s, 0), 0);
	assert_int_equal(ledger_balance(s, 3), 0);
	assert_int_equal(ledger_lost(s, 0), 0);
	snapshot_free(s);
}

/* Each counter by itself: does it balance a start, and is it a loss? */
static void test_each_counter(void **state)
{
	static const struct {
		enum kstats_ledger id;
		bool ends_start, is_loss;
	} known[] = {
		{ KSTATS_SHORT, true, false },
		{ KSTATS_RET, true, false },
		{ KSTATS_TASK_GONE, true, false },
		{ KSTATS_NESTED, true, true },
		{ KSTATS_BUSY, true, true },
		{ KSTATS_SUPERSEDED, true, true },
		{ KSTATS_FULL, true, true },
		{ KSTATS_END_MISSED, true, true },
		{ KSTATS_UNMATCHED, false, false },
		{ KSTATS_IN_FLIGHT, true, false },
		{ KSTATS_SKIPPED, false, true },
		{ KSTATS_NO_END, true, false },
		{ KSTATS_SKIPPED_SHARED, false, false },
		{ KSTATS_UNVERIFIED, true, true },
		{ KSTATS_SKIPPED_ANYONE, false, false },
		{ KSTATS_SKIPPED_ENDS, false, false },
		{ KSTATS_IF, true, false },
		{ KSTATS_UNREADABLE, true, true },
		{ KSTATS_DIVISION, true, true },
		{ KSTATS_NEGATIVE, true, false },
		{ KSTATS_NO_ROOM, true, true },
		{ KSTATS_NO_ROOM_APART, false, false },
	};
	struct snapshot *s;
	size_t i;

	assert_int_equal(sizeof(known) / sizeof(*known), KSTATS_LEDGER_N - 1);
	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		s = four_nodes();
		s->nodes[0].ledger[known[i].id] = 5;
		assert_int_equal(ledger_balance(s, 0), known[i].ends_start ? -5 : 0);
		assert_int_equal(ledger_lost(s, 0), known[i].is_loss ? 5 : 0);
		s->nodes[0].ledger[KSTATS_STARTED] += 8;
		assert_int_equal(ledger_balance(s, 0), known[i].ends_start ? 3 : 8);
		assert_int_equal(ledger_balance(s, 3), 0);
		snapshot_free(s);
	}
}

static void test_left_over(void **state)
{
	struct snapshot *s = four_nodes();

	s->nodes[0].ledger[KSTATS_STARTED] += 4;
	assert_int_equal(ledger_left_over(s, 0), 4);
	s->nodes[0].ledger[KSTATS_IN_FLIGHT] = 4;
	assert_int_equal(ledger_left_over(s, 0), 4);
	assert_int_equal(ledger_balance(s, 0), 0);
	s->nodes[0].ledger[KSTATS_IN_FLIGHT] = 1;
	s->nodes[0].ledger[KSTATS_NO_END] = 3;
	assert_int_equal(ledger_left_over(s, 0), 4);
	assert_int_equal(ledger_balance(s, 0), 0);
	s->nodes[0].ledger[KSTATS_STARTED] -= 10;
	assert_int_equal(ledger_left_over(s, 0), -6);
	snapshot_free(s);
}

/* Of calls without an end those are lost whose end was skipped, and no others. */
static void test_ends(void **state)
{
	static const struct {
		uint64_t no_end, ends, starts, unmatched, lost;
	} rows[] = {
		{ 9, 0, 0, 0, 0 }, { 9, 4, 0, 0, 4 }, { 3, 4, 0, 0, 3 },  { 9, 4, 4, 0, 4 },
		{ 9, 4, 6, 0, 6 }, { 9, 4, 4, 1, 5 }, { 9, 4, 4, 40, 8 }, { 0, 9, 9, 0, 9 },
	};
	struct snapshot *s;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		s = four_nodes();
		s->nodes[0].ledger[KSTATS_NO_END] = rows[i].no_end;
		s->nodes[0].ledger[KSTATS_SKIPPED_ENDS] = rows[i].ends;
		s->nodes[0].ledger[KSTATS_SKIPPED] = rows[i].starts;
		s->nodes[0].ledger[KSTATS_UNMATCHED] = rows[i].unmatched;
		assert_int_equal(ledger_lost(s, 0), rows[i].lost);
		snapshot_free(s);
	}
}

static void test_table(void **state)
{
	int i, j;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		assert_non_null(ledger_rows[i].key);
		assert_true(*ledger_rows[i].label && *ledger_rows[i].explain);
		for (j = 0; j < i; j++)
			assert_string_not_equal(ledger_rows[i].key, ledger_rows[j].key);
	}
}

static void test_order(void **state)
{
	bool seen[KSTATS_LEDGER_N] = {};
	size_t i;

	(void)state;
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		assert_false(seen[ledger_order[i]]);
		seen[ledger_order[i]] = true;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners),       cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_each_counter), cmocka_unit_test(test_order),
		cmocka_unit_test(test_left_over),    cmocka_unit_test(test_table),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
