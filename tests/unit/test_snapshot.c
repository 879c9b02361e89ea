// SPDX-License-Identifier: GPL-2.0-only
/* test_snapshot.c - subtraction, copies and addition of snapshots. */
#include "fixture.h"

#include "result/ledger.h"

#define ROUNDS 10000

/* later = earlier + (later - earlier), and the account of the period balances. */
static void test_subtract_add(void **state)
{
	struct snapshot *earlier, *later, *diff;
	uint64_t r = 31, open;
	int i, n = fixture_rounds(ROUNDS, ROUNDS / 10);

	for (i = 0; i < n; i++) {
		earlier = fixture_snapshot(&r);
		earlier->span.final = i & 1;
		later = snapshot_copy(earlier);
		assert_non_null(later);
		fixture_grow(later, &r);
		fixture_turn_over(later, &r);
		later->span.final = true;
		diff = snapshot_subtract(later, earlier, NULL);
		assert_non_null(diff);
		assert_int_equal(ledger_balance(diff, 0), 0);
		assert_int_equal(ledger_recorded(diff, 0),
				 ledger_recorded(later, 0) - ledger_recorded(earlier, 0));
		assert_true(diff->span.begin_ns == earlier->span.end_ns &&
			    diff->span.end_ns == later->span.end_ns);
		assert_true(diff->span.wall_ns - earlier->span.wall_ns ==
			    earlier->span.end_ns - earlier->span.begin_ns);
		/* In flight is a level: what was open earlier is counted once. */
		open = earlier->nodes[0].ledger[KSTATS_IN_FLIGHT];
		fixture_add(&earlier, diff);
		earlier->nodes[0].ledger[KSTATS_IN_FLIGHT] -= open;
		earlier->nodes[0].ledger[KSTATS_STARTED] -= open;
		earlier->span.final = later->span.final;
		fixture_assert_same(earlier, later);
		snapshot_free(earlier);
		snapshot_free(later);
		snapshot_free(diff);
	}
}

/* Programs ran during the copy: more had ended than had started by then. */
static void test_subtract_torn(void **state)
{
	struct snapshot *earlier = fixture_new(3, 1, 1), *later, *diff;

	fixture_record(earlier, 0, 0, 100, 5);
	later = snapshot_copy(earlier);
	earlier->span.final = false;
	earlier->nodes[0].ledger[KSTATS_STARTED] -= 2;
	fixture_record(later, 0, 0, 100, 3);
	diff = snapshot_subtract(later, earlier, NULL);
	assert_non_null(diff);
	assert_int_equal(ledger_balance(diff, 0), 0);
	assert_int_equal(diff->nodes[0].ledger[KSTATS_STARTED], 3);
	snapshot_free(earlier);
	snapshot_free(later);
	snapshot_free(diff);
}

/* All but @open and @gone are recorded; of these up to @lost are lost. */
static struct snapshot *with_lost(uint64_t started, uint64_t open, uint64_t gone, uint64_t lost)
{
	struct snapshot *s = fixture_new(3, 1, 1);

	s->span.final = false;
	fixture_record(s, 0, 0, 100, started - open - gone);
	fixture_count(s, 0, KSTATS_IN_FLIGHT, open);
	fixture_count(s, 0, KSTATS_TASK_GONE, gone);
	s->nodes[0].ledger[KSTATS_ENDS_LOST] = lost;
	return s;
}

/* A lost call is lost in one period, whatever becomes of its stamp, and each period balances. */
static void test_subtract_lost(void **state)
{
	static const struct {
		uint64_t open, gone, lost; /* at the end of the period */
		uint64_t told; /* lost in it */
	} rows[] = {
		{ 0, 0, 0, 0 }, { 1, 0, 1, 1 }, { 1, 0, 1, 0 }, { 0, 1, 1, 0 },
		{ 0, 3, 1, 0 }, { 3, 3, 4, 3 }, { 2, 3, 3, 0 }, { 2, 3, 5, 2 },
	};
	const size_t n = sizeof(rows) / sizeof(*rows);
	struct snapshot *later, *earlier = with_lost(10, 0, 0, 0), *diff;
	size_t i;

	(void)state;
	for (i = 0; i < n; i++, earlier = later) {
		later = with_lost(15 + 5 * i, rows[i].open, rows[i].gone, rows[i].lost);
		later->span.final = i == n - 1;
		diff = snapshot_subtract(later, earlier, NULL);
		assert_non_null(diff);
		assert_int_equal(ledger_lost(diff, 0), rows[i].told);
		assert_int_equal(ledger_balance(diff, 0), 0);
		snapshot_free(diff);
		snapshot_free(earlier);
	}
	snapshot_free(earlier);
}

