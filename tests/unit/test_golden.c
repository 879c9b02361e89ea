// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_golden.c - every case in the formats in which it shows something that no other
 * does, byte for byte as it is kept in tests/golden. With KSTATS_GOLDEN_UPDATE=1 the
 * files are written anew: look at what changed before you commit it.
 */
#include "fixture.h"
#include "format/format.h"
#include "golden.h"
#include "golden_cases.h"

static struct recording *load_case(const struct golden_case *c)
{
	struct recording *r = fixture_recording(c->make()), *loaded;
	char *text = NULL, path[PATH_MAX];
	struct error e = {};
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (c->describe)
		c->describe(r);
	assert_int_equal(recording_save(r, f, &e), 0);
	fclose(f);
	golden_check(c->name, "recording.json", text);
	free(text);
	golden_path(path, c->name, "recording.json");
	f = fopen(path, "r");
	assert_non_null(f);
	loaded = recording_load(f, &e);
	if (!loaded)
		fail_msg("%s: %s", e.what, e.why);
	fclose(f);
	if (r->source)
		fixture_text(&loaded->source, r->source);
	recording_free(r);
	return loaded;
}

static void test_case(void **state)
{
	const struct golden_case *c = *state;
	struct recording *r = load_case(c);
	const struct recording *rec = r;
	const struct report_set one = { 1, &rec };
	const unsigned int kinds = REPORT_TRACE | (r->why ? REPORT_WHY : 0);
	const struct format *f;
	size_t size;
	char *text;
	FILE *out;

	for (f = format_next(NULL, kinds); f; f = format_next(f, kinds)) {
		if (!golden_keeps(c->formats, f->name))
			continue;
		text = NULL;
		out = open_memstream(&text, &size);
		assert_int_equal(format_trace(f, out, &one, &c->o), 0);
		fclose(out);
		golden_check(c->name, f->name, text);
		free(text);
	}
	recording_free(r);
}

/* What is shown to people stays within the width asked for. */
static void test_width(void **state)
{
	const struct golden_case *c = *state;
	struct report_look o = c->o;
	struct recording *r = fixture_recording(c->make());
	const struct recording *rec = r;
	const struct report_set one = { 1, &rec };
	char *text, *line;
	size_t size;
	FILE *out;

	if (c->describe)
		c->describe(r);
	o.unit = "auto";
	for (o.width = 80; o.width <= 132; o.width += fixture_rounds(1, 13)) {
		text = NULL;
		out = open_memstream(&text, &size);
		o.bars = o.width % 2;
		assert_int_equal(format_trace(format_find("summary", REPORT_TRACE), out, &one, &o),
				 0);
		fclose(out);
		for (line = text; line && *line; line = strchr(line, '\n') + 1)
			if (golden_columns(line) > o.width)
				fail_msg("%s: wider than %u: %s", c->name, o.width, line);
		free(text);
	}
	recording_free(r);
}

/* The lines that people's scripts were written for. */
static void test_classic_example(void **state)
{
	char path[PATH_MAX], *text;

	golden_path(path, "classic", "classic");
	text = golden_read(path);
	assert_non_null(
		strstr(text, "slot 55  CPU  0    count      589 avg      480 p 0.027613\n"));
	assert_non_null(
		strstr(text, "slot 55  CPUS 28   count      814 avg      480 p 0.002474\n"));
	free(text);
}

int main(void)
{
	struct CMUnitTest tests[2 * GOLDEN_CASES + 1] = {};
	size_t i;

	setenv("TZ", "UTC", 1);
	for (i = 0; i < GOLDEN_CASES; i++) {
		tests[2 * i].name = golden_cases[i].name;
		tests[2 * i].test_func = test_case;
		tests[2 * i].initial_state = (void *)&golden_cases[i];
		tests[2 * i + 1].name = golden_cases[i].name;
		tests[2 * i + 1].test_func = test_width;
		tests[2 * i + 1].initial_state = (void *)&golden_cases[i];
	}
	tests[2 * GOLDEN_CASES].name = "classic_example";
	tests[2 * GOLDEN_CASES].test_func = test_classic_example;
	return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
