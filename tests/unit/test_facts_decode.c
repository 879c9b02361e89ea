// SPDX-License-Identifier: GPL-2.0-only
/* test_facts_decode.c - where the instructions of a function lead to. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "facts/callees.h"

#define AT 0x1000

static void decode(const void *bytes, size_t n, struct facts_calls *calls)
{
	const struct facts_code part = { .address = AT, .bytes = bytes, .n = n };
	int err = facts_decode(&part, 1, calls);

	if (err == -EOPNOTSUPP)
		skip();
	assert_int_equal(err, 0);
}

#ifdef __x86_64__
static void test_decode(void **state)
{
	static const unsigned char bytes[] = {
		0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
		0xe8, 0x00, 0x10, 0x00, 0x00, /* call of a tracer */
		0xe8, 0xf2, 0x0f, 0x00, 0x00, /* call 0x2000 */
		0x48, 0x8b, 0x04, 0x25, 0x28, 0x00, 0x00, 0x00, 0x74, 0xee, /* je, within */
		0xff, 0xd0, /* call *%rax */
		0x0f, 0x85, 0xe0, 0x1f, 0x00, 0x00, /* jne 0x3000 */
		0xe8, 0xdb, 0x0f, 0x00, 0x00, /* call 0x2000 */
		0x0f, 0x0b, /* ud2 */
		0xe9, 0xd4, 0x2f, 0x00, 0x00, /* jmp 0x4000 */
		0xc3, 0xcc, 0xcc,
	};
	struct facts_calls calls;

	decode(bytes, sizeof(bytes), &calls);
	assert_int_equal(calls.n, 3);
	assert_int_equal(calls.to[0], 0x2000);
	assert_int_equal(calls.to[1], 0x3000);
	assert_int_equal(calls.to[2], 0x4000);
	assert_int_equal(calls.indirect, 1);
	assert_false(calls.is_cut);
	free(calls.to);
}

static void test_unknown(void **state)
{
	static const unsigned char bytes[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0x06, 0xc3 };
	struct facts_calls calls;

	decode(bytes, sizeof(bytes), &calls);
	assert_true(calls.is_cut);
	free(calls.to);
}

/* A jump to the part that lies apart is none out of the function. */
static void test_parts(void **state)
{
	static const unsigned char hot[] = { 0x90, 0x90, 0x90, 0x90, 0x90,
					     0xe9, 0xf6, 0x0f, 0x00, 0x00 };
	static const unsigned char cold[] = { 0xe8, 0xfb, 0x0f, 0x00, 0x00 };
	const struct facts_code parts[] = { { AT, hot, sizeof(hot) },
					    { 2 * AT, cold, sizeof(cold) } };
	struct facts_calls calls;

	if (facts_decode(parts, 2, &calls))
		skip();
	assert_int_equal(calls.n, 1);
	assert_int_equal(calls.to[0], 0x3000);
	free(calls.to);
}
#else
static void test_decode(void **state)
{
	static const uint32_t words[] = {
		0xaa1e03e9, 0x94000400, /* mov x9, lr; bl of a tracer */
		0x940003fe, /* bl 0x2000 */
		0xd63f0000, /* blr x0 */
		0x17fffffd, /* b, within */
		0x140007fb, /* b 0x3000 */
		0xd65f03c0,
	};
	struct facts_calls calls;

	decode(words, sizeof(words), &calls);
	assert_int_equal(calls.n, 2);
	assert_int_equal(calls.to[0], 0x2000);
	assert_int_equal(calls.to[1], 0x3000);
	assert_int_equal(calls.indirect, 1);
	free(calls.to);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
#ifdef __x86_64__
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_parts),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
