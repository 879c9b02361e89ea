// SPDX-License-Identifier: GPL-2.0-only
/* test_ranges.c - slots merged to fit a screen: nothing lost, modes kept apart. */
#include "fixture.h"

#include "report/ranges.h"

static void check_most(const struct dist *d, unsigned int most)
{
	struct range rows[RANGES_MAX];
	unsigned int n = ranges_make(d, most, rows), i;
	uint64_t samples = 0;

	assert_true(n >= 1 && n <= most);
	for (i = 0; i < n; i++) {
		samples += rows[i].samples;
		assert_true(rows[i].value.lo <= rows[i].value.hi);
		assert_true(rows[i].value.lo == kstats_slot_first(rows[i].first, d->bits));
		assert_true(rows[i].value.hi == kstats_slot_last(rows[i].last, d->bits));
		if (i)
			assert_int_equal(rows[i].first, rows[i - 1].last + 1);
		if (rows[i].skipped)
			assert_int_equal(rows[i].samples, 0);
	}
	assert_true(samples == d->samples);
	assert_true(rows[0].samples && rows[n - 1].samples);
}

static void check(const struct dist *d)
{
	unsigned int most;

	for (most = RANGES_LEAST; most <= RANGES_MAX; most++)
		check_most(d, most);
}

static void check_snapshot(struct snapshot *s)
{
	struct dist d;

	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	check(&d);
	dist_close(&d);
	snapshot_free(s);
}

static void test_random(void **state)
{
	uint64_t r = 41, n, i;
	struct kstats_slot last;
	struct snapshot *s;
	uint32_t bits;
	int round, rounds = fixture_rounds(600, 60);

	for (round = 0; round < rounds; round++) {
		bits = round % (KSTATS_BITS_MAX + 1);
		s = fixture_new(bits, 1, 1);
		n = 1 + fixture_random(&r) % 300;
		fixture_begin(s);
		for (i = 0; i < n; i++)
			fixture_record(s, 0, 0, fixture_random(&r) >> (fixture_random(&r) % 64),
				       1 + fixture_random(&r) % 100000);
		fixture_end(s);
		last = fixture_slot(s, 0, 0, kstats_n_slots(bits) - 1);
		last.samples = 5;
		if (round % 3 == 0)
			fixture_set(s, 0, 0, kstats_n_slots(bits) - 1, last);
		check_snapshot(s);
	}
}

/* Modes one octave apart stay apart, though the largest sample is far away. */
static void test_modes(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct range rows[RANGES_MAX];
	unsigned int n, i, peaks = 0;
	struct dist d;

	fixture_record(s, 0, 0, 500, 100000);
	fixture_record(s, 0, 0, 700, 10);
	fixture_record(s, 0, 0, 1000, 80000);
	fixture_record(s, 0, 0, 30000000000, 1);
	fixture_record(s, 0, 0, 1, 1);
	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	n = ranges_make(&d, RANGES_MAX, rows);
	for (i = 1; i + 1 < n; i++)
		if (rows[i].samples > rows[i - 1].samples && rows[i].samples > rows[i + 1].samples)
			peaks++;
	assert_true(peaks >= 2);
	check(&d);
	dist_close(&d);
	snapshot_free(s);
}

static void test_none_and_one(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct range rows[RANGES_MAX];
	struct dist d;

	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	assert_int_equal(ranges_make(&d, RANGES_MAX, rows), 0);
	dist_close(&d);
	fixture_record(s, 0, 0, 12345, 1);
	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	assert_int_equal(ranges_make(&d, RANGES_MAX, rows), 1);
	assert_int_equal(rows[0].samples, 1);
	dist_close(&d);
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_none_and_one),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
