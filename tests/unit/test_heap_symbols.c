// SPDX-License-Identifier: GPL-2.0-only
/* test_heap_symbols.c - call sites by the kernel's list of symbols, made up here. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/symbols.h"

static char root[] = "/tmp/test_heap_symbols.XXXXXX";
static char folder[64], list[96];

static int setup(void **state)
{
	if (!mkdtemp(root))
		return -1;
	snprintf(folder, sizeof(folder), "%s/proc", root);
	snprintf(list, sizeof(list), "%s/kallsyms", folder);
	return mkdir(folder, 0700);
}

static int teardown(void **state)
{
	unlink(list);
	rmdir(folder);
	return rmdir(root);
}

static int read_list(struct symbols *s, const char *text)
{
	FILE *f = fopen(list, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return symbols_read(s, root);
}

static void named(const struct symbols *s, uint64_t address, const char *name)
{
	char *text = symbols_site(s, NULL, address);

	assert_string_equal(text, name);
	free(text);
}

static void test_names(void **state)
{
	struct symbols s;

	assert_int_equal(read_list(&s, "ffffffff81000000 T first\n"
				       "ffffffff81000100 t second\n"
				       "ffffffff81000110 D data\n"
				       "ffffffffc0000000 t own\t[module]\n"),
			 0);
	named(&s, 0xffffffff81000044, "first+0x44");
	named(&s, 0xffffffff81000100, "first+0x100");
	named(&s, 0xffffffff81000144, "second+0x44");
	named(&s, 0xffffffffc0000044, "own+0x44 [module]");
	named(&s, 0xffffffff80000000, "0xffffffff80000000");
	symbols_free(&s);
}

/* Zeros in place of addresses: then no range of the allocator's own code is known. */
static void test_hidden(void **state)
{
	struct symbols s;

	assert_int_equal(read_list(&s, "0000000000000000 T first\n0000000000000000 t second\n"),
			 -EACCES);
	assert_int_equal(s.n, 0);
	assert_null(s.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
