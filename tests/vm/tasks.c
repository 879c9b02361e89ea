// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks.c - tasks as a test wants them. Called by containers.sh.
 *
 *	tasks same N	N children that all get one number, one after the other; each calls
 *			getpgid once
 *	tasks crowd N	N children that sleep 0.1 s at a time, until this is killed
 *	tasks calls N GO DONE
 *			N calls of getpgid between opening one pipe and the other
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child_as(pid_t number)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = number ? (uintptr_t)&number : 0,
		.set_tid_size = number ? 1 : 0,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

static int same(long n)
{
	pid_t number = 0, pid;

	for (; n > 0; n--) {
		pid = child_as(number);
		if (!pid) {
			syscall(SYS_getpgid, 0);
			syscall(SYS_exit_group, 0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid) {
			perror("tasks");
			return 1;
		}
		number = pid;
	}
	return 0;
}

static int crowd(long n)
{
	for (; n > 0; n--) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			usleep(100000);
	}
	return pause();
}

static int calls(long n, char **pipes)
{
	if (open(pipes[0], O_RDONLY) < 0)
		return 1;
	for (; n > 0; n--)
		syscall(SYS_getpgid, 0);
	return open(pipes[1], O_WRONLY) < 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (!strcmp(what, "same"))
		return same(n);
	if (!strcmp(what, "crowd"))
		return crowd(n);
	if (!strcmp(what, "calls") && argc > 4)
		return calls(n, argv + 3);
	return 2;
}
