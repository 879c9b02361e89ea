// SPDX-License-Identifier: GPL-2.0-only
#include "measure/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/caller.h"

#define END_TRIES 300
#define END_US 10000
#define FIXED_FDS 6 /* descriptors that run_wait() polls beside those of processes */

static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD };

/* ---- the command ---- */

static void child_run(const struct spec *spec, const struct caller *caller, int gate, int failed)
{
	sigset_t none;
	char go;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (read(gate, &go, 1) != 1)
		_exit(0);
	if (spec->series.runs && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		err = -errno;
	else
		err = caller_forget_grants();
	if (!err && !spec->as_root)
		err = caller_become(caller);
	if (!err) {
		execvp(spec->command[0], spec->command);
		err = -errno;
	}
	/* If this fails too, the exit status is all that is left. */
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static int spawn(struct run *r, const struct spec *spec, struct error *e)
{
	int gate[2] = { -1, -1 }, failed[2] = { -1, -1 }, err;
	struct caller caller = {};

	err = spec->as_root ? 0 : caller_find(&caller, e);
	if (err)
		return err;
	if (spec->series.runs && r->launcher.sock < 0 &&
	    run_launcher_open(&r->launcher, spec->as_root, &caller, child_run))
		goto fail;
	if (pipe2(gate, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		goto fail;
	r->child = r->launcher.sock < 0
			   ? fork()
			   : run_launcher_start(&r->launcher, spec, gate[0], failed[1]);
	if (r->child < 0) {
		errno = r->launcher.sock < 0 ? errno : -r->child;
		goto fail;
	}
	if (!r->child) {
		close(gate[1]);
		child_run(spec, &caller, gate[0], failed[1]);
	}
	close(gate[0]);
	close(failed[1]);
	r->gate = gate[1];
	r->failed = failed[0];
	return 0;
fail:
	error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot run '%s'", spec->command[0]);
	r->child = 0;
	close(gate[0]);
	close(gate[1]);
	close(failed[0]);
	close(failed[1]);
	return e->err;
}

/* The pipe closes by itself when the command is executed. */
static int release(struct run *r, const struct spec *spec, struct error *e)
{
	int err = 0;

	if (write(r->gate, "", 1) != 1)
		err = -errno;
	close(r->gate);
	r->gate = -1;
	if (!err && read(r->failed, &err, sizeof(err)) <= 0)
		err = 0;
	close(r->failed);
	r->failed = -1;
	if (!err)
		return 0;
	return error_set(e, EXIT_USAGE, err, NULL, "check the name after --", "cannot run '%s'",
			 spec->command[0]);
}

static void reap(struct run *r)
{
	int status;

	if (!r->child || waitpid(r->child, &status, WNOHANG) != r->child)
		return;
	r->child = 0;
	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- time ---- */

static int timer(uint64_t ns, bool repeat, int *fd)
{
	struct itimerspec its = {};

	if (!ns)
		return 0;
	its.it_value.tv_sec = ns / 1000000000;
	its.it_value.tv_nsec = ns % 1000000000;
	if (repeat)
		its.it_interval = its.it_value;
	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return *fd < 0 || timerfd_settime(*fd, 0, &its, NULL) ? -errno : 0;
}

static bool expired(int fd)
{
	uint64_t n;

	return fd >= 0 && read(fd, &n, sizeof(n)) == sizeof(n);
}

/* ---- the interface ---- */

/* nohup(1) sets SIGHUP to be ignored: losing the terminal does not end the measurement then. */
static bool is_unheard(int sig)
{
	struct sigaction old;

	return sig == SIGHUP && !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN;
}

static void unwatch(struct run *r)
{
	while (r->n_pids)
		close(r->pids[--r->n_pids]);
}

/*
 * Every process of --pid must exist. Without a command, the measurement ends with the last of
 * them; but not if one of the numbers is that of a thread, whose end cannot be waited for.
 */
static int watch_processes(struct run *r, const struct spec *spec, struct error *e)
{
	bool threads = false;
	size_t i;
	int fd;

	for (i = 0; i < spec->who.n_pids; i++) {
		fd = syscall(SYS_pidfd_open, spec->who.pids[i], 0);
		if (fd < 0 && (errno == EINVAL || errno == ENOENT)) {
			threads = true;
			continue;
		}
		if (fd < 0 && errno == ESRCH)
			return error_set(e, EXIT_USAGE, -ESRCH, "there is no such task here",
					 "see 'ps -e', or name its cgroup with --cgroup",
					 "cannot measure process %u", spec->who.pids[i]);
		if (fd < 0)
			return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
					 "cannot wait for process %u", spec->who.pids[i]);
		if (spec->command)
			close(fd);
		else
			r->pids[r->n_pids++] = fd;
	}
	if (threads)
		unwatch(r);
	return 0;
}

int run_open(struct run *r, const struct spec *spec, struct error *e)
{
	struct run_launcher launcher = r->launcher;
	sigset_t set;
	size_t i;

	*r = RUN_NONE;
	r->launcher = launcher;
	sigemptyset(&set);
	for (i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		if (!is_unheard(watched[i]))
			sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Writing to a closed pipe is then an error, and run_wait() notices the pipe. */
	signal(SIGPIPE, SIG_IGN);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signals < 0)
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot wait for signals");
	if (watch_processes(r, spec, e))
		return e->err;
	return spec->command ? spawn(r, spec, e) : 0;
}

int run_start(struct run *r, const struct spec *spec, struct error *e)
{
	int err = timer(spec->duration_ns, false, &r->timer);

	if (!err)
		err = timer(spec->interval_ns, true, &r->ticks);
	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot set a timer");
	return r->child ? release(r, spec, e) : 0;
}

int run_beat(struct run *r)
{
	return timer(1000000000, true, &r->beat);
}

int run_tick(struct run *r, uint64_t ns)
{
	return timer(ns, true, &r->tick);
}

/* True if the signal is an event. SIGCHLD may be about another process. */
static bool take_signal(struct run *r, enum run_event *event)
{
	struct signalfd_siginfo si;
	bool had = r->child;

	if (read(r->signals, &si, sizeof(si)) != sizeof(si))
		return false;
	*event = RUN_END;
	r->interrupted |=
		si.ssi_signo == SIGINT || si.ssi_signo == SIGTERM || si.ssi_signo == SIGHUP;
	switch (si.ssi_signo) {
	case SIGCHLD:
		reap(r);
		return had && !r->child;
	case SIGUSR1:
		*event = RUN_PERIOD;
		break;
	case SIGUSR2:
		*event = RUN_PEEK;
		break;
	case SIGTERM:
	case SIGHUP:
		/* The terminal sends SIGINT to the command too, but these signals only to us. */
		if (r->child)
			kill(r->child, si.ssi_signo);
		break;
	}
	return true;
}

/* Drop the processes that have ended. True if the last one has. */
static bool all_ended(struct run *r, const struct pollfd *fds)
{
	size_t i, n = 0;

	for (i = 0; i < r->n_pids; i++) {
		if (fds[i].revents)
			close(r->pids[i]);
		else
			r->pids[n++] = r->pids[i];
	}
	i = r->n_pids;
	r->n_pids = n;
	return i && !n;
}

enum run_event run_wait(struct run *r)
{
	struct pollfd fds[FIXED_FDS + KSTATS_IDS_MAX] = {
		{ .fd = r->signals, .events = POLLIN }, { .fd = r->timer, .events = POLLIN },
		{ .fd = r->ticks, .events = POLLIN },   { .fd = r->beat, .events = POLLIN },
		{ .fd = r->tick, .events = POLLIN },    { .fd = STDOUT_FILENO },
	};
	enum run_event event;
	size_t i;

	for (;;) {
		for (i = 0; i < r->n_pids; i++)
			fds[FIXED_FDS + i] = (struct pollfd){ .fd = r->pids[i], .events = POLLIN };
		if (poll(fds, FIXED_FDS + r->n_pids, -1) < 0) {
			if (errno == EINTR)
				continue;
			return RUN_END;
		}
		if (take_signal(r, &event))
			return event;
		if (expired(r->timer) || all_ended(r, &fds[FIXED_FDS]))
			return RUN_END;
		if (expired(r->ticks))
			return RUN_PERIOD;
		if (expired(r->beat))
			return RUN_BEAT;
		if (expired(r->tick))
			return RUN_TICK;
		if (fds[5].revents & (POLLERR | POLLNVAL))
			return RUN_CLOSED;
	}
}

/* Give an interrupt a moment to reach the command; then send SIGTERM. */
static void end_child(struct run *r)
{
	int i;

	if (r->gate >= 0) {
		/* The command was never started; its process ends when the gate closes. */
		close(r->gate);
		r->gate = -1;
	}
	for (i = 0; r->child && i < END_TRIES; i++) {
		reap(r);
		if (i == 1 && r->child) {
			r->ended_by_us = true;
			kill(r->child, SIGTERM);
		}
		if (r->child)
			usleep(END_US);
	}
}

static void run_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int run_close(struct run *r)
{
	end_child(r);
	unwatch(r);
	run_close_fd(&r->signals);
	run_close_fd(&r->timer);
	run_close_fd(&r->ticks);
	run_close_fd(&r->beat);
	run_close_fd(&r->tick);
	run_close_fd(&r->failed);
	return r->ended_by_us ? 0 : r->status;
}

void run_free(struct run *r)
{
	run_launcher_close(&r->launcher);
}
