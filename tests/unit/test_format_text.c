// SPDX-License-Identifier: GPL-2.0-only
/* test_format_text.c - the text of a recording: what fits a screen, names that are cut, callees. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "util/text.h"

static char *summary(const struct recording *rec, unsigned int height)
{
	const struct report_look o = { .unit = "auto", .width = 80, .height = height };
	const struct report_set one = { 1, &rec };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(format_trace(format_find("summary", REPORT_TRACE), out, &one, &o), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static void shows(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in: %s", part, text);
}

/* Ranges are merged until figures and ledger are seen together, and no further. */
static void test_height(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct recording *rec;
	unsigned int height, all;
	uint64_t i;
	char *text;

	for (i = 0; i < 2000; i++)
		fixture_record(s, 0, 0, (100 + i % 97) << i % 18, 1);
	rec = fixture_recording(s);
	text = summary(rec, 0);
	all = lines_of(text);
	assert_in_range(all, 24, 34);
	free(text);
	for (height = 21; height <= all + 2; height++) {
		text = summary(rec, height);
		if (height > all)
			assert_int_equal(lines_of(text), all);
		else
			assert_in_range(lines_of(text), 18, height - 1);
		shows(text, "nothing lost");
		free(text);
	}
	/* What cannot fit stays as it is. */
	text = summary(rec, 10);
	assert_int_equal(lines_of(text), all);
	free(text);
	/* Where only what stands before the figures does not fit, they are seen with the ledger. */
	for (height = 14; height <= 16; height++) {
		text = summary(rec, height);
		shows(text, "\n  count");
		assert_in_range(lines_of(strstr(text, "\n  count") + 1), 10, height - 1);
		free(text);
	}
	recording_free(rec);
}

#define LONG_NAME "a_function_whose_name_is_longer_than_what_a_row_leaves_"

/* Names that would read the same have a line of their own. */
static void test_alike(void **state)
{
	static const char *const ends[][5] = { { "1", "2", "3", "4", "5" },
					       { "", "", "", "", "" } };
	struct snapshot *s;
	struct recording *rec;
	char name[96], *text;
	unsigned int alike;
	uint32_t i;

	for (alike = 0; alike < 2; alike++) {
		s = fixture_new(5, 1, 5);
		for (i = 0; i < 5; i++) {
			snprintf(name, sizeof(name), "%s" LONG_NAME "%s", alike ? "" : ends[0][i],
				 ends[!alike][i]);
			fixture_name(s, i, name);
			fixture_record(s, i, 0, 1000, 7);
		}
		rec = fixture_recording(s);
		text = summary(rec, 0);
		if (alike)
			shows(text, "\n" LONG_NAME "4\n");
		else
			shows(text, "\n4a_function_w");
		assert_true(!!strstr(text, LONG_NAME "4\n") == alike);
		free(text);
		recording_free(rec);
	}
}

static void callee(struct snapshot *s, uint32_t node, const char *name, enum snapshot_kind kind)
{
	fixture_name(s, node, name);
	s->nodes[node].kind = kind;
	s->nodes[node].owner = 0;
}

/* Files are not trusted: a name of a callee may be shorter than that of its owner. */
static void test_short_name(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 3);
	struct recording *rec;
	char *text;

	fixture_name(s, 0, "a_function_of_a_long_name_that_no_callee_has_before_its_own");
	callee(s, 1, "s", SNAPSHOT_SELF);
	callee(s, 2, "c", SNAPSHOT_CALLEE);
	fixture_record(s, 0, 0, 10000, 12);
	fixture_record(s, 1, 0, 3000, 12);
	fixture_record(s, 2, 0, 7000, 12);
	rec = fixture_recording(s);
	text = summary(rec, 0);
	shows(text, "\n  c  ");
	free(text);
	recording_free(rec);
}

static void test_callees(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 6);
	struct recording *rec;
	char *text;

	fixture_name(s, 0, "f");
	callee(s, 1, "f:self", SNAPSHOT_SELF);
	callee(s, 2, "f:in-short", SNAPSHOT_CALLEE);
	callee(s, 3, "f:in-long", SNAPSHOT_CALLEE);
	callee(s, 4, "f:in-refused", SNAPSHOT_CALLEE);
	callee(s, 5, "f:undivided", SNAPSHOT_UNDIVIDED);
	fixture_text(&s->nodes[1].what, "f without its callees, not traced: inlined_one");
	fixture_text(&s->nodes[4].method, "none");
	fixture_record(s, 0, 0, 10000, 12);
	fixture_record(s, 1, 0, 3000, 11);
	fixture_record(s, 2, 0, 1000, 11);
	fixture_record(s, 3, 0, 6000, 10);
	fixture_record(s, 5, 0, 10000, 1);
	rec = fixture_recording(s);
	text = summary(rec, 0);
	shows(text, "\n  time in  "); /* it is no row of another table */
	shows(text, "\n  long                10  6.000 us  57.7%");
	shows(text, "\n  self                11  ");
	shows(text, "\n  short               11  ");
	assert_true(strstr(text, "\n  long  ") < strstr(text, "\n  self  "));
	assert_true(strstr(text, "\n  self  ") < strstr(text, "\n  short  "));
	shows(text, "\n  Not traced, and so counted as self: inlined_one.\n");
	shows(text, "\n  Refused by the kernel, and so counted as self: refused.\n");
	shows(text, "\n  1 call is not divided, as NAME:undivided: ");
	assert_null(strstr(text, "\n  refused   "));
	free(text);
	recording_free(rec);
}

/* A number stays with its unit, and a few words in brackets stay together. */
static void test_wrap(void **state)
{
	static const struct {
		const char *text;
		const char *wrapped;
	} rows[] = {
		{ "aaa 17.5 us, or", "aaa\n17.5 us,\nor" },
		{ "aaaaaa 12 such b", "aaaaaa 12\nsuch b" },
		{ "aaa (b c d)", "aaa\n(b c d)" },
		{ "aaa (b never ends", "aaa (b\nnever ends" },
		{ "aaa 5 s", "aaa 5 s" },
		{ "aaaaaaa 5 s", "aaaaaaa\n5 s" },
	};
	char *text;
	size_t size, i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text_flow f = { .width = 10 };

		text = NULL;
		f.out = open_memstream(&text, &size);
		assert_non_null(f.out);
		text_flow_words(&f, rows[i].text);
		assert_int_equal(fclose(f.out), 0);
		assert_string_equal(text, rows[i].wrapped);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_height),     cmocka_unit_test(test_alike),
		cmocka_unit_test(test_short_name), cmocka_unit_test(test_callees),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
