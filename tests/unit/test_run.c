// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_run.c - signals to a tracer that has a command. What comes to the tracer alone
 * is passed on while it still measures, before run_close() ends what is left.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "measure/run.h"

#define READY_FD 9
#define LIMIT_S 20 /* for a signal that never comes */

/*
 * It says that it is ready, and then by its status which signal it got first. It goes
 * on as long as this test does.
 */
static char script[] = "trap 'exit 41' HUP; trap 'exit 42' INT; trap 'exit 55' TERM; "
		       "echo >&9; exec 9>&-; while kill -0 $PPID; do sleep 0.01; done";
static char *command[] = { "sh", "-c", script, NULL };

static void start(struct run *r)
{
	const struct spec spec = { .command = command };
	struct error e;
	int fds[2];
	char c;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[1], READY_FD), READY_FD);
	close(fds[1]);
	assert_int_equal(run_open(r, &spec, &e), 0);
	close(READY_FD);
	assert_int_equal(run_start(r, &spec, &e), 0);
	assert_int_equal(read(fds[0], &c, 1), 1);
	close(fds[0]);
}

/* The command ends by itself, before anybody ends it. */
static void passed_on(int sig, int wanted)
{
	struct run r = RUN_NONE;
	int status;

	start(&r);
	assert_int_equal(kill(getpid(), sig), 0);
	assert_int_equal(run_wait(&r), RUN_END);
	assert_true(r.interrupted);
	alarm(LIMIT_S);
	assert_int_equal(waitpid(r.child, &status, 0), r.child);
	alarm(0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), wanted);
	r.child = 0;
	run_close(&r);
}

static void test_term(void **state)
{
	passed_on(SIGTERM, 55);
}

static void test_hangup(void **state)
{
	passed_on(SIGHUP, 41);
}

/* The terminal sends it to both. */
static void test_interrupt(void **state)
{
	struct run r = RUN_NONE;

	start(&r);
	assert_int_equal(kill(getpid(), SIGINT), 0);
	assert_int_equal(run_wait(&r), RUN_END);
	assert_true(r.interrupted);
	assert_int_equal(run_close(&r), 0);
	assert_true(r.ended_by_us);
	assert_int_equal(r.status, 55);
}

/* USR1 and USR2 ask for a report, and the command hears nothing of them. */
static void test_reports(void **state)
{
	struct run r = RUN_NONE;

	start(&r);
	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	assert_int_equal(run_wait(&r), RUN_PERIOD);
	assert_int_equal(kill(getpid(), SIGUSR2), 0);
	assert_int_equal(run_wait(&r), RUN_PEEK);
	assert_false(r.interrupted);
	assert_int_equal(kill(r.child, SIGHUP), 0);
	assert_int_equal(run_wait(&r), RUN_END);
	assert_false(r.interrupted);
	assert_int_equal(run_close(&r), 41);
}

static pid_t start_process(void)
{
	pid_t pid = fork();

	if (!pid) {
		/* It must not outlive a test that fails. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void end_process(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Of two processes the first may end, and the interval goes on; the last ends it all. */
static void test_processes(void **state)
{
	struct spec spec = { .interval_ns = 1000000, .who.n_pids = 2 };
	struct run r = RUN_NONE;
	struct error e;

	spec.who.pids[0] = start_process();
	spec.who.pids[1] = start_process();
	assert_int_equal(run_open(&r, &spec, &e), 0);
	assert_int_equal(run_start(&r, &spec, &e), 0);
	end_process(spec.who.pids[0]);
	assert_int_equal(run_wait(&r), RUN_PERIOD);
	assert_int_equal(run_wait(&r), RUN_PERIOD);
	end_process(spec.who.pids[1]);
	alarm(LIMIT_S);
	assert_int_equal(run_wait(&r), RUN_END);
	alarm(0);
	assert_false(r.interrupted);
	assert_int_equal(run_close(&r), 0);
}

/* One that is not there is told, also beside one that is. */
static void test_no_process(void **state)
{
	struct spec spec = { .who.n_pids = 2 };
	struct run r = RUN_NONE;
	struct error e;

	spec.who.pids[0] = getpid();
	spec.who.pids[1] = start_process();
	end_process(spec.who.pids[1]);
	assert_int_equal(run_open(&r, &spec, &e), -ESRCH);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_non_null(strstr(e.why, "no such task here"));
	run_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_term),      cmocka_unit_test(test_hangup),
		cmocka_unit_test(test_interrupt), cmocka_unit_test(test_reports),
		cmocka_unit_test(test_processes), cmocka_unit_test(test_no_process),
	};

	/* A caller may have turned them off. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
