// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cost.c - costs as rows, in JSON, and kept in a file that others may have
 * had their hands on.
 */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibrate/calibrate.h"

#define BOOT "0a1b2c3d-0000-1111-2222-333344445555"

/* A folder with a /proc of its own. */
struct home {
	char root[64];
	char proc[96];
	char folder[96];
	char file[160];
	struct calibrate_place place;
};

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void set_proc(const struct home *h, const char *boot, const char *release)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/sys/kernel/random/boot_id", h->proc);
	write_text(path, boot);
	snprintf(path, sizeof(path), "%s/sys/kernel/osrelease", h->proc);
	write_text(path, release);
}

static int make_home(void **state)
{
	static const char *const folders[] = { "", "/sys", "/sys/kernel", "/sys/kernel/random" };
	struct home *h = calloc(1, sizeof(*h));
	char path[256];
	size_t i;

	assert_non_null(h);
	strcpy(h->root, "/tmp/kstats-cost-XXXXXX");
	assert_non_null(mkdtemp(h->root));
	snprintf(h->proc, sizeof(h->proc), "%s/proc", h->root);
	snprintf(h->folder, sizeof(h->folder), "%s/run", h->root);
	snprintf(h->file, sizeof(h->file), "%s/%s", h->folder, CALIBRATE_FILE);
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s%s", h->proc, folders[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	set_proc(h, BOOT "\n", "6.12.0-amd64\n");
	h->place = (struct calibrate_place){ h->folder, h->proc };
	*state = h;
	return 0;
}

static int remove_home(void **state)
{
	struct home *h = *state;
	char command[128];
	int status;

	snprintf(command, sizeof(command), "rm -rf '%s'", h->root);
	status = system(command);
	free(h);
	return status;
}

static struct cost make_row(const char *method, const char *pairing, uint64_t base)
{
	struct cost c = { .backend = "map" };
	int i;

	snprintf(c.method, sizeof(c.method), "%s", method);
	snprintf(c.pairing, sizeof(c.pairing), "%s", pairing);
	for (i = 0; i < COST_STATES; i++) {
		c.floor_ns[i] = (struct cost_figure){ base + i, base, base + 10 };
		c.added_ns[i] = (struct cost_figure){ 3 * base + i, 2 * base, 4 * base + 2 };
	}
	return c;
}

static void put(struct costs *c, const char *method, const char *pairing, uint64_t base)
{
	const struct cost row = make_row(method, pairing, base);

	assert_int_equal(costs_put(c, &row), 0);
}

/* ---- rows ---- */

static void test_rows(void **state)
{
	struct costs c = {}, other = {};
	struct cost row;
	char name[32];
	int i;

	put(&c, "fentry/fexit", "by task", 38);
	put(&c, "fentry/fexit", "per CPU", 30);
	put(&c, "tracepoint pair (tp_btf)", "by key", 90);
	put(&c, "fentry/fexit", "by task", 40); /* in place of the first */
	assert_int_equal(c.n, 3);
	assert_int_equal(costs_find(&c, "fentry/fexit", "map", "by task")->floor_ns[0].median, 40);
	assert_int_equal(costs_find(&c, "fentry/fexit", "map", "per CPU")->floor_ns[0].median, 30);
	assert_non_null(costs_find(&c, "tracepoint pair (tp_btf)", "map", "by key arg3 to arg1"));
	assert_null(costs_find(&c, "tracepoint pair (tp_btf)", "map", "by task"));
	assert_null(costs_find(&c, "fentry/fexit", "kmod", "by task"));
	assert_null(costs_find(&c, NULL, "map", "by task"));
	assert_null(costs_find(&c, "fentry/fexit", NULL, "by task"));
	assert_null(costs_find(&c, "fentry/fexit", "map", NULL));
	/* What differs, or is in one only, is not true for both. */
	put(&other, "fentry/fexit", "by task", 41);
	put(&other, "fentry/fexit", "per CPU", 30);
	costs_agree(&c, &other);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.rows[0].pairing, "per CPU");
	for (i = 1; i < COSTS_MAX; i++) {
		snprintf(name, sizeof(name), "method %d", i);
		put(&c, name, "by task", i);
	}
	row = make_row("one more", "by task", 1);
	assert_int_equal(costs_put(&c, &row), -E2BIG);
	costs_free(&c);
	costs_free(&other);
	assert_int_equal(c.n, 0);
}

/* ---- kept ---- */

static void save(const struct home *h)
{
	struct costs c = {};
	struct error e = {};

	put(&c, "fentry/fexit", "by task", 38);
	put(&c, "kprobe/kretprobe", "by task", COST_NS_MAX / 4 - 1);
	if (calibrate_save(&h->place, &c, &e))
		fail_msg("%s: %s", e.what, e.why);
	costs_free(&c);
}

