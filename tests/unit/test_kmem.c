// SPDX-License-Identifier: GPL-2.0-only
/* test_kmem.c - recordings of memory events: saved, loaded, refused. */
#include "kmem_fixture.h"

#include "kmem/document.h"
#include "kmem/table.h"

static void check_round_trip(struct kmem *k)
{
	char *first = kmem_fixture_text(k), *second;
	struct error e = {};
	struct kmem *back = kmem_fixture_load(first, &e);

	if (!back)
		fail_msg("%s: %s", e.what, e.why);
	second = kmem_fixture_text(back);
	assert_string_equal(first, second);
	free(first);
	free(second);
	kmem_free(k);
	kmem_free(back);
}

static void test_round_trip(void **state)
{
	check_round_trip(kmem_fixture(true));
	check_round_trip(kmem_fixture(false));
	check_round_trip(kmem_fixture_empty());
	check_round_trip(kmem_fixture_many(100));
}

/* What is asked for by few is in few files. */
static void test_skip(void **state)
{
	struct kmem *k = kmem_fixture(true);
	char *text = kmem_fixture_text(k);
	struct error e = {};
	struct kmem *back;

	assert_null(strstr(text, "\"skip\""));
	free(text);
	k->skip = strdup("kmemdup*,kvasprintf");
	text = kmem_fixture_text(k);
	back = kmem_fixture_load(text, &e);
	assert_non_null(back);
	assert_string_equal(back->skip, k->skip);
	free(text);
	kmem_free(back);
	kmem_free(k);
}

/* Text is made safe when it is saved. */
static void test_safe(void **state)
{
	struct kmem *k = kmem_fixture_hostile();
	char *text = kmem_fixture_text(k);

	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "\u202e"));
	free(text);
	check_round_trip(k);
}

static void test_values(void **state)
{
	struct kmem *k = kmem_fixture(true), *back;
	char *text = kmem_fixture_text(k);
	struct error e = {};

	back = kmem_fixture_load(text, &e);
	assert_non_null(back);
	assert_int_equal(back->n_rows, 5);
	assert_int_equal(back->rows[2].last, 1055);
	assert_int_equal(back->rows[3].kind, KSTATS_KMEM_CACHE);
	assert_int_equal(back->rows[0].live_oldest_ns, 9876543210);
	assert_string_equal(back->sites[1].line, "mm/util.c:124");
	assert_null(back->sites[2].line);
	assert_int_equal(back->n_lifes, k->n_lifes);
	assert_int_equal(back->counts[KSTATS_KMEM_N_AGAIN], 1);
	assert_int_equal(back->programs[0].skipped, 7);
	assert_true(back->lifetimes);
	assert_int_equal(back->span.end_ns, k->span.end_ns);
	assert_null(back->source);
	free(text);
	kmem_free(back);
	kmem_free(k);
}

/* A text of the file replaced, and the reason that must be given then. */
static const struct {
	const char *from, *to, *why;
} wrong[] = {
	{ "kstats-bpf kmem recording", "kstats-bpf recording", "'format' is" },
	{ "\"version\":1", "\"version\":2", "'version' is 2" },
	{ "\"site\":[1,2,1,3,0]", "\"site\":[1,2,1,6,0]",
	  "'site' of a row holds 6 and at most 5 is possible" },
	{ "\"site\":[1,2,1,3,0]", "\"site\":[1,2,1,3]", "'site' has 4 rows and not 5" },
	{ "\"cache\":[0,0,0,0,0]", "\"cache\":[0,0,0,1,0]",
	  "'cache' of a row holds 1 and at most 0 is possible" },
	{ "\"kind\":[1,1,1,2,3]", "\"kind\":[1,1,1,2,4]", "'kind' holds 4" },
	{ "\"kind\":[1,1,1,2,3]", "\"kind\":[0,1,1,2,3]", "'kind' of a row holds 0" },
	{ "\"kind\":[1,1,1,2,3]", "\"kind\":[\"1\",1,1,2,3]", "'kind' holds a value of type" },
	{ "\"last\":[33,24,", "\"last\":[32,24,", "'last' of a row is below" },
	{ "\"count\":[1000,", "\"count\":[0,", "'count' of a row is 0" },
	{ "\"count\":[1000,", "\"count\":[96,", "'live' of a row is above" },
	{ "\"count\":[1000,", "\"count\":[-1,", "below zero" },
	{ "\"count\":[1000,", "\"count\":[72057594037927937,", "at most 72057594037927936" },
	{ "\"live_req\":[3201,", "\"live_req\":[33001,", "more bytes of a row are live" },
	{ "\"live_age_ns\":[", "\"live_age_ns\":[18446744073709551615", "" },
	{ "\"row\":[0,0,", "\"row\":[5,0,",
	  "'row' of a lifetime holds 5 and at most 4 is possible" },
	{ "\"flags\":[0,", "\"flags\":[16,", "'flags' holds 16" },
	{ "\"how\":[0,", "\"how\":[5,", "'how' holds 5" },
	{ "\"slot\":[", "\"slot\":[9999", "'slot' of a lifetime holds 9999" },
	{ "\"lifetimes\":true", "\"lifetimes\":false", "'lifes' has rows although" },
	{ "\"lifetimes\":true", "\"lifetimes\":1", "'lifetimes' is of type" },
	{ "\"bits\":3", "\"bits\":6", "'bits' holds 6" },
	{ "\"end_ns\":11000000007", "\"end_ns\":1", "before 'begin_ns'" },
	{ "\"frees_null\":17,", "\"frees_null\":-1,", "below zero" },
	{ "\"counts\":{", "\"count\":{", "'counts' is missing" },
	{ "\"caches\":{", "\"caches\":{\"name\":[],", "a member occurs twice" },
	{ "\"i_callback+0x11\"", "7", "'name' holds what is not text" },
	{ "i_callback+0x11", "i_callback\\u0000", "'name' holds a NUL" },
	{ "}}\n", "}", "ends too early" },
};

