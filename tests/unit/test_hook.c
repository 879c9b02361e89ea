// SPDX-License-Identifier: GPL-2.0-only
/* test_hook.c - what is told when the verifier refuses a program. */
#include "fixture.h"

#include <errno.h>
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
	expect_words("R1 type=scalar expected=fp\nprocessed 9 insns\n",
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complaint),
		cmocka_unit_test(test_fragment),
		cmocka_unit_test(test_no_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
