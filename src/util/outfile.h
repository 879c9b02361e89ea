/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outfile.h - a result file that is there whole or not at all. In: a path.
 * Out: a stream; the path appears only by outfile_commit(). Until then the
 * file has no name where the file system allows, so that a killed program
 * leaves nothing behind. Called by cmd/.
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
 * @temp: owned; temporary name
 * @named: the temporary name exists already
 */
struct outfile {
	FILE *stream;
	const char *path;
	char *temp;
	bool named;
};

/**
 * outfile_open() - begin
 * @o: filled in; ended by outfile_commit() or outfile_abort()
 * @path: final name, must stay valid
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int outfile_open(struct outfile *o, const char *path, struct error *e);

/**
 * outfile_commit() - write out, and give the file its name
 * @o: file
 * @e: why not; then nothing is left under either name
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
