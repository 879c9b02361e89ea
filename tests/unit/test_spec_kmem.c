// SPDX-License-Identifier: GPL-2.0-only
/* test_spec_kmem.c - the words of `kmem`. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spec/spec_kmem.h"

#define WORDS_MAX 24

static int parse(struct spec_kmem *k, const char *words)
{
	static char text[256], *argv[WORDS_MAX + 1]; /* what was parsed points to them */
	char *save = NULL, *word;
	struct error e;
	int argc = 1;

	argv[0] = "kmem";
	strcpy(text, words);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	return spec_parse_kmem(k, argc, argv, &e);
}

static void refuses(const char *words)
{
	struct spec_kmem k;

	assert_int_equal(parse(&k, words), -EINVAL);
	spec_free(&k.spec);
}

static void test_defaults(void **state)
{
	struct spec_kmem k;

	assert_int_equal(parse(&k, ""), 0);
	assert_int_equal(k.kinds, 1 << KSTATS_KMEM_KMALLOC | 1 << KSTATS_KMEM_CACHE |
					  1 << KSTATS_KMEM_PAGES);
	assert_int_equal(k.max_sites, 16384);
	assert_int_equal(k.max_live, 1048576);
	assert_false(k.lifetimes);
	assert_string_equal(k.by, "site");
	assert_int_equal(k.spec.n_by, 0);
	assert_int_equal(k.sort, KMEM_SORT_WASTE);
	spec_free(&k.spec);
}

static void test_words(void **state)
{
	struct spec_kmem k;

	assert_int_equal(
		parse(&k, "--lifetime --kind cache,pages --by gfp --sort live --top 3 --numa 1 "
			  "--gfp GFP_ATOMIC -d 2 -i 1 --skip kmemdup*,a --page-sites"),
		0);
	assert_true(k.lifetimes);
	assert_int_equal(k.kinds, 1 << KSTATS_KMEM_CACHE | 1 << KSTATS_KMEM_PAGES);
	assert_string_equal(k.by, "gfp");
	assert_int_equal(k.spec.n_by, 1);
	assert_false(k.by_word);
	assert_int_equal(k.sort, KMEM_SORT_LIVE);
	assert_int_equal(k.top, 3);
	assert_string_equal(k.numa, "1");
	assert_string_equal(k.gfp, "GFP_ATOMIC");
	assert_string_equal(k.skip, "kmemdup*,a");
	assert_true(k.page_sites);
	assert_int_equal(k.spec.duration_ns, 2000000000);
	assert_int_equal(k.spec.interval_ns, 1000000000);
	spec_free(&k.spec);
}

/* What rows have anyway is not asked of the kernel. */
static void test_by(void **state)
{
	struct spec_kmem k;

	assert_int_equal(parse(&k, "--by size,comm,size>9 --if size>7"), 0);
	assert_string_equal(k.by, "size,comm,size>9");
	assert_true(k.by_word);
	assert_int_equal(k.spec.n_by, 2);
	assert_string_equal(k.spec.by[0]->text, "comm");
	assert_string_equal(k.spec.by[1]->text, "size>9");
	assert_null(k.spec.by[2]);
	assert_string_equal(k.spec.condition->text, "size>7");
	spec_free(&k.spec);
	assert_int_equal(parse(&k, "--by site --by kind"), -EINVAL);
	spec_free(&k.spec);
	assert_int_equal(parse(&k, "--by comm,"), -EINVAL);
	spec_free(&k.spec);
	assert_int_equal(parse(&k, "--by size,cpu,tid,pid"), -EINVAL);
	spec_free(&k.spec);
	assert_true(kmem_same_part(" gfp&1 ", 7, "gfp & 1"));
	assert_false(kmem_same_part("gfp", 3, "gfp & 1"));
	assert_false(kmem_same_part("gfp & 1", 7, "gfp"));
	assert_false(kmem_same_part("comm == \"a b\"", 13, "comm==\"ab\""));
	assert_true(kmem_same_part("comm == \"a b\"", 13, "comm==\"a b\""));
}

/* The tables are found by masks. */
static void test_rounds_up(void **state)
{
	struct spec_kmem k;

	assert_int_equal(parse(&k, "--limit sites=16385,live=17"), 0);
	assert_int_equal(k.max_sites, 32768);
	assert_int_equal(k.max_live, 32);
	spec_free(&k.spec);
	assert_int_equal(parse(&k, "--limit sites=1048576,live=16777216"), 0);
	assert_int_equal(k.max_sites, 1048576);
	assert_int_equal(k.max_live, 16777216);
	spec_free(&k.spec);
}

static void test_refusals(void **state)
{
	refuses("--kind slab");
	refuses("--kind kmalloc,");
	refuses("--kind ,cache");
	refuses("--limit sites=15");
	refuses("--limit sites=1048577");
	refuses("--limit live=16777217");
	refuses("--sort live");
	refuses("--numa x");
	refuses("--numa -1");
	refuses("--skip ,a");
	refuses("--skip a,,b");
	refuses("--skip a,");
	refuses("--page-sites --kind kmalloc,cache");
	refuses("--tag a=b");
	refuses("--record x -o x");
	refuses("--all");
	refuses("--as-root");
	refuses("vfs_read");
	refuses("--");
}

static void test_command(void **state)
{
	struct spec_kmem k;

	assert_int_equal(parse(&k, "--all -- ls -l"), 0);
	assert_string_equal(k.spec.command[0], "ls");
	assert_string_equal(k.spec.command[1], "-l");
	assert_null(k.spec.command[2]);
	assert_false(k.lifetimes);
	spec_free(&k.spec);
}

static int parse_node(struct spec_kmem *k, const char *words)
{
	static char text[256];
	char *argv[WORDS_MAX + 1] = { "add" }, *save = NULL, *word;
	struct error e;
	int argc = 1;

	strcpy(text, words);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return spec_parse_kmem_node(k, argc, argv, &e);
}

static void is_node(const char *words, const char *name)
{
	struct spec_kmem k;

	assert_int_equal(parse_node(&k, words), 0);
	assert_string_equal(k.node, name);
	spec_free(&k.spec);
}

static void no_node(const char *words)
{
	struct spec_kmem k;

	assert_int_equal(parse_node(&k, words), -EINVAL);
	spec_free(&k.spec);
}

static void test_node(void **state)
{
	is_node("--kmem", "kmem");
	is_node("--kmem heap", "heap");
	is_node("heap --kmem --lifetime", "heap");
	is_node("--lifetime heap --kmem --by comm --skip a,b --comm sh", "heap");
	no_node("--kmem a b");
	no_node("--kmem a/b");
	no_node("--kmem -- true");
	no_node("--kmem -d 1");
	no_node("--kmem -i 1");
	no_node("--kmem -f csv");
	no_node("--kmem -o x");
	no_node("--kmem --record x");
	no_node("--kmem --unit ms");
	no_node("--kmem --record x --tag a=b");
	no_node("--kmem --max-loss 0");
	no_node("--kmem --by cache");
	no_node("--kmem --sort bytes");
	no_node("--kmem --top 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_words),
		cmocka_unit_test(test_by),       cmocka_unit_test(test_rounds_up),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_command),
		cmocka_unit_test(test_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
