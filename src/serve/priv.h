/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_SERVE_PRIV_H
#define KSTATS_SERVE_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "serve/serve.h"

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

/** serve_read() - read as many bytes. Return: 0, or -EIO at the end of the stream */
int serve_read(int fd, void *to, size_t n);

/** serve_write() - write as many bytes. Return: 0 or -errno */
int serve_write(int fd, const void *from, size_t n);

#endif /* KSTATS_SERVE_PRIV_H */
