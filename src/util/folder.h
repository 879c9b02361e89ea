/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - folders that files are written into. In: a path. Out: a descriptor, so that
 * whoever may rename a part of the path cannot send what is written to another place. Called
 * by all that write files.
 */
#ifndef KSTATS_FOLDER_H
#define KSTATS_FOLDER_H

#include <stdbool.h>

/** struct folder - an open folder, and where it is */
struct folder {
	int fd; /* owned; the folder, as of O_PATH */
	int above; /* owned; the folder it is in, where it was made; or -1 */
	char *name; /* owned; its name in @above, or NULL */
};

#define FOLDER_NONE                   \
	{                             \
		.fd = -1, .above = -1 \
	}

/**
 * folder_open() - open a folder to write into it
 * @f: filled in; released by folder_close() also after an error
 * @path: the folder
 * @make: make it if it is missing
 * @why: receives the reason as half a sentence, or NULL if the error number tells it
 *
 * Symbolic links on the way are followed only if they belong to root or to the caller: any
 * other user could let them lead to a folder that he may not write to himself.
 *
 * Return: 0, -EPERM for such a link, or -errno.
 */
int folder_open(struct folder *f, const char *path, bool make, const char **why);

/** folder_of() - the folder of a file, as folder_open(). @path: the file */
int folder_of(struct folder *f, const char *path, const char **why);

/** folder_name() - the part of a path that names the file in its folder; may be "" */
const char *folder_name(const char *path);

/** folder_is_shared() - whether another user may rename what is in a folder; @fd: the folder */
bool folder_is_shared(int fd);

/** folder_unmake() - remove the folder if it was made here and is empty */
void folder_unmake(const struct folder *f);

/** folder_close() - release; @f: FOLDER_NONE, or what folder_open() filled in */
void folder_close(struct folder *f);

#endif /* KSTATS_FOLDER_H */
