// SPDX-License-Identifier: GPL-2.0-only
/* test_openmetrics.c - the exposition of what goes on, which is read again and again. */
#include "fixture.h"

#include <errno.h>
#include <inttypes.h>

#include "format/format.h"

static char *render_as(struct snapshot *s, bool live, const char *buckets)
{
	struct report_look o = { .unit = "auto", .width = 80, .live = live };
	struct recording *r = fixture_recording(s);
	const struct recording *rec = r;
	const struct report_set one = { 1, &rec };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (buckets)
		assert_int_equal(buckets_set(&o.buckets, buckets, NULL), 0);
	assert_int_equal(format_trace(format_find("openmetrics", REPORT_TRACE), out, &one, &o), 0);
	fclose(out);
	recording_free(r);
	return text;
}

static char *render(struct snapshot *s, bool live)
{
	return render_as(s, live, NULL);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static struct snapshot *make(uint64_t value)
{
	struct snapshot *s = fixture_new(5, 2, 1);

	s->span.final = false;
	fixture_record(s, 0, 0, 1000, 7);
	fixture_record(s, 0, 1, value, 3);
	fixture_count(s, 0, KSTATS_SUPERSEDED, 2);
	fixture_count(s, 0, KSTATS_IN_FLIGHT, 5);
	fixture_count(s, 0, KSTATS_NO_END, 4);
	return s;
}

/* What is told of a call whose end was skipped may go back, and no counter does. */
static void test_lost(void **state)
{
	static const char *const lost[] = { "} 1\n", "} 0\n", "} 5\n" };
	static const uint64_t ends[] = { 1, 0, 5 };
	struct snapshot *s;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		s = fixture_new(5, 1, 1);
		s->span.final = false;
		fixture_count(s, 0, KSTATS_IN_FLIGHT, 2);
		fixture_count(s, 0, KSTATS_TASK_GONE, 7);
		s->nodes[0].ledger[KSTATS_ENDS_LOST] = ends[i];
		text = render(s, true);
		assert_non_null(strstr(text, "event=\"end_missed\"} 0\n"));
		assert_non_null(strstr(text, "event=\"task_gone\"} 7\n"));
		assert_int_equal(count(text, "event=\"ends_lost\""), 0);
		assert_non_null(strstr(text, "# TYPE kstats_lost_calls gauge\n"));
		assert_non_null(strstr(strstr(text, "\nkstats_lost_calls{"), lost[i]));
		free(text);
	}
}

/* Counters have the name of counters, and what falls again is not among them. */
static void test_events(void **state)
{
	char *text = render(make(5000), true);

	assert_non_null(strstr(text, "# TYPE kstats_events_total counter\n"));
	assert_int_equal(count(text, "\nkstats_events{"), 0);
	assert_non_null(strstr(text, "event=\"recorded\"} 10\n"));
	assert_non_null(strstr(text, "event=\"superseded\"} 2\n"));
	assert_int_equal(count(text, "event=\"in_flight\""), 0);
	assert_int_equal(count(text, "event=\"no_end\""), 0);
	assert_non_null(strstr(text, "# TYPE kstats_open_calls gauge\n"));
	assert_int_equal(count(text, "\nkstats_open_calls{"), 1);
	assert_non_null(strstr(strstr(text, "\nkstats_open_calls{"), "} 9\n"));
	free(text);
	text = render(make(5000), false);
	assert_non_null(strstr(text, "# TYPE kstats_events gauge\n"));
	assert_int_equal(count(text, "kstats_open_calls"), 0);
	assert_non_null(strstr(text, "event=\"in_flight\"} 5\n"));
	free(text);
}

/* The bounds alone, a line each. */
static char *bounds(const char *text)
{
	char *only = calloc(1, strlen(text) + 1), *to = only;
	const char *end;

	assert_non_null(only);
	while ((text = strstr(text, "le=\""))) {
		end = strchr(text, '}');
		to = mempcpy(to, text, end - text);
		*to++ = '\n';
		text = end;
	}
	return only;
}

