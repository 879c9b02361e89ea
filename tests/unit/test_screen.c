// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_screen.c - the pages of `top`, byte for byte at two sizes, and what keys do. With
 * KSTATS_GOLDEN_UPDATE=1 the pages are written anew: look at what changed before you commit it.
 */
#include "fixture.h"
#include "golden.h"
#include "screen/screen.h"

#define CPUS 4
#define TICKS 70
#define SECOND 1000000000ULL
#define WALL (1767225600 * SECOND)

/* What was counted in second @tick: a steady function, one with two modes, and a rare one. */
static struct snapshot *made(uint64_t tick)
{
	struct snapshot *s = fixture_new(5, CPUS, 3);
	uint64_t random = 7 + tick;
	unsigned int i;

	s->span.begin_ns = tick * SECOND;
	s->span.end_ns = (tick + 1) * SECOND;
	s->span.final = false;
	for (i = 0; i < 40 + tick % 7 * 10; i++)
		fixture_record(s, 0, i % CPUS, fixture_near(&random, 2000, 1), 1);
	for (i = 0; i < 30; i++)
		fixture_record(s, 1, i % 2, fixture_near(&random, i % 3 ? 900 : 4000000, 1), 2);
	if (tick % 10 == 5)
		fixture_record(s, 2, 3, 150000000, 1);
	fixture_count(s, 1, KSTATS_SKIPPED, 1);
	return s;
}

static struct snapshot *made_bytes(uint64_t tick)
{
	struct snapshot *s = fixture_new(5, CPUS, 1);

	fixture_name(s, 0, "kmalloc");
	strcpy(s->unit, UNITS_BYTES);
	s->span.begin_ns = tick * SECOND;
	s->span.end_ns = (tick + 1) * SECOND;
	fixture_record(s, 0, 1, 4096, 100);
	return s;
}

static void feed(struct screen *s, unsigned int source, struct snapshot *period)
{
	struct snapshot *total = snapshot_total(period);

	assert_non_null(total);
	assert_int_equal(screen_feed(s, source, total), 0);
	snapshot_free(total);
	snapshot_free(period);
}

static void go_on(struct screen *s, unsigned int ticks)
{
	while (ticks--) {
		s->tick++;
		s->wall_ns += SECOND;
		feed(s, 0, made(s->tick));
		feed(s, 2, made_bytes(s->tick));
	}
}

static struct screen *begin(unsigned int ticks)
{
	const struct screen_refused refused = { 1, "handle_mm_fault", "handle_mm_fault --if 'x'",
						"kprobe refused: the kernel has none" };
	struct screen *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	setenv("TZ", "UTC", 1);
	s->unit = "auto";
	s->interval_ns = SECOND;
	s->wall_ns = s->begin_wall_ns = WALL;
	assert_int_equal(screen_refuse(s, &refused), 0);
	go_on(s, ticks);
	return s;
}

static void end(struct screen *s)
{
	screen_close(s);
	free(s);
}

/* What the first source counted in all. */
static struct snapshot *whole(unsigned int ticks)
{
	struct snapshot *sum = made(1), *next, *more;
	struct error e = {};
	unsigned int i;

	for (i = 2; i <= ticks; i++) {
		next = made(i);
		more = snapshot_add(sum, next, &e);
		assert_non_null(more);
		snapshot_free(next);
		snapshot_free(sum);
		sum = more;
	}
	next = snapshot_total(sum);
	snapshot_free(sum);
	return next;
}

