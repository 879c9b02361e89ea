// SPDX-License-Identifier: GPL-2.0-only
/* test_diff.c - two sets of runs side by side: what is said, and that it fits. */
#include "fixture.h"

#include <json-c/json.h>

#include "format/format.h"

#define RUNS 4

/* A run of a constant time, a little off in every run. */
static struct snapshot *run_make(const char *name, uint64_t ns, int run)
{
	struct snapshot *s = snapshot_new(5, 1, 1);
	uint64_t value, i;

	fixture_name(s, 0, name);
	for (i = 0; i < 1000; i++) {
		value = ns + i * ns / 2000 + (uint64_t)run * ns / 500;
		fixture_add_slot(s, 0, 0, kstats_slot_index(value, 5),
				 (struct kstats_slot){ 1, value });
	}
	return s;
}

struct pair {
	struct snapshot *runs[2 * RUNS];
	struct compare_set a;
	struct compare_set b;
	struct compare c;
};

static void pair_make(struct pair *p, const char *a, const char *b, uint64_t from, uint64_t to,
		      size_t n)
{
	struct error e;
	size_t i;

	for (i = 0; i < n; i++) {
		p->runs[i] = run_make(a, from, i);
		p->runs[n + i] = run_make(b, to, i);
	}
	p->a = (struct compare_set){ .n = n, .runs = (const struct snapshot *const *)p->runs };
	p->b = (struct compare_set){ .n = n, .runs = (const struct snapshot *const *)p->runs + n };
	assert_int_equal(compare_make(&p->c, &p->a, &p->b, compare_metrics, 0.95, &e), 0);
}

static void pair_free(struct pair *p)
{
	size_t i;

	compare_free(&p->c);
	for (i = 0; i < p->a.n + p->b.n; i++)
		snapshot_free(p->runs[i]);
}

static char *show(const char *format, const struct pair *p)
{
	struct report r;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_diff(&r, &p->c, NULL);
	assert_int_equal(format_find(format, REPORT_DIFF)->write(f, &r), 0);
	report_free(&r);
	fclose(f);
	return text;
}

static void test_sentence(void **state)
{
	static const struct {
		uint64_t from, to;
		size_t runs;
		const char *begin;
	} rows[] = {
		{ 10000, 12000, 4, "slower: " },
		{ 10000, 8000, 4, "faster: " },
		{ 10000, 10000, 3, "no change is shown; one of more than " },
		{ 10000, 12000, 1,
		  "one run on a side does not show how much runs differ by chance" },
	};
	struct report r;
	struct pair p;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pair_make(&p, "f", "f", rows[i].from, rows[i].to, rows[i].runs);
		report_diff(&r, &p.c, NULL);
		assert_int_equal(r.parts[0].kind, REPORT_BEGIN);
		assert_int_equal(r.parts[1].kind, REPORT_SENTENCE);
		if (strncmp(r.parts[1].text, rows[i].begin, strlen(rows[i].begin)))
			fail_msg("%s", r.parts[1].text);
		report_free(&r);
		pair_free(&p);
	}
}

static void test_text(void **state)
{
	struct pair p;
	char *text, *line, *save = NULL;

	pair_make(&p, "vfs_read", "vfs_read", 10000, 12000, RUNS);
	text = show("text", &p);
	if (getenv("SHOW"))
		fputs(text, stderr);
	assert_int_equal(strncmp(text, "vfs_read\n  slower: ", 19), 0);
	assert_non_null(strstr(text, "+20.0%"));
	assert_non_null(strstr(text, "4,000 in 4 runs before, 4,000 in 4 runs after"));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_in_range(strlen(line), 1, 80);
	free(text);
	pair_free(&p);
}

static void test_hostile(void **state)
{
	const struct format *f;
	struct pair p;
	char *text;

	pair_make(&p, "f`|\n| x \x1b[2J", "g|`<script>", 10000, 10000, 2);
	assert_int_equal(p.c.n, 0);
	assert_int_equal(p.c.n_missing, 2);
	for (f = format_next(NULL, REPORT_DIFF); f; f = format_next(f, REPORT_DIFF)) {
		text = show(f->name, &p);
		assert_null(strchr(text, '\x1b'));
		assert_null(strstr(text, "\n| x"));
		if (!strcmp(f->name, "markdown"))
			assert_null(strstr(text, "f`"));
		free(text);
	}
	pair_free(&p);
	assert_null(format_find("yaml", REPORT_DIFF));
}

static void test_json(void **state)
{
	struct json_object *o, *rows, *v;
	struct pair p;
	char *text;

	pair_make(&p, "f", "f", 10000, 11000, RUNS);
	text = show("json", &p);
	o = json_tokener_parse(text);
	assert_true(json_object_object_get_ex(o, "rows", &rows));
	assert_int_equal(json_object_array_length(rows), 5);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(rows, 0), "change", &v));
	assert_true(json_object_get_double(v) > 0.0999 && json_object_get_double(v) < 0.1001);
	json_object_put(o);
	free(text);
	text = show("markdown", &p);
	assert_int_equal(strncmp(text, "### `f`\n\nslower: ", 17), 0);
	assert_non_null(strstr(text, "| mean | 12.5"));
	free(text);
	pair_free(&p);
}

/* Two runs of 1 us and 1 ms on each side leave all but everything open. */
static void test_endless(void **state)
{
	const struct format *f;
	struct pair p = {};
	struct error e;
	char *text;
	size_t i;

	for (i = 0; i < 4; i++)
		p.runs[i] = run_make("f", i % 2 ? 1000 : 1000000, 0);
	p.a = (struct compare_set){ .n = 2, .runs = (const struct snapshot *const *)p.runs };
	p.b = (struct compare_set){ .n = 2, .runs = (const struct snapshot *const *)p.runs + 2 };
	assert_int_equal(compare_make(&p.c, &p.a, &p.b, compare_metrics, 0.95, &e), 0);
	assert_true(p.c.rows[0].hi > 1e10);
	for (f = format_next(NULL, REPORT_DIFF); f; f = format_next(f, REPORT_DIFF)) {
		if (!strcmp(f->name, "json"))
			continue;
		text = show(f->name, &p);
		assert_non_null(strstr(text, strcmp(f->name, "html") ? "-100.0% .. >+1000%"
								     : "-100.0% .. &gt;+1000%"));
		assert_null(strstr(text, "00000000"));
		if (!strcmp(f->name, "text"))
			assert_non_null(strstr(text, " ==========#==========\n"));
		free(text);
	}
	pair_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentence), cmocka_unit_test(test_text),
		cmocka_unit_test(test_hostile),  cmocka_unit_test(test_json),
		cmocka_unit_test(test_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
