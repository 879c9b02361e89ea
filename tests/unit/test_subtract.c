// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_subtract.c - figures of which the floor was taken off, held against what is
 * left of the samples themselves; values and floors at every edge of the slots.
 */
#include "fixture.h"

#include "result/dist.h"

#define EDGES_MAX (4 * KSTATS_SLOTS_MAX)
#define KSTATS_SLOTS_MAX 1921
#define FLOORS_MAX 500 /* of one resolution */

struct edges {
	size_t n;
	uint64_t v[EDGES_MAX]; /* ascending */
};

static uint64_t left(uint64_t v, uint64_t floor)
{
	return v > floor ? v - floor : 0;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The ends of each slot, and what lies next to them. */
static void make_edges(struct edges *e, uint32_t bits)
{
	uint64_t first, last;
	uint32_t i;

	e->n = 0;
	for (i = 0; i < kstats_n_slots(bits) - 1; i++) {
		first = kstats_slot_first(i, bits);
		last = kstats_slot_last(i, bits);
		e->v[e->n++] = first;
		e->v[e->n++] = last;
		e->v[e->n++] = first ? first - 1 : 0;
		e->v[e->n++] = last + (last < UINT64_MAX / 2);
	}
	qsort(e->v, e->n, sizeof(*e->v), ascending);
}

static void check_quantiles(const struct dist *d, const struct edges *e, uint64_t floor)
{
	static const uint32_t qs[] = { 0, 1, 250000, 500000, 900000, 999000, DIST_ONE };
	struct dist_bounds b;
	uint64_t rank, v;
	size_t i;

	for (i = 0; i < sizeof(qs) / sizeof(*qs); i++) {
		rank = ((uint64_t)qs[i] * e->n + DIST_ONE - 1) / DIST_ONE;
		v = e->v[rank ? rank - 1 : 0];
		b = dist_quantile(d, qs[i]);
		assert_true(b.lo <= left(v, floor) && left(v, floor) <= b.hi);
		/* And no wider than the slot was. */
		assert_true(b.hi - b.lo <=
			    kstats_slot_last(kstats_slot_index(v, d->bits), d->bits) -
				    kstats_slot_first(kstats_slot_index(v, d->bits), d->bits));
	}
}

static void check_rows(const struct dist *d, const struct edges *e, uint64_t floor)
{
	struct dist_row row = DIST_ROW_BEGIN;
	unsigned __int128 sum;
	uint64_t last = 0, end;
	size_t at = 0;
	bool begun = false;

	while (dist_next(d, &row)) {
		/* No two rows end at one value: who sums up takes them for one. */
		assert_true(!begun || row.value.hi > last);
		begun = true;
		last = row.value.hi;
		for (end = at + row.samples, sum = 0; at < end; at++) {
			assert_true(left(e->v[at], floor) >= row.value.lo);
			assert_true(left(e->v[at], floor) <= row.value.hi);
			sum += left(e->v[at], floor);
		}
		assert_int_equal(row.cumulative, at);
		assert_true(row.sum <= sum);
		assert_true(row.avg >= row.value.lo && row.avg <= row.value.hi);
		assert_true(row.first <= row.slot);
	}
	assert_int_equal(at, e->n);
}

static void check_floor(struct snapshot *s, const struct edges *e, uint64_t floor)
{
	unsigned __int128 sum = 0;
	struct dist d;
	size_t i;

	s->nodes[0].subtract_ns = floor;
	assert_int_equal(dist_open(&d, s, 0, DIST_ALL_CPUS), 0);
	assert_int_equal(d.samples, e->n);
	for (i = 0; i < e->n; i++)
		sum += left(e->v[i], floor);
	assert_true(d.sum_lo <= sum && sum <= d.sum_hi);
	check_quantiles(&d, e, floor);
	check_rows(&d, e, floor);
	dist_close(&d);
}

static void test_edges(void **state)
{
	struct edges *e = malloc(sizeof(*e));
	struct snapshot *s;
	uint32_t bits;
	size_t i, step;

	assert_non_null(e);
	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		make_edges(e, bits);
		s = fixture_new(bits, 2, 1);
		fixture_begin(s);
		for (i = 0; i < e->n; i++)
			fixture_record(s, 0, i % 2, e->v[i], 1);
		fixture_end(s);
		step = 1 + e->n / fixture_rounds(FLOORS_MAX, FLOORS_MAX / 10);
		for (i = 0; i < e->n; i += step)
			check_floor(s, e, e->v[i]);
		check_floor(s, e, UINT64_MAX);
		snapshot_free(s);
	}
	free(e);
}

