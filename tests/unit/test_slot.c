// SPDX-License-Identifier: GPL-2.0-only
/* test_slot.c - the slot arithmetic, at every edge plus and minus one. */
#include "fixture.h"

#include "kstats_slot.h"

static void test_n_slots(void **state)
{
	static const uint32_t known[] = { 66, 129, 253, 497, 977, 1921 };
	uint32_t bits;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++)
		assert_int_equal(kstats_n_slots(bits), known[bits]);
}

/* What the formula of the format says, written out with shifts by one. */
static uint32_t top_bit(uint64_t v)
{
	uint32_t n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}

static void check_fls(uint64_t v)
{
	assert_int_equal(kstats_fls64(v), top_bit(v));
	assert_int_equal(kstats_fls64_steps(v), top_bit(v));
}

static void test_fls64(void **state)
{
	uint64_t r = 11;
	int i;

	check_fls(0);
	for (i = 0; i < 64; i++) {
		check_fls(1ULL << i);
		check_fls((1ULL << i) - 1);
		check_fls((1ULL << i) + 1);
		check_fls(UINT64_MAX >> i);
	}
	for (i = 0; i < 100000; i++)
		check_fls(fixture_random(&r) >> (i % 64));
}

static void check_edges(uint32_t bits, uint32_t i)
{
	uint64_t first = kstats_slot_first(i, bits), last = kstats_slot_last(i, bits);

	assert_true(first <= last);
	assert_int_equal(kstats_slot_index(first, bits), i);
	assert_int_equal(kstats_slot_index(last, bits), i);
	if (i) {
		assert_true(kstats_slot_last(i - 1, bits) + 1 == first);
		assert_int_equal(kstats_slot_index(first - 1, bits), i - 1);
	}
	if (last != UINT64_MAX)
		assert_int_equal(kstats_slot_index(last + 1, bits), i + 1);
	if (first != last)
		assert_int_equal(kstats_slot_index(first + 1, bits), i);
}

static void test_edges(void **state)
{
	uint32_t bits, i, n;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		n = kstats_n_slots(bits);
		for (i = 0; i < n - 1; i++)
			check_edges(bits, i);
		assert_true(kstats_slot_first(0, bits) == 0);
		assert_true(kstats_slot_last(n - 2, bits) == UINT64_MAX);
		assert_true(kstats_slot_first(n - 1, bits) == UINT64_MAX);
		assert_true(kstats_slot_last(n - 1, bits) == UINT64_MAX);
	}
}

static void test_single_values(void **state)
{
	uint32_t bits;
	uint64_t v;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (v = 0; v < 2ULL << bits; v++) {
			assert_int_equal(kstats_slot_index(v, bits), v);
			assert_true(kstats_slot_first(v, bits) == v);
			assert_true(kstats_slot_last(v, bits) == v);
		}
	}
}

/* The index as the format describes it, from the text and not from the code. */
static void test_formula(void **state)
{
	uint64_t r = 12, v;
	uint32_t bits, bucket, slot;
	int i;

	for (i = 0; i < 100000; i++) {
		v = fixture_random(&r) >> (fixture_random(&r) % 64);
		for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
			bucket = top_bit(v >> bits);
			slot = bucket ? (bucket << bits) +
						(v / (1ULL << (bucket - 1))) % (1U << bits)
				      : v;
			assert_int_equal(kstats_slot_index(v, bits), slot);
		}
	}
}

static void test_scale(void **state)
{
	uint64_t r = 13, v, scaled, back;
	uint32_t bits, i, shift;
	int n;

	for (n = 0; n < 100000; n++) {
		v = fixture_random(&r) >> (fixture_random(&r) % 64);
		for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
			i = kstats_slot_index(v, bits);
			shift = kstats_slot_shift(i, bits);
			scaled = kstats_slot_scale(v, i, bits);
			back = scaled << shift;
			assert_true(back <= v && v - back < 1ULL << shift);
			assert_true(back >= kstats_slot_first(i, bits));
			/* 2^39 samples of one slot cannot overflow their sum. */
			assert_true(scaled < 1ULL << 25);
			if (v < 1ULL << 19)
				assert_true(scaled == v);
		}
	}
}

/* The blocks of each place, and where the slots are in them, from the text of the header. */
static void test_blocks(void **state)
{
	uint32_t bits, i, k, n;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		n = kstats_n_slots(bits) - 1;
		assert_int_equal(KSTATS_N_BLOCKS(bits), (n + 15) / 16);
		assert_true(KSTATS_N_BLOCKS(bits) <= KSTATS_BLOCK_CHAIN * KSTATS_BLOCK_PLACES);
		for (i = 0; i < n; i++) {
			assert_int_equal(kstats_block_of(kstats_block_tag(i)), i / 16);
			assert_int_equal(kstats_block_place(i), i / 16 % 32 * sizeof(uint32_t));
			assert_int_equal(kstats_block_slot(i), i % 16);
			assert_int_not_equal(kstats_block_tag(i), 0);
			assert_false(kstats_block_has(0, i));
		}
	}
	for (i = 0; i < KSTATS_N_SLOTS_MAX - 1; i++)
		for (k = 0; k < KSTATS_N_SLOTS_MAX - 1; k++)
			assert_int_equal(kstats_block_has(kstats_block_tag(k), i),
					 i / 16 == k / 16);
	assert_true(kstats_block_of(0) >= KSTATS_N_BLOCKS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_n_slots), cmocka_unit_test(test_fls64),
		cmocka_unit_test(test_edges),   cmocka_unit_test(test_single_values),
		cmocka_unit_test(test_formula), cmocka_unit_test(test_scale),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests_name("slot", tests, NULL, NULL);
}
