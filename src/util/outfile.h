/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outfile.h - a result file that appears complete or not at all. In: a path. Out: a stream;
 * outfile_commit() makes the path appear. Until then the file has no name if the file system
 * allows that, so that a killed process leaves nothing behind. A result that cannot be
 * written to the path is written elsewhere and not lost. Called by cmd/.
 */
#ifndef KSTATS_OUTFILE_H
#define KSTATS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

/**
 * struct outfile - a file being written
 *
 * The stream points to this struct, so it must not be moved.
 */
struct outfile {
	FILE *stream; /* stream to write to */
	const char *path; /* final name; not owned */
	char *temp; /* owned; temporary name, used while another file is replaced */
	bool named; /* the file has the temporary name */
	int fd; /* descriptor of the file */
	int err; /* -errno if it could not be written to @path, or 0 */
	unsigned int place; /* number of other places that were tried */
	char *kept; /* owned; path of the result in another place, or NULL */
};

/**
 * outfile_open() - begin a file
 * @o: filled in; ended by outfile_commit() or outfile_abort()
 * @path: final name, must stay valid
 * @e: filled in with the reason on failure, or if the path could not be replaced later
 *
 * Removes what a killed process has left for this path.
 */
int outfile_open(struct outfile *o, const char *path, struct error *e);

/**
 * outfile_commit() - write everything, and give the file its name
 * @e: filled in on failure, with where the result is instead; @path is then unchanged
 */
int outfile_commit(struct outfile *o, struct error *e);

/** outfile_abort() - discard the file; @o: file; may be zero-filled or committed */
void outfile_abort(struct outfile *o);

#endif /* KSTATS_OUTFILE_H */
