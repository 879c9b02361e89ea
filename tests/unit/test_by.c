// SPDX-License-Identifier: GPL-2.0-only
/* test_by.c - how many keys are in a table that programs have filled. */
#include "fixture.h"

#include "session/session.h"
#include "store/table.h"
#include "util/tags.h"

#define FIRST 2 /* node of the first key */
#define PLACES 16

struct place {
	uint32_t number;
	uint32_t node;
	uint64_t words[2];
};

static const struct plan_by by = { .most = 5, .words = 2, .first = FIRST, .n = 2 };

static void expect(struct place *places, uint32_t keys, uint32_t nodes)
{
	struct table t = { places, PLACES, PLACES * sizeof(*places) };
	struct session_keys n;

	assert_int_equal(session_by_count_in(&by, &t, &n), 0);
	assert_int_equal(n.keys, keys);
	assert_int_equal(n.nodes, nodes);
}

static void set(struct place *p, uint32_t key, uint32_t owner, uint64_t a, uint64_t b)
{
	*p = (struct place){ FIRST + key + KSTATS_BY_NUMBER, owner, { a, b } };
}

static void test_none(void **state)
{
	struct place places[PLACES] = {};

	expect(places, 0, 0);
	places[3].number = KSTATS_BY_FILLING;
	expect(places, 0, 0);
}

static void test_apart(void **state)
{
	struct place places[PLACES] = {};

	set(&places[1], 0, 0, 1, 1);
	set(&places[5], 2, 0, 1, 2);
	set(&places[9], 1, 1, 1, 1); /* of another function */
	expect(places, 3, 3);
	/* It has no node of its own. */
	places[11] = (struct place){ KSTATS_BY_NUMBER, 0, { 7, 7 } };
	expect(places, 3, 3);
}

static void test_twice(void **state)
{
	struct place places[PLACES] = {};

	set(&places[4], 3, 0, 8, 9);
	set(&places[5], 0, 0, 8, 9);
	set(&places[6], 1, 0, 8, 8);
	expect(places, 2, 4);
}

/* Else the name of a task could look like two parts of a key. */
static void test_quoted(void **state)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	tags_quote(f, "a\",b=\"\\");
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "\"a\\\",b=\\\"\\\\\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
