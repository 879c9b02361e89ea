// SPDX-License-Identifier: GPL-2.0-only
/* test_safe_str.c - text that cannot steer a terminal. */
#include "fixture.h"

#include "util/safe_str.h"

static void check(const char *src, const char *want)
{
	char buf[128];

	assert_ptr_equal(safe_str(buf, sizeof(buf), src), buf);
	assert_string_equal(buf, want);
}

static void test_known(void **state)
{
	check(NULL, "");
	check("", "");
	check("vfs_read", "vfs_read");
	check("a b\\n\"'", "a b\\n\"'");
	check("\033[31m", "\\x1b[31m");
	check("a\r\nb\tc", "a\\x0d\\x0ab\\x09c");
	check("\x7f", "\\x7f");
	check("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
	      "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7");
	check("\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m"); /* C1 control */
	check("\xe2\x80\xae"
	      "x",
	      "\\xe2\\x80\\xaex"); /* right to left */
	check("\xd8\x9c", "\\xd8\\x9c"); /* mark of right to left letters */
	check("\xef\xbb\xbf", "\\xef\\xbb\\xbf"); /* byte order mark */
	check("\xff\xfe", "\\xff\\xfe"); /* never in UTF-8 */
	check("\xc0\xaf", "\\xc0\\xaf"); /* overlong */
	check("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
	check("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* past the last */
	check("\xe2\x82", "\\xe2\\x82"); /* cut short */
	check("\xc3"
	      "A",
	      "\\xc3"
	      "A");
}

/* Whatever the room, the result is whole characters and ends with a NUL. */
static void test_cut(void **state)
{
	static const char *const src = "a\xc3\xa9\033\xf0\x9f\x90\xa7z";
	static const char *const whole = "a\xc3\xa9\\x1b\xf0\x9f\x90\xa7z";
	static const size_t ends[] = { 0, 1, 3, 7, 11, 12 };
	char buf[32];
	size_t size, i, len;

	for (size = 1; size < 20; size++) {
		memset(buf, 'X', sizeof(buf));
		safe_str(buf, size, src);
		len = strlen(buf);
		assert_true(len < size);
		assert_memory_equal(buf, whole, len);
		assert_int_equal(buf[size], 'X');
		for (i = 0; i < 6 && ends[i] != len; i++)
			;
		assert_true(i < 6);
		/* Nothing that would still have fitted is missing. */
		assert_true(i == 5 || ends[i + 1] >= size);
	}
}

static void test_utf8_length(void **state)
{
	assert_int_equal(safe_utf8("a"), 1);
	assert_int_equal(safe_utf8("\xc3\xa9"), 2);
	assert_int_equal(safe_utf8("\xe2\x82\xac"), 3);
	assert_int_equal(safe_utf8("\xf0\x9f\x90\xa7"), 4);
	assert_int_equal(safe_utf8("\x80"), 0);
	assert_int_equal(safe_utf8("\xe2\x82"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_utf8_length),
	};

	return cmocka_run_group_tests_name("safe_str", tests, NULL, NULL);
}