static void expect_refusal(struct snapshot *a, struct snapshot *b, const char *why)
{
	struct error e = {};

	assert_null(snapshot_subtract(a, b, &e));
	assert_non_null(strstr(e.why, why));
	snapshot_free(a);
	snapshot_free(b);
}

static void test_different(void **state)
{
	struct snapshot *a = fixture_new(3, 1, 1), *b = fixture_new(3, 1, 1);

	expect_refusal(fixture_new(3, 1, 1), fixture_new(4, 1, 1), "bits");
	expect_refusal(fixture_new(3, 1, 1), fixture_new(3, 2, 1), "CPUs");
	expect_refusal(fixture_new(3, 1, 1), fixture_new(3, 1, 2), "numbers of nodes");
	fixture_name(b, 0, "other");
	expect_refusal(a, b, "nodes differ");
}

static void test_backwards(void **state)
{
	struct snapshot *a = fixture_new(3, 1, 1), *b = fixture_new(3, 1, 1);
	struct error e = {};

	fixture_record(b, 0, 0, 100, 1);
	assert_null(snapshot_subtract(a, b, &e));
	assert_non_null(strstr(e.why, "smaller in the later"));
	snapshot_free(b);
	b = fixture_new(3, 1, 1);
	fixture_count(b, 0, KSTATS_NESTED, 1);
	assert_null(snapshot_subtract(a, b, NULL));
	snapshot_free(a);
	snapshot_free(b);
}

/* Without its texts and with them again it is what it was. */
static void test_bare(void **state)
{
	struct snapshot *s, *back, *p;
	uint64_t r = 41;
	int i, n = fixture_rounds(ROUNDS, ROUNDS / 10);

	for (i = 0; i < n; i++) {
		s = fixture_snapshot(&r);
		p = snapshot_bare(s);
		assert_non_null(p);
		assert_null(p->nodes[0].name);
		back = snapshot_named(p, s);
		assert_non_null(back);
		fixture_assert_same(s, back);
		snapshot_free(p);
		snapshot_free(s);
		snapshot_free(back);
	}
}

/* The gaps alone: with their counts, in no ledger, none where none are kept. */
static void test_gaps(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 4), *gaps;

	fixture_name(s, 1, "GAP-a");
	fixture_name(s, 3, "GAP-b");
	s->nodes[1].kind = s->nodes[3].kind = SNAPSHOT_GAP;
	s->nodes[3].owner = 2;
	fixture_record(s, 0, 0, 100, 5);
	fixture_record(s, 3, 1, 100, 7);
	gaps = snapshot_gaps(s);
	assert_non_null(gaps);
	assert_int_equal(gaps->n_nodes, 2);
	assert_string_equal(gaps->nodes[0].name, "GAP-a");
	assert_string_equal(gaps->nodes[1].name, "GAP-b");
	assert_int_equal(gaps->nodes[1].owner, 1);
	assert_int_equal(counts_samples(gaps->nodes[0].counts), 0);
	assert_int_equal(counts_samples(gaps->nodes[1].counts), 7);
	snapshot_free(s);
	s = snapshot_gaps(gaps);
	assert_int_equal(s->n_nodes, 2);
	s->nodes[0].kind = s->nodes[1].kind = SNAPSHOT_DURATION;
	snapshot_free(gaps);
	gaps = snapshot_gaps(s);
	assert_int_equal(gaps->n_nodes, 0);
	snapshot_free(gaps);
	snapshot_free(s);
}

