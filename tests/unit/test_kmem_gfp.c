// SPDX-License-Identifier: GPL-2.0-only
/* test_kmem_gfp.c - GFP flags as words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kmem/gfp.h"

static void is_text(uint32_t flags, const char *want)
{
	struct kmem_gfp g;
	char *text;

	kmem_gfp_old(&g);
	text = kmem_gfp_text(&g, flags);
	assert_string_equal(text, want);
	free(text);
}

static void test_text(void **state)
{
	is_text(0, "0");
	is_text(0xcc0, "GFP_KERNEL");
	is_text(0xdc0, "GFP_KERNEL|__GFP_ZERO");
	is_text(0x400cc0, "GFP_KERNEL_ACCOUNT");
	is_text(0x820, "GFP_ATOMIC");
	is_text(0xc40, "GFP_NOFS");
	is_text(0x100, "__GFP_ZERO");
	is_text(0x80000000, "0x80000000");
	is_text(0x80000800, "GFP_NOWAIT|0x80000000");
}

static void parses(const char *text, uint32_t want)
{
	uint32_t flags;
	struct kmem_gfp g;
	struct error e;

	kmem_gfp_old(&g);
	if (!want) {
		assert_int_not_equal(kmem_gfp_parse(&g, text, &flags, &e), 0);
		return;
	}
	assert_int_equal(kmem_gfp_parse(&g, text, &flags, &e), 0);
	assert_int_equal(flags, want);
}

static void test_parse(void **state)
{
	parses("GFP_KERNEL", 0xcc0);
	parses("GFP_ATOMIC|__GFP_ZERO", 0x920);
	parses("__GFP_ZERO,__GFP_COMP", 0x40100);
	parses("", 0);
	parses("__GFP_", 0);
	parses("__GFP_ZER", 0);
	parses("GFP_KERNEL,", 0);
	parses("GFP_NEVER", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
