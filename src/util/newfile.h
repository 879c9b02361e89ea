/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newfile.h - a file that gets its name when it is complete. In: an open folder and a name.
 * Out: a descriptor to write to. Nothing but the folder is looked up by name, nothing that
 * belongs to another user is waited for or changed. Called by outfile, file, and ui.
 */
#ifndef KSTATS_NEWFILE_H
#define KSTATS_NEWFILE_H

#include <stdbool.h>
#include <sys/types.h>

/** struct newfile - a file being written; zero-filled if there is none */
struct newfile {
	char *name; /* owned; final name in @dir, or NULL if there is no file */
	char *temp; /* owned; the name it has for now, or NULL */
	int dir; /* owned */
	int fd; /* owned; open for reading and writing */
};

/**
 * newfile_open() - begin a file
 * @f: filled in; released by newfile_close() also after an error
 * @dir: folder, not needed afterwards
 * @name: name in @dir, copied
 *
 * The file has no name yet if the file system allows that, so that a killed process leaves
 * nothing behind. What a killed process of this user has left for this name is removed.
 *
 * Return: 0 or -errno.
 */
int newfile_open(struct newfile *f, int dir, const char *name);

/**
 * newfile_commit() - give it its name
 * @replace: take the place of what has the name; otherwise that is -EEXIST
 *
 * Return: 0, -ESTALE if another user of the folder interfered, or -errno.
 */
int newfile_commit(struct newfile *f, bool replace);

/** newfile_close() - release; what has not got its name is discarded */
void newfile_close(struct newfile *f);

#endif /* KSTATS_NEWFILE_H */
