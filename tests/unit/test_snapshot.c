// SPDX-License-Identifier: GPL-2.0-only
/* test_snapshot.c - copy, subtract, add, save and load of snapshots. */
#include "fixture.h"

#include "ledger.h"

#define ROUNDS 10000

/* A few more samples on random nodes, CPUs and slots. */
static void grow(struct snapshot *s, uint64_t *r)
{
	uint64_t i, n = fixture_random(r) % 8;

	for (i = 0; i < n; i++)
		fixture_record(s, fixture_random(r) % s->n_nodes, fixture_random(r) % s->n_cpus,
			       fixture_random(r) >> (fixture_random(r) % 64),
			       1 + fixture_random(r) % 5);
	fixture_count(s, 0, KSTATS_NESTED, fixture_random(r) % 3);
	fixture_count(s, 0, KSTATS_SKIPPED, fixture_random(r) % 3);
	s->end_ns += fixture_random(r) % 1000000;
}

/* Some calls end that were in flight, and others begin. */
static void turn_over(struct snapshot *s, uint64_t *r)
{
	uint64_t *ledger = s->nodes[0].ledger;
	uint64_t ended = fixture_random(r) % (ledger[KSTATS_IN_FLIGHT] + 1);

	fixture_record(s, 0, 0, 1000, ended);
	ledger[KSTATS_STARTED] -= ended;
	ledger[KSTATS_IN_FLIGHT] -= ended;
	fixture_count(s, 0, KSTATS_IN_FLIGHT, fixture_random(r) % 9);
}

static struct snapshot *random_snapshot(uint64_t *r)
{
	struct snapshot *s = fixture_new(fixture_random(r) % (KSTATS_BITS_MAX + 1),
					 1 + fixture_random(r) % 3, 2);

	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	grow(s, r);
	turn_over(s, r);
	return s;
}

/* later = earlier + (later - earlier), and the account of the period balances. */
static void test_subtract_add(void **state)
{
	struct snapshot *earlier, *later, *diff;
	uint64_t r = 31, open;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		earlier = random_snapshot(&r);
		earlier->final = i & 1;
		later = snapshot_copy(earlier);
		assert_non_null(later);
		grow(later, &r);
		turn_over(later, &r);
		later->final = true;
		diff = snapshot_subtract(later, earlier, NULL);
		assert_non_null(diff);
		assert_int_equal(ledger_balance(diff, 0), 0);
		assert_int_equal(ledger_recorded(diff, 0),
				 ledger_recorded(later, 0) - ledger_recorded(earlier, 0));
		assert_true(diff->begin_ns == earlier->end_ns && diff->end_ns == later->end_ns);
		assert_true(diff->wall_ns - earlier->wall_ns ==
			    earlier->end_ns - earlier->begin_ns);
		/* In flight is a level: what was open earlier is counted once. */
		open = earlier->nodes[0].ledger[KSTATS_IN_FLIGHT];
		assert_int_equal(snapshot_add(earlier, diff, NULL), 0);
		earlier->nodes[0].ledger[KSTATS_IN_FLIGHT] -= open;
		earlier->nodes[0].ledger[KSTATS_STARTED] -= open;
		earlier->final = later->final;
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
	earlier->final = false;
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

static void expect_refusal(struct snapshot *a, struct snapshot *b, const char *why)
{
	struct snapshot *before = snapshot_copy(a);
	struct error e = {};

	assert_null(snapshot_subtract(a, b, &e));
	assert_non_null(strstr(e.why, why));
	assert_int_equal(snapshot_add(a, b, &e), -22);
	assert_non_null(strstr(e.why, why));
	fixture_assert_same(a, before);
	snapshot_free(a);
	snapshot_free(b);
	snapshot_free(before);
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

static void test_add_overflow(void **state)
{
	struct snapshot *a = fixture_new(3, 1, 1), *b = fixture_new(3, 1, 1), *before;

	a->nodes[0].slots[0].samples = UINT64_MAX - 4;
	b->nodes[0].slots[0].samples = 5;
	before = snapshot_copy(a);
	assert_int_equal(snapshot_add(a, b, NULL), -22);
	fixture_assert_same(a, before);
	b->nodes[0].slots[0].samples = 4;
	assert_int_equal(snapshot_add(a, b, NULL), 0);
	assert_true(a->nodes[0].slots[0].samples == UINT64_MAX);
	snapshot_free(a);
	snapshot_free(b);
	snapshot_free(before);
}

/* ---- save and load ---- */

static char *save(const struct snapshot *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(snapshot_save(s, f), 0);
	fclose(f);
	return text;
}

static struct snapshot *load(const char *text, size_t len, struct error *e)
{
	FILE *f = fmemopen((void *)text, len, "r");
	struct snapshot *s;

	assert_non_null(f);
	s = snapshot_load(f, e);
	fclose(f);
	return s;
}

static void test_round_trip(void **state)
{
	struct snapshot *s, *back;
	struct error e = {};
	uint64_t r = 32;
	char *text;
	int i;

	for (i = 0; i < 500; i++) {
		s = random_snapshot(&r);
		s->final = i & 1;
		fixture_text(&s->command, "dd \"if=/dev/zero\" \\ caf\xc3\xa9");
		text = save(s);
		back = load(text, strlen(text), &e);
		if (!back)
			fail_msg("%s", e.why);
		fixture_assert_same(s, back);
		snapshot_free(s);
		snapshot_free(back);
		free(text);
	}
}

/* Every number that 64 bits can hold comes back as it was. */
static void test_exact_numbers(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1), *back;
	char *text;

	s->wall_ns = UINT64_MAX;
	s->begin_ns = (1ULL << 53) + 1;
	s->end_ns = UINT64_MAX - 1;
	s->nodes[0].ledger[KSTATS_STARTED] = UINT64_MAX;
	s->nodes[0].slots[0].samples = UINT64_MAX - 3;
	fixture_record(s, 0, 0, UINT64_MAX, 3);
	text = save(s);
	back = load(text, strlen(text), NULL);
	assert_non_null(back);
	fixture_assert_same(s, back);
	snapshot_free(s);
	snapshot_free(back);
	free(text);
}

static void test_small(void **state)
{
	struct snapshot *s = fixture_new(5, 64, 1);
	uint64_t r = 33, i;
	char *text;

	for (i = 0; i < 10000; i++)
		fixture_record(s, 0, i % 4, fixture_near(&r, 500, 1), 1);
	text = save(s);
	assert_true(strlen(text) < 8192);
	snapshot_free(s);
	free(text);
}

/* A good document in which one place is replaced by something else. */
static void check_bad(const char *good, const char *from, const char *to, const char *why)
{
	const char *at = strstr(good, from);
	struct error e = {};
	char *text = NULL;
	struct snapshot *s;

	if (!at)
		fail_msg("there is no %s in %s", from, good);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from)) > 0);
	s = load(text, strlen(text), &e);
	if (s)
		fail_msg("%s was accepted for %s", to, from);
	if (!strstr(e.why, why))
		fail_msg("%s for %s gave: %s", to, from, e.why);
	free(text);
}