static char *drawn(struct screen *s, unsigned int width, unsigned int height, bool utf8)
{
	struct page p = { .utf8 = utf8 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(page_open(&p, width, height), 0);
	screen_draw(s, &p);
	page_print(&p, out);
	fclose(out);
	page_close(&p);
	return text;
}

static void check_page(struct screen *s, const char *name, unsigned int width, unsigned int height)
{
	char *text = drawn(s, width, height, true), what[64], *line, *save;

	snprintf(what, sizeof(what), "%s-%ux%u", name, width, height);
	golden_check("screen", what, text);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_true(golden_columns(line) <= width);
	free(text);
}

/* The names of the rows, from above, with commas between them. */
static void assert_rows(struct screen *s, const char *names)
{
	char got[256] = "";
	unsigned int i;

	free(drawn(s, 80, 24, false));
	for (i = 0; i < s->n_shown; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? "," : "",
			 s->shown[i]->name);
	assert_string_equal(got, names);
}

/* ---- pages ---- */

static void test_list(void **state)
{
	struct screen *s = begin(TICKS);

	check_page(s, "list", 80, 24);
	check_page(s, "list", 200, 50);
	end(s);
}

static void test_row(void **state)
{
	struct screen *s = begin(TICKS);
	struct snapshot *view = whole(TICKS);

	assert_rows(s, "function_0,function_1,function_2,handle_mm_fault,kmalloc");
	screen_key(s, SCREEN_DOWN);
	screen_key(s, SCREEN_ENTER);
	s->view = view;
	check_page(s, "row", 80, 24);
	check_page(s, "row", 200, 50);
	screen_key(s, SCREEN_DOWN);
	screen_key(s, SCREEN_DOWN);
	assert_string_equal(s->open->name, "handle_mm_fault");
	check_page(s, "refused", 80, 24);
	screen_key(s, '?');
	check_page(s, "help", 80, 24);
	screen_key(s, 'q');
	assert_int_equal(s->mode, SCREEN_ROW);
	snapshot_free(view);
	end(s);
}

/* Nothing is put outside of any page, and bytes of ASCII are enough. */
static void test_sizes(void **state)
{
	struct screen *s = begin(TICKS);
	struct snapshot *view = whole(TICKS);
	unsigned int width, height, mode;
	char *text, *c;

	free(drawn(s, 80, 24, true));
	s->open = s->shown[1];
	s->view = view;
	for (mode = SCREEN_LIST; mode <= SCREEN_HELP; mode++)
		for (width = 1; width < 220; width += 1 + width / 8)
			for (height = 1; height < 60; height += 1 + height / 8) {
				s->mode = mode;
				text = drawn(s, width, height, false);
				for (c = text; *c; c++)
					assert_true(*c == '\n' || (*c >= ' ' && *c < 127));
				free(text);
			}
	snapshot_free(view);
	end(s);
}

/* What is too long ends at the end of its line. */
static void test_page(void **state)
{
	struct page p = { .utf8 = true };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(page_open(&p, 6, 4), 0);
	page_at(&p, 0, 1);
	page_cut(&p, PAGE_PLAIN, 4, "abcdef");
	page_right(&p, PAGE_PLAIN, 2, "x");
	page_at(&p, 1, 2);
	assert_int_equal(page_wrap(&p, 2, "a \xc3\xa4\xe4\xb8\xad bcd efgh"), 2);
	page_at(&p, 4, 0);
	page_text(&p, PAGE_PLAIN, "abcdef");
	page_at(&p, 0, 7);
	page_char(&p, 'x');
	page_print(&p, out);
	fclose(out);
	assert_string_equal(text, "    ab\nabc~ x\n a \xc3\xa4?\n bcd\n");
	free(text);
	page_close(&p);
}

/* Names come from anywhere. */
static void test_names(void **state)
{
	const struct screen_refused refused = { 0, "a\033[2Jb", "\n", "\x9b\xff" };
	struct screen *s = begin(1);
	char *text;

	assert_int_equal(screen_refuse(s, &refused), 0);
	text = drawn(s, 80, 24, true);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "a\\x1b[2Jb"));
	assert_non_null(strstr(text, "\\x9b\\xff"));
	free(text);
	end(s);
}

/* ---- keys ---- */

static void test_order(void **state)
{
	struct screen *s = begin(TICKS - 5); /* in the last second the rare call ends */

	s->order = SCREEN_BY_RATE;
	assert_rows(s, "kmalloc,function_0,function_1,function_2,handle_mm_fault");
	screen_key(s, '>');
	assert_int_equal(s->order, SCREEN_BY_P50);
	assert_rows(s, "function_2,function_0,function_1,kmalloc,handle_mm_fault");
	screen_key(s, SCREEN_RIGHT);
	screen_key(s, SCREEN_RIGHT);
	assert_int_equal(s->order, SCREEN_BY_MAX);
	assert_rows(s, "function_2,function_1,function_0,kmalloc,handle_mm_fault");
	screen_key(s, 'i');
	assert_rows(s, "function_0,function_1,function_2,kmalloc,handle_mm_fault");
	screen_key(s, SCREEN_RIGHT);
	screen_key(s, SCREEN_RIGHT);
	assert_int_equal(s->order, SCREEN_AS_GIVEN);
	screen_key(s, '<');
	assert_int_equal(s->order, SCREEN_BY_TIME);
	assert_rows(s, "function_0,function_1,function_2,kmalloc,handle_mm_fault");
	screen_key(s, 'i');
	assert_rows(s, "function_2,function_1,function_0,kmalloc,handle_mm_fault");
	end(s);
}

