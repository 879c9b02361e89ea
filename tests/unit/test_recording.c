// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recording.c - recordings saved and loaded, and files that are none. The
 * kept cases are in tests/malformed: a good file, and what is changed in it.
 */
#include "fixture_recording.h"

#include <ctype.h>

#define BASE "tests/malformed/base.json"
#define CASES "tests/malformed/cases.tsv"
#define CASES_MIN 200

static void test_round_trip(void **state)
{
	struct recording *r, *back;
	struct error e = {};
	uint64_t random = 32;
	char *text;
	int i, n = fixture_rounds(500, 60);

	for (i = 0; i < n; i++) {
		r = fixture_with_periods(&random, 1 + i % 5);
		r->whole->span.final = i & 1;
		r->status = i % 256;
		r->runs = 1 + i;
		r->machine.cpus_online = i;
		if (i % 3)
			fixture_cost(r, "fentry/fexit", 7 + i);
		fixture_text(&r->whole->command, "dd \"if=/dev/zero\" \\ caf\xc3\xa9");
		assert_int_equal(tags_set(&r->tags, "b", "two words", NULL), 0);
		assert_int_equal(tags_set(&r->tags, "a", "", NULL), 0);
		text = fixture_save(r);
		back = fixture_load(text, strlen(text), &e);
		if (!back)
			fail_msg("%s", e.why);
		fixture_assert_same_recording(r, back);
		recording_free(r);
		recording_free(back);
		free(text);
	}
}

/* The same intervals in a file, which take no memory; without room there they stay in memory. */
static void test_spool(void **state)
{
	static const char *const files[] = { NULL, "/dev/full" };
	struct recording *r, spooled = {};
	char *text, *same;
	uint64_t random = 33;
	struct snapshot *s;
	size_t i, k;

	for (k = 0; k < 2; k++) {
		r = fixture_with_periods(&random, 40);
		spooled = *r;
		spooled.spool = files[k] ? fopen(files[k], "w+") : tmpfile();
		assert_non_null(spooled.spool);
		spooled.periods = NULL;
		spooled.n_periods = 0;
		for (i = 0; i < r->n_periods; i++) {
			s = recording_bare_period(r, i);
			assert_int_equal(recording_add_period(&spooled, s), 0);
			assert_true(!spooled.periods[i].bytes == !files[k]);
			snapshot_free(s);
		}
		text = fixture_save(r);
		same = fixture_save(&spooled);
		assert_string_equal(text, same);
		free(text);
		free(same);
		fclose(spooled.spool);
		recording_free_periods(&spooled);
		recording_free(r);
	}
}

/* Keys without samples go, and all that is counted of the others stays theirs. */
static void test_unused(void **state)
{
	static const uint64_t samples[] = { 0, 7, 0, 9, 0, 0 };
	struct snapshot *s = fixture_new(3, 1, 6), *back;
	struct recording *r;
	uint32_t i;

	for (i = 0; i < 6; i++) {
		s->nodes[i].kind = i ? SNAPSHOT_KEY : SNAPSHOT_DURATION;
		s->nodes[i].owner = 0;
		if (samples[i])
			fixture_record(s, i, 0, 40 + i, samples[i]);
	}
	s->nodes[0].ledger[KSTATS_STARTED] = 16;
	r = fixture_recording(s);
	assert_int_equal(recording_add_period(r, s), 0);
	recording_drop_unused(r);
	back = recording_bare_period(r, 0);
	assert_non_null(back);
	assert_int_equal(back->n_nodes, 3);
	assert_int_equal(back->nodes[0].ledger[KSTATS_STARTED], 16);
	assert_int_equal(counts_samples(back->nodes[1].counts), 7);
	assert_int_equal(counts_samples(back->nodes[2].counts), 9);
	snapshot_free(back);
	recording_drop_unused(r);
	assert_int_equal(r->whole->n_nodes, 3);
	recording_free(r);
}

