// SPDX-License-Identifier: GPL-2.0-only
/* test_stacks_symbols.c - functions of the kernel by address, from a list made up here. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stacks/symbols.h"

static char root[] = "/tmp/test_stacks_symbols.XXXXXX";
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
	return symbols_read(s, root, NULL);
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

/* The list of the begin is not enough for programs, nor behind the last function of a module. */
static void test_stays(void **state)
{
	struct symbols s;

	assert_int_equal(read_list(&s, "ffffffff81000000 T first\n"
				       "ffffffff81000000 T alias\n"
				       "ffffffff81000100 t last\n"
				       "ffffffffc0000000 t own\t[module]\n"
				       "ffffffffc0000200 t end\t[module]\n"
				       "ffffffffc0001000 t prog_1\t[bpf]\n"
				       "ffffffffc0002000 t prog_2\t[bpf]\n"),
			 0);
	assert_true(symbols_stays(&s, 0xffffffff81000001));
	assert_true(symbols_stays(&s, 0xffffffff81000100));
	assert_false(symbols_stays(&s, 0xffffffff81000101));
	assert_false(symbols_stays(&s, 0xffffffff81000000));
	assert_true(symbols_stays(&s, 0xffffffffc0000200));
	assert_false(symbols_stays(&s, 0xffffffffc0000201));
	assert_false(symbols_stays(&s, 0xffffffffc0001001));
	assert_false(symbols_stays(&s, 0xffffffffc0002001));
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

static int take_module(void *ctx, const struct symbols_module *m)
{
	struct symbols_module *to = ctx;

	while (to->name)
		to++;
	*to = *m;
	return 0;
}

static void test_modules(void **state)
{
	struct symbols_module found[4] = {};
	struct symbols s, later;

	assert_int_equal(read_list(&s, "ffffffff81000000 T first\n"
				       "ffffffffc0000010 t own\t[module]\n"
				       "ffffffffc0000040 t own_too\t[module]\n"
				       "ffffffffc0002000 t bpf_prog\t[bpf]\n"
				       "ffffffffc0003000 t trampoline\t[__builtin__ftrace]\n"
				       "ffffffffc0004000 t other\t[second]\n"),
			 0);
	assert_int_equal(symbols_modules(&s, take_module, found), 0);
	assert_string_equal(found[0].name, "module");
	assert_int_equal(found[0].first, 0xffffffffc0000010);
	assert_int_equal(found[0].end, 0xffffffffc0001000);
	assert_string_equal(found[1].name, "second");
	assert_null(found[2].name);
	assert_true(symbols_has_module(&s, &found[0]));
	assert_int_equal(read_list(&later, "ffffffff81000000 T first\n"
					   "ffffffffc0000010 t one\t[third]\n"
					   "ffffffffc0003f00 t other\t[second]\n"),
			 0);
	assert_false(symbols_has_module(&later, &found[0]));
	assert_false(symbols_has_module(&later, &found[1]));
	symbols_free(&later);
	symbols_free(&s);
}

static void range(const struct kstats_kmem_range *r, uint32_t first, uint32_t size)
{
	assert_int_equal(r->first, first);
	assert_int_equal(r->size, size);
}

/* Neighbours are one range, aliases too; a gap behind a module belongs to nobody. */
static void test_ranges(void **state)
{
	static const char *const names[] = { "help_*", "nothing", "built" };
	static struct kstats_kmem_range to[KSTATS_KMEM_SKIPPED];
	bool used[3] = {};
	const struct symbols_globs globs = { names, 3, used };
	struct symbols s;

	assert_int_equal(read_list(&s, "ffffffff81000000 T help_first\n"
				       "ffffffff81000100 t other_name\n"
				       "ffffffff81000100 t help_alias\n"
				       "ffffffff81000180 t between\n"
				       "ffffffff81000200 t built_noprof\n"
				       "ffffffff81000280 t not_built\n"
				       "ffffffff81000300 t built.part.0.cold\n"
				       "ffffffff81000310 t last\n"
				       "ffffffffc0001080 t help_own\t[module]\n"
				       "ffffffffc0009000 t other\t[far]\n"),
			 0);
	assert_int_equal(symbols_ranges(&s, &globs, to), 0);
	range(&to[0], 0x81000000, 0x180);
	range(&to[1], 0x81000200, 0x80);
	range(&to[2], 0x81000300, 0x10);
	range(&to[3], 0xc0001080, 0xf80);
	range(&to[4], 0xffffffff, 0);
	range(&to[KSTATS_KMEM_SKIPPED - 1], 0xffffffff, 0);
	assert_true(used[0]);
	assert_false(used[1]);
	assert_true(used[2]);
	symbols_free(&s);
}

/* Every second one of too many functions. */
static void test_too_many(void **state)
{
	static const char *const names[] = { "help" };
	static struct kstats_kmem_range to[KSTATS_KMEM_SKIPPED];
	char *text = NULL;
	size_t size, i;
	bool used[1];
	const struct symbols_globs globs = { names, 1, used };
	struct symbols s;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	for (i = 0; i <= KSTATS_KMEM_SKIPPED; i++)
		fprintf(f, "ffffffff8100%04zx t help\nffffffff8100%04zx t other\n", 16 * i,
			16 * i + 8);
	fclose(f);
	assert_int_equal(read_list(&s, text), 0);
	assert_int_equal(symbols_ranges(&s, &globs, to), -E2BIG);
	s.n -= 2;
	assert_int_equal(symbols_ranges(&s, &globs, to), 0);
	range(&to[KSTATS_KMEM_SKIPPED - 1], 0x81000000 + 16 * (KSTATS_KMEM_SKIPPED - 1), 8);
	symbols_free(&s);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),   cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_ranges),  cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_modules), cmocka_unit_test(test_stays),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
