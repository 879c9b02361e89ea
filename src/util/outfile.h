/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outfile.h - a result file that is there whole or not at all. In: a path.
 * Out: a stream; the path appears only by outfile_commit(). Until then the
 * file has no name where the file system allows, so that a killed program
 * leaves nothing behind. What cannot be written there goes elsewhere, and is not
 * lost. Called by cmd/.
 */
#ifndef KSTATS_OUTFILE_H
#define KSTATS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

/**
 * struct outfile - a file being written
 * @stream: where to write
 * @path: final name; not owned
 * @temp: owned; name for the moment in which another file is replaced
 * @named: the temporary name is this file's
 * @fd: what is written to
 * @err: why it could not go to @path, or 0
 * @place: how many other places were tried
 * @kept: owned; where it is then, or NULL
 *
 * The stream points to it: it stays where it is.
 */
struct outfile {
	FILE *stream;
	const char *path;
	char *temp;
	bool named;
	int fd;
	int err;
	unsigned int place;
	char *kept;
};

/**
 * outfile_open() - begin
 * @o: filled in; ended by outfile_commit() or outfile_abort()
 * @path: final name, must stay valid
 * @e: why not, also where the file could not be replaced later
 *
 * What a program that was killed has left there is removed.
 *
 * Return: 0 or -errno.
 */
int outfile_open(struct outfile *o, const char *path, struct error *e);

/**
 * outfile_commit() - write out, and give the file its name
 * @o: file
 * @e: why not, and where the result is instead; @path is as it was then
 *
 * Return: 0 or -errno.
 */
int outfile_commit(struct outfile *o, struct error *e);

/**
 * outfile_abort() - leave nothing behind
 * @o: file; may be zero-filled or committed
 */
void outfile_abort(struct outfile *o);

#endif /* KSTATS_OUTFILE_H */
