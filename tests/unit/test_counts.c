// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_counts.c - counts in their short form against plain arrays: every number that a
 * slot can hold, sums, differences, and how many bytes a slot takes.
 */
#include "fixture.h"

#include <errno.h>

#define CPUS 5
#define SLOTS KSTATS_N_SLOTS_MAX
#define ROUNDS 300

struct plain {
	struct kstats_slot slots[CPUS][SLOTS];
};

/* Numbers of every length; often none. */
static uint64_t any_number(uint64_t *r)
{
	return fixture_random(r) % 4 ? fixture_random(r) >> fixture_random(r) % 64 : 0;
}

static void fill(struct plain *p, uint64_t *r)
{
	int i, n = fixture_random(r) % 40;
	struct kstats_slot *slot;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < n; i++) {
		slot = &p->slots[fixture_random(r) % CPUS][fixture_random(r) % SLOTS];
		*slot = (struct kstats_slot){ any_number(r), any_number(r) };
	}
	if (fixture_random(r) % 2)
		p->slots[CPUS - 1][0] = (struct kstats_slot){ UINT64_MAX, UINT64_MAX };
	if (fixture_random(r) % 2)
		p->slots[0][SLOTS - 1] = (struct kstats_slot){ 0, 1 };
}

static struct counts *make(const struct plain *p)
{
	struct counts_writer w = {};
	struct counts *c = NULL;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		counts_add_cpu(&w, cpu, p->slots[cpu], SLOTS);
	assert_int_equal(counts_end(&w, &c), 0);
	counts_writer_free(&w);
	return c;
}

/* The slots of one CPU, or of all, and nothing else. */
static void check_walk(const struct counts *c, const struct plain *p, int only)
{
	struct counts_cursor at = counts_begin(c, only);
	const struct kstats_slot *want;
	uint32_t cpu, i;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0; i < SLOTS; i++) {
			want = &p->slots[cpu][i];
			if ((only >= 0 && cpu != (uint32_t)only) || !(want->samples | want->sum))
				continue;
			assert_true(counts_next(&at));
			assert_true(at.cpu == cpu && at.slot == i);
			assert_memory_equal(&at.count, want, sizeof(*want));
		}
	}
	assert_false(counts_next(&at));
	assert_true(at.place == COUNTS_END);
	assert_false(counts_next(&at));
}

static void check_same(const struct counts *c, const struct plain *p)
{
	uint64_t samples = 0, next = 0;
	size_t slots = 0;
	uint32_t cpu, i;
	bool used;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0, used = false; i < SLOTS; i++) {
			samples += p->slots[cpu][i].samples;
			used |= p->slots[cpu][i].samples | p->slots[cpu][i].sum;
			slots += (p->slots[cpu][i].samples | p->slots[cpu][i].sum) != 0;
		}
		if (used) {
			i = next;
			assert_true(counts_next_cpu(c, &i));
			assert_int_equal(i, cpu);
			next = cpu + 1;
		}
		check_walk(c, p, cpu);
	}
	i = next;
	assert_false(counts_next_cpu(c, &i));
	check_walk(c, p, COUNTS_ALL_CPUS);
	check_walk(c, &(const struct plain){}, CPUS);
	assert_true(counts_samples(c) == samples);
	assert_int_equal(counts_slots(c), slots);
}

/* What was put in comes out. */
static void test_walk(void **state)
{
	static struct plain p;
	struct counts *c;
	uint64_t r = 3;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		fill(&p, &r);
		c = make(&p);
		check_same(c, &p);
		counts_drop(c);
	}
}

/* Slot by slot as plain arrays give it, or refused. */
static int plain_sum(struct plain *to, const struct plain *a, const struct plain *b, bool less)
{
	const struct kstats_slot *x = a->slots[0], *y = b->slots[0];
	struct kstats_slot *z = to->slots[0];
	bool bad = false;
	int i;

	for (i = 0; i < CPUS * SLOTS; i++) {
		if (less) {
			bad |= x[i].samples < y[i].samples || x[i].sum < y[i].sum;
			z[i].samples = x[i].samples - y[i].samples;
			z[i].sum = x[i].sum - y[i].sum;
		} else {
			z[i].samples = x[i].samples + y[i].samples;
			z[i].sum = x[i].sum + y[i].sum;
			bad |= z[i].samples < x[i].samples || z[i].sum < x[i].sum;
		}
	}
	return !bad ? 0 : less ? -EINVAL : -EOVERFLOW;
}

static void test_sum(void **state)
{
	static struct plain p, q, sum;
	struct counts *a, *b, *c, *old;
	uint64_t r = 5;
	int i, err, good = 0;

	for (i = 0; i < ROUNDS; i++) {
		fill(&p, &r);
		fill(&q, &r);
		a = make(&p);
		b = make(&q);
		c = old = counts_share(a);
		err = plain_sum(&sum, &p, &q, false);
		assert_int_equal(counts_sum(a, b, &c), err);
		if (err) {
			assert_ptr_equal(c, old);
		} else {
			check_same(c, &sum);
			/* What was added comes off again. */
			assert_int_equal(counts_difference(c, b, &c), 0);
			assert_true(counts_same(c, a));
			good++;
		}
		counts_drop(a);
		counts_drop(b);
		counts_drop(c);
	}
	assert_in_range(good, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

static void test_difference(void **state)
{
	static struct plain p, q, diff;
	struct counts *a, *b, *c;
	uint64_t r = 7;
	int i, err, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		fill(&p, &r);
		memcpy(&q, &p, sizeof(p));
		q.slots[i % CPUS][i] = (struct kstats_slot){ any_number(&r), any_number(&r) };
		a = make(&p);
		b = make(&q);
		c = NULL;
		err = plain_sum(&diff, &p, &q, true);
		assert_int_equal(counts_difference(a, b, &c), err);
		assert_int_equal(counts_same(a, b), !memcmp(&p, &q, sizeof(p)));
		if (!err)
			check_same(c, &diff);
		bad += err != 0;
		counts_drop(a);
		counts_drop(b);
		counts_drop(c);
	}
	assert_in_range(bad, ROUNDS / 10, ROUNDS - 1);
}

/* A copy of a snapshot shares its counts, and outlives it. */
static void test_copies(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 1), *copy, *more;

	fixture_record(s, 0, 1, 100, 5);
	copy = snapshot_copy(s);
	assert_ptr_equal(copy->nodes[0].counts, s->nodes[0].counts);
	fixture_record(s, 0, 1, 100, 2);
	assert_int_equal(counts_samples(copy->nodes[0].counts), 5);
	more = snapshot_since(s, copy, NULL);
	assert_null(copy->nodes[0].counts);
	snapshot_free(copy);
	snapshot_free(s);
	assert_int_equal(counts_samples(more->nodes[0].counts), 2);
	assert_int_equal(fixture_slot(more, 0, 1, kstats_slot_index(100, 3)).samples, 2);
	snapshot_free(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
