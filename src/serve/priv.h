/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_SERVE_PRIV_H
#define KSTATS_SERVE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "serve/serve.h"

#define CONNECTIONS 256 /* descriptors of the process that has them */
#define SERVE_PAGE_MAX (256 << 20) /* bytes of a page */
#define SERVE_NO_PAGE UINT64_MAX /* in place of the length of one that could not be made */

/* What comes before a page on the socket between the processes: its length, in 8 bytes. */

/** http_is_built() - whether this program can answer at all */
bool http_is_built(void);

/**
 * http_serve() - answer until the other process has ended; in the process without privileges
 * @listen: socket of the requests
 * @ask: socket to the process that makes pages
 *
 * Return: an exit code.
 */
int http_serve(int listen, int ask);

/** struct client - a connection */
struct client {
	ino_t ino; /* 0: there is none */
	uint64_t since_ns;
	bool is_ended; /* and is about to be closed */
};

/** struct clients - those of this process */
struct clients {
	int listen, ask; /* the sockets that are none */
	struct client of[CONNECTIONS]; /* by descriptor */
};

/**
 * clients_look() - learn which are new; end those that take too long, and the oldest of too many
 * @now_ns: of CLOCK_MONOTONIC
 *
 * Return: how many go on.
 */
int clients_look(struct clients *c, uint64_t now_ns);

/** clients_end_oldest() - whoever waits for that connection is told that it has ended */
void clients_end_oldest(struct clients *c);

/** serve_read() - read as many bytes. Return: 0, or -EIO at the end of the stream */
int serve_read(int fd, void *to, size_t n);

/** serve_write() - write as many bytes. Return: 0 or -errno */
int serve_write(int fd, const void *from, size_t n);

#endif /* KSTATS_SERVE_PRIV_H */