static void check_wrong(const char *text, size_t i)
{
	const char *at = strstr(text, wrong[i].from);
	struct error e = {};
	char *changed;
	struct kmem *k;

	if (!at)
		fail_msg("'%s' is not in %s", wrong[i].from, text);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, wrong[i].to,
			     at + strlen(wrong[i].from)) > 0);
	k = kmem_fixture_load(changed, &e);
	if (k)
		fail_msg("'%s' for '%s' is not refused", wrong[i].to, wrong[i].from);
	if (!strstr(e.why, wrong[i].why))
		fail_msg("'%s' for '%s': %s", wrong[i].to, wrong[i].from, e.why);
	assert_int_equal(e.status, EXIT_USAGE);
	free(changed);
}

static void test_refused(void **state)
{
	struct kmem *k = kmem_fixture(true);
	char *text = kmem_fixture_text(k);
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_wrong(text, i);
	free(text);
	kmem_free(k);
}

/* Each number is possible, their sum is not. */
static void test_overflow(void **state)
{
	struct kmem *k = kmem_fixture_many(KMEM_FIXTURE_ROWS), *back;
	struct error e = {};
	char *text;
	size_t i;

	for (i = 0; i < k->n_rows; i++)
		k->rows[i].alloc = 1ULL << 56;
	text = kmem_fixture_text(k);
	back = kmem_fixture_load(text, &e);
	assert_null(back);
	assert_string_equal(e.why, "its counts overflow in total");
	free(text);
	kmem_free(k);
}

/* A night of many objects: the sums of their times need more than 64 bits. */
static void test_long_times(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_sums s;

	k->rows[0].live_age_ns = k->rows[2].live_age_ns = UINT64_MAX;
	k->lifes[0].sum_ns = k->lifes[1].sum_ns = UINT64_MAX;
	s = kmem_total(k, KSTATS_KMEM_KMALLOC);
	assert_true(s.live_age_ns >> 1 == UINT64_MAX);
	assert_true(s.life_ns >> 1 > UINT64_MAX - 1);
	check_round_trip(k);
}

/* More lifetimes than other tables may have rows. */
static void test_many_lifes(void **state)
{
	size_t i, n = fixture_rounds(300000, 3000);
	struct kmem *k = kmem_fixture(true);
	struct kmem_life *lifes = calloc(n, sizeof(*lifes));

	assert_non_null(lifes);
	for (i = 0; i < n; i++)
		lifes[i] = k->lifes[0];
	free(k->lifes);
	k->lifes = lifes;
	k->n_lifes = n;
	check_round_trip(k);
}

static void test_nothing(void **state)
{
	kmem_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_skip),
		cmocka_unit_test(test_safe),       cmocka_unit_test(test_values),
		cmocka_unit_test(test_refused),    cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_long_times), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_many_lifes),
	};

	return cmocka_run_group_tests_name("kmem", tests, NULL, NULL);
}
