// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks.c - tasks as a test wants them. Called by containers.sh, node.sh and cases of exact.py.
 *
 *	tasks same N	N children that all get one number, one after the other; each calls
 *			getpgid once
 *	tasks crowd N READY
 *			N children that sleep 0.5 s at a time, until this is killed; makes the
 *			file when all are there
 *	tasks calls N READY GO DONE
 *			makes the first file; N calls of getpgid between opening one pipe and the
 *			other
 *	tasks turn N FILE TEXT...
 *			N children, one after the other; each writes the texts to the files, and
 *			lives until all have
 *	tasks keep N FILE TEXT...
 *			the same; tells when all have, and waits for the end of its input
 *	tasks rush N FILE TEXT...
 *			as turn, but all at once
 */
#include <fcntl.h>
#include <stdbool.h>
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

static int crowd(long n, const char *ready)
{
	for (; n > 0; n--) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			usleep(500000);
	}
	return creat(ready, 0600) < 0 || pause();
}

static int calls(long n, char **files)
{
	if (creat(files[0], 0600) < 0 || open(files[1], O_RDONLY) < 0)
		return 1;
	for (; n > 0; n--)
		syscall(SYS_getpgid, 0);
	return open(files[2], O_WRONLY) < 0;
}

static bool write_all(char **files)
{
	ssize_t n;
	int fd;

	for (; files[0] && files[1]; files += 2) {
		fd = open(files[0], O_WRONLY);
		n = write(fd, files[1], strlen(files[1]));
		close(fd);
		if (n < 0)
			return false;
	}
	return true;
}

static bool are_done(int fd, long n)
{
	for (bool done; n > 0; n--)
		if (read(fd, &done, sizeof(done)) != sizeof(done) || !done)
			return false;
	return true;
}

/* They end when the other end of @stay is closed. */
static int write_once(const int *stay, int done_fd, char **files)
{
	bool done, more;

	close(stay[1]);
	done = write_all(files);
	return write(done_fd, &done, sizeof(done)) != sizeof(done) ||
	       read(stay[0], &more, sizeof(more));
}

static int write_each(long n, bool in_turn, bool keep, char **files)
{
	int done[2], stay[2];
	bool right = true;
	long i;

	if (pipe(done) || pipe(stay))
		return 1;
	for (i = 0; right && i < n; i++) {
		switch (fork()) {
		case -1:
			return 1;
		case 0:
			return write_once(stay, done[1], files);
		}
		right = !in_turn || are_done(done[0], 1);
	}
	if (right && !in_turn)
		right = are_done(done[0], n);
	if (keep && right && puts("done") >= 0 && !fflush(stdout))
		while (getchar() != EOF)
			;
	close(stay[1]);
	while (wait(NULL) > 0)
		;
	return !right;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (!strcmp(what, "same"))
		return same(n);
	if (!strcmp(what, "crowd") && argc > 3)
		return crowd(n, argv[3]);
	if (!strcmp(what, "calls") && argc > 5)
		return calls(n, argv + 3);
	if ((!strcmp(what, "turn") || !strcmp(what, "keep") || !strcmp(what, "rush")) && argc > 4)
		return write_each(n, *what != 'r', *what == 'k', argv + 3);
	return 2;
}
