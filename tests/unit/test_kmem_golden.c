// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kmem_golden.c - every format of recordings of memory events, byte for byte as it is kept
 * in tests/golden. KSTATS_GOLDEN_UPDATE=1 writes the files anew.
 */
#include "golden.h"
#include "kmem_fixture.h"

#include "format/format.h"
#include "kmem/periods.h"

static struct kmem *make_one(void)
{
	return kmem_fixture(false);
}

static struct kmem *make_lives(void)
{
	return kmem_fixture(true);
}

static struct kmem *make_many(void)
{
	return kmem_fixture_many(100);
}

/* Some lifetimes are not sure, since frees were skipped. */
static struct kmem *make_doubt(void)
{
	struct kmem *k = kmem_fixture(true);

	k->lifes[1].flags |= KSTATS_KMEM_UNVERIFIED;
	k->programs[2].skipped = 9;
	return k;
}

static struct kmem *make_comm(void)
{
	static const char *const names[] = { "bash", "make", "make", "bash", "bash" };
	struct kmem *k = make_doubt();

	kmem_fixture_by(k, "comm", names);
	return k;
}

/* Two dimensions, of which one is shown beside what all rows have. */
static struct kmem *make_keys(void)
{
	static const char *const flags[] = { "0", "__GFP_ZERO", "0", "0", "__GFP_ZERO" };
	struct kmem *k = make_comm();

	kmem_fixture_by(k, "gfp & __GFP_ZERO", flags);
	k->counts[KSTATS_KMEM_N_IF] = 1234;
	k->counts[KSTATS_KMEM_N_DIVISION] = 3;
	k->counts[KSTATS_KMEM_N_UNREADABLE] = 1;
	return k;
}

/* Four intervals, in the last of which nothing happens. */
static struct kmem *make_time(void)
{
	static const unsigned int counts[] = { 200, 313, 1000 };
	struct kmem *k = kmem_fixture(true), *at;
	struct kmem_periods *p = NULL;
	size_t i;

	for (i = 0; i < 3; i++) {
		at = kmem_fixture(true);
		at->span.end_ns = k->span.begin_ns + (i + 1) * 2000000000;
		at->rows[0].count = counts[i];
		at->rows[0].req = counts[i] * 33;
		at->rows[0].alloc = counts[i] * 64;
		kmem_fixture_live(&at->rows[0], counts[i] / 10 - (i == 2 ? 3 : 0), 1000);
		at->n_rows = i ? at->n_rows : 2;
		assert_int_equal(kmem_periods_add(&p, at), 0);
		kmem_free(at);
	}
	assert_int_equal(kmem_periods_put(p, k), 0);
	kmem_periods_free(p);
	return k;
}

static const struct kmem_case {
	const char *name;
	struct kmem *(*make)(void);
	struct report_kmem_look o;
	const char *formats; /* that are kept; NULL: all */
} cases[] = {
	{ "kmem-one",
	  make_one,
	  { .base = { .unit = "auto", .width = 80 } },
	  "summary json csv openmetrics" },
	{ "kmem-lives",
	  make_lives,
	  { .base = { .unit = "auto", .width = 80 } },
	  "summary json csv openmetrics" },
	{ "kmem-many",
	  make_many,
	  { .base = { .unit = "auto", .width = 80 } },
	  "summary json csv openmetrics" },
	{ "kmem-hostile", kmem_fixture_hostile, { .base = { .unit = "auto", .width = 80 } }, NULL },
	{ "kmem-empty", kmem_fixture_empty, { .base = { .unit = "auto", .width = 80 } }, NULL },
	{ "kmem-cache",
	  make_doubt,
	  { .base = { .unit = "us", .width = 100, .bars = true, .color = true, .period = 2 },
	    .by = "cache",
	    .sort = KMEM_SORT_LIVE,
	    .top = 2 },
	  NULL },
	{ "kmem-comm",
	  make_comm,
	  { .base = { .unit = "auto", .width = 80 }, .by = "comm" },
	  "summary json csv" },
	{ "kmem-keys",
	  make_keys,
	  { .base = { .unit = "auto", .width = 80 }, .by = "site, gfp&__GFP_ZERO" },
	  "summary csv" },
	{ "kmem-rate",
	  make_one,
	  { .base = { .unit = "auto", .width = 80 }, .by = "kind", .sort = KMEM_SORT_RATE },
	  "summary json csv" },
	{ "kmem-time",
	  make_time,
	  { .base = { .unit = "auto", .width = 80 }, .periods = true },
	  NULL },
};

#define CASES (sizeof(cases) / sizeof(*cases))

static char *render(const struct kmem *k, const char *format, const struct report_kmem_look *o)
{
	const struct report_kmem_set one = { 1, &k };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(format_kmem(format_find(format, REPORT_KMEM), f, &one, o), 0);
	fclose(f);
	return text;
}

/* What is rendered was saved and loaded before. */
static struct kmem *load_case(const struct kmem_case *c)
{
	struct kmem *k = c->make(), *loaded;
	struct error e = {};
	char *text = kmem_fixture_text(k);

	golden_check(c->name, "kmem.json", text);
	loaded = kmem_fixture_load(text, &e);
	if (!loaded)
		fail_msg("%s: %s", e.what, e.why);
	free(text);
	kmem_free(k);
	return loaded;
}

static void test_case(void **state)
{
	const struct kmem_case *c = *state;
	const struct format *f;
	struct kmem *k = load_case(c);
	char *text;

	for (f = format_next(NULL, REPORT_KMEM); f; f = format_next(f, REPORT_KMEM)) {
		if (!golden_keeps(c->formats, f->name))
			continue;
		text = render(k, f->name, &c->o);
		golden_check(c->name, f->name, text);
		free(text);
	}
	kmem_free(k);
}

