// SPDX-License-Identifier: GPL-2.0-only
/* test_user_arguments.c - where the notes of static probes say that their arguments are. */
#include "fixture.h"

#include "user/user.h"

static void test_places(void **state)
{
	static const struct {
		const char *text;
		struct user_argument is;
	} rows[] = {
		{ "8@%rdi", { USER_IN_REGISTER, 8, false, 112, 0 } },
		{ "-4@%esi", { USER_IN_REGISTER, 4, true, 104, 0 } },
		{ "1@%sil", { USER_IN_REGISTER, 1, false, 104, 0 } },
		{ "2@%r15w", { USER_IN_REGISTER, 2, false, 0, 0 } },
		{ "-1@%r8b", { USER_IN_REGISTER, 1, true, 72, 0 } },
		{ "4@$5", { USER_IS_NUMBER, 4, false, -1, 5 } },
		{ "-8@$-7", { USER_IS_NUMBER, 8, true, -1, -7 } },
		{ "4@-20(%rbp)", { USER_IN_MEMORY, 4, false, 32, -20 } },
		{ "8@(%rsp)", { USER_IN_MEMORY, 8, false, 152, 0 } },
	};
	struct user_argument a;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(user_argument(rows[i].text, 0, &a));
		assert_int_equal(a.where, rows[i].is.where);
		assert_int_equal(a.bytes, rows[i].is.bytes);
		assert_int_equal(a.is_signed, rows[i].is.is_signed);
		assert_int_equal(a.at, rows[i].is.at);
		assert_int_equal(a.number, rows[i].is.number);
	}
}

static void test_unreadable(void **state)
{
	static const char *const texts[] = { "4f@%xmm0",
					     "8@%xmm0",
					     "8@-8(%rax,%rbx,4)",
					     "8@x(%rip)",
					     "8@%rdx:%rax",
					     "3@%rdi",
					     "-9223372036854775808@%rdi",
					     "4294967304@%rdi",
					     "8@",
					     "%rdi",
					     "8@$",
					     "8@$5x",
					     "8@4294967296(%rsp)",
					     "8@8(%rsp" };
	struct user_argument a;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_true(user_argument(texts[i], 0, &a));
		assert_int_equal(a.where, USER_NOWHERE);
	}
}

static void test_order(void **state)
{
	struct user_argument a;

	assert_true(user_argument(" 8@%rdi  4@$2 1@%al ", 2, &a));
	assert_int_equal(a.at, 80);
	assert_true(user_argument(" 8@%rdi  4@$2 1@%al ", 1, &a));
	assert_int_equal(a.number, 2);
	assert_false(user_argument(" 8@%rdi  4@$2 1@%al ", 3, &a));
	assert_false(user_argument("", 0, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
