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
#include "util/folder.h"
#include "util/newfile.h"

/**
 * struct outfile - a file being written
 *
 * The stream points to this struct, so it must not be moved.
 */
struct outfile {
	FILE *stream; /* stream to write to */
	const char *path; /* final name; not owned; NULL if there is no file */
	struct folder dir; /* of the final name */
	struct newfile file; /* the file; none if it is standard output */
	int fd; /* what is written to; owned by @file */
	mode_t mode; /* permissions, or 0 for what the umask leaves */
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
 * The folder is held open, and links of other users on the way to it are not followed; see
 * folder_open().
 */
int outfile_open(struct outfile *o, const char *path, struct error *e);

/** outfile_open_in() - as outfile_open(); @folder: the folder of @path, opened before */
int outfile_open_in(struct outfile *o, const struct folder *folder, const char *path,
		    struct error *e);

/**
 * outfile_spool() - a file beside it that never gets a name, for what does not fit into memory
 *
 * Return: a stream to write and read, closed by the caller; NULL if the file system cannot.
 */
FILE *outfile_spool(const struct outfile *o);

/** outfile_set_mode() - set the permissions that the file gets; @o: opened */
void outfile_set_mode(struct outfile *o, mode_t mode);

/**
 * outfile_commit() - write everything, and give the file its name
 * @e: filled in on failure, with where the result is instead; @path is then unchanged
 */
int outfile_commit(struct outfile *o, struct error *e);

/** outfile_abort() - discard the file; @o: file; may be zero-filled or committed */
void outfile_abort(struct outfile *o);

#endif /* KSTATS_OUTFILE_H */
