/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exposed.h - all nodes as one exposition for Prometheus. In: the folder of the nodes. Out: text or
 * protobuf; what is wrong with single nodes is said on standard error. Called by `node export` and
 * `serve`.
 */
#ifndef KSTATS_UI_EXPOSED_H
#define KSTATS_UI_EXPOSED_H

#include "format/format.h"
#include "ui/nodes.h"

/** struct exposed - nodes that have been read */
struct exposed {
	struct nodes nodes; /* all of the folder */
	struct input *all; /* owned; of those that could be read */
	int n; /* number of @all */
	int status; /* exit code: of a node that could not be read, or whose figures are not exact
		     */
};

/**
 * exposed_read() - read all nodes
 * @x: filled in; released by exposed_close() also after an error
 * @root: their folder, or NULL for the usual one
 *
 * If a node cannot be read, that is said, and the others are read all the same.
 */
int exposed_read(struct exposed *x, const char *root, struct error *e);

/**
 * exposed_write() - write what was read
 * @f: a format that writes recordings of both kinds in one document
 * @look: of it only @buckets and @families are used
 *
 * Return: 0, -EIO or -ENOMEM.
 */
int exposed_write(const struct exposed *x, const struct format *f, FILE *out,
		  const struct report_look *look);

/** exposed_close() - release; @x may be zero-filled but for @nodes.root.fd, which is -1 */
void exposed_close(struct exposed *x);

#endif /* KSTATS_UI_EXPOSED_H */
