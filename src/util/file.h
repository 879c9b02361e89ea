/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - one-line files of the kernel, and files that are kept until the next boot. Whoever
 * can write a kept file could make others believe anything, so such a file is used only if
 * nobody but root and the reader can write it. Called by facts, calibrate and cmd/.
 */
#ifndef KSTATS_FILE_H
#define KSTATS_FILE_H

#include <stdio.h>
#include <sys/types.h>

/**
 * file_first_line() - read the first line of a file, without its newline
 * @root: put before @path; may be ""
 * @buf: receives the line, "" on failure
 *
 * Return: 0, -EIO if the file is empty, or -errno.
 */
int file_first_line(const char *root, const char *path, char *buf, size_t size);

/**
 * file_check() - whether a file or folder can be written by nobody but root and its reader
 * @fd: the open file
 * @type: S_IFREG or S_IFDIR
 * @most: largest size of a file in bytes
 * @why: receives the reason as half a sentence, or NULL if the error number tells it
 *
 * Return: its size in bytes; -EINVAL: it is of another type; -EPERM; -EFBIG; or -errno.
 */
off_t file_check(int fd, mode_t type, off_t most, const char **why);

/** struct file_place - a file to be written */
struct file_place {
	int dir; /* folder */
	const char *name; /* in @dir */
	mode_t mode; /* permissions; 0: what the umask leaves */
};

/**
 * file_replace() - write a file so that readers see the whole old or the whole new one
 * @write: writes the contents; returns 0 or -errno
 * @ctx: handed to @write
 */
int file_replace(const struct file_place *p, int (*write)(const void *ctx, FILE *out),
		 const void *ctx);

/** file_add() - as file_replace(), but -EEXIST where something has the name */
int file_add(const struct file_place *p, int (*write)(const void *ctx, FILE *out), const void *ctx);

/**
 * file_mount() - a file system of the kernel, mounted where nobody else sees it
 * @type: "tracefs"
 *
 * It needs CAP_SYS_ADMIN, which is not enough where a filter of system calls forbids it.
 *
 * Return: its top folder, with whose descriptor the mount ends; or -errno.
 */
int file_mount(const char *type);

#endif /* KSTATS_FILE_H */
