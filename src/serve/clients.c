// SPDX-License-Identifier: GPL-2.0-only
/*
 * clients.c - how long connections may stay open. libevent ends one on which nothing happens; one
 * on which a byte comes now and then it keeps. So the descriptors of this process are looked
 * through: all sockets are connections but two.
 */
#include <sys/socket.h>
#include <sys/stat.h>

#include "serve/priv.h"

#define DEADLINE_NS 60000000000ULL /* for the request and the answer together */
/* More than that, and the oldest is ended. The rest of the descriptors is for those that are
 * accepted before that one is closed. */
#define CLIENTS_MAX (CONNECTIONS / 2)

/* The number of a socket, which no other one has while it is open; 0: it is no connection. */
static ino_t clients_number(const struct clients *c, int fd)
{
	struct stat st;

	if (fd == c->listen || fd == c->ask || fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		return 0;
	return st.st_ino;
}

/* Whoever waits for it is told, and closes it. */
static void clients_end(struct client *one, int fd)
{
	shutdown(fd, SHUT_RDWR);
	one->is_ended = true;
}

void clients_end_oldest(struct clients *c)
{
	struct client *one;
	int fd, oldest = -1;

	for (fd = 0; fd < CONNECTIONS; fd++) {
		one = &c->of[fd];
		if (one->ino && !one->is_ended &&
		    (oldest < 0 || one->since_ns < c->of[oldest].since_ns))
			oldest = fd;
	}
	if (oldest >= 0)
		clients_end(&c->of[oldest], oldest);
}

int clients_look(struct clients *c, uint64_t now_ns)
{
	struct client *one;
	int fd, n = 0;
	ino_t ino;

	for (fd = 0; fd < CONNECTIONS; fd++) {
		one = &c->of[fd];
		ino = clients_number(c, fd);
		if (ino != one->ino)
			*one = (struct client){ .ino = ino, .since_ns = now_ns };
		if (!ino)
			continue;
		if (!one->is_ended && now_ns - one->since_ns >= DEADLINE_NS)
			clients_end(one, fd);
		n += !one->is_ended;
	}
	for (; n > CLIENTS_MAX; n--)
		clients_end_oldest(c);
	return n;
}