/* What is shown to people stays within the width asked for. */
static void test_width(void **state)
{
	const struct kmem_case *c = *state;
	struct report_kmem_look o = c->o;
	struct kmem *k = c->make();
	char *text, *line;

	for (o.base.width = 80; o.base.width <= 132; o.base.width++) {
		text = render(k, "summary", &o);
		for (line = text; line && *line; line = strchr(line, '\n') + 1)
			if (golden_columns(line) > o.base.width)
				fail_msg("%s: wider than %u: %s", c->name, o.base.width, line);
		free(text);
	}
	kmem_free(k);
}

/* Of each group and order, nothing is left out of the first rows and the fold together. */
static void test_groups(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct report_kmem_look o = { .base = { .unit = "auto", .width = 80 } };
	const struct format *f;
	enum kmem_word word;
	enum kmem_sort sort;

	for (word = KMEM_SITE; word < KMEM_WORDS; word++) {
		for (sort = KMEM_SORT_WASTE; kmem_sort_names[sort]; sort++)
			for (f = format_next(NULL, REPORT_KMEM); f;
			     f = format_next(f, REPORT_KMEM)) {
				o.by = kmem_names[word];
				o.sort = sort;
				free(render(k, f->name, &o));
			}
	}
	kmem_free(k);
}

/* Growth since an earlier report, in which a site did not exist and another had more. */
static void test_growth(void **state)
{
	struct kmem *k = kmem_fixture(true), *before = kmem_fixture(true);
	struct report_kmem_look o = { .base = { .unit = "auto", .width = 80, .period = 3 },
				      .sort = KMEM_SORT_LIVE,
				      .before = before };
	char *text, *line;

	k->span.final = false;
	kmem_fixture_live(&before->rows[0], 10, 1000);
	fixture_text(&before->sites[3].name, "another");
	kmem_fixture_live(&before->rows[1], 5, 1000);
	text = render(k, "summary", &o);
	golden_check("kmem", "growth", text);
	assert_non_null(strstr(text, "1.053 MiB  +1.053 MiB"));
	assert_non_null(strstr(text, "8.062 KiB  +5.438 KiB"));
	assert_non_null(strstr(text, "0 B      -160 B"));
	for (line = text; line && *line; line = strchr(line, '\n') + 1)
		assert_in_range(golden_columns(line), 0, 80);
	free(text);
	kmem_free(k);
	kmem_free(before);
}

/* Events that are unseen for one reason are told together. */
static void test_unseen(void **state)
{
	struct report_kmem_look o = { .base = { .unit = "auto", .width = 80 } };
	struct kmem *k = kmem_fixture_empty();
	char *text;

	kmem_fixture_unseen(k, "first", "it is refused");
	kmem_fixture_unseen(k, "alone", "another reason");
	kmem_fixture_unseen(k, "second", "it is refused");
	text = render(k, "summary", &o);
	assert_non_null(strstr(text, "first and second are unseen: it is refused\n"));
	assert_non_null(strstr(text, "alone is unseen: another reason\n"));
	assert_null(strstr(text, "second is"));
	free(text);
	kmem_fixture_unseen(k, "third", "it is refused");
	text = render(k, "summary", &o);
	assert_non_null(strstr(text, "first, second and third are unseen: it is refused\n"));
	free(text);
	kmem_free(k);
}

static void test_diff(void **state)
{
	struct kmem *a = kmem_fixture(true), *b = kmem_fixture(true);
	const struct kmem_side before = { 1, (const struct kmem *const *)&a };
	const struct kmem_side after = { 1, (const struct kmem *const *)&b };
	const struct format *f;
	struct kmem_compare c;
	struct report r;
	char *text, what[32];
	size_t size;
	FILE *out;

	fixture_text(&b->kernel, "6.18.0-amd64");
	fixture_text(&b->sites[1].name, "kmemdup+0x33");
	b->rows[0].count = 2500;
	b->rows[0].req = 2500 * 33;
	b->rows[0].alloc = 2500 * 64;
	b->rows[1].count = 100;
	assert_int_equal(kmem_compare_make(&c, &before, &after, NULL, KMEM_SORT_WASTE), 0);
	for (f = format_next(NULL, REPORT_KMEM_DIFF); f; f = format_next(f, REPORT_KMEM_DIFF)) {
		text = NULL;
		out = open_memstream(&text, &size);
		report_kmem_diff(&r, &c, 20, NULL);
		assert_int_equal(f->write(out, &r), 0);
		report_free(&r);
		fclose(out);
		snprintf(what, sizeof(what), "diff.%s", f->name);
		golden_check("kmem", what, text);
		free(text);
	}
	kmem_compare_free(&c);
	kmem_free(a);
	kmem_free(b);
}

int main(void)
{
	struct CMUnitTest tests[2 * CASES + 4] = {};
	size_t i;

	for (i = 0; i < CASES; i++) {
		tests[2 * i].name = cases[i].name;
		tests[2 * i].test_func = test_case;
		tests[2 * i].initial_state = (void *)&cases[i];
		tests[2 * i + 1] = tests[2 * i];
		tests[2 * i + 1].test_func = test_width;
	}
	tests[2 * CASES] = (struct CMUnitTest)cmocka_unit_test(test_groups);
	tests[2 * CASES + 1] = (struct CMUnitTest)cmocka_unit_test(test_diff);
	tests[2 * CASES + 2] = (struct CMUnitTest)cmocka_unit_test(test_growth);
	tests[2 * CASES + 3] = (struct CMUnitTest)cmocka_unit_test(test_unseen);
	return cmocka_run_group_tests_name("kmem_golden", tests, NULL, NULL);
}