static void expect(const struct home *h, int err, const char *why)
{
	struct costs c = {};
	struct error e = {};

	assert_int_equal(calibrate_load(&h->place, &c, &e), err);
	assert_int_equal(c.n, 0);
	assert_null(c.rows);
	if (why && !strstr(e.why, why))
		fail_msg("said: %s", e.why);
	if (why && !strstr(e.what, h->folder))
		fail_msg("said: %s", e.what);
	if (why && !strstr(e.next, "kstats-bpf calibrate"))
		fail_msg("said: %s", e.next);
}

static void test_round_trip(void **state)
{
	const struct home *h = *state;
	const struct cost want = make_row("kprobe/kretprobe", "by task", COST_NS_MAX / 4 - 1);
	struct costs c = {};
	struct stat st;
	char left[128];
	mode_t old;

	expect(h, -ENOENT, NULL);
	old = umask(077);
	save(h);
	umask(old);
	assert_int_equal(stat(h->folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(stat(h->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	snprintf(left, sizeof(left), "%s/calibration.json.kstats-tmp", h->folder);
	write_text(left, "half of it"); /* by one that was killed */
	save(h); /* over the first */
	assert_int_equal(calibrate_load(&h->place, &c, NULL), 0);
	assert_int_equal(c.n, 2);
	assert_memory_equal(&c.rows[1], &want, sizeof(want));
	costs_free(&c);
	assert_int_equal(unlink(h->file), 0);
	/* Nothing else was left in it. */
	assert_int_equal(rmdir(h->folder), 0);
}

static void test_stale(void **state)
{
	const struct home *h = *state;
	struct costs c = {};

	save(h);
	set_proc(h, "another boot\n", "6.12.0-amd64\n");
	expect(h, -ESTALE, "of an earlier boot");
	set_proc(h, BOOT "\n", "6.12.1-amd64\n");
	expect(h, -ESTALE, "of another kernel");
	set_proc(h, BOOT "\n", "6.12.0-amd64\n");
	assert_int_equal(calibrate_load(&h->place, &c, NULL), 0);
	costs_free(&c);
	set_proc(h, "", "6.12.0-amd64\n");
	expect(h, -ESTALE, "of an earlier boot");
}

static void test_hands(void **state)
{
	const struct home *h = *state;
	char other[128];

	save(h);
	snprintf(other, sizeof(other), "%s/other", h->root);
	assert_int_equal(chmod(h->file, 0664), 0);
	expect(h, -EPERM, "others may write");
	assert_int_equal(chmod(h->file, 0646), 0);
	expect(h, -EPERM, "others may write");
	assert_int_equal(chmod(h->file, 0644), 0);
	assert_int_equal(chmod(h->folder, 01777), 0);
	expect(h, -EPERM, "others may write");
	assert_int_equal(chmod(h->folder, 0755), 0);
	if (!geteuid()) {
		assert_int_equal(chown(h->file, 12345, 0), 0);
		expect(h, -EPERM, "another user");
		assert_int_equal(chown(h->file, 0, 0), 0);
		assert_int_equal(chown(h->folder, 12345, 0), 0);
		expect(h, -EPERM, "another user");
		assert_int_equal(chown(h->folder, 0, 0), 0);
	}
	assert_int_equal(rename(h->file, other), 0);
	assert_int_equal(symlink(other, h->file), 0);
	expect(h, -ELOOP, "is a link");
	assert_int_equal(unlink(h->file), 0);
	assert_int_equal(mkfifo(h->file, 0644), 0);
	expect(h, -EINVAL, "not a regular file");
	assert_int_equal(unlink(h->file), 0);
	assert_int_equal(rename(h->folder, other), -1);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rename(h->folder, other), 0);
	assert_int_equal(symlink(other, h->folder), 0);
	expect(h, -ENOTDIR, "is a link");
}

/* Nothing is written through a link, or where others may write. */
static void test_save_refuses(void **state)
{
	const struct home *h = *state;
	struct costs c = {};
	struct error e = {};
	char other[128];
	struct stat st;

	put(&c, "fentry/fexit", "by task", 38);
	snprintf(other, sizeof(other), "%s/other", h->root);
	assert_int_equal(mkdir(other, 0755), 0);
	assert_int_equal(symlink(other, h->folder), 0);
	assert_int_equal(calibrate_save(&h->place, &c, &e), -ENOTDIR);
	assert_int_equal(unlink(h->folder), 0);
	assert_int_equal(mkdir(h->folder, 0755), 0);
	assert_int_equal(chmod(h->folder, 0777), 0);
	assert_int_equal(calibrate_save(&h->place, &c, &e), -EPERM);
	assert_int_equal(chmod(h->folder, 0755), 0);
	/* A link in place of the file is replaced; what it points to stays as it is. */
	snprintf(other, sizeof(other), "%s/other/victim", h->root);
	write_text(other, "mine");
	assert_int_equal(symlink(other, h->file), 0);
	assert_int_equal(calibrate_save(&h->place, &c, &e), 0);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(lstat(h->file, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	costs_free(&c);
}

static void test_hint(void **state)
{
	const struct home *h = *state;

	assert_true(calibrate_hint(&h->place));
	assert_false(calibrate_hint(&h->place));
	set_proc(h, "11111111-0000-1111-2222-333344445555\n", "6.12.0-amd64\n");
	assert_true(calibrate_hint(&h->place));
	assert_false(calibrate_hint(&h->place));
	/* A folder that others may write to keeps nothing. */
	assert_int_equal(chmod(h->folder, 0777), 0);
	assert_true(calibrate_hint(&h->place));
	assert_true(calibrate_hint(&h->place));
	assert_int_equal(chmod(h->folder, 0755), 0);
}

/* ---- what is in it ---- */

struct change {
	const char *from;
	const char *to;
	const char *why;
};

static const struct change changes[] = {
	{ "kstats-bpf calibration", "kstats-bpf recording",
	  "'format' is 'kstats-bpf recording' and not 'kstats-bpf calibration'" },
	{ "\"version\":1", "\"version\":2", "this program knows 1" },
	{ "\"version\":1", "\"version\":\"1\"", "'version' is of type string" },
	{ "\"boot_id\"", "\"boot\"", "'boot_id' is missing" },
	{ "\"kernel\":\"6.12.0-amd64\"", "\"kernel\":7", "'kernel' is of type int" },
	{ "\"calibration\":[", "\"calibration\":[7,", "holds what is not an object" },
	{ "\"calibration\":[", "\"calibration\":{},\"x\":[", "'calibration' is of type object" },
	{ "\"calibration\":[", "\"calibration\":[{},", "'method' is missing" },
	{ "\"method\":\"fentry/fexit\"", "\"method\":\"\"", "empty or too long" },
	{ "\"method\":\"fentry/fexit\"", "\"method\":\"a\\u0000b\"", "holds a NUL" },
	{ "\"method\":\"fentry/fexit\"",
	  "\"method\":\"0123456789012345678901234567890123456789012345678901234567890123\"",
	  "empty or too long" },
	{ "\"method\":\"fentry/fexit\"", "\"method\":\"kprobe/kretprobe\"", "twice" },
	{ "\"hot\":", "\"warm\":", "'hot' is missing" },
	{ "\"cold\":{", "\"cold\":[],\"x\":{", "'cold' is of type array" },
	{ "\"floor_ns\":{", "\"floor_ns\":38,\"x\":{", "'floor_ns' is of type int" },
	{ "\"added_ns\":{", "\"x\":{", "'added_ns' is missing" },
	{ "\"median\":38", "\"median\":-38", "below zero" },
	{ "\"median\":38", "\"median\":38.5", "'median' is of type double" },
	{ "\"median\":38", "\"median\":1000000001", "at most 1000000000" },
	{ "\"median\":38", "\"median\":49", "not between" },
	{ "\"median\":38", "\"median\":37", "not between" },
	{ "\"min\":38", "\"min\":39", "not between" },
	{ "]}\n", "]", "too early" },
	{ "]}\n", "]}x\n", "not JSON" },
};

static void check_change(const struct home *h, const char *text, const struct change *c)
{
	const char *at = strstr(text, c->from);
	char *changed;

	if (!at)
		fail_msg("there is no '%s' in %s", c->from, text);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, c->to,
			     at + strlen(c->from)) > 0);
	write_text(h->file, changed);
	assert_int_equal(chmod(h->file, 0644), 0);
	expect(h, -EINVAL, c->why);
	free(changed);
}

static void test_hostile(void **state)
{
	const struct home *h = *state;
	char text[4096] = "";
	size_t i;
	FILE *f;

	save(h);
	f = fopen(h->file, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		check_change(h, text, &changes[i]);
	write_text(h->file, "");
	expect(h, -EINVAL, "it is empty");
	assert_int_equal(truncate(h->file, 1 << 21), 0);
	expect(h, -EFBIG, "larger than 1 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test_setup_teardown(test_round_trip, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_stale, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_hands, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_save_refuses, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_hint, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_hostile, make_home, remove_home),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
