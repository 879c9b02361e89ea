// SPDX-License-Identifier: GPL-2.0-only
/* test_naming.c - names of the kernel's numbers, and back. */
#include <asm/unistd.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "naming/naming.h"

static const struct {
	enum naming naming;
	uint64_t number;
	const char *name; /* NULL: it has none */
} rows[] = {
	{ NAMING_SYSCALL, __NR_read, "read" },
	{ NAMING_SYSCALL, __NR_io_uring_enter, "io_uring_enter" },
	{ NAMING_SYSCALL, 462, "mseal" }, /* of a later kernel than the headers */
	{ NAMING_SYSCALL, 100000, NULL },
	{ NAMING_SYSCALL, -2, NULL },
	{ NAMING_ERRNO, -(uint64_t)ENOENT, "-ENOENT" },
	{ NAMING_ERRNO, (uint32_t)-EIO, "-EIO" }, /* an int in a register */
	{ NAMING_ERRNO, -512, "-ERESTARTSYS" },
	{ NAMING_ERRNO, -514, "-ERESTARTNOHAND" },
	{ NAMING_ERRNO, -531, "-ENOGRACE" },
	{ NAMING_ERRNO, -520, NULL },
	{ NAMING_ERRNO, 5, NULL },
	{ NAMING_ERRNO, 0, NULL },
	{ NAMING_ERRNO, -4096, NULL },
	{ NAMING_SOFTIRQ, 0, "hi" },
	{ NAMING_SOFTIRQ, 3, "net_rx" },
	{ NAMING_SOFTIRQ, 9, "rcu" },
	{ NAMING_SOFTIRQ, 10, NULL },
	{ NAMING_BLOCKOP, 0, "read" },
	{ NAMING_BLOCKOP, 9, "write_zeroes" },
	{ NAMING_BLOCKOP, 4, NULL },
	{ NAMING_BLOCKOP, 10, NULL },
	{ NAMING_STATE, 0, "running" },
	{ NAMING_STATE, 1, "sleeping" },
	{ NAMING_STATE, 0x102, "disk sleep" }, /* it can be killed */
	{ NAMING_STATE, 0x402, "idle" },
	{ NAMING_STATE, 0x2001, "sleeping" }, /* it can be frozen */
	{ NAMING_STATE, 0x400, NULL },
	{ NAMING_PORT, 0xbb01, "443" },
	{ NAMING_PORT, 0x1234bb01, "443" },
	{ NAMING_TCPSTATE, 1, "ESTAB" },
	{ NAMING_TCPSTATE, 12, "NEW-SYN-RECV" },
	{ NAMING_TCPSTATE, 0, NULL },
	{ NAMING_TCPSTATE, 13, NULL },
	{ NAMING_DEVICE, 1, NULL },
	{ NAMING_CGROUP, 1, NULL },
};

static void test_names(void **state)
{
	char name[64], near[200];
	int64_t number;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(naming_write(rows[i].naming, rows[i].number, name, sizeof(name)),
				 !!rows[i].name);
		if (!rows[i].name)
			continue;
		assert_string_equal(name, rows[i].name);
		assert_int_equal(naming_number(rows[i].naming, name, &number, near, sizeof(near)),
				 naming_compares(rows[i].naming));
		if (!naming_compares(rows[i].naming))
			continue;
		assert_true(naming_write(rows[i].naming, number, name, sizeof(name)));
		assert_string_equal(name, rows[i].name);
	}
}

/* Each name has its number, and no number has two. */
static void test_calls(void **state)
{
	unsigned int i, number, of;
	char name[64], near[200];
	const char *is;
	int64_t back;

	for (i = 0; naming_call(i, &number, &is); i++) {
		assert_true(naming_number(NAMING_SYSCALL, is, &back, near, sizeof(near)));
		assert_int_equal(back, number);
		assert_true(naming_write(NAMING_SYSCALL, number, name, sizeof(name)));
		assert_string_equal(name, is);
	}
	of = i;
	assert_true(of > 300);
	assert_true(naming_write(NAMING_SYSCALL, -1, name, sizeof(name)));
	assert_string_equal(name, "rt_sigreturn or -1");
}

static void test_words(void **state)
{
	assert_int_equal(naming_find("syscall", 7), NAMING_SYSCALL);
	assert_int_equal(naming_find("syscalls", 7), NAMING_SYSCALL);
	assert_int_equal(naming_find("syscalls", 8), NAMING_NONE);
	assert_int_equal(naming_find("", 0), NAMING_NONE);
	assert_string_equal(naming_word(NAMING_CGROUP), "cgroup");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
