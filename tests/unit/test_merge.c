// SPDX-License-Identifier: GPL-2.0-only
/* test_merge.c - recordings merged: exactly, or refused with the reason. */
#include "fixture_recording.h"

#include "result/ledger.h"

#define PARTS_MAX 4
#define HISTOGRAMS 10000 /* unless KSTATS_HISTOGRAMS says so */

/* A shape for one round: small ones most often, all resolutions. */
static struct snapshot *merge_shape(uint64_t *random, unsigned int n_cpus)
{
	struct snapshot *s = fixture_new(fixture_random(random) % (KSTATS_BITS_MAX + 1), n_cpus, 1);

	s->span.end_ns = s->span.begin_ns;
	return s;
}

/* The same samples in one of the parts and in the one that has all. */
static void merge_samples(struct snapshot *part, struct snapshot *all, uint64_t *random)
{
	uint64_t i, n = fixture_random(random) % 6, value, times, cpu;

	for (i = 0; i < n; i++) {
		value = fixture_random(random) >> (fixture_random(random) % 64);
		times = 1 + fixture_random(random) % 5;
		cpu = fixture_random(random) % part->n_cpus;
		fixture_record(part, 0, cpu, value, times);
		fixture_record(all, 0, cpu, value, times);
	}
	times = fixture_random(random) % 3;
	fixture_count(part, 0, KSTATS_NESTED, times);
	fixture_count(all, 0, KSTATS_NESTED, times);
	times = fixture_random(random) % 1000000;
	part->span.end_ns += times;
	all->span.end_ns += times;
}

static struct recording *reload(struct recording *r)
{
	char *text = fixture_save(r);
	struct recording *back = fixture_load(text, strlen(text), NULL);

	assert_non_null(back);
	free(text);
	recording_free(r);
	return back;
}

/*
 * The merge of some recordings is the one of the same samples, field for field
 * and byte for byte, also after each was saved and loaded; and what is taken
 * away again leaves the rest. Returns how many there were.
 */
static unsigned int check_merge(uint64_t *random)
{
	unsigned int n = 2 + fixture_random(random) % (PARTS_MAX - 1), i;
	struct snapshot *all = merge_shape(random, 1 + fixture_random(random) % 2), *rest;
	struct recording *merged = NULL, *part, *whole;
	struct error e = {};
	char *a, *b;

	for (i = 0; i < n; i++) {
		part = fixture_recording(snapshot_like(all, all->n_cpus));
		part->whole->span = all->span;
		part->whole->span.end_ns = part->whole->span.begin_ns;
		merge_samples(part->whole, all, random);
		part = reload(part);
		if (!merged) {
			merged = part;
			continue;
		}
		if (recording_merge(merged, part, &e))
			fail_msg("%s: %s", e.what, e.why);
		rest = i == n - 1 ? snapshot_subtract(all, part->whole, &e) : NULL;
		if (rest) {
			fixture_add(&rest, part->whole);
			assert_true(snapshot_same_slots(rest, all));
			snapshot_free(rest);
		}
		recording_free(part);
	}
	whole = reload(fixture_recording(all));
	whole->runs = n;
	fixture_assert_same_recording(whole, merged);
	a = fixture_save(whole);
	b = fixture_save(merged);
	assert_string_equal(a, b);
	free(a);
	free(b);
	recording_free(whole);
	recording_free(merged);
	return n + 1;
}

static void test_exact(void **state)
{
	const char *value = getenv("KSTATS_HISTOGRAMS");
	unsigned long n = 0, most = fixture_rounds(HISTOGRAMS, HISTOGRAMS / 20);
	uint64_t random = 77;

	if (value)
		most = strtoul(value, NULL, 10);
	assert_true(most > 0);
	while (n < most)
		n += check_merge(&random);
}

/* Two of three nodes, the second in another order and with more CPUs. */
static struct recording *three_nodes(unsigned int n_cpus, const char *const *names)
{
	struct snapshot *s = fixture_new(3, n_cpus, 3);
	uint32_t i;

	for (i = 0; i < 3; i++) {
		fixture_name(s, i, names[i]);
		fixture_record(s, i, n_cpus - 1, 100 * names[i][0], 1 + names[i][0] % 7);
	}
	return fixture_recording(s);
}

