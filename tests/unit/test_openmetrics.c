// SPDX-License-Identifier: GPL-2.0-only
/* test_openmetrics.c - the exposition of what goes on, which is read again and again. */
#include "fixture.h"

#include "render/render.h"

static char *render(struct snapshot *s, bool live)
{
	const struct render_options o = { .unit = "auto", .width = 80, .live = live };
	struct recording *r = fixture_recording(s);
	const struct recording *rec = r;
	const struct render_set one = { 1, &rec };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(render_write(render_find("openmetrics"), out, &one, &o), 0);
	fclose(out);
	recording_free(r);
	return text;
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

/* The same buckets, whatever was recorded, each with all that is not above it. */
static void test_buckets(void **state)
{
	static const char *const values[] = {
		"le=\"0.000000959\"} 0\n",  "le=\"0.000001023\"} 7\n", "le=\"0.000004607\"} 7\n",
		"le=\"0.000005119\"} 10\n", "le=\"+Inf\"} 10\n",
	};
	char *a = render(make(5000), true), *b = render(make(1ULL << 40), true);
	size_t i;

	assert_int_equal(count(a, "_bucket{"), count(b, "_bucket{"));
	/* Eight for each power of two below the longest, and one above all. */
	assert_int_equal(count(a, "_bucket{"), kstats_slot_index((1ULL << 36) - 1, 3) + 2);
	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (count(a, values[i]) != 1)
			fail_msg("%u times: %s in:\n%s", count(a, values[i]), values[i], a);
	assert_int_equal(count(b, "le=\"0.000005119\"} 7\n"), 1);
	assert_int_equal(count(b, "le=\"+Inf\"} 10\n"), 1);
	free(a);
	free(b);
}

/* How many are 0 is only said where the floor's slot does not leave it open. */
static void test_zero(void **state)
{
	static const struct {
		uint64_t floor;
		const char *zero; /* or none */
	} rows[] = {
		{ 895, "le=\"0.0\"} 0\n" }, /* below all */
		{ 896, NULL }, /* the first value of the lower slot */
		{ 900, NULL },
		{ 959, "le=\"0.0\"} 7\n" }, /* its last */
		{ 960, NULL }, /* the first of the upper one */
		{ 1000, NULL },
		{ 1023, "le=\"0.0\"} 10\n" },
		{ 2000, "le=\"0.0\"} 10\n" },
	};
	struct snapshot *s;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		s = fixture_new(3, 1, 1);
		fixture_record(s, 0, 0, 900, 7);
		fixture_record(s, 0, 0, 1000, 3);
		s->nodes[0].subtract_ns = rows[i].floor;
		text = render(s, false);
		if (count(text, "le=\"0.0\"") != !!rows[i].zero ||
		    (rows[i].zero && !strstr(text, rows[i].zero)))
			fail_msg("less %u:\n%s", (unsigned int)rows[i].floor, text);
		assert_int_equal(count(text, "le=\"+Inf\"} 10\n"), 1);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
