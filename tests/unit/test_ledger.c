// SPDX-License-Identifier: GPL-2.0-only
/* test_ledger.c - the account of start events. */
#include "fixture.h"

#include "result/ledger.h"

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
		{ KSTATS_ENDS_LOST, false, false },
		{ KSTATS_AGAIN, true, false },
		{ KSTATS_CANCELLED, true, false },
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
		uint64_t no_end, gone, open, missed, ends, lost;
	} rows[] = {
		{ 9, 0, 0, 0, 0, 0 }, { 9, 0, 0, 0, 4, 4 },    { 3, 0, 0, 0, 4, 3 },
		{ 0, 9, 0, 0, 4, 4 }, { 0, 50, 0, 0, 50, 50 }, { 0, 50, 0, 50, 100, 100 },
		{ 0, 0, 9, 0, 4, 4 }, { 0, 2, 9, 1, 4, 4 },    { 0, 2, 9, 5, 4, 5 },
		{ 1, 2, 3, 0, 9, 6 }, { 0, 0, 0, 0, 9, 0 },
	};
	uint64_t told[KSTATS_LEDGER_N];
	bool final;
	struct snapshot *s;
	size_t i;

	for (i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		final = i % 2;
		s = four_nodes();
		s->span.final = final;
		s->nodes[0].ledger[KSTATS_NO_END] = rows[i / 2].no_end;
		s->nodes[0].ledger[KSTATS_TASK_GONE] = rows[i / 2].gone;
		s->nodes[0].ledger[KSTATS_IN_FLIGHT] = rows[i / 2].open;
		s->nodes[0].ledger[KSTATS_END_MISSED] = rows[i / 2].missed;
		s->nodes[0].ledger[KSTATS_ENDS_LOST] = rows[i / 2].ends;
		assert_int_equal(ledger_lost(s, 0), rows[i / 2].lost);
		ledger_told(s, 0, told);
		assert_int_equal(told[KSTATS_END_MISSED], rows[i / 2].lost);
		assert_int_equal(told[KSTATS_NO_END] + told[KSTATS_TASK_GONE] +
					 told[KSTATS_IN_FLIGHT] + told[KSTATS_END_MISSED],
				 rows[i / 2].no_end + rows[i / 2].gone + rows[i / 2].open +
					 rows[i / 2].missed);
		assert_int_equal(told[KSTATS_ENDS_LOST], 0);
		snapshot_free(s);
	}
}

/* Where tasks are left out, calls without an end may be lost, but none is said to be. */
static void test_may_be_lost(void **state)
{
	static const struct {
		const char *filters;
		uint64_t ends, open, skipped, missed, known, may;
	} rows[] = {
		{ "process 7", 222120, 2, 0, 0, 0, 2 },
		{ "process 7", 1, 2, 0, 0, 0, 1 },
		{ "process 7", 5, 0, 0, 0, 0, 0 },
		{ "process 7", 0, 2, 0, 0, 0, 0 },
		{ "", 5, 2, 0, 0, 0, 0 },
		{ "process 7", 5, 2, 1, 0, 0, 0 },
		{ "process 7", 5, 2, 0, 0, 1, 0 },
		{ "process 7", 5, 2, 0, 1, 0, 2 },
		{ "process 7", 5, 2, 0, 4, 0, 1 },
		{ "process 7", 5, 2, 0, 5, 0, 0 },
		{ "process 7", 5, 2, 0, 6, 0, 0 },
	};
	struct snapshot *s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		s = four_nodes();
		fixture_text(&s->filters, rows[i].filters);
		fixture_count(s, 0, KSTATS_SKIPPED_ENDS, rows[i].ends);
		fixture_count(s, 0, KSTATS_IN_FLIGHT, rows[i].open);
		fixture_count(s, 0, KSTATS_SKIPPED, rows[i].skipped);
		fixture_count(s, 0, KSTATS_END_MISSED, rows[i].missed);
		fixture_count(s, 0, KSTATS_ENDS_LOST, rows[i].known);
		assert_int_equal(ledger_may_be_lost(s, 0), rows[i].may);
		assert_int_equal(ledger_lost(s, 0),
				 rows[i].skipped + rows[i].missed + rows[i].known);
		snapshot_free(s);
	}
}

/* Ends that are lost among several functions are not lost by each of them. */
static void test_share(void **state)
{
	static const struct {
		uint64_t lost, own[4], parts[4];
	} rows[] = {
		{ 40, { 50, 50, 50, 50 }, { 10, 10, 10, 10 } },
		{ 40, { 0, 10, 0, 10 }, { 0, 10, 0, 10 } },
		{ 40, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } },
		{ 0, { 5, 6, 7, 8 }, { 0, 0, 0, 0 } },
		{ 1, { 5, 0, 7, 8 }, { 1, 0, 0, 0 } },
		{ 7, { 1, 2, 3, 6 }, { 1, 2, 2, 2 } },
	};
	uint64_t lost, no_end;
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		lost = rows[i].lost;
		for (j = 0, no_end = 0; j < 4; j++)
			no_end += rows[i].own[j];
		for (j = 0; j < 4; j++)
			assert_int_equal(ledger_share(&lost, &no_end, rows[i].own[j]),
					 rows[i].parts[j]);
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
		cmocka_unit_test(test_ends),         cmocka_unit_test(test_share),
		cmocka_unit_test(test_may_be_lost),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
