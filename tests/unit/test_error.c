// SPDX-License-Identifier: GPL-2.0-only
/* test_error.c - no failure ends as a success. */
#include "fixture.h"

#include <errno.h>

#include "util/error.h"

static void test_status(void **state)
{
	struct error e = {};

	assert_int_equal(error_print(&e), EXIT_KERNEL);
	assert_int_equal(error_set(&e, EXIT_LEDGER, -EIO, NULL, NULL, "cannot do %d", 1), -EIO);
	assert_int_equal(error_print(&e), EXIT_LEDGER);
	assert_string_equal(e.what, "cannot do 1");
	assert_string_equal(e.why, strerror(EIO));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_status) };

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