/* Four for each power of two, whatever was recorded, at any resolution, live or not. */
static void test_same_bounds(void **state)
{
	static const char *const ends[] = {
		"le=\"0.000000095\"\nle=\"0.000000111\"\nle=\"0.000000127\"\nle=\"0.000000159\"\n",
		"\nle=\"8.589934591\"\nle=\"10.737418239\"\nle=\"+Inf\"\n",
	};
	char *usual = NULL, *text, *one;
	unsigned int bits, live;
	struct snapshot *s;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (live = 0; live < 2; live++) {
			s = fixture_new(bits, 1, 1);
			if (bits)
				fixture_record(s, 0, 0, 1ULL << 7 * bits, bits);
			text = render(s, live);
			one = bounds(text);
			assert_int_equal(count(one, "\n"), 109);
			if (usual)
				assert_string_equal(one, usual);
			else
				usual = strdup(one);
			free(one);
			free(text);
		}
	}
	assert_ptr_equal(strstr(usual, ends[0]), usual);
	assert_ptr_equal(strstr(usual, ends[1]), usual + strlen(usual) - strlen(ends[1]));
	free(usual);
}

/* Each has all that is not above it, and one more nanosecond is in the next. */
static void test_buckets(void **state)
{
	static const struct {
		uint64_t value;
		const char *below; /* a bound that it is above, or none */
		const char *at; /* the first that it is not above */
	} rows[] = {
		{ 1, NULL, "0.000000095" },
		{ 95, NULL, "0.000000095" },
		{ 96, "0.000000095", "0.000000111" },
		{ 1279, "0.000001023", "0.000001279" },
		{ 1280, "0.000001279", "0.000001535" },
		{ 10737418239, "8.589934591", "10.737418239" },
		{ 10737418240, "10.737418239", "+Inf" },
		{ 1ULL << 63, "10.737418239", "+Inf" },
	};
	unsigned int bits;
	char *text, line[64];
	struct snapshot *s;
	size_t i;

	for (bits = 2; bits <= KSTATS_BITS_MAX; bits++) {
		for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			s = fixture_new(bits, 1, 1);
			fixture_record(s, 0, 0, rows[i].value, 7);
			text = render(s, i % 2);
			snprintf(line, sizeof(line), "le=\"%s\"} 0\n", rows[i].below);
			if (rows[i].below && !strstr(text, line))
				fail_msg("no %s in:\n%s", line, text);
			snprintf(line, sizeof(line), "le=\"%s\"} 7\n", rows[i].at);
			if (!strstr(text, line))
				fail_msg("no %s in:\n%s", line, text);
			free(text);
		}
	}
}

/* How many samples a bucket counts; @bound is its last value. */
static uint64_t count_at(const char *text, uint64_t bound)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "le=\"%" PRIu64 ".%09" PRIu64, bound / 1000000000,
			 bound % 1000000000);

	while (line[n - 1] == '0' && line[n - 2] != '.')
		n--;
	snprintf(line + n, sizeof(line) - n, "\"} ");
	text = strstr(text, line);
	if (!text)
		fail_msg("no bucket %s", line);
	return strtoull(text + strlen(line), NULL, 10);
}

#define VALUES 61

/*
 * Finer slots are counted as if each sample was known, less a floor or not; of coarser ones
 * those that are surely not above the bound.
 */
static void test_any_resolution(void **state)
{
	uint64_t random = 1, values[VALUES], bound, sure, floor, last;
	const struct buckets b = buckets_or_usual(&(const struct buckets){});
	unsigned int bits, i, j;
	struct snapshot *s;
	char *text;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (floor = 0; floor < 400; floor += 133) {
			s = fixture_new(bits, 1, 1);
			s->nodes[0].subtract_ns = floor;
			for (i = 0; i < VALUES; i++) {
				values[i] = fixture_near(&random, 5000, 16);
				fixture_record(s, 0, 0, values[i], 1);
			}
			text = render(s, false);
			for (j = b.first; j <= b.last; j++) {
				bound = buckets_bound(&b, j);
				for (i = 0, sure = 0; i < VALUES; i++) {
					last = floor || bits < b.bits
						       ? kstats_slot_last(
								 kstats_slot_index(values[i], bits),
								 bits)
						       : values[i];
					sure += last <= bound + floor;
				}
				assert_int_equal(count_at(text, bound), sure);
			}
			free(text);
		}
	}
}

