// SPDX-License-Identifier: GPL-2.0-only
/* serve.c - the two processes, and what they say to each other. */
#include "serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/priv.h"
#include "util/caps.h"

#define NOBODY 65534
#define PATIENCE_S 10 /* in which the other process must take what it asked for */

/* ---- bytes ---- */

int serve_read(int fd, void *to, size_t n)
{
	char *at = to;
	ssize_t got;

	for (; n; n -= got, at += got) {
		got = read(fd, at, n);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got <= 0)
			return -EIO;
	}
	return 0;
}

int serve_write(int fd, const void *from, size_t n)
{
	const char *at = from;
	ssize_t put;

	for (; n; n -= put, at += put) {
		put = send(fd, at, n, MSG_NOSIGNAL);
		if (put < 0 && errno == EINTR)
			put = 0;
		else if (put < 0)
			return -errno;
	}
	return 0;
}

/* ---- signals ---- */

static volatile sig_atomic_t serve_stopped;

static void serve_stop(int sig)
{
	serve_stopped = 1;
}

/* From now on they come only while nothing is done. @s: receives the signals of that time. */
static void serve_catch(struct serve *s)
{
	const struct sigaction stop = { .sa_handler = serve_stop };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &s->waiting);
	sigdelset(&s->waiting, SIGINT);
	sigdelset(&s->waiting, SIGTERM);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
}

/* ---- the process that has the connections ---- */

static int serve_limit(int what, rlim_t most)
{
	const struct rlimit limit = { most, most };

	return setrlimit(what, &limit) ? -errno : 0;
}

/* Only root can become somebody else. */
static int serve_become_nobody(void)
{
	if (geteuid())
		return 0;
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			       setresuid(NOBODY, NOBODY, NOBODY)
		       ? -errno
		       : 0;
}

/* Nothing of the other process is left but standard error and the two sockets. */
static int serve_close_others(int listen, int ask)
{
	int fd, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	for (fd = STDERR_FILENO + 1; fd < CONNECTIONS; fd++)
		if (fd != listen && fd != ask)
			close(fd);
	if (syscall(SYS_close_range, CONNECTIONS, ~0U, 0))
		return -errno;
	return 0;
}

static int serve_give_up(int listen, int ask)
{
	struct error e = {};
	int err = serve_close_others(listen, ask);

	if (!err)
		err = chdir("/") ? -errno : 0;
	if (!err)
		err = serve_become_nobody();
	if (!err)
		err = caps_keep(0, &e);
	if (!err)
		err = serve_limit(RLIMIT_FSIZE, 0);
	if (!err)
		err = serve_limit(RLIMIT_NPROC, 0);
	if (!err)
		err = serve_limit(RLIMIT_NOFILE, CONNECTIONS);
	return err || prctl(PR_SET_DUMPABLE, 0) ? err : 0;
}

static _Noreturn void serve_child(int listen, int ask)
{
	int err;

	/* It ends with its end of the socket. A signal of the death of the other process, which is
	 * of another user and without CAP_KILL, would not come. */
	prctl(PR_SET_NAME, "kstats-http");
	/* They are for the other process, which ends this one. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	/* A client that goes while it is answered ends only its connection. */
	signal(SIGPIPE, SIG_IGN);
	err = serve_give_up(listen, ask);
	if (err) {
		dprintf(STDERR_FILENO, "kstats-bpf: cannot give up privileges: %s\n",
			strerror(-err));
		_exit(EXIT_KERNEL);
	}
	_exit(http_serve(listen, ask));
}

/* A number below CONNECTIONS, so that it can be kept. */
static int serve_low(int *fd)
{
	int low = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (low < 0 || low >= CONNECTIONS)
		return -EMFILE;
	close(*fd);
	*fd = low;
	return 0;
}