static const struct {
	const char *from, *to, *why;
} hostile[] = {
	{ "kstats-bpf snapshot", "another", "'format'" },
	{ "\"version\":1", "\"version\":2", "'version' is 2" },
	{ "\"version\":1", "\"version\":\"1\"", "'version' is of type string" },
	{ "\"version\":1", "\"version\":1.0", "'version' is of type double" },
	{ "\"version\":1,", "", "'version' is missing" },
	{ "\"bits\":3", "\"bits\":6", "'bits' holds 6" },
	{ "\"bits\":3", "\"bits\":-1", "below zero" },
	{ "\"bits\":3", "\"bits\":NaN", "'bits' is of type double" },
	{ "\"bits\":3", "\"bits\":3,\"bits\":3", "twice" },
	{ "\"n_cpus\":2", "\"n_cpus\":0", "none or too many" },
	{ "\"n_cpus\":2", "\"n_cpus\":8193", "'n_cpus' holds 8193" },
	{ "\"n_cpus\":2", "\"n_cpus\":18446744073709551616", "64 bits" },
	{ "\"n_cpus\":2", "\"n_cpus\":null", "'n_cpus' is of type null" },
	{ "\"n_cpus\":2", "\"n_cpus\":1", "'cpu' holds 1" },
	{ "\"final\":true", "\"final\":1", "'final' is of type int" },
	{ "\"end_ns\":6", "\"end_ns\":0.6", "'end_ns' is of type double" },
	{ "\"end_ns\":6021000011", "\"end_ns\":6", "'end_ns' is before" },
	{ "\"pairing\":\"by task\"", "\"pairing\":\"by\\u0000task\"", "'pairing' holds a NUL" },
	{ "\"pairing\":\"by task\"", "\"pairing\":\"\xff\"", "not JSON" },
	{ "\"pairing\":\"by task\"", "\"pairing\":[]", "'pairing' is of type array" },
	{ "\"kind\":\"duration\"", "\"kind\":\"time\"", "'kind' holds 'time'" },
	{ "\"kind\":\"duration\"", "\"kind\":\"gap\"", "'owner' of 'function_0'" },
	{ "\"owner\":0", "\"owner\":2", "'owner' holds 2" },
	{ "\"owner\":0", "\"owner\":1", "'owner' of 'function_0' is not itself" },
	{ "\"started\":", "\"begun\":", "'started' is missing" },
	{ "\"ledger\":{", "\"ledger\":[{", "not JSON" },
	{ "\"cpu\":0", "\"cpu\":2", "'cpu' holds 2" },
	{ "\"cpu\":1", "\"cpu\":0", "'cpu' is not ascending" },
	{ "\"slots\":[3,", "\"slots\":[3,3,", "differ in length" },
	{ "\"slots\":[3,46]", "\"slots\":[46,3]", "'sums'" },
	{ "\"slots\":[3,46]", "\"slots\":[3,3]", "not ascending" },
	{ "\"slots\":[3,46]", "\"slots\":[3,497]", "'slots' holds 497" },
	{ "\"slots\":[3,46]", "\"slots\":[3,null]", "'slots' holds a value of type null" },
	{ "\"slots\":[3,46]", "\"slots\":[3,[46]]", "'slots' holds a value of type array" },
	{ "\"slots\":[3,46]", "\"slots\":[3,\"46\"]", "'slots' holds a value of type string" },
	{ "\"samples\":[70,50]", "\"samples\":[70,-50]", "below zero" },
	{ "\"samples\":[70,50]", "\"samples\":[170,50]", "'sums' holds 210 for 170" },
	{ "\"samples\":[70,50]", "\"samples\":[18446744073709551615,50]", "'sums'" },
	{ "\"sums\":[210,", "\"sums\":[2100,", "'sums' holds 2100 for 70" },
	{ "\"nodes\":[", "\"nodes\":[7,", "'nodes' holds what is not an object" },
	{ "\"cpus\":[{", "\"cpus\":[7,{", "'cpus' holds what is not an object" },
	{ "\"nodes\":[{", "\"nodes\":[[[[[[[[[[[[[[[[[[[[[", "not JSON" },
	{ "]}\n", "", "ends too early" },
	{ "]}\n", "]}\n{}", "it is not JSON" },
	{ "{\"format\"", "[\"format\"", "it is not JSON" },
};

