/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * serve.h - answer requests over HTTP, by two processes. One has the connections and nothing else:
 * no privileges, no files, no nodes. The other has the nodes and no connections: it is asked for a
 * page in one byte, which names its type, and sends the page. In: an address, or a socket of
 * systemd; who makes a page. Called by cmd.
 */
#ifndef KSTATS_SERVE_H
#define KSTATS_SERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/error.h"

#define SERVE_ADDRESS "127.0.0.1:9937" /* only this machine reaches it */

/** enum serve_type - in what form a page is */
enum serve_type {
	SERVE_TEXT, /* the older text format of Prometheus */
	SERVE_OPENMETRICS,
	SERVE_PROTOBUF, /* of Prometheus, with native histograms */
	SERVE_TYPES,
};

/** serve_type_of() - the type that an Accept header prefers; @accept: any bytes, or NULL */
enum serve_type serve_type_of(const char *accept);

/** serve_type_name() - its Content-Type */
const char *serve_type_name(enum serve_type type);

/** serve_takes_gzip() - whether an Accept-Encoding header allows gzip; @header: or NULL */
bool serve_takes_gzip(const char *header);

/**
 * serve_listen() - the socket on which requests come
 * @address: "127.0.0.1:9937", "[::1]:9937", or ":9937" for all of this machine's addresses; NULL:
 *	the socket that systemd has opened, or else SERVE_ADDRESS
 * @fd: receives it; to be closed
 */
int serve_listen(const char *address, int *fd, struct error *e);

/** struct serve - the process that has the connections */
struct serve {
	pid_t child;
	int fd; /* over which it asks; owned */
	sigset_t waiting; /* signals that are blocked while one waits for it */
};

/**
 * serve_begin() - start that process, and let SIGINT and SIGTERM end serve_run()
 * @s: filled in; ended by serve_end()
 * @listen: is closed here
 */
int serve_begin(struct serve *s, int listen, struct error *e);

/**
 * serve_run() - make pages until SIGINT or SIGTERM comes
 * @s: begun
 * @page: writes one; returns 0, or -errno, which is answered by "503 Service Unavailable"
 * @e: filled in if the other process has ended
 */
int serve_run(struct serve *s, int (*page)(void *ctx, enum serve_type type, FILE *out), void *ctx,
	      struct error *e);

/** serve_end() - end the other process; @s may be zero-filled but for @fd, which is -1 */
void serve_end(struct serve *s);

#endif /* KSTATS_SERVE_H */