int serve_begin(struct serve *s, int listen, struct error *e)
{
	int pair[2], err;

	*s = (struct serve){ .fd = -1 };
	serve_catch(s);
	err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? -errno : 0;
	if (!err) {
		s->fd = pair[0];
		err = serve_low(&listen);
		if (!err)
			err = serve_low(&pair[1]);
		if (!err)
			s->child = fork();
		if (!err && !s->child)
			serve_child(listen, pair[1]);
		if (!err && s->child < 0)
			err = -errno;
		close(pair[1]);
	}
	close(listen);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot start to serve") : 0;
}

/* ---- the process that has the nodes ---- */

/* What that process asked for; until a signal comes. Return: 0 or -errno; -ETIMEDOUT: it takes
 * nothing */
static int serve_send(struct serve *s, const void *from, size_t n)
{
	const struct timespec patience = { .tv_sec = PATIENCE_S };
	struct pollfd room = { .fd = s->fd, .events = POLLOUT };
	const char *at = from;
	ssize_t put;
	int ready;

	for (; n && !serve_stopped; n -= put, at += put) {
		put = 0;
		ready = ppoll(&room, 1, &patience, &s->waiting);
		if (!ready)
			return -ETIMEDOUT;
		if (ready > 0)
			put = send(s->fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (put < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		put = put < 0 ? 0 : put;
	}
	return 0;
}

/* Return: 0, or -errno if the page could not be sent. */
static int serve_answer(struct serve *s, uint8_t word,
			int (*page)(void *ctx, enum serve_type type, FILE *out), void *ctx)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err = out ? 0 : -ENOMEM;
	uint64_t n;

	if (!err)
		err = word < SERVE_TYPES ? page(ctx, word, out) : -EINVAL;
	if (out && (fclose(out) || !text))
		err = -ENOMEM;
	n = err || size > SERVE_PAGE_MAX ? SERVE_NO_PAGE : size;
	err = serve_send(s, &n, sizeof(n));
	if (!err && n != SERVE_NO_PAGE)
		err = serve_send(s, text, size);
	free(text);
	return err;
}

/* Return: whether it has ended. */
static bool serve_wait(struct serve *s, int *status)
{
	struct pollfd ended = { .events = POLLIN };

	ended.fd = syscall(SYS_pidfd_open, s->child, 0);
	if (ended.fd >= 0) {
		poll(&ended, 1, PATIENCE_S * 1000);
		close(ended.fd);
	}
	return waitpid(s->child, status, WNOHANG) == s->child;
}

static int serve_tell_end(struct serve *s, int err, struct error *e)
{
	char why[64] = "it is not known why";
	int status;

	if (err == -ETIMEDOUT)
		return error_set(e, EXIT_KERNEL, err, "it asked for a page and does not take it",
				 NULL, "the process that has the connections hangs");
	if (serve_wait(s, &status)) {
		s->child = 0;
		if (WIFSIGNALED(status))
			snprintf(why, sizeof(why), "signal %d", WTERMSIG(status));
		else
			snprintf(why, sizeof(why), "exit code %d", WEXITSTATUS(status));
	}
	return error_set(e, EXIT_KERNEL, -EIO, why, NULL,
			 "the process that has the connections has ended");
}

int serve_run(struct serve *s, int (*page)(void *ctx, enum serve_type type, FILE *out), void *ctx,
	      struct error *e)
{
	struct pollfd asked = { .fd = s->fd, .events = POLLIN };
	uint8_t word;
	int err = 0;

	while (!err && !serve_stopped) {
		if (ppoll(&asked, 1, NULL, &s->waiting) < 0)
			continue;
		err = serve_read(s->fd, &word, 1);
		if (!err)
			err = serve_answer(s, word, page, ctx);
	}
	return err ? serve_tell_end(s, err, e) : 0;
}

void serve_end(struct serve *s)
{
	int status;

	if (s->fd >= 0)
		close(s->fd);
	/* Of root, without CAP_KILL: it ends by itself, or is left to systemd. */
	if (s->child > 0) {
		kill(s->child, SIGKILL);
		serve_wait(s, &status);
	}
	*s = (struct serve){ .fd = -1 };
}