static void test_hostile(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 2);
	char *text;
	size_t i;

	fixture_record(s, 0, 0, 3, 70);
	fixture_record(s, 0, 0, 230, 50);
	fixture_record(s, 0, 1, 230, 50);
	text = save(s);
	for (i = 0; i < sizeof(hostile) / sizeof(*hostile); i++)
		check_bad(text, hostile[i].from, hostile[i].to, hostile[i].why);
	snapshot_free(s);
	free(text);
}

/* Cut anywhere, with any byte changed: refused or loaded, never worse. */
static void test_damaged(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 2), *back;
	size_t len, i;
	char *text;

	fixture_record(s, 0, 0, 230, 50);
	text = save(s);
	len = strlen(text);
	for (i = 1; i < len - 1; i++)
		assert_null(load(text, i, NULL));
	for (i = 0; i < len; i++) {
		text[i] ^= 0x11;
		back = load(text, len, NULL);
		snapshot_free(back);
		text[i] ^= 0x11;
	}
	snapshot_free(s);
	free(text);
}

static void expect_load(const char *text, size_t len, const char *why)
{
	struct error e = {};

	assert_null(load(text, len, &e));
	if (!strstr(e.why, why))
		fail_msg("gave: %s", e.why);
}

static void test_bounds(void **state)
{
	static const char nul[] = "{\"format\":\"a\"}\0 ";
	size_t len = (64U << 20) + 1;
	char *big = malloc(len);

	assert_non_null(big);
	memset(big, ' ', len);
	expect_load(big, len, "larger than 64 MiB");
	memset(big, ',', 20U << 20);
	expect_load(big, 20U << 20, "more than");
	free(big);
	expect_load(" ", 1, "too early");
	expect_load("7 ", 2, "not a JSON object");
	expect_load(nul, sizeof(nul), "not text");
	expect_load("{}", 2, "'format' is missing");
}

/* What later versions may add is no reason to refuse. */
static void test_unknown_members(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 2), *back;
	char *text = save(s), *more = NULL;

	assert_true(asprintf(&more, "{\"x\":[1,{\"y\":null}],\"z\":\"a:b,{\\\":\",%s", text + 1) >
		    0);
	back = load(more, strlen(more), NULL);
	assert_non_null(back);
	fixture_assert_same(s, back);
	snapshot_free(s);
	snapshot_free(back);
	free(text);
	free(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subtract_add),  cmocka_unit_test(test_subtract_torn),
		cmocka_unit_test(test_different),     cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_add_overflow),  cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_exact_numbers), cmocka_unit_test(test_small),
		cmocka_unit_test(test_hostile),       cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_bounds),        cmocka_unit_test(test_unknown_members),
	};

	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