static void test_order(void **state)
{
	static const char *const here[] = { "a", "b", "c" }, *const there[] = { "c", "a", "b" };
	struct recording *x = three_nodes(1, here), *y = three_nodes(3, there);
	struct snapshot *s;
	struct error e = {};
	uint32_t i;

	if (recording_merge(x, y, &e))
		fail_msg("%s: %s", e.what, e.why);
	s = x->whole;
	assert_int_equal(s->n_cpus, 3);
	assert_int_equal(x->runs, 2);
	for (i = 0; i < 3; i++) {
		assert_string_equal(s->nodes[i].name, here[i]);
		assert_int_equal(ledger_recorded(s, i), 2 * (1 + here[i][0] % 7));
		assert_int_equal(ledger_balance(s, i), 0);
	}
	recording_free(x);
	recording_free(y);
}

/* Intervals stay in the order of time, and add up to the whole. */
static void check_periods(unsigned int a, unsigned int b, uint64_t later)
{
	uint64_t random = 5, other = 5;
	struct recording *x, *y, *back;
	struct error e = {};
	size_t i;
	char *text;

	x = a ? fixture_with_periods(&random, a) : fixture_recording(fixture_snapshot(&random));
	y = b ? fixture_with_periods(&other, b) : fixture_recording(fixture_snapshot(&other));
	y->whole->span.wall_ns += later;
	for (i = 0; i < b; i++)
		y->periods[i].span.wall_ns += later;
	if (recording_merge(x, y, &e))
		fail_msg("%s: %s", e.what, e.why);
	assert_int_equal(x->n_periods, a || b ? (a ? a : 1) + (b ? b : 1) : 0);
	for (i = 1; i < x->n_periods; i++)
		assert_true(x->periods[i - 1].span.wall_ns <= x->periods[i].span.wall_ns);
	text = fixture_save(x);
	back = fixture_load(text, strlen(text), &e);
	if (!back)
		fail_msg("%s: %s", e.what, e.why);
	free(text);
	recording_free(x);
	recording_free(y);
	recording_free(back);
}

static void test_periods(void **state)
{
	check_periods(3, 4, 500000);
	check_periods(0, 4, 0);
	check_periods(3, 0, 7000000);
	check_periods(0, 0, 1);
}

/* What differs is told of both, once; what is said of neither is not. */
static void test_words(void **state)
{
	uint64_t random = 6;
	struct recording *a = fixture_recording(fixture_snapshot(&random)), *b;
	struct error e = {};
	int i;

	fixture_cost(a, "fentry/fexit", 38);
	fixture_cost(a, "kprobe/kretprobe", 95);
	fixture_text(&a->whole->kernel, "6.1");
	fixture_text(&a->machine.cpu, "A");
	assert_int_equal(tags_set(&a->tags, "commit", "1", &e), 0);
	for (i = 0; i < 3; i++) {
		b = fixture_recording(snapshot_copy(a->whole));
		fixture_text(&b->whole->kernel, i ? "6" : "6.12");
		fixture_text(&b->whole->command, i ? "ls" : "");
		fixture_text(&b->machine.cpu, "B");
		fixture_cost(b, "kprobe/kretprobe", i == 2 ? 96 : 95);
		fixture_cost(b, "fentry/fexit", 38);
		b->status = 3 * i;
		assert_int_equal(tags_set(&b->tags, "commit", i ? "2" : "1", &e), 0);
		assert_int_equal(tags_set(&b->tags, "host", "x", &e), 0);
		assert_int_equal(recording_merge(a, b, &e), 0);
		recording_free(b);
	}
	assert_string_equal(a->whole->kernel, "6.1; 6.12; 6");
	assert_string_equal(a->whole->command, "ls");
	assert_string_equal(a->machine.cpu, "A; B");
	/* What is not the same everywhere is not said of all. */
	assert_int_equal(a->costs.n, 1);
	assert_string_equal(a->costs.rows[0].method, "fentry/fexit");
	assert_string_equal(tags_get(&a->tags, "commit"), "1; 2");
	assert_string_equal(tags_get(&a->tags, "host"), "x");
	assert_int_equal(a->status, 3);
	assert_int_equal(a->runs, 4);
	recording_free(a);
}

static void expect_refusal(void (*change)(struct recording *r), const char *why)
{
	static const char *const names[] = { "a", "b", "c" };
	struct recording *a = three_nodes(2, names), *b = three_nodes(2, names);
	struct snapshot *before = snapshot_copy(a->whole);
	struct error e = {};

	change(b);
	assert_int_equal(recording_merge(a, b, &e), -22);
	if (!strstr(e.why, why))
		fail_msg("gave: %s", e.why);
	fixture_assert_same(a->whole, before);
	snapshot_free(before);
	recording_free(a);
	recording_free(b);
}