/* A function that is called rarely takes a few bytes of an interval, and nothing if it is not. */
static void test_packed(void **state)
{
	struct snapshot *s = fixture_new(3, 2, 100);
	struct recording *r;

	fixture_record(s, 42, 1, 500, 3);
	s->nodes[42].ledger[KSTATS_STARTED] = 3;
	r = fixture_recording(s);
	assert_int_equal(recording_add_period(r, s), 0);
	assert_true(r->periods[0].size <= 20);
	recording_free(r);
}

/* Every number that 64 bits can hold comes back as it was. */
static void test_exact_numbers(void **state)
{
	struct recording *r = fixture_recording(fixture_new(5, 1, 1)), *back;
	struct snapshot *s = r->whole;
	char *text;

	s->span.wall_ns = UINT64_MAX;
	s->span.begin_ns = (1ULL << 53) + 1;
	s->span.end_ns = UINT64_MAX - 1;
	s->nodes[0].ledger[KSTATS_STARTED] = UINT64_MAX;
	fixture_set(s, 0, 0, 0, (struct kstats_slot){ UINT64_MAX - 3, 0 });
	fixture_record(s, 0, 0, UINT64_MAX, 3);
	text = fixture_save(r);
	back = fixture_load(text, strlen(text), NULL);
	assert_non_null(back);
	fixture_assert_same_recording(r, back);
	recording_free(r);
	recording_free(back);
	free(text);
}

/* Many functions on many CPUs: how large a file may be does not depend on empty slots. */
static void test_wide(void **state)
{
	struct recording *r = fixture_recording(fixture_new(5, 256, 1000)), *back;
	struct error e = {};
	char *text;

	fixture_record(r->whole, 0, 0, 100, 3);
	fixture_record(r->whole, 999, 255, 1000, 1);
	text = fixture_save(r);
	back = fixture_load(text, strlen(text), &e);
	if (!back)
		fail_msg("%s", e.why);
	fixture_assert_same_recording(r, back);
	recording_free(back);
	free(text);
	r->whole->n_cpus = 8192; /* 1,000 nodes on these are still read */
	text = fixture_save(r);
	back = fixture_load(text, strlen(text), &e);
	assert_non_null(back);
	recording_free(back);
	free(text);
	recording_free(r);
	r = fixture_recording(fixture_new(5, 8192, 2049));
	text = fixture_save(r);
	assert_null(fixture_load(text, strlen(text), &e));
	assert_non_null(strstr(e.why, "too many"));
	free(text);
	recording_free(r);
}

static void test_small(void **state)
{
	struct snapshot *s = fixture_new(5, 64, 1);
	struct recording *r = fixture_recording(s);
	uint64_t random = 33, i;
	char *text;

	fixture_begin(s);
	for (i = 0; i < 10000; i++)
		fixture_record(s, 0, i % 4, fixture_near(&random, 500, 1), 1);
	fixture_end(s);
	text = fixture_save(r);
	assert_true(strlen(text) < 8192);
	recording_free(r);
	free(text);
}

/* ---- what is no recording ---- */

/* The good file, whose text the kept cases change. */
static struct recording *make_base(void)
{
	struct snapshot *first = fixture_new(3, 2, 3), *second, *diff;
	struct recording *r;

	fixture_name(first, 1, "function_0:error");
	first->nodes[1].kind = SNAPSHOT_ERROR;
	first->nodes[1].owner = 0;
	first->span.final = false;
	fixture_record(first, 0, 0, 3, 70);
	fixture_record(first, 0, 1, 230, 50);
	fixture_count(first, 0, KSTATS_NESTED, 2);
	second = snapshot_copy(first);
	second->span.final = true;
	second->span.end_ns += 1000;
	fixture_record(second, 0, 0, 230, 20);
	fixture_record(second, 1, 0, 3, 10);
	fixture_record(second, 2, 1, 1 << 30, 1);
	diff = snapshot_subtract(second, first, NULL);
	r = fixture_recording(second);
	assert_int_equal(recording_add_period(r, first), 0);
	assert_int_equal(recording_add_period(r, diff), 0);
	assert_int_equal(tags_set(&r->tags, "commit", "1a2b3c", NULL), 0);
	fixture_cost(r, "fentry/fexit", 38);
	fixture_text(&r->machine.clock, "tsc");
	snapshot_free(first);
	snapshot_free(diff);
	return r;
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f)
		fail_msg("cannot read %s", path);
	n = getdelim(&text, &size, EOF, f);
	assert_true(n > 0);
	*len = n;
	fclose(f);
	return text;
}

