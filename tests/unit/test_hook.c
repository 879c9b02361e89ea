// SPDX-License-Identifier: GPL-2.0-only
/* test_hook.c - what is told when the verifier refuses a program. */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hook/hook.h"

static void expect_words(const char *log, const char *want)
{
	char text[512], why[512] = "";

	snprintf(text, sizeof(text), "%s", log);
	hook_verifier_words(text, why, sizeof(why), -E2BIG);
	assert_string_equal(why, want);
}

static void test_complaint(void **state)
{
	expect_words("The sequence of 8193 jumps is too complex.\n"
		     "verification time 20 usec\nstack depth 64+0\n"
		     "processed 90 insns (limit 1000000) max_states_per_insn 4\n",
		     "the kernel's verifier says: The sequence of 8193 jumps is too complex.");
	expect_words("R1 type=scalar expected=fp\nprocessed 9 insns\n"
		     "subprog 1 (<unknown>) static insns_self 0 insns_total 0 stack 0\n",
		     "the kernel's verifier says: R1 type=scalar expected=fp");
}

/* A log that was cut short ends with half an instruction. */
static void test_fragment(void **state)
{
	expect_words(
		"; if (!b)\nfrom 3 to 5: R0=1\n1100: (07) r2 += -4\n1101: (",
		"the kernel's verifier refused it and gave no reason (Argument list too long)");
}

static void test_no_log(void **state)
{
	expect_words("", "the kernel says: Argument list too long");
}

static char printed[512];

static int print_to(enum libbpf_print_level level, const char *format, va_list args)
{
	size_t n = strlen(printed);

	return vsnprintf(printed + n, sizeof(printed) - n, format, args);
}

/* Nothing without --verbose, every line with it. */
static void test_verbose(void **state)
{
	const char *log = "R1 type=\033 expected=fp\nprocessed 9 insns\n";

	expect_words(log, "the kernel's verifier says: R1 type=\\x1b expected=fp");
	assert_string_equal(printed, "");
	libbpf_set_print(print_to);
	expect_words(log, "the kernel's verifier says: R1 type=\\x1b expected=fp");
	libbpf_set_print(NULL);
	assert_string_equal(printed, "verifier: R1 type=\\x1b expected=fp\n"
				     "verifier: processed 9 insns\n");
}

static void set_hits(struct rows *rows, struct kstats_hits a, struct kstats_hits b)
{
	struct kstats_hits both[] = { a, b };

	memcpy(rows->data, both, sizeof(both));
}

/* Their counts begin anywhere, so they may pass 0 in between. */
static void test_hits(void **state)
{
	char first[2 * sizeof(struct kstats_hits)], second[sizeof(first)];
	struct rows hits = { .data = first, .size = sizeof(struct kstats_hits), .n = 2 };
	struct rows later = { .data = second, .size = sizeof(struct kstats_hits), .n = 2 };

	set_hits(&hits, (struct kstats_hits){ 2, 7, 3 }, (struct kstats_hits){ 5, 0, 4 });
	set_hits(&later, (struct kstats_hits){ 2, 9, 5 }, (struct kstats_hits){ 5, -1, 6 });
	hook_hits_least(&hits, &later);
	assert_int_equal(hook_hits(&hits, 1, false).runs, 7);
	assert_int_equal(hook_hits(&hits, 1, false).hits, 3);
	assert_int_equal(hook_hits(&hits, 2, true).runs, (uint64_t)-1);
	assert_int_equal(hook_hits(&hits, 2, true).hits, 4);
	assert_int_equal(hook_hits(&hits, 1, true).runs, 0);
	/* One that was not attached any more stays as it was. */
	later.n = 1;
	set_hits(&later, (struct kstats_hits){ 5, -9, 6 }, (struct kstats_hits){});
	hook_hits_least(&hits, &later);
	assert_int_equal(hook_hits(&hits, 1, false).runs, 7);
	assert_int_equal(hook_hits(&hits, 2, true).runs, (uint64_t)-9);
}

static int silence(void **state)
{
	libbpf_set_print(NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complaint), cmocka_unit_test(test_fragment),
		cmocka_unit_test(test_no_log),    cmocka_unit_test(test_verbose),
		cmocka_unit_test(test_hits),
	};

	return cmocka_run_group_tests(tests, silence, NULL);
}