static void other_bits(struct recording *r)
{
	snapshot_free(r->whole);
	r->whole = fixture_new(4, 2, 3);
}

static void other_method(struct recording *r)
{
	fixture_text(&r->whole->nodes[1].method, "kprobe/kretprobe");
}

static void other_name(struct recording *r)
{
	fixture_text(&r->whole->nodes[2].name, "d");
}

static void twice(struct recording *r)
{
	fixture_text(&r->whole->nodes[2].name, "b");
}

static void other_points(struct recording *r)
{
	fixture_text(&r->whole->nodes[0].what, "from x to y");
}

static void other_kind(struct recording *r)
{
	r->whole->nodes[1].kind = SNAPSHOT_GAP;
	r->whole->nodes[1].owner = 0;
}

static void other_pairing(struct recording *r)
{
	fixture_text(&r->whole->pairing, "per CPU");
}

static void other_filters(struct recording *r)
{
	fixture_text(&r->whole->filters, "pid 1");
}

static void other_clock(struct recording *r)
{
	fixture_text(&r->machine.clock, "hpet");
}

static void test_refusals(void **state)
{
	expect_refusal(other_bits, "bits differ: 3 there and 4 here");
	expect_refusal(other_method, "methods of 'b' differ: 'fentry/fexit' there and 'kprobe/");
	expect_refusal(other_name, "'d' is only in");
	expect_refusal(twice, "'b' is only in");
	expect_refusal(other_points, "'a' is not the same");
	expect_refusal(other_kind, "'b' is only in");
	expect_refusal(other_pairing, "pairing differs: 'by task' there and 'per CPU' here");
	expect_refusal(other_filters, "filters differ: 'none' there and 'pid 1' here");
	expect_refusal(other_clock, "clocks differ: 'none' there and 'hpet' here");
}

/* A function, and a node for each of some keys with as many samples as the letter is far. */
static struct recording *with_keys(const char *letters)
{
	struct snapshot *s = fixture_new(3, 2, 1 + strlen(letters));
	char name[32], value[] = "?";
	uint32_t i;

	fixture_name(s, 0, "a");
	for (i = 1; i < s->n_nodes; i++) {
		value[0] = letters[i - 1];
		snprintf(name, sizeof(name), "a{comm=\"%s\"}", value);
		fixture_name(s, i, name);
		fixture_text(&s->nodes[i].what, s->nodes[0].what);
		assert_int_equal(tags_set(&s->nodes[i].by, "comm", value, NULL), 0);
		s->nodes[i].kind = SNAPSHOT_KEY;
		s->nodes[i].owner = 0;
		fixture_record(s, i, i % 2, 100, value[0] - 'a' + 1);
	}
	return fixture_recording(s);
}

/* Each key is added to itself, wherever it is, and those of one alone stay. */
static void test_keys(void **state)
{
	struct recording *a = with_keys("bdq"), *b = with_keys("cbz"), *back;
	static const uint64_t samples[] = { 0, 2 * 2, 4, 17, 3, 26 };
	static const char *const comms[] = { NULL, "b", "d", "q", "c", "z" };
	struct counts *x, *y;
	struct error e = {};
	uint32_t i;

	assert_int_equal(recording_add_period(a, a->whole), 0);
	assert_int_equal(recording_merge(a, b, &e), 0);
	back = reload(a);
	assert_int_equal(back->whole->n_nodes, 6);
	assert_int_equal(back->n_periods, 2);
	for (i = 0; i < 6; i++) {
		assert_int_equal(counts_samples(back->whole->nodes[i].counts), samples[i]);
		assert_int_equal(recording_period_counts(back, 0, i, &x), 0);
		assert_int_equal(recording_period_counts(back, 1, i, &y), 0);
		assert_int_equal(counts_samples(x) + counts_samples(y), samples[i]);
		counts_drop(x);
		counts_drop(y);
		if (comms[i])
			assert_string_equal(tags_get(&back->whole->nodes[i].by, "comm"), comms[i]);
	}
	assert_int_equal(ledger_recorded(back->whole, 0), 4 + 4 + 17 + 3 + 26);
	assert_int_equal(ledger_balance(back->whole, 0), 0);
	recording_free(b);
	recording_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),    cmocka_unit_test(test_order),
		cmocka_unit_test(test_periods),  cmocka_unit_test(test_words),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