/* The overflow slot has no last value, so no bound counts it. */
static void test_overflow(void **state)
{
	struct snapshot *s = fixture_new(3, 1, 1);
	char *text;

	fixture_set(s, 0, 0, kstats_n_slots(3) - 1, (struct kstats_slot){ 5, 5 });
	fixture_record(s, 0, 0, ~0ULL, 2);
	text = render_as(s, false, "1s..5000000h");
	assert_int_equal(count_at(text, ~0ULL), 2);
	assert_non_null(strstr(text, "le=\"+Inf\"} 7\n"));
	free(text);
}

/* What the error of the bounds is: that of the coarser of both. */
static void test_help(void **state)
{
	static const struct {
		unsigned int bits;
		const char *buckets;
		const char *error;
	} rows[] = {
		{ 5, NULL, " less than 25%." },    { 2, "4", " less than 25%." },
		{ 5, "32", " less than 3.125%." }, { 1, NULL, " less than 50%." },
		{ 0, "8", " less than 100%." },    { 3, "1", " less than 100%." },
	};
	char *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		text = render_as(fixture_new(rows[i].bits, 1, 1), false, rows[i].buckets);
		*strchr(text, '\n') = '\0';
		if (!strstr(text, rows[i].error))
			fail_msg("no '%s' in %s", rows[i].error, text);
		free(text);
	}
}

/* ---- words ---- */

static void test_words(void **state)
{
	static const struct {
		const char *word;
		uint64_t first, last;
		unsigned int n;
	} rows[] = {
		{ "4", 95, 10737418239, 108 },      { "1", 63, 17179869183, 29 },
		{ "32", 99, 10200547327, 853 },     { "100ns..10s", 95, 10737418239, 108 },
		{ "1us..1ms/1", 511, 1048575, 12 }, { "1us..1ms/2", 767, 1048575, 22 },
		{ "1023..1024/1", 1023, 2047, 2 },  { "1..2", 1, 2, 2 },
	};
	struct buckets b;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(buckets_set(&b, rows[i].word, NULL), 0);
		if (buckets_bound(&b, b.first) != rows[i].first ||
		    buckets_bound(&b, b.last) != rows[i].last || b.last - b.first + 1 != rows[i].n)
			fail_msg("%s: %u from %" PRIu64 " to %" PRIu64, rows[i].word,
				 b.last - b.first + 1, buckets_bound(&b, b.first),
				 buckets_bound(&b, b.last));
	}
}

static void test_wrong_words(void **state)
{
	static const struct {
		const char *word;
		const char *why;
	} rows[] = {
		{ "", "32 bounds" },          { "0", "32 bounds" },
		{ "3", "32 bounds" },         { "04", "32 bounds" },
		{ "64", "32 bounds" },        { "1us..1s/", "32 bounds" },
		{ "1us..1s/5", "32 bounds" }, { "1us", "32 bounds" },
		{ "..", "two times" },        { "1us..", "two times" },
		{ "..1s", "two times" },      { "0..1s", "two times" },
		{ "1us...1s", "two times" },  { "1us..1parsec", "two times" },
		{ "1s..1s", "not below" },    { "1s..1us/8", "not below" },
	};
	struct buckets b = {};
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		e = (struct error){};
		if (buckets_set(&b, rows[i].word, &e) != -EINVAL || !strstr(e.why, rows[i].why) ||
		    b.given)
			fail_msg("'%s': %s", rows[i].word, e.why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),   cmocka_unit_test(test_same_bounds),
		cmocka_unit_test(test_buckets),  cmocka_unit_test(test_any_resolution),
		cmocka_unit_test(test_overflow), cmocka_unit_test(test_help),
		cmocka_unit_test(test_words),    cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
