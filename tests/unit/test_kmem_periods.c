// SPDX-License-Identifier: GPL-2.0-only
/* test_kmem_periods.c - what each interval of a measurement of memory events added. */
#include "kmem_fixture.h"

#include "kmem/periods.h"

#define SECOND 1000000000ULL

/* What was seen up to an end: so many allocations of both rows, some of the first one live. */
static struct kmem *seen(uint64_t seconds, uint64_t count, uint64_t live)
{
	struct kmem *k = kmem_fixture_empty();
	uint32_t a = kmem_fixture_site(k, "a+0x1", NULL), b = kmem_fixture_site(k, "b+0x2", NULL);
	struct kmem_row *row = kmem_fixture_row(k, KSTATS_KMEM_KMALLOC, a, 24, 32, count);

	k->lifetimes = true;
	if (live)
		kmem_fixture_live(row, live, 1);
	if (count > 100)
		kmem_fixture_row(k, KSTATS_KMEM_KMALLOC, b, 64, 64, count - 100);
	k->counts[KSTATS_KMEM_N_NO_ROW] = count / 2;
	k->counts[KSTATS_KMEM_ALLOC_NO_ROW] = count * 4;
	k->span.end_ns = k->span.begin_ns + seconds * SECOND;
	return k;
}

static void add(struct kmem_periods **p, uint64_t seconds, uint64_t count, uint64_t live)
{
	struct kmem *k = seen(seconds, count, live);

	assert_int_equal(kmem_periods_add(p, k), 0);
	kmem_free(k);
}

static void is_part(const struct kmem *k, size_t period, uint32_t site, uint64_t count,
		    uint64_t alloc, uint64_t live)
{
	const struct kmem_part p = kmem_part_find(k, period, KSTATS_KMEM_KMALLOC, site);

	assert_int_equal(p.count, count);
	assert_int_equal(p.alloc, alloc);
	assert_int_equal(p.live, live);
}

static struct kmem *measure(uint64_t last)
{
	struct kmem_periods *p = NULL;
	struct kmem *k = seen(last, 400, 7);

	add(&p, 1, 50, 10);
	add(&p, 2, 50, 0);
	add(&p, 3, 300, 20);
	assert_int_equal(kmem_periods_put(p, k), 0);
	kmem_periods_free(p);
	return k;
}

static void test_differences(void **state)
{
	struct kmem *k = measure(4);

	assert_int_equal(k->n_periods, 4);
	assert_int_equal(kmem_period_begin(k, 0), k->span.begin_ns);
	assert_int_equal(kmem_period_begin(k, 3), k->span.begin_ns + 3 * SECOND);
	assert_int_equal(k->periods[3].end_ns, k->span.end_ns);
	is_part(k, 0, 0, 50, 50 * 32, 10);
	is_part(k, 1, 0, 0, 0, 0);
	is_part(k, 2, 0, 250, 250 * 32, 20);
	is_part(k, 3, 0, 100, 100 * 32, 7);
	is_part(k, 1, 1, 0, 0, 0);
	is_part(k, 2, 1, 200, 200 * 64, 0);
	/* All of the kind, with what found no row. */
	is_part(k, 2, KMEM_ALL_SITES, 250 + 200 + 125, 250 * 32 + 200 * 64 + 250 * 4, 20);
	kmem_free(k);
}

/* An interval that ends with the measurement is not followed by an empty one. */
static void test_end(void **state)
{
	struct kmem *k = measure(3);

	assert_int_equal(k->n_periods, 3);
	is_part(k, 2, 0, 350, 350 * 32, 7);
	kmem_free(k);
}

static void test_none(void **state)
{
	struct kmem *k = seen(1, 400, 7);

	assert_int_equal(kmem_periods_put(NULL, k), 0);
	assert_int_equal(k->n_periods + k->n_parts, 0);
	kmem_free(k);
}

