// SPDX-License-Identifier: GPL-2.0-only
/* test_spec.c - words into a spec: each option's effect, classic words, limits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "spec/spec.h"

#define WORDS_MAX 64

/* The words of one line, as argv; they live as long as the spec. */
struct words {
	char text[2048];
	char *argv[WORDS_MAX];
	int argc;
};

static int parse(struct spec *spec, struct words *w, const char *line, struct error *e)
{
	char *save = NULL, *word;

	w->argc = 0;
	snprintf(w->text, sizeof(w->text), "trace %s", line);
	for (word = strtok_r(w->text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		w->argv[w->argc++] = word;
	w->argv[w->argc] = NULL;
	return spec_parse_trace(spec, w->argc, w->argv, e);
}

static void good(struct spec *spec, struct words *w, const char *line)
{
	struct error e = {};
	int err = parse(spec, w, line, &e);

	if (err)
		print_error("%s: %s: %s\n", line, e.what, e.why);
	assert_int_equal(err, 0);
}

static void test_defaults(void **state)
{
	struct spec spec;
	struct words w;

	good(&spec, &w, "vfs_read");
	assert_int_equal(spec.n_targets, 1);
	assert_string_equal(spec.targets[0].name, "vfs_read");
	assert_null(spec.targets[0].module);
	assert_int_equal(spec.bits, 5);
	assert_int_equal(spec.pairing, KSTATS_BY_TASK);
	assert_int_equal(spec.max_functions, 0);
	assert_string_equal(spec.format, "summary");
	assert_false(spec.gap);
	assert_null(spec.command);
	spec_free(&spec);
}

static void test_options(void **state)
{
	struct spec spec;
	struct words w;

	good(&spec, &w,
	     "a mod:b c* -b 0 -m kprobe --backend kmod --key cpu --gap --merge --limit functions=7 "
	     "-p 1,2 -t 3 --comm sh -C 0-2,65 -c /x --if duration>10us --by ret<0 "
	     "-d 1.5 -i 500ms -f json -o f -u us --buckets 8 --max-loss 0 --dry-run -q");
	assert_int_equal(spec.n_targets, 3);
	assert_string_equal(spec.targets[1].module, "mod");
	assert_string_equal(spec.targets[1].name, "b");
	assert_string_equal(spec.targets[2].name, "c*");
	assert_int_equal(spec.bits, 0);
	assert_int_equal(spec.method, SPEC_METHOD_KPROBE);
	assert_int_equal(spec.backend, SPEC_BACKEND_KMOD);
	assert_int_equal(spec.pairing, KSTATS_BY_CPU);
	assert_true(spec.gap && spec.merge && spec.split_ret);
	assert_true(!spec.series.gate.max_loss && spec.dry_run && spec.quiet);
	assert_int_equal(spec.max_functions, 7);
	assert_int_equal(spec.who.n_pids, 2);
	assert_int_equal(spec.who.pids[1], 2);
	assert_int_equal(spec.who.tids[0], 3);
	assert_string_equal(spec.who.comm, "sh");
	assert_true(spec.who.by_cpu);
	assert_int_equal(spec.who.cpus[0], 7);
	assert_int_equal(spec.who.cpus[1], 2);
	assert_string_equal(spec.who.cgroup, "/x");
	assert_string_equal(spec.condition->text, "duration>10us");
	assert_int_equal(spec.n_by, 0);
	assert_int_equal(spec.duration_ns, 1500000000);
	assert_int_equal(spec.interval_ns, 500000000);
	assert_string_equal(spec.format, "json");
	assert_string_equal(spec.output, "f");
	assert_string_equal(spec.unit, "us");
	assert_true(spec.buckets.given && spec.buckets.bits == 3);
	spec_free(&spec);
}

static void test_pair(void **state)
{
	struct spec spec;
	struct words w;

	good(&spec, &w, "--start tp:sched:sched_switch[arg1] --end mod:f[arg3]");
	assert_int_equal(spec.start.kind, SPEC_TRACEPOINT);
	assert_string_equal(spec.start.module, "sched");
	assert_string_equal(spec.start.name, "sched_switch");
	assert_int_equal(spec.end.kind, SPEC_FUNCTION);
	assert_string_equal(spec.end.module, "mod");
	assert_int_equal(spec.pairing, KSTATS_BY_KEY);
	assert_int_equal(spec.key_start, 1);
	assert_int_equal(spec.key_end, 3);
	assert_string_equal(spec.name, "sched_switch..f");
	spec_free(&spec);
	good(&spec, &w, "--start __tracepoint_a --end tp:b --key arg5 -n N");
	assert_int_equal(spec.start.kind, SPEC_TRACEPOINT);
	assert_string_equal(spec.start.name, "a");
	assert_int_equal(spec.key_end, 5);
	assert_string_equal(spec.name, "N");
	spec_free(&spec);
}

/* Two distributions do for errors of functions of the kernel, where nothing else is asked. */
static void test_split(void **state)
{
	static const struct {
		const char *line;
		bool split_ret;
	} rows[] = {
		{ "f --by ret<0", true },
		{ "f --by 0>ret", true },
		{ "f --by 0<ret", false },
		{ "f --by ret<=0", false },
		{ "f --by ret<1", false },
		{ "f --by duration<0", false },
		{ "f --by (long)ret<0", false },
		{ "f --by ret<0,cpu", false },
		{ "f --by ret<0 --limit keys=2", false },
		{ "u:a:f --by ret<0", false },
		{ "f --by ret<0 --value ret", false },
		{ "--start f --end g --by ret<0", false },
	};
	struct spec spec;
	struct words w;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		good(&spec, &w, rows[i].line);
		assert_int_equal(spec.split_ret, rows[i].split_ret);
		assert_int_equal(!spec.n_by, rows[i].split_ret);
		spec_free(&spec);
	}
}

static void test_command(void **state)
{
	struct spec spec;
	struct words w;

	good(&spec, &w, "f -a --as-root -m fast -- ls -l -- x");
	assert_true(spec.all && spec.as_root && spec.fast);
	assert_string_equal(spec.command[0], "ls");
	assert_string_equal(spec.command[1], "-l");
	assert_string_equal(spec.command[2], "--");
	assert_string_equal(spec.command[3], "x");
	assert_null(spec.command[4]);
	spec_free(&spec);
}

static void test_classic(void **state)
{
	struct spec spec;
	struct words w;

	good(&spec, &w, "S END Y bits 4 Start X -d 3");
	assert_true(spec.classic && spec.gap);
	assert_string_equal(spec.name, "S");
	assert_int_equal(spec.bits, 4);
	assert_string_equal(spec.start.name, "X");
	assert_string_equal(spec.end.name, "Y");
	assert_int_equal(spec.n_targets, 0);
	assert_int_equal(spec.duration_ns, 3000000000);
	spec_free(&spec);
	good(&spec, &w, "S bits 0");
	assert_int_equal(spec.n_targets, 1);
	assert_string_equal(spec.targets[0].name, "S");
	assert_int_equal(spec.bits, 0);
	spec_free(&spec);
	good(&spec, &w, "S start X");
	assert_string_equal(spec.targets[0].name, "X");
	assert_int_equal(spec.bits, 3);
	spec_free(&spec);
	good(&spec, &w, "S end Y");
	assert_string_equal(spec.start.name, "S");
	spec_free(&spec);
}

static int line(const char *text)
{
	struct error e = {};
	struct spec spec;
	int err = spec_parse_line(&spec, text, &e);

	if (err)
		assert_int_equal(e.err, err);
	spec_free(&spec);
	return err;
}

static void test_expressions(void **state)
{
	struct error e = {};
	struct spec spec;
	struct words w;

	good(&spec, &w, "vfs_read --if count>4k&&ret<0");
	assert_string_equal(spec.condition->text, "count>4k&&ret<0");
	assert_true(spec_asks_at_entry(&spec));
	spec_free(&spec);
	good(&spec, &w, "vfs_read --if ret<0");
	assert_false(spec_asks_at_entry(&spec));
	spec_free(&spec);
	good(&spec, &w, "vfs_read");
	assert_null(spec.condition);
	assert_false(spec_asks_at_entry(&spec));
	spec_free(&spec);
	good(&spec, &w, "--start a[p->pid] --end b[next->pid]");
	assert_int_equal(spec.pairing, KSTATS_BY_KEY);
	assert_string_equal(spec.keys[0]->text, "p->pid");
	assert_string_equal(spec.keys[1]->text, "next->pid");
	spec_free(&spec);
	/* Where an argument of a program is, only an expression knows. */
	good(&spec, &w, "--start usdt:p:a:b[arg0] --end tp:t[arg3]");
	assert_int_equal(spec.pairing, KSTATS_BY_KEY);
	assert_string_equal(spec.keys[0]->text, "arg0");
	assert_string_equal(spec.keys[1]->text, "arg3");
	spec_free(&spec);
	good(&spec, &w, "--start a --end b --key rq+1");
	assert_string_equal(spec.keys[1]->text, "rq+1");
	spec_free(&spec);
	good(&spec, &w, "--start a --end b --key arg1");
	assert_null(spec.keys[0]);
	spec_free(&spec);
	/* All parts are the same at both. */
	good(&spec, &w, "--start a --end b --key dev,sector");
	assert_string_equal(spec.keys[0]->text, "dev,sector");
	assert_string_equal(spec.keys[1]->text, "dev,sector");
	spec_free(&spec);
	assert_int_equal(parse(&spec, &w, "--start a --end b --key x,", &e), -EINVAL);
	assert_string_equal(e.why, "column 3: an operand is missing at the end");
	spec_free(&spec);
}

/* Points on the way, with commas between them or one by one; a function is a pair with them. */
static void test_via(void **state)
{
	static const struct {
		const char *line, *why;
	} bad_lines[] = {
		{ "--start a --end b --via c,d,e --via f,g", "up to 4" },
		{ "f g --via c", "on the way of one" },
		{ "f* --via c", "on the way of one" },
		{ "u:p:f --via c", "no point of a pair" },
		{ "f --via c --key arg0", "in one task" },
		{ "f --via c --value ret", "has stages" },
		{ "f --via c --key cpu", "another start" },
		{ "f --via c --comm x", "between a call and one inside" },
		{ "f --via c --cpu 0", "between a call and one inside" },
		{ "--via c", "the points of a pair" },
		{ "--start a --end b --via c --floor subtract", "as it was measured" },
		{ "--start a[x] --end b[x] --via c", "has none" },
	};
	struct error e;
	struct spec spec;
	struct words w;
	size_t i;

	good(&spec, &w, "--start a --end b --key x --via c,tp:d --via e[y]");
	assert_true(spec_is_several(&spec) && !spec.is_call);
	assert_string_equal(spec.name, "a..b");
	assert_string_equal(spec.via.name, "c");
	assert_int_equal(spec.via.next->kind, SPEC_TRACEPOINT);
	assert_string_equal(spec.via.next->next->key->text, "y");
	assert_null(spec.via.next->next->next);
	spec_free(&spec);
	good(&spec, &w, "mod:f --via c");
	assert_true(spec.is_call && spec.end.is_return && !spec.start.is_return);
	assert_int_equal(spec.n_targets, 0);
	assert_string_equal(spec.name, "f");
	assert_string_equal(spec.end.name, "f");
	assert_string_equal(spec.end.module, "mod");
	spec_free(&spec);
	for (i = 0; i < sizeof(bad_lines) / sizeof(*bad_lines); i++) {
		if (!parse(&spec, &w, bad_lines[i].line, &e))
			fail_msg("taken: %s", bad_lines[i].line);
		if (!strstr(e.why, bad_lines[i].why))
			fail_msg("%s: %s", bad_lines[i].line, e.why);
		spec_free(&spec);
	}
}

static void test_callees(void **state)
{
	static const struct {
		const char *line, *why;
	} bad_lines[] = {
		{ "f g --callees", "of one function" },
		{ "f* --callees", "of one function" },
		{ "--callees", "of one function" },
		{ "u:p:f --callees", "the kernel's own" },
		{ "m:f --callees", "the kernel's own" },
		{ "f --callees --via c", "divide one duration" },
		{ "f --callees --value ret", "a duration is divided" },
		{ "f --callees --key arg0", "callees are of one" },
		{ "f --callees --key cpu", "callees are of one" },
		{ "f --callees --merge", "of one function" },
		{ "f --callees -m direct", "no account of tasks" },
		{ "f --callees --floor subtract", "as it was measured" },
		{ "--start a --end b --callees", "a function has callees" },
		{ "f --callees=a,,b", "a name is missing" },
	};
	struct error e;
	struct spec spec;
	struct words w;
	size_t i;

	good(&spec, &w, "f --callees");
	assert_string_equal(spec.callees, "");
	assert_true(spec.parts);
	spec_free(&spec);
	good(&spec, &w, "--callees=a,b f");
	assert_string_equal(spec.callees, "a,b");
	spec_free(&spec);
	for (i = 0; i < sizeof(bad_lines) / sizeof(*bad_lines); i++) {
		if (!parse(&spec, &w, bad_lines[i].line, &e))
			fail_msg("taken: %s", bad_lines[i].line);
		if (!strstr(e.why, bad_lines[i].why))
			fail_msg("%s: %s", bad_lines[i].line, e.why);
		spec_free(&spec);
	}
}

static void test_line(void **state)
{
	char text[400];

	assert_int_equal(line("trace S"), 0);
	assert_int_equal(line("  TRACE S BITS 5 start a END b \n"), 0);
	assert_int_equal(line("trace S start __tracepoint_a end __tracepoint_b"), 0);
	assert_int_equal(line(""), -EINVAL);
	assert_int_equal(line("trace"), -EINVAL);
	assert_int_equal(line("trase S"), -EINVAL);
	assert_int_equal(line("trace S bits"), -EINVAL);
	assert_int_equal(line("trace S bits 6"), -EINVAL);
	assert_int_equal(line("trace S bits 33"), -EINVAL);
	assert_int_equal(line("trace S size 3"), -EINVAL);
	assert_int_equal(line("trace S bits 3 bits 3"), -EINVAL);
	assert_int_equal(line("trace a/b"), -EINVAL);
	assert_int_equal(line("trace S start a b end c"), -EINVAL);
	assert_int_equal(line("trace 1 2 3 4 5 6 7 8 9 10"), -EINVAL);
	snprintf(text, sizeof(text), "trace S%*s", KSTATS_LINE_MAX - 7, "");
	assert_int_equal(strlen(text), KSTATS_LINE_MAX);
	assert_int_equal(line(text), 0);
	strcat(text, " ");
	assert_int_equal(line(text), -EINVAL);
	snprintf(text, sizeof(text), "trace %0*d", KSTATS_NAME_MAX, 1);
	assert_int_equal(line(text), 0);
	snprintf(text, sizeof(text), "trace %0*d", KSTATS_NAME_MAX + 1, 1);
	assert_int_equal(line(text), -EINVAL);
}

/* One number is that many; of two, the first is where it is first looked. */
static void test_range(void **state)
{
	struct error e;
	struct spec spec;
	struct words w;

	good(&spec, &w, "f --runs 6..40 --vs ./old --max-increase p99=5% -- ./new");
	assert_int_equal(spec.series.first, 6);
	assert_int_equal(spec.series.runs, 40);
	spec_free(&spec);
	good(&spec, &w, "f --runs 6..40 --runs 7 --vs ./old --max-increase p99=5% -- ./new");
	assert_int_equal(spec.series.first, 0);
	assert_int_equal(spec.series.runs, 7);
	spec_free(&spec);
	assert_int_equal(parse(&spec, &w, "f --runs 6..5 --assert count>0 -- ./new", &e), -EINVAL);
	assert_non_null(strstr(e.why, "the smaller first"));
	spec_free(&spec);
}

/* What is compared needs runs on both sides, and somebody who compares. */
static void test_vs(void **state)
{
	static const char *const good_lines[] = {
		"f --runs 6 --vs ./old --max-increase p99=5% -- ./new",
		"f --runs 6 --vs ./old --max-increase p99=5% --record r -- ./new",
		"f --runs 6 --vs ./old --record r -- ./new",
		"f --runs 2 --vs ./old --assert count>0 --max-increase mean=1% -- ./new",
		"f --runs 6..40 --vs ./old --max-increase p99=5% -- ./new",
		"f --runs 2..2 --vs ./old --max-increase p99=5% --assert count>0 -- ./new",
	};
	static const struct {
		const char *line, *why;
	} bad_lines[] = {
		{ "f --runs 6 --vs ./old --assert count>0 -- ./new", "no rule compares" },
		{ "f --runs 6 --vs ./old -- ./new", "nothing to do with them" },
		{ "f --runs 1 --vs ./old --max-increase p99=5% -- ./new", "one run on a side" },
		{ "f --vs ./old --max-increase p99=5% -- ./new", "one run on a side" },
		{ "f --runs 6 --vs ./old --max-increase p99=5% -d 1", "no command" },
		{ "f --runs 6 --max-increase p99=5% -- ./new", "nothing to compare with" },
		{ "f --runs 6..40 --vs ./old --record r -- ./new", "no rule that compares" },
		{ "f --runs 6..40 --assert count>0 -- ./new", "no rule that compares" },
		{ "f --runs 1..40 --vs ./old --max-increase p99=5% -- ./new", "one run on a side" },
	};
	struct error e;
	struct spec spec;
	struct words w;
	size_t i;

	for (i = 0; i < sizeof(good_lines) / sizeof(*good_lines); i++) {
		good(&spec, &w, good_lines[i]);
		assert_string_equal(spec.series.vs, "./old");
		spec_free(&spec);
	}
	for (i = 0; i < sizeof(bad_lines) / sizeof(*bad_lines); i++) {
		if (parse(&spec, &w, bad_lines[i].line, &e) != -EINVAL)
			fail_msg("taken: %s", bad_lines[i].line);
		if (!strstr(e.why, bad_lines[i].why))
			fail_msg("%s: %s", bad_lines[i].line, e.why);
		spec_free(&spec);
	}
}

/* The program that a command runs, or NULL if a shell may run several. */
static const struct {
	const char *command[4];
	const char *program;
} own[] = {
	{ { "./new", "-c", "x" }, "./new" },
	{ { "sh", "./old" }, "sh" },
	{ { "/bin/sh", "-c", "./old" }, "./old" },
	{ { "bash", "-c", " A=1 b2=/x:y exec ./old 'a;b' >/dev/null 2>&1" }, "./old" },
	{ { "dash", "-c", "./old \"a & (b)\" \\; *.c $X" }, "./old" },
	{ { "sh", "-c", "cd /; ./old" }, NULL },
	{ { "sh", "-c", " cd base/x && A=1 ./old -v" }, "base/x/./old" },
	{ { "sh", "-c", "cd base&& ./old" }, NULL },
	{ { "sh", "-c", "cd /base && /bin/old" }, "/bin/old" },
	{ { "sh", "-c", "cd /base && old" }, "old" },
	{ { "sh", "-c", "cd $X && ./old" }, NULL },
	{ { "sh", "-c", "cd base && ./old && ./old" }, NULL },
	{ { "sh", "-c", "cd base" }, "cd" },
	{ { "sh", "-c", "./old & ./old" }, NULL },
	{ { "sh", "-c", "./old | cat" }, NULL },
	{ { "sh", "-c", "./old \"$(ls)\"" }, NULL },
	{ { "sh", "-c", "./old `ls`" }, NULL },
	{ { "sh", "-c", "(./old)" }, NULL },
	{ { "sh", "-c", "./old\n./old" }, NULL },
	{ { "sh", "-c", "$OLD" }, NULL },
	{ { "sh", "-c", "A=$B ./old" }, NULL },
	{ { "sh", "-c", "<x ./old" }, NULL },
	{ { "sh", "-c", "\"./o ld\"" }, NULL },
	{ { "sh", "-c", "  " }, NULL },
};

static void test_program(void **state)
{
	struct spec spec = {};
	struct error e;
	char *program;
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++) {
		spec.command = (char **)own[i].command;
		program = spec_program(&spec, &e);
		if (!program != !own[i].program || (program && strcmp(program, own[i].program)))
			fail_msg("%zu: %s", i, program ? program : e.why);
		assert_true(program || e.err == -EINVAL);
		free(program);
	}
	spec.command = NULL;
	assert_null(spec_program(&spec, &e));
	assert_non_null(strstr(e.why, "no command"));
}

