// SPDX-License-Identifier: GPL-2.0-only
/* test_deep.c - calls nested too deep, told again and again while tasks end. */
#include "fixture.h"

#include "session/deep.h"

/* Calls of a task that ends between two readings are in the total once. */
static void test_total(void **state)
{
	static const struct {
		struct session_deep now;
		uint64_t all;
	} rows[] = {
		{ { 0, 3030 }, 3030 }, { { 3030, 0 }, 3030 }, { { 3030, 5 }, 3035 },
		{ { 3030, 0 }, 3035 }, { { 3034, 0 }, 3035 }, { { 3040, 2 }, 3042 },
	};
	struct session_deep told = {};
	uint64_t ended = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		session_deep_told(&told, rows[i].now, false);
		assert_int_equal(told.ended + told.alive, rows[i].all);
		assert_true(told.ended >= ended);
		ended = told.ended;
	}
}

/* Where each sum has a counter of its own, neither goes back. */
static void test_apart(void **state)
{
	struct session_deep told = {};

	(void)state;
	session_deep_told(&told, (struct session_deep){ 0, 7 }, true);
	session_deep_told(&told, (struct session_deep){ 4, 3 }, true);
	assert_int_equal(told.ended, 4);
	assert_int_equal(told.alive, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests_name("deep", tests, NULL, NULL);
}