/* Neighbours are joined evenly, and nothing is lost by it. */
static void test_many(void **state)
{
	struct kmem_periods *p = NULL;
	struct kmem *k = seen(3001, 30010, 0);
	uint64_t sum = 0;
	size_t i;

	for (i = 1; i <= 3000; i++)
		add(&p, i, i * 10, i % 3);
	assert_int_equal(kmem_periods_put(p, k), 0);
	assert_in_range(k->n_periods, KMEM_PERIODS_MOST / 2, KMEM_PERIODS_MOST + 1);
	for (i = 0; i + 1 < k->n_periods; i++)
		assert_int_equal(k->periods[i].end_ns - kmem_period_begin(k, i), 8 * SECOND);
	for (i = 0; i < k->n_periods; i++)
		sum += kmem_part_find(k, i, KSTATS_KMEM_KMALLOC, 0).count;
	assert_int_equal(sum, 30010);
	kmem_periods_free(p);
	kmem_free(k);
}

/* Only some sites are kept, those with the most of something. */
static void test_sites(void **state)
{
	struct kmem_periods *p = NULL;
	struct kmem *k = kmem_fixture_many(100), *half = kmem_fixture_many(50);
	size_t sites = 0, i;

	half->span.end_ns -= SECOND;
	assert_int_equal(kmem_periods_add(&p, half), 0);
	assert_int_equal(kmem_periods_put(p, k), 0);
	for (i = 0; i < k->n_parts; i++)
		sites += k->parts[i].period == 1 && k->parts[i].site != KMEM_ALL_SITES;
	assert_in_range(sites, 10, 20);
	assert_int_equal(kmem_part_find(k, 1, KSTATS_KMEM_KMALLOC, 99).count, 100 + 99 * 7919);
	assert_int_equal(kmem_part_find(k, 1, KSTATS_KMEM_KMALLOC, 50).count, 0);
	kmem_periods_free(p);
	kmem_free(half);
	kmem_free(k);
}

/* Replaces one text by another one of any length. */
static char *replace(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *made = malloc(strlen(text) + strlen(to) + 1);

	if (!at)
		fail_msg("%s is not in %s", from, strstr(text, "\"periods\""));
	assert_non_null(made);
	sprintf(made, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return made;
}

static void test_file(void **state)
{
	struct kmem *k = measure(4), *back;
	char *text = kmem_fixture_text(k);
	struct error e = {};

	back = kmem_fixture_load(text, &e);
	assert_non_null(back);
	assert_int_equal(back->n_parts, k->n_parts);
	assert_memory_equal(back->parts, k->parts, k->n_parts * sizeof(*k->parts));
	assert_memory_equal(back->periods, k->periods, k->n_periods * sizeof(*k->periods));
	kmem_free(back);
	free(text);
	kmem_free(k);
}

static void test_malformed(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
		{ "[2000000007,3", "[3000000007,3", "'end_ns' of period 1 is out of order" },
		{ "4000000007,5000000007]", "4000000007,5000000008]",
		  "'end_ns' of period 3 is out of order" },
		{ "[0,0,2,2,2,3,3,3]", "[0,0,2,2,2,3,3,9]",
		  "'period' of a part holds 9 and at most 3 is possible" },
		{ "[1,1,1,1,1,1,1,1]", "[1,1,1,1,1,1,1,0]", "'kind' of a part holds 0" },
		{ "[0,4294967295,0,1", "[2,4294967295,0,1",
		  "'site' of a part holds 2 and at most 1 is possible" },
		{ "[0,4294967295,0,1", "[4294967295,4294967295,0,1", "a part is there twice" },
	};
	struct kmem *k = measure(4);
	char *text = kmem_fixture_text(k), *bad;
	struct error e = {};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bad = replace(text, cases[i].from, cases[i].to);
		assert_null(kmem_fixture_load(bad, &e));
		if (!strstr(e.why, cases[i].why))
			fail_msg("%s: %s", cases[i].why, e.why);
		free(bad);
	}
	free(text);
	kmem_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences), cmocka_unit_test(test_end),
		cmocka_unit_test(test_none),        cmocka_unit_test(test_many),
		cmocka_unit_test(test_sites),       cmocka_unit_test(test_file),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests_name("kmem_periods", tests, NULL, NULL);
}