/* The file is what is saved today; KSTATS_GOLDEN_UPDATE=1 writes it anew. */
static void test_base(void **state)
{
	struct recording *r = make_base(), *back;
	const char *update = getenv("KSTATS_GOLDEN_UPDATE");
	char *text = fixture_save(r), *kept;
	FILE *f = update ? fopen(BASE, "w") : NULL;
	size_t len;

	if (f) {
		fputs(text, f);
		fclose(f);
	}
	kept = read_file(BASE, &len);
	assert_string_equal(kept, text);
	back = fixture_load(kept, len, NULL);
	assert_non_null(back);
	fixture_assert_same_recording(r, back);
	recording_free(r);
	recording_free(back);
	free(text);
	free(kept);
}

/* \xNN and \n become what they stand for; the length is returned. */
static size_t unescape(char *text)
{
	const char *from = text;
	char *to = text, hex[3] = {};

	for (; *from; from++) {
		if (from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2])) {
			memcpy(hex, from + 2, 2);
			*to++ = strtoul(hex, NULL, 16);
			from += 3;
		} else if (from[0] == '\\' && from[1] == 'n') {
			*to++ = '\n';
			from++;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return to - text;
}

/*
 * @line: what is replaced, by what ("-" for nothing), and what is said of it.
 * False where something else is said.
 */
static bool check_bad(const char *good, size_t size, char *line, unsigned int number)
{
	char *from = strtok(line, "\t"), *to = strtok(NULL, "\t"), *why = strtok(NULL, "\t\n");
	size_t from_len, to_len, rest;
	struct error e = {};
	const char *at;
	char *text;
	bool good_why;

	if (!why)
		fail_msg("%s:%u has not three columns", CASES, number);
	from_len = unescape(from);
	to_len = strcmp(to, "-") ? unescape(to) : 0;
	at = strstr(good, from);
	if (!at)
		fail_msg("%s:%u: there is no '%s'", CASES, number, from);
	rest = size - (at - good) - from_len;
	text = malloc(size - from_len + to_len);
	assert_non_null(text);
	memcpy(text, good, at - good);
	memcpy(text + (at - good), to, to_len);
	memcpy(text + (at - good) + to_len, at + from_len, rest);
	recording_free(fixture_load(text, size - from_len + to_len, &e));
	free(text);
	good_why = strstr(e.why, why);
	if (!good_why)
		print_error("%s:%u: '%s' and not: %s\n", CASES, number, e.why, why);
	return good_why;
}

static void test_malformed(void **state)
{
	size_t len, cases_len;
	char *good = read_file(BASE, &len), *cases = read_file(CASES, &cases_len), *line, *next;
	unsigned int n = 0, number = 0, wrong = 0;

	for (line = cases; *line; line = next) {
		next = strchr(line, '\n');
		assert_non_null(next);
		*next++ = '\0';
		number++;
		if (*line == '#')
			continue;
		wrong += !check_bad(good, len, line, number);
		n++;
	}
	assert_int_equal(wrong, 0);
	assert_true(n >= CASES_MIN);
	free(good);
	free(cases);
}