static void test_own(void **state)
{
	static const char *const lines[] = {
		"u:%:f -- x",
		"vfs u:%:ns::f(int) -- x",
		"--start u:%:a --end u:./x:b -- x",
		"u:%:a --value arg0 -- x",
	};
	struct spec spec;
	struct error e;
	struct words w;
	size_t i;

	for (i = 0; i < 4; i++) {
		parse(&spec, &w, lines[i], &e);
		if (!spec_names_own(&spec))
			fail_msg("%s", lines[i]);
		spec_free(&spec);
	}
	good(&spec, &w, "u:./%:f -- x");
	assert_false(spec_names_own(&spec));
	spec_free(&spec);
}

static void test_markers(void **state)
{
	struct words w;
	struct spec spec;

	good(&spec, &w, "m:request m:size_2 --unit bytes -i 1 -a");
	assert_true(spec_has_markers(&spec));
	assert_int_equal(spec.n_targets, 2);
	assert_string_equal(spec.targets[1].name, "size_2");
	assert_null(spec.targets[1].module);
	assert_string_equal(spec.value_unit, "bytes");
	assert_false(spec_follows(&spec));
	spec_free(&spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),  cmocka_unit_test(test_own),
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_range),
		cmocka_unit_test(test_options),  cmocka_unit_test(test_pair),
		cmocka_unit_test(test_split),    cmocka_unit_test(test_command),
		cmocka_unit_test(test_classic),  cmocka_unit_test(test_line),
		cmocka_unit_test(test_callees),  cmocka_unit_test(test_via),
		cmocka_unit_test(test_vs),       cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_markers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
