// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_switches.c - what is told of switches that keep programs from running: files
 * made here in place of the kernel's.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/switches.h"

#define BOTH (SWITCHES_FTRACE | SWITCHES_KPROBES)

static char root[] = "/tmp/test-switches-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "r+");
	if (!f)
		f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void put_ftrace(const char *text)
{
	put("/proc/sys/kernel/ftrace_enabled", text);
}

static void put_kprobes(const char *text)
{
	put("/sys/kernel/debug/kprobes/enabled", text);
}

static int setup(void **state)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/proc/sys/kernel %s/sys/kernel/debug/kprobes", root, root);
	if (system(command))
		return -1;
	put_ftrace("1\n");
	put_kprobes("1\n");
	return 0;
}

static void expect(struct switches *s, unsigned int which, const char *want)
{
	char text[384];

	assert_int_equal(switches_moved(s, which, text, sizeof(text)), *want != 0);
	assert_string_equal(text, want);
}

static void test_untouched(void **state)
{
	struct switches s;

	switches_watch(&s, root);
	expect(&s, BOTH, "");
	switches_close(&s);
}

static void test_off(void **state)
{
	struct switches s;

	switches_watch(&s, root);
	put_ftrace("0\n");
	expect(&s, SWITCHES_KPROBES, "");
	expect(&s, BOTH, "ftrace (kernel.ftrace_enabled) was switched off");
	put_kprobes("0\n");
	expect(&s, BOTH,
	       "ftrace (kernel.ftrace_enabled) was switched off, and kprobes (debugfs, "
	       "kprobes/enabled) was switched off");
	switches_close(&s);
}

static void test_off_and_on(void **state)
{
	struct switches s;

	switches_watch(&s, root);
	put_kprobes("0\n");
	put_kprobes("1\n");
	expect(&s, BOTH,
	       "kprobes (debugfs, kprobes/enabled) may have been off for a time: its switch was "
	       "written to");
	/* Told once. */
	expect(&s, BOTH, "");
	put_ftrace("0\n");
	put_ftrace("1\n");
	expect(&s, SWITCHES_KPROBES, "");
	switches_close(&s);
}

static void test_none(void **state)
{
	struct switches s;

	switches_watch(&s, "/nonexistent");
	expect(&s, BOTH, "");
	switches_close(&s);
	switches_close(&s);
}

static int make_root(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

/* Tracepoints depend on neither, however they are hooked. */
static void test_needed(void **state)
{
	static const struct {
		enum plan_hook_type type;
		unsigned int needs;
	} rows[] = {
		{ PLAN_TP_BTF, 0 },
		{ PLAN_TRACE_EVENT, 0 },
		{ PLAN_FENTRY, SWITCHES_FTRACE },
		{ PLAN_KRETPROBE, SWITCHES_FTRACE | SWITCHES_KPROBES },
	};
	struct plan_hook hook = {};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		hook.type = rows[i].type;
		assert_int_equal(switches_of(&hook), rows[i].needs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needed),
		cmocka_unit_test_setup(test_untouched, setup),
		cmocka_unit_test_setup(test_off, setup),
		cmocka_unit_test_setup(test_off_and_on, setup),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("switches", tests, make_root, remove_root);
}