static void test_add_overflow(void **state)
{
	struct snapshot *a = fixture_new(3, 1, 1), *b = fixture_new(3, 1, 1);
	struct snapshot *sum;
	struct error e = {};

	fixture_set(a, 0, 0, 0, (struct kstats_slot){ UINT64_MAX - 4, 0 });
	fixture_set(b, 0, 0, 0, (struct kstats_slot){ 5, 0 });
	assert_null(snapshot_add(a, b, &e));
	assert_int_equal(e.err, -75);
	assert_int_equal(counts_slots(a->nodes[0].counts), 1);
	assert_true(fixture_slot(a, 0, 0, 0).samples == UINT64_MAX - 4);
	fixture_set(b, 0, 0, 0, (struct kstats_slot){ 4, 0 });
	sum = snapshot_add(a, b, NULL);
	assert_non_null(sum);
	assert_int_equal(counts_slots(sum->nodes[0].counts), 1);
	assert_true(fixture_slot(sum, 0, 0, 0).samples == UINT64_MAX);
	snapshot_free(sum);
	snapshot_free(a);
	snapshot_free(b);
}

/* Two nodes of a key of the same owner become one, and those of other owners and keys do not. */
static void test_join_keys(void **state)
{
	static const struct {
		const char *name; /* NULL: a key that has not come */
		uint32_t owner;
		uint64_t before, after; /* samples */
	} keys[] = {
		{ "a{k=\"1\"}", 0, 3, 3 + 5 + 11 },
		{ "a{k=\"2\"}", 0, 4, 4 },
		{ "a{k=\"1\"}", 0, 5, 0 },
		{ "a{k=\"1\"}", 1, 7, 7 },
		{ "a{k=\"3\"}", 0, 0, 2 },
		{ "a{k=\"1\"}", 0, 11, 0 },
		{ NULL, 0, 0, 0 },
		{ "a{k=\"3\"}", 0, 2, 0 },
	};
	const uint32_t n = sizeof(keys) / sizeof(*keys);
	struct snapshot *s = fixture_new(3, 2, 2), *copy;
	uint32_t i;

	assert_int_equal(snapshot_add_keys(s, n), 0);
	for (i = 0; i < n; i++) {
		s->nodes[2 + i].owner = keys[i].owner;
		if (keys[i].name)
			fixture_text(&s->nodes[2 + i].name, keys[i].name);
		if (keys[i].before)
			fixture_record(s, 2 + i, i & 1, 100 * i, keys[i].before);
	}
	copy = snapshot_copy(s);
	assert_int_equal(snapshot_join_keys(s), 0);
	for (i = 0; i < n; i++) {
		assert_int_equal(counts_samples(s->nodes[2 + i].counts), keys[i].after);
		assert_int_equal(counts_samples(copy->nodes[2 + i].counts), keys[i].before);
	}
	/* Samples stay those of their CPU. */
	assert_int_equal(fixture_slot(s, 2, 1, kstats_slot_index(500, 3)).samples, 11);
	assert_int_equal(fixture_slot(s, 2, 0, kstats_slot_index(0, 3)).samples, 3);
	snapshot_free(copy);
	snapshot_free(s);
}

static void name_key(struct snapshot *s, const char *text, const char *number)
{
	struct snapshot_node *n = &s->nodes[0];
	char name[64];

	snprintf(name, sizeof(name), "f{cgroup=\"%s\"}", text);
	fixture_text(&n->name, name);
	tags_free(&n->by);
	tags_free(&n->numbers);
	assert_int_equal(tags_set(&n->by, "cgroup", text, NULL), 0);
	if (number)
		assert_int_equal(tags_set(&n->numbers, "cgroup", number, NULL), 0);
}

/* A key is the same by its number, though the name of a group goes with the group. */
static void test_renamed(void **state)
{
	static const struct {
		const char *text, *number;
		bool same;
	} cases[] = {
		{ "/a.service", "71", true },
		{ "71", NULL, true },
		{ "/b.service", "71", true },
		{ "72", NULL, false },
	};
	struct snapshot *earlier = fixture_new(3, 1, 1), *later, *diff;
	struct error e;
	size_t i;

	earlier->nodes[0].kind = SNAPSHOT_KEY;
	name_key(earlier, "/a.service", "71");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		later = snapshot_copy(earlier);
		name_key(later, cases[i].text, cases[i].number);
		e = (struct error){};
		diff = snapshot_subtract(later, earlier, &e);
		assert_int_equal(!!diff, cases[i].same);
		snapshot_free(diff);
		snapshot_free(later);
	}
	snapshot_free(earlier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subtract_add),  cmocka_unit_test(test_subtract_torn),
		cmocka_unit_test(test_different),     cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_bare),          cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_add_overflow),  cmocka_unit_test(test_join_keys),
		cmocka_unit_test(test_subtract_lost), cmocka_unit_test(test_renamed),
	};

	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
