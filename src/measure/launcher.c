// SPDX-License-Identifier: GPL-2.0-only
#include "measure/launcher.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The message: the address of the spec, which both processes have, and two descriptors. */
struct order {
	struct iovec text;
	struct msghdr header;
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
};

static void order_init(struct order *o, const struct spec **spec)
{
	memset(o, 0, sizeof(*o));
	o->text = (struct iovec){ spec, sizeof(*spec) };
	o->header.msg_iov = &o->text;
	o->header.msg_iovlen = 1;
	o->header.msg_control = o->control.room;
	o->header.msg_controllen = sizeof(o->control.room);
}

static bool receive(int sock, const struct spec **spec, int fds[2])
{
	struct cmsghdr *c;
	struct order o;

	order_init(&o, spec);
	if (recvmsg(sock, &o.header, MSG_CMSG_CLOEXEC) != sizeof(*spec))
		return false;
	c = CMSG_FIRSTHDR(&o.header);
	if (!c || c->cmsg_len != CMSG_LEN(2 * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
	return true;
}

/* With CLONE_PARENT the command becomes a child of the launcher's parent, which waits for it. */
static void serve(int sock, const struct caller *caller, run_child *child)
{
	const struct spec *spec;
	pid_t pid;
	int fds[2];

	while (receive(sock, &spec, fds)) {
		pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);
		if (!pid) {
			close(sock);
			child(spec, caller, fds[0], fds[1]);
			_exit(127);
		}
		if (pid < 0)
			pid = -errno;
		close(fds[0]);
		close(fds[1]);
		if (send(sock, &pid, sizeof(pid), 0) != sizeof(pid))
			break;
	}
}

int run_launcher_open(struct run_launcher *l, bool as_root, const struct caller *caller,
		      run_child *child)
{
	int socks[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	l->pid = fork();
	if (!l->pid) {
		close(socks[0]);
		if (!caller_forget_grants() && (as_root || !caller_become(caller)))
			serve(socks[1], caller, child);
		_exit(0);
	}
	close(socks[1]);
	l->sock = socks[0];
	if (l->pid > 0)
		return 0;
	l->pid = 0;
	return -errno;
}

pid_t run_launcher_start(const struct run_launcher *l, const struct spec *spec, int gate,
			 int failed)
{
	const int fds[2] = { gate, failed };
	struct cmsghdr *c;
	struct order o;
	pid_t pid;

	order_init(&o, &spec);
	c = CMSG_FIRSTHDR(&o.header);
	*c = (struct cmsghdr){ CMSG_LEN(sizeof(fds)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	if (sendmsg(l->sock, &o.header, MSG_NOSIGNAL) != sizeof(spec))
		return -errno;
	if (recv(l->sock, &pid, sizeof(pid), 0) != sizeof(pid))
		return -ECHILD;
	return pid;
}

void run_launcher_close(struct run_launcher *l)
{
	if (l->sock >= 0)
		close(l->sock);
	if (l->pid)
		waitpid(l->pid, NULL, 0);
	*l = (struct run_launcher){ .sock = -1 };
}
