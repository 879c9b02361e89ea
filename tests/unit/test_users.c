// SPDX-License-Identifier: GPL-2.0-only
/* test_users.c - users and groups as files name them, and as libc does where it may. */
#include "fixture.h"

#include <errno.h>
#include <unistd.h>

#include "util/users.h"

static const char *file_of(const char *text)
{
	static char path[] = "/tmp/kstats-users-XXXXXX";
	int fd;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static void test_file_users(void **state)
{
	const char *path = file_of("root:x:0:0:root:/root:/bin/bash\n"
				   "# no user:x:7\n"
				   "a:x:1001:1001::/home/a:/bin/a\n"
				   "b:x:100:100:,,,:/home/b:\n"
				   "again:x:100:100::/:/\n");
	struct users_user u;

	assert_int_equal(users_file_find(path, 100, &u), 0);
	assert_string_equal(u.name, "b");
	assert_string_equal(u.home, "/home/b");
	assert_string_equal(u.shell, "");
	users_free(&u);
	assert_int_equal(users_file_find(path, 1001, &u), 0);
	assert_string_equal(u.shell, "/bin/a");
	users_free(&u);
	assert_int_equal(users_file_find(path, 10, &u), -ENOENT);
	users_free(&u);
	unlink(path);
	assert_int_equal(users_file_find(path, 0, &u), -ENOENT);
}

static void test_file_groups(void **state)
{
	const char *path = file_of("root:x:0:\nmine:x:100:b\nadm:x:4:ab,b,c\n"
				   "bs:x:9:bb\nlast:x:70000:b");
	gid_t groups[USERS_GROUPS], id = 1;

	assert_int_equal(users_file_groups(path, "b", 100, groups), 3);
	assert_int_equal(groups[0], 100);
	assert_int_equal(groups[1], 4);
	assert_int_equal(groups[2], 70000);
	assert_int_equal(users_file_groups(path, "x", 5, groups), 1);
	assert_int_equal(users_file_group(path, "bs", &id), 0);
	assert_int_equal(id, 9);
	assert_int_equal(users_file_group(path, "b", &id), -ENOENT);
	assert_int_equal(id, 9);
	unlink(path);
	assert_int_equal(users_file_groups(path, "b", 100, groups), 1);
	assert_int_equal(users_file_group(path, "bs", &id), -ENOENT);
}

static void test_machine(void **state)
{
	gid_t groups[USERS_GROUPS], id = 1;
	struct users_user u;

	assert_false(users_only_files());
	assert_int_equal(users_find(0, &u), 0);
	assert_string_equal(u.name, "root");
	assert_true(users_groups(u.name, 0, groups) >= 1);
	assert_int_equal(groups[0], 0);
	users_free(&u);
	assert_int_equal(users_group("root", &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(users_group("no such group", &id), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_users),
		cmocka_unit_test(test_file_groups),
		cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