static void test_search(void **state)
{
	static const char word[] = "q_2"; /* a letter that is a key too is only text here */
	struct screen *s = begin(TICKS);
	unsigned int i;

	screen_key(s, '/');
	for (i = 0; word[i]; i++)
		assert_int_equal(screen_key(s, word[i]), SCREEN_NOTHING);
	assert_rows(s, "");
	for (i = 0; word[i]; i++)
		screen_key(s, SCREEN_ERASE);
	screen_key(s, 'N');
	screen_key(s, '_');
	assert_rows(s, "function_0,function_1,function_2");
	screen_key(s, SCREEN_ENTER);
	assert_int_equal(s->mode, SCREEN_LIST);
	screen_key(s, SCREEN_END);
	screen_key(s, SCREEN_ENTER);
	assert_string_equal(s->open->name, "function_2");
	screen_key(s, SCREEN_ESCAPE);
	assert_rows(s, "function_0,function_1,function_2");
	screen_key(s, SCREEN_ESCAPE);
	assert_rows(s, "function_0,function_1,function_2,handle_mm_fault,kmalloc");
	end(s);
}

static void test_wishes(void **state)
{
	struct screen *s = begin(TICKS);

	free(drawn(s, 80, 24, true));
	assert_int_equal(screen_key(s, 'R'), SCREEN_RECORD);
	screen_key(s, ' ');
	assert_true(s->paused);
	screen_key(s, 'p');
	assert_false(s->paused);
	screen_key(s, 'r');
	assert_true(s->reset);
	screen_key(s, SCREEN_ENTER);
	assert_int_equal(screen_key(s, 'q'), SCREEN_NOTHING);
	assert_int_equal(screen_key(s, 'q'), SCREEN_QUIT);
	end(s);
}

/* A row of the last interval and of the whole: its samples are exact. */
static void assert_samples(struct screen *s, const char *name, uint64_t interval, uint64_t all)
{
	unsigned int i;

	for (i = 0; strcmp(s->rows[i]->name, name); i++)
		assert_true(i + 1 < s->n_rows);
	assert_int_equal(s->rows[i]->ticks[s->tick % SCREEN_TICKS].figures.samples, interval);
	assert_int_equal(s->rows[i]->all ? counts_samples(s->rows[i]->all) : 0, all);
}

static void test_reset(void **state)
{
	struct screen *s = begin(3);

	assert_samples(s, "kmalloc", 100, 300);
	screen_reset(s);
	assert_samples(s, "kmalloc", 0, 0);
	assert_int_equal(s->rows[1]->sum.ns, 0);
	go_on(s, 2);
	assert_int_equal(s->rows[1]->sum.ns, 2 * SECOND);
	assert_samples(s, "kmalloc", 100, 200);
	end(s);
}

/* More than a minute ago is forgotten in charts, and kept in the whole. */
static void test_minute(void **state)
{
	struct screen *s = begin(TICKS);
	char *text;

	assert_samples(s, "kmalloc", 100, 100 * TICKS);
	s->tick += SCREEN_TICKS; /* as in a pause */
	feed(s, 2, made_bytes(1));
	assert_samples(s, "kmalloc", 100, 100 * TICKS + 100);
	text = drawn(s, 80, 24, false);
	/* What was not read has no figures, and nothing in the chart. */
	assert_non_null(strstr(text, "function_0              -         -         -         -"
				     "        -\n"));
	assert_non_null(strstr(text, "kmalloc             100/s"));
	free(text);
	end(s);
}

static void name_key(struct snapshot *s, uint32_t node, const char *name, const char *value)
{
	fixture_name(s, node, name);
	s->nodes[node].kind = SNAPSHOT_KEY;
	s->nodes[node].owner = 0;
	assert_int_equal(tags_set(&s->nodes[node].by, "comm", value, NULL), 0);
}

