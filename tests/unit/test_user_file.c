// SPDX-License-Identifier: GPL-2.0-only
/* test_user_file.c - whether a path leads to another file by now, whatever it leads to. */
#include "fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/user.h"

struct place {
	char folder[32];
	char path[64];
	struct user_file then;
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	*state = p;
	strcpy(p->folder, "/tmp/kstats-file.XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->path, sizeof(p->path), "%s/program", p->folder);
	write_file(p->path, "first");
	return user_file_read(p->path, &p->then);
}

static int remove_place(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	rmdir(p->folder);
	free(p);
	return 0;
}

static void expect_moved(const struct place *p, const char *words)
{
	char why[384];

	assert_int_equal(user_file_moved(p->path, &p->then, why, sizeof(why)), !!*words);
	assert_non_null(strstr(why, words));
}

static void test_same(void **state)
{
	expect_moved(*state, "");
}

static void test_written(void **state)
{
	struct place *p = *state;

	write_file(p->path, "longer than before");
	expect_moved(p, "was overwritten");
}

static void test_replaced(void **state)
{
	struct place *p = *state;
	char other[80];

	snprintf(other, sizeof(other), "%s.new", p->path);
	write_file(other, "second");
	assert_int_equal(rename(other, p->path), 0);
	expect_moved(p, "was replaced");
}

/* To open it would wait for somebody who writes to it. */
static void test_pipe(void **state)
{
	struct place *p = *state;

	assert_int_equal(unlink(p->path), 0);
	assert_int_equal(mkfifo(p->path, 0600), 0);
	alarm(10);
	expect_moved(p, "was removed");
	alarm(0);
}

static void test_device(void **state)
{
	struct place *p = *state;

	assert_int_equal(unlink(p->path), 0);
	assert_int_equal(symlink("/dev/null", p->path), 0);
	expect_moved(p, "was removed");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_same), CASE(test_written), CASE(test_replaced),
		CASE(test_pipe), CASE(test_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
