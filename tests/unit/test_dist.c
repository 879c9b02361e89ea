// SPDX-License-Identifier: GPL-2.0-only
/* test_dist.c - figures held against the samples themselves, sorted. */
#include <errno.h>

#include "fixture.h"

#include "result/dist.h"

#define SAMPLES_MAX 4000

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_quantiles(const struct dist *d, const uint64_t *v, uint64_t n)
{
	static const uint32_t qs[] = { 0,      1,      100000, 250000, 333333, 500000,
				       900000, 990000, 999000, 999900, 999999, DIST_ONE };
	struct dist_bounds b;
	uint64_t rank;
	size_t i;

	for (i = 0; i < sizeof(qs) / sizeof(*qs); i++) {
		for (rank = 1; rank * DIST_ONE < qs[i] * n; rank++)
			;
		b = dist_quantile(d, qs[i]);
		assert_true(b.lo <= v[rank - 1] && v[rank - 1] <= b.hi);
		assert_int_equal(kstats_slot_index(b.lo, d->bits),
				 kstats_slot_index(v[rank - 1], d->bits));
	}
}

static void check_rows(const struct dist *d, const uint64_t *v, uint64_t n)
{
	struct dist_row row = DIST_ROW_BEGIN;
	unsigned __int128 sum;
	uint64_t at = 0, in;

	while (dist_next(d, &row)) {
		for (in = 0, sum = 0; at < n && v[at] <= row.value.hi; at++, in++) {
			assert_true(v[at] >= row.value.lo);
			sum += v[at];
		}
		assert_int_equal(row.samples, in);
		assert_int_equal(row.cumulative, at);
		assert_true(row.sum <= sum);
		assert_true(sum - row.sum < (unsigned __int128)in
						    << kstats_slot_shift(row.slot, d->bits));
		assert_true(row.avg >= row.value.lo && row.avg <= row.value.hi);
	}
	assert_int_equal(at, n);
}

static void check(uint32_t bits, uint64_t n, uint64_t *random, uint64_t *v)
{
	struct snapshot *s = fixture_new(bits, 3, 1);
	unsigned __int128 sum = 0;
	struct dist d;
	uint64_t i;

	fixture_begin(s);
	for (i = 0; i < n; i++) {
		v[i] = fixture_random(random) >> (fixture_random(random) % 64);
		sum += v[i];
		fixture_record(s, 0, i % 3, v[i], 1);
	}
	fixture_end(s);
	qsort(v, n, sizeof(*v), ascending);
	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	assert_int_equal(d.samples, n);
	assert_true(d.sum_lo <= sum && sum <= d.sum_hi);
	assert_true(dist_mean(&d) >= 0.999998 * (double)sum / n);
	assert_true(dist_mean(&d) <= 1.000002 * (double)sum / n);
	check_quantiles(&d, v, n);
	check_rows(&d, v, n);
	dist_close(&d);
	snapshot_free(s);
}

static void test_brute_force(void **state)
{
	uint64_t random = 21, *v = calloc(SAMPLES_MAX, sizeof(*v));
	uint32_t bits;
	int i;

	assert_non_null(v);
	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (i = 1; i <= 20; i++)
			check(bits, i, &random, v);
		for (i = 0; i < 20; i++)
			check(bits, 1 + fixture_random(&random) % SAMPLES_MAX, &random, v);
	}
	free(v);
}

/* Below 2^19 sums are exact, and so is the mean. */
static void test_exact_mean(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct dist d;

	fixture_record(s, 0, 0, 100, 3);
	fixture_record(s, 0, 0, 524287, 1);
	assert_int_equal(dist_open(&d, s, 0, 0), 0);
	assert_true(d.sum_lo == 524587 && d.sum_hi == 524587);
	assert_true(dist_mean(&d) == 524587 / 4.0);
	assert_true(dist_total(&d) == 524587);
	dist_close(&d);
	snapshot_free(s);
}

static void test_empty(void **state)
{
	struct snapshot *s = fixture_new(5, 2, 1);
	struct dist_row row = DIST_ROW_BEGIN;
	struct dist d;

	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	assert_int_equal(d.samples, 0);
	assert_true(dist_mean(&d) == 0 && dist_total(&d) == 0);
	assert_true(dist_quantile(&d, 500000).lo == 0 && dist_quantile(&d, 500000).hi == 0);
	assert_false(dist_next(&d, &row));
	dist_close(&d);
	snapshot_free(s);
}

static void test_one_cpu(void **state)
{
	struct snapshot *s = fixture_new(3, 3, 1);
	struct dist d;

	fixture_record(s, 0, 0, 10, 1);
	fixture_record(s, 0, 1, 1000, 5);
	fixture_record(s, 0, 2, 99999, 2);
	assert_int_equal(dist_open(&d, s, 0, 1), 0);
	assert_int_equal(d.samples, 5);
	assert_true(dist_quantile(&d, 0).lo == 960 && dist_quantile(&d, DIST_ONE).hi == 1023);
	dist_close(&d);
	snapshot_free(s);
}

static void test_too_many(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct dist a, b;

	fixture_set(s, 0, 0, 7, (struct kstats_slot){ 1ULL << 63, 0 });
	assert_int_equal(dist_open(&a, s, 0, 0), 0);
	assert_int_equal(dist_open(&b, s, 0, 0), 0);
	assert_int_equal(dist_add(&a, &b), -EOVERFLOW);
	dist_close(&a);
	dist_close(&b);
	snapshot_free(s);
}

static void test_overflow_slot(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct dist d;

	fixture_set(s, 0, 0, kstats_n_slots(5) - 1, (struct kstats_slot){ 3, 0 });
	fixture_record(s, 0, 0, 7, 1);
	assert_int_equal(dist_open(&d, s, 0, 0), 0);
	assert_int_equal(d.samples, 4);
	assert_int_equal(d.overflow, 3);
	assert_true(dist_quantile(&d, DIST_ONE).lo == UINT64_MAX);
	assert_true(dist_quantile(&d, DIST_ONE).hi == UINT64_MAX);
	assert_true(dist_quantile(&d, 0).hi == 7);
	dist_close(&d);
	snapshot_free(s);
}

/* A sample counted, its sum not yet, and the reverse. */
static void test_torn_slot(void **state)
{
	uint32_t i = kstats_slot_index(1000, 3);
	struct kstats_slot slot = { 4, 3 * 1000 };

	assert_true(dist_slot_avg(&slot, i, 3) == kstats_slot_first(i, 3));
	slot.sum = 6 * 1000;
	assert_true(dist_slot_avg(&slot, i, 3) == kstats_slot_last(i, 3));
	slot.sum = 4 * 1000;
	assert_true(dist_slot_avg(&slot, i, 3) == 1000);
}

static void test_u64(void **state)
{
	assert_true(dist_u64(5) == 5);
	assert_true(dist_u64(UINT64_MAX) == UINT64_MAX);
	assert_true(dist_u64((unsigned __int128)1 << 64) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brute_force), cmocka_unit_test(test_exact_mean),
		cmocka_unit_test(test_empty),       cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_too_many),    cmocka_unit_test(test_overflow_slot),
		cmocka_unit_test(test_torn_slot),   cmocka_unit_test(test_u64),
	};

	return cmocka_run_group_tests_name("dist", tests, NULL, NULL);
}