/* A key has a row from its first sample on, below that of all keys. */
static void test_keys(void **state)
{
	struct snapshot *period = fixture_new(5, CPUS, 3);
	struct screen *s = calloc(1, sizeof(*s));
	char *text;

	assert_non_null(s);
	s->unit = "auto";
	s->interval_ns = SECOND;
	s->tick = 1;
	name_key(period, 1, "function_0{comm=\"bash\"}", "bash");
	name_key(period, 2, "function_0{comm=\"cat\"}", "cat");
	period->span.end_ns = period->span.begin_ns + SECOND;
	fixture_record(period, 1, 0, 1000, 5);
	feed(s, 0, period);
	assert_rows(s, "function_0,function_0{comm=\"bash\"}");
	assert_samples(s, "function_0", 5, 5);
	assert_samples(s, "function_0{comm=\"bash\"}", 5, 5);
	text = drawn(s, 80, 24, false);
	assert_non_null(strstr(text, "\n  bash             5/s"));
	free(text);
	/* The samples of keys that have no row are told from those of all keys. */
	period = fixture_new(5, CPUS, 3);
	name_key(period, 1, "function_0{comm=\"bash\"}", "bash");
	fixture_name(period, 2, "function_0:other");
	period->nodes[2].kind = SNAPSHOT_OTHER;
	period->nodes[2].owner = 0;
	period->span.end_ns = period->span.begin_ns + SECOND;
	fixture_record(period, 1, 0, 1000, 5);
	fixture_record(period, 2, 0, 1000, 7);
	feed(s, 0, period);
	text = drawn(s, 80, 24, false);
	assert_non_null(strstr(text, "\n  other            7/s"));
	free(text);
	end(s);
}

/* Two functions with keys: those of the second are seldom, and slower than all of the first. */
static struct snapshot *made_two(void)
{
	struct snapshot *s = fixture_new(5, CPUS, 6);

	name_key(s, 2, "function_0{comm=\"bash\"}", "bash");
	name_key(s, 3, "function_1{comm=\"cat\"}", "cat");
	name_key(s, 4, "function_0{comm=\"dd\"}", "dd");
	name_key(s, 5, "function_1{comm=\"ed\"}", "ed");
	s->nodes[3].owner = s->nodes[5].owner = 1;
	s->span.end_ns = s->span.begin_ns + SECOND;
	fixture_record(s, 2, 0, 1000, 50);
	fixture_record(s, 3, 0, 700000, 3);
	fixture_record(s, 4, 0, 2000, 20);
	fixture_record(s, 5, 0, 900000, 2);
	return s;
}

static void test_keys_of_two(void **state)
{
	struct screen *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->unit = "auto";
	s->interval_ns = SECOND;
	s->tick = 1;
	feed(s, 0, made_two());
	feed(s, 1, made_bytes(1));
	assert_rows(s, "function_0,function_0{comm=\"bash\"},function_0{comm=\"dd\"},"
		       "function_1,function_1{comm=\"cat\"},function_1{comm=\"ed\"},kmalloc");
	s->order = SCREEN_BY_MAX;
	assert_rows(s, "function_1,function_1{comm=\"ed\"},function_1{comm=\"cat\"},"
		       "function_0,function_0{comm=\"dd\"},function_0{comm=\"bash\"},kmalloc");
	s->order = SCREEN_BY_RATE;
	s->reversed = true;
	assert_rows(s, "function_1,function_1{comm=\"ed\"},function_1{comm=\"cat\"},"
		       "function_0,function_0{comm=\"dd\"},function_0{comm=\"bash\"},kmalloc");
	strcpy(s->search, "comm");
	assert_rows(s, "function_1{comm=\"ed\"},function_1{comm=\"cat\"},"
		       "function_0{comm=\"dd\"},function_0{comm=\"bash\"}");
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),        cmocka_unit_test(test_row),
		cmocka_unit_test(test_sizes),       cmocka_unit_test(test_names),
		cmocka_unit_test(test_order),       cmocka_unit_test(test_search),
		cmocka_unit_test(test_wishes),      cmocka_unit_test(test_reset),
		cmocka_unit_test(test_keys_of_two), cmocka_unit_test(test_minute),
		cmocka_unit_test(test_keys),        cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
