// SPDX-License-Identifier: GPL-2.0-only
/* test_names.c - each name is found at its first place, also after others came or went. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "result/snapshot.h"
#include "util/names.h"

#define MANY 1000

static char texts[MANY][16];

static const char *text_at(const void *array, size_t i)
{
	return ((const char(*)[16])array)[i];
}

static void test_found(void **state)
{
	struct names t;
	size_t i;

	for (i = 0; i < MANY; i++)
		snprintf(texts[i], sizeof(texts[i]), "name %zu", i % (MANY / 2));
	assert_int_equal(names_make(&t, texts, MANY, text_at), 0);
	for (i = 0; i < MANY; i++)
		assert_int_equal(names_find(&t, texts[i]), i % (MANY / 2));
	assert_int_equal(names_find(&t, "name 500"), -1);
	assert_int_equal(names_find(&t, ""), -1);
	names_free(&t);
	assert_int_equal(names_make(&t, NULL, 0, text_at), 0);
	assert_int_equal(names_find(&t, "name 0"), -1);
	names_free(&t);
}

static void name_node(struct snapshot *s, uint32_t i)
{
	char text[16];

	snprintf(text, sizeof(text), "node %u", i);
	s->nodes[i].name = strdup(text);
	assert_non_null(s->nodes[i].name);
}

/* The table is made at the first look, and must not be that of other nodes. */
static void test_nodes(void **state)
{
	struct snapshot *s = snapshot_new(5, 1, 100), *like;
	uint32_t i;

	assert_non_null(s);
	for (i = 0; i < s->n_nodes; i++)
		name_node(s, i);
	assert_int_equal(snapshot_find(s, "node 99"), 99);
	assert_int_equal(snapshot_find(s, "node 100"), -1);
	assert_int_equal(snapshot_add_keys(s, 100), 0);
	for (i = 100; i < s->n_nodes; i++)
		name_node(s, i);
	assert_int_equal(snapshot_find(s, "node 150"), 150);
	s->nodes[150].kind = SNAPSHOT_DURATION; /* it stays */
	like = snapshot_copy(s);
	assert_non_null(like);
	snapshot_drop_unused(s, like);
	assert_int_equal(s->n_nodes, 101);
	assert_int_equal(snapshot_find(s, "node 150"), 100);
	assert_int_equal(snapshot_find(s, "node 149"), -1);
	snapshot_free(like);
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_nodes),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
