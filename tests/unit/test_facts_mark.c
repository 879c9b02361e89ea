// SPDX-License-Identifier: GPL-2.0-only
/* test_facts_mark.c - a module that comes, goes or is loaded anew is seen. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "facts/facts.h"

#define BTF_DIR "/sys/kernel/btf/"

static void path_of(char path[256], const char *root, const char *name)
{
	snprintf(path, 256, "%s" BTF_DIR "%s", root, name);
}

static void put(const char *root, const char *name)
{
	char path[256];
	int fd;

	path_of(path, root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
}

static void drop(const char *root, const char *name)
{
	char path[256];

	path_of(path, root, name);
	assert_int_equal(unlink(path), 0);
}

static void test_mark(void **state)
{
	char root[] = "/tmp/test-mark-XXXXXX", path[256], other[512], modules[256], *slash;
	uint64_t none, one, two, anew;

	assert_non_null(mkdtemp(root));
	assert_int_equal(facts_mark(root), 0);
	path_of(path, root, "");
	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		assert_int_equal(mkdir(path, 0700), 0);
	}
	put(root, "vmlinux");
	/* Without the list of modules nothing is known of those that have no BTF. */
	assert_int_equal(facts_mark(root), 0);
	snprintf(modules, sizeof(modules), "%s/sys/module", root);
	assert_int_equal(mkdir(modules, 0700), 0);
	none = facts_mark(root);
	assert_int_equal(facts_mark(root), none);
	put(root, "ext4");
	one = facts_mark(root);
	assert_int_not_equal(one, none);
	put(root, "xfs");
	two = facts_mark(root);
	assert_int_not_equal(two, one);
	drop(root, "xfs");
	assert_int_equal(facts_mark(root), one);
	/* Both are there for a moment, so that they have two numbers. */
	put(root, "fresh");
	path_of(path, root, "fresh");
	path_of(other, root, "ext4");
	assert_int_equal(rename(path, other), 0);
	anew = facts_mark(root);
	assert_int_not_equal(anew, one);
	drop(root, "ext4");
	assert_int_equal(facts_mark(root), none);
	snprintf(other, sizeof(other), "%s/without_btf", modules);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_not_equal(facts_mark(root), none);
	assert_int_equal(rmdir(other), 0);
	drop(root, "vmlinux");
	assert_int_equal(facts_mark(root), 0);
	assert_int_equal(rmdir(modules), 0);
	for (*strrchr(path, '/') = '\0'; strlen(path) >= strlen(root); *strrchr(path, '/') = '\0')
		assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
