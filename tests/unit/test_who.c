// SPDX-License-Identifier: GPL-2.0-only
/* test_who.c - the homes of a command's tasks: none is missed, and a home becomes free again. */
#include "fixture.h"

#include "kstats_who.h"

#define TASKS 5
#define ADDRESS(i) (0xffff888000000000ULL + (i)*0x40)

/* Whether programs would look the task up, or know it. */
static bool may_be_of(uint64_t home, uint64_t task)
{
	return home == task || (home && home <= KSTATS_HOME_MOST);
}

/* Tasks of one home begin and end in any order. */
static void test_homes(void **state)
{
	bool there[TASKS] = {};
	__u64 home = 0;
	uint64_t random = 7;
	int i, k, n = 0;

	for (i = 0; i < 10000; i++) {
		k = fixture_random(&random) % TASKS;
		if (there[k])
			kstats_home_remove(&home, ADDRESS(k));
		else
			kstats_home_add(&home, ADDRESS(k));
		n += there[k] ? -1 : 1;
		there[k] = !there[k];
		for (k = 0; k < TASKS; k++)
			if (there[k])
				assert_true(may_be_of(home, ADDRESS(k)));
		if (!n)
			assert_int_equal(home, 0);
	}
}

/* What cannot be known any more stays: no task is missed. */
static void test_many(void **state)
{
	__u64 home = 0;
	int i;

	for (i = 0; i < KSTATS_HOME_MOST + 5; i++)
		kstats_home_add(&home, ADDRESS(i));
	assert_int_equal(home, KSTATS_HOME_MOST);
	kstats_home_remove(&home, ADDRESS(3));
	assert_int_equal(home, KSTATS_HOME_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_homes),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("who", tests, NULL, NULL);
}
