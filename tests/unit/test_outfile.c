// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_outfile.c - a result file is there whole or not at all, and what cannot be
 * written is somewhere else. renameat() is this program's own.
 */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/outfile.h"

static bool killed_at_rename;
static int rename_err;
static int n_renamed;

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	n_renamed++;
	if (killed_at_rename)
		raise(SIGKILL);
	if (rename_err) {
		errno = rename_err;
		return -1;
	}
	return syscall(SYS_renameat, from_dir, from, to_dir, to);
}

static char folder[] = "/tmp/test_outfile.XXXXXX";
static char path[64], temp[96], kept[96];

static const char *contents(const char *name)
{
	static char buf[64];
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;

	buf[n] = '\0';
	if (!f)
		return NULL;
	fclose(f);
	return buf;
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int write_one(const char *text, struct error *e)
{
	struct outfile o;
	int err = outfile_open(&o, path, e);

	if (err)
		return err;
	fputs(text, o.stream);
	return outfile_commit(&o, e);
}

static int setup(void **state)
{
	killed_at_rename = false;
	rename_err = n_renamed = 0;
	unlink(path);
	unlink(temp);
	unlink(kept);
	return chmod(folder, 0755);
}

static void test_new_has_no_moment(void **state)
{
	struct error e;

	assert_int_equal(write_one("new", &e), 0);
	assert_string_equal(contents(path), "new");
	assert_int_equal(n_renamed, 0);
	assert_null(contents(temp));
}

static void test_replaced(void **state)
{
	struct error e;

	put_file(path, "old");
	assert_int_equal(write_one("new", &e), 0);
	assert_string_equal(contents(path), "new");
	assert_null(contents(temp));
}

/* At the worst moment: the file has its temporary name, and not the other yet. */
static void test_killed(void **state)
{
	struct error e;
	int status;
	pid_t pid;

	put_file(path, "old");
	pid = fork();
	if (!pid) {
		killed_at_rename = true;
		write_one("lost", &e);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_string_equal(contents(path), "old");
	assert_string_equal(contents(temp), "lost");
	assert_int_equal(write_one("new", &e), 0);
	assert_string_equal(contents(path), "new");
	assert_null(contents(temp));
}

/* Also where it comes to nothing: what was left is gone as soon as there is another. */
static void test_left_over_goes_at_once(void **state)
{
	struct outfile o;
	struct error e;

	put_file(temp, "lost");
	assert_int_equal(outfile_open(&o, path, &e), 0);
	assert_null(contents(temp));
	outfile_abort(&o);
}

static void test_of_another_alive(void **state)
{
	struct outfile o;
	struct error e;
	int fd;

	put_file(temp, "alive");
	fd = open(temp, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(outfile_open(&o, path, &e), 0);
	assert_string_equal(contents(temp), "alive");
	outfile_abort(&o);
	close(fd);
}

static void test_kept_beside(void **state)
{
	struct error e;

	put_file(path, "old");
	rename_err = EPERM;
	assert_int_equal(write_one("new", &e), -EPERM);
	assert_string_equal(contents(path), "old");
	assert_string_equal(contents(kept), "new");
	assert_null(contents(temp));
	assert_non_null(strstr(e.next, kept));
}

/* Root's own rights are given up before a file is replaced: it is told before. */
static void test_sticky(void **state)
{
	struct error e;

	if (geteuid())
		skip();
	put_file(path, "theirs");
	assert_int_equal(chown(path, 1234, 1234), 0);
	assert_int_equal(write_one("mine", &e), 0);
	put_file(path, "theirs");
	assert_int_equal(chown(path, 1234, 1234), 0);
	assert_int_equal(chown(folder, 1235, 1235) | chmod(folder, 01777), 0);
	assert_int_equal(write_one("mine", &e), -EPERM);
	assert_non_null(strstr(e.why, "sticky"));
	assert_string_equal(contents(path), "theirs");
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(write_one("mine", &e), 0);
	assert_int_equal(chown(folder, 0, 0), 0);
}

/* Every file may have 4 bytes, and standard output is none. */
static void test_limit(void **state)
{
	const struct rlimit limit = { 4, 4 };
	int pipes[2], status, n;
	char text[16] = "";
	struct error e;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		dup2(pipes[1], STDOUT_FILENO);
		_exit(write_one("more than 4", &e) != -EFBIG || !strstr(e.next, "standard output"));
	}
	close(pipes[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = read(pipes[0], text, sizeof(text) - 1);
	close(pipes[0]);
	assert_int_equal(status, 0);
	assert_int_equal(n, 11);
	assert_string_equal(text, "more than 4");
	assert_null(contents(path));
	assert_null(contents(kept));
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/report", folder);
	snprintf(temp, sizeof(temp), "%s.kstats-tmp", path);
	snprintf(kept, sizeof(kept), "%s.kept-%d", path, getpid());
	return 0;
}

static int remove_folder(void **state)
{
	return setup(state) || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_new_has_no_moment, setup),
		cmocka_unit_test_setup(test_replaced, setup),
		cmocka_unit_test_setup(test_killed, setup),
		cmocka_unit_test_setup(test_left_over_goes_at_once, setup),
		cmocka_unit_test_setup(test_of_another_alive, setup),
		cmocka_unit_test_setup(test_kept_beside, setup),
		cmocka_unit_test_setup(test_sticky, setup),
		cmocka_unit_test_setup(test_limit, setup),
	};

	return cmocka_run_group_tests_name("outfile", tests, make_folder, remove_folder);
}
