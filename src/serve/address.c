// SPDX-License-Identifier: GPL-2.0-only
/* address.c - the socket on which requests come. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/priv.h"

#define SYSTEMD_FD 3 /* the first that it hands over */
#define WAITING 64 /* connections */
#define PORT_MAX 65535

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t n;
};

static bool address_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !n || n > PORT_MAX)
		return false;
	*port = htons(n);
	return true;
}

/* Names are not looked up: which address is listened on must not depend on who answers. */
static bool address_read(const char *text, struct address *to)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	size_t n = colon ? (size_t)(colon - text) : 0;
	in_port_t port;

	if (!colon || n >= sizeof(host) || !address_port(colon + 1, &port))
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	*to = (struct address){ .v4 = { .sin_family = AF_INET, .sin_port = port },
				.n = sizeof(to->v4) };
	if (n && inet_pton(AF_INET, host, &to->v4.sin_addr) == 1)
		return true;
	*to = (struct address){ .v6 = { .sin6_family = AF_INET6, .sin6_port = port },
				.n = sizeof(to->v6) };
	if (!n)
		return true; /* all addresses, also of IPv4 */
	if (n < 3 || host[0] != '[' || host[n - 1] != ']')
		return false;
	host[n - 1] = '\0';
	return inet_pton(AF_INET6, host + 1, &to->v6.sin6_addr) == 1;
}

static int address_open(const char *text, int *fd, struct error *e)
{
	static const int one = 1;
	struct address a;
	int err;

	if (!address_read(text, &a))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is an address and a port",
				 "write it like 127.0.0.1:9937 or [::1]:9937",
				 "cannot listen on '%s'", text);
	*fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd >= 0 && !setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(*fd, &a.any, a.n) && !listen(*fd, WAITING))
		return 0;
	err = -errno;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return error_set(e, EXIT_KERNEL, err, NULL,
			 err == -EADDRINUSE ? "end what listens there, or use another port" : NULL,
			 "cannot listen on '%s'", text);
}

/* sd_listen_fds(3), without the library. Return: whether systemd has handed over sockets. */
static bool address_from_systemd(int *n)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || strtol(pid, NULL, 10) != getpid())
		return false;
	*n = strtol(fds, NULL, 10);
	return *n > 0;
}

static int address_take(int n, int *fd, struct error *e)
{
	int listens = 0;
	socklen_t size = sizeof(listens);

	if (n != 1 || getsockopt(SYSTEMD_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) ||
	    !listens)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "systemd must hand over one socket that listens",
				 "see kstats-bpf-serve.socket", "cannot listen");
	*fd = SYSTEMD_FD;
	if (fcntl(*fd, F_SETFD, FD_CLOEXEC) || fcntl(*fd, F_SETFL, O_NONBLOCK))
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
				 "cannot use the socket of systemd");
	return 0;
}

int serve_listen(const char *address, int *fd, struct error *e)
{
	int n;

	*fd = -1;
	if (!http_is_built())
		return error_set(e, EXIT_KERNEL, -ENOSYS, "this program was built without libevent",
				 "use 'kstats-bpf node export'", "cannot serve");
	if (!address && address_from_systemd(&n))
		return address_take(n, fd, e);
	return address_open(address ? address : SERVE_ADDRESS, fd, e);
}