/* Cut anywhere, with any byte changed: refused or loaded, never worse. Quickly: each tenth one. */
static void test_damaged(void **state)
{
	struct recording *back;
	size_t len, i, step = fixture_rounds(1, 10);
	char *text = read_file(BASE, &len);

	for (i = 1; i < len - 1; i += step)
		assert_null(fixture_load(text, i, NULL));
	for (i = 0; i < len; i += step) {
		text[i] ^= 0x11;
		back = fixture_load(text, len, NULL);
		recording_free(back);
		text[i] ^= 0x11;
	}
	free(text);
}

static void expect_load(const char *text, size_t len, const char *why)
{
	struct error e = {};

	assert_null(fixture_load(text, len, &e));
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
	memset(big, ',', 17U << 20);
	if (!fixture_is_quick())
		expect_load(big, 17U << 20, "more than");
	memset(big, '{', 2U << 20);
	expect_load(big, 2U << 20, "more than");
	free(big);
	expect_load(" ", 1, "too early");
	expect_load("7 ", 2, "not a JSON object");
	expect_load(nul, sizeof(nul), "not text");
	expect_load("{}", 2, "'format' is missing");
}

/* Files of before it was there are read, and more rows than there are ways are not. */
static void test_costs(void **state)
{
	static const char row[] = "{\"method\":\"%d\",\"backend\":\"map\",\"pairing\":\"x\","
				  "\"hot\":%s,\"cold\":%s}%s";
	static const char zero[] = "{\"floor_ns\":{\"median\":0,\"min\":0,\"max\":0},"
				   "\"added_ns\":{\"median\":0,\"min\":0,\"max\":0}}";
	size_t len, rows_len;
	char *text = read_file(BASE, &len), *begin = strstr(text, "\"calibration\":["), *rows, *all;
	char *end = strstr(begin, "],") + 2;
	struct recording *r;
	int n, i;
	FILE *f;

	for (n = 0; n <= COSTS_MAX + 1; n += n ? 1 : COSTS_MAX) {
		f = open_memstream(&rows, &rows_len);
		for (i = 0; i < n; i++)
			fprintf(f, row, i, zero, zero, i == n - 1 ? "" : ",");
		fclose(f);
		assert_true(asprintf(&all, "%.*s%s%s%s%s", (int)(begin - text), text,
				     n ? "\"calibration\":[" : "", rows, n ? "]," : "", end) > 0);
		if (n > COSTS_MAX) {
			expect_load(all, strlen(all), "holds more than 128");
		} else {
			r = fixture_load(all, strlen(all), NULL);
			assert_non_null(r);
			assert_int_equal(r->costs.n, n);
			recording_free(r);
		}
		free(rows);
		free(all);
	}
	free(text);
}

/* @text: released */
static char *fixture_replaced(char *text, const char *what, const char *by)
{
	char *at = strstr(text, what), *to = NULL;

	assert_non_null(at);
	assert_true(asprintf(&to, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what)) > 0);
	free(text);
	return to;
}

/* What later versions may add is no reason to refuse. */
static void test_unknown_members(void **state)
{
	struct recording *r, *back;
	char *text, *more = NULL;
	size_t len;

	text = read_file(BASE, &len);
	r = fixture_load(text, len, NULL);
	assert_true(asprintf(&more, "{\"x\":[1,{\"y\":null}],\"z\":\"a:b,{\\\":\",%s", text + 1) >
		    0);
	back = fixture_load(more, strlen(more), NULL);
	assert_true(r && back);
	fixture_assert_same_recording(r, back);
	recording_free(back);
	free(more);
	/* A name may be written in other ways. */
	text = fixture_replaced(text, "\"periods\":[", "\"perio\\u0064s\" : [");
	back = fixture_load(text, strlen(text), NULL);
	assert_non_null(back);
	fixture_assert_same_recording(r, back);
	recording_free(r);
	recording_free(back);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_exact_numbers),
		cmocka_unit_test(test_wide),       cmocka_unit_test(test_small),
		cmocka_unit_test(test_base),       cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_damaged),    cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_costs),      cmocka_unit_test(test_unknown_members),
		cmocka_unit_test(test_spool),      cmocka_unit_test(test_unused),
		cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