/* Sums stay exact where no slot lies on both sides of the floor. */
static void test_exact(void **state)
{
	struct snapshot *s = fixture_new(3, 1, 1);
	struct dist_row row = DIST_ROW_BEGIN;
	struct dist d;

	fixture_record(s, 0, 0, 3, 2);
	fixture_record(s, 0, 0, 90, 5); /* 88 to 95 */
	fixture_record(s, 0, 0, 1000, 7); /* 960 to 1023 */
	s->nodes[0].subtract_ns = 88;
	assert_int_equal(dist_open(&d, s, 0, 0), 0);
	assert_true(d.sum_lo == 5 * 2 + 7 * 912 && d.sum_hi == d.sum_lo);
	assert_true(dist_mean(&d) == (5 * 2 + 7 * 912) / 14.0);
	assert_true(dist_next(&d, &row) && row.samples == 2 && row.value.hi == 0 && row.avg == 0);
	assert_true(dist_next(&d, &row) && row.samples == 5 && row.value.lo == 0 &&
		    row.value.hi == 7 && row.avg == 2 && row.sum == 10);
	assert_true(dist_next(&d, &row) && row.value.lo == 872 && row.value.hi == 935 &&
		    row.avg == 912);
	assert_false(dist_next(&d, &row));
	dist_close(&d);
	/* One that does: the sum of 450 lets one of the five be 95, the others 88 and 91. */
	s->nodes[0].subtract_ns = 92;
	assert_int_equal(dist_open(&d, s, 0, 0), 0);
	assert_true(d.sum_lo == 7 * 908 && d.sum_hi == 3 + 7 * 908);
	dist_close(&d);
	snapshot_free(s);
}

/* Samples at both ends of the slot that the floor lies in leave as much as any. */
static void test_tight(void **state)
{
	uint32_t bits, slot, n;
	struct snapshot *s;
	struct dist d;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (n = 0; n <= 9; n++) {
			slot = kstats_slot_index(1000, bits);
			s = fixture_new(bits, 1, 1);
			if (n)
				fixture_record(s, 0, 0, kstats_slot_last(slot, bits), n);
			if (n < 9)
				fixture_record(s, 0, 0, kstats_slot_first(slot, bits), 9 - n);
			s->nodes[0].subtract_ns = 1000;
			assert_int_equal(dist_open(&d, s, 0, 0), 0);
			assert_true(d.sum_hi == n * (kstats_slot_last(slot, bits) - 1000));
			dist_close(&d);
			snapshot_free(s);
		}
	}
}

/* It is a view: what is copied keeps it, what is compared or saved is as measured. */
static void test_view(void **state)
{
	struct snapshot *s = fixture_new(3, 1, 1), *copy;
	struct dist a, b;

	fixture_record(s, 0, 0, 1000, 7);
	copy = snapshot_copy(s);
	copy->nodes[0].subtract_ns = 100;
	assert_true(snapshot_same_slots(s, copy));
	assert_int_equal(dist_open(&a, s, 0, 0), 0);
	assert_int_equal(dist_open(&b, copy, 0, 0), 0);
	assert_int_equal(dist_add(&a, &b), -22);
	assert_true(dist_quantile(&a, DIST_ONE).hi == dist_quantile(&b, DIST_ONE).hi + 100);
	dist_close(&a);
	dist_close(&b);
	snapshot_free(copy);
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_tight),
		cmocka_unit_test(test_view),
	};

	return cmocka_run_group_tests_name("subtract", tests, NULL, NULL);
}
