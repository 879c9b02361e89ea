// SPDX-License-Identifier: GPL-2.0-only
/*
 * swap.c - what the owner of a folder can do while another user writes into it, at a chosen
 * moment. Preloaded by folders.t. Counts the calls that make, name, change or remove files;
 * after the one with the number SWAP_AT, a symbolic link to SWAP_TO, which belongs to nobody,
 * takes the place of each file in SWAP_FOLDER (SWAP_HOW=entries) or of the folder itself
 * (SWAP_HOW=folder). Then makes the file SWAP_DONE. With SWAP_PAUSE_US, each call is followed
 * by a pause, in which another process can do the same.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

/* By number, so that these calls are not counted. */
static void put_link(const char *from, const char *to)
{
	if (!syscall(SYS_rename, from, to) && !syscall(SYS_symlink, getenv("SWAP_TO"), from))
		syscall(SYS_lchown, from, NOBODY, NOBODY);
}

static void swap_entries(const char *folder)
{
	char from[4096], to[4096];
	DIR *dir = opendir(folder);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    !strncmp(d->d_name, "was-", 4))
			continue;
		snprintf(from, sizeof(from), "%s/%s", folder, d->d_name);
		snprintf(to, sizeof(to), "%s/was-%s", folder, d->d_name);
		put_link(from, to);
	}
	if (dir)
		closedir(dir);
}

static void after_call(void)
{
	static int n;
	const char *at = getenv("SWAP_AT"), *folder = getenv("SWAP_FOLDER");
	char was[4096];

	if (getenv("SWAP_PAUSE_US"))
		usleep(atoi(getenv("SWAP_PAUSE_US")));
	if (!at || ++n != atoi(at))
		return;
	if (!strcmp(getenv("SWAP_HOW"), "folder")) {
		snprintf(was, sizeof(was), "%s.was", folder);
		put_link(folder, was);
	} else {
		swap_entries(folder);
	}
	syscall(SYS_close, syscall(SYS_open, getenv("SWAP_DONE"), O_CREAT | O_WRONLY, 0600));
}

#define CALL(type, name, params, args)                          \
	type name params                                        \
	{                                                       \
		type(*real) params = dlsym(RTLD_NEXT, #name);   \
		type result = real args;                        \
                                                                \
		after_call();                                   \
		return result;                                  \
	}

CALL(char *, mkdtemp, (char *path), (path))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
CALL(int, chmod, (const char *path, mode_t mode), (path, mode))
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(int, rename, (const char *from, const char *to), (from, to))
CALL(int, renameat, (int dir, const char *from, int to_dir, const char *to), (dir, from, to_dir, to))
CALL(int, linkat, (int dir, const char *from, int to_dir, const char *to, int flags),
     (dir, from, to_dir, to, flags))
CALL(int, unlink, (const char *path), (path))
CALL(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
CALL(int, rmdir, (const char *path), (path))
CALL(FILE *, fopen, (const char *path, const char *how), (path, how))
CALL(FILE *, fopen64, (const char *path, const char *how), (path, how))
CALL(int, fsync, (int fd), (fd))

#define OPEN(name, params, args)                                                      \
	int name params                                                               \
	{                                                                             \
		int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat"); \
		va_list ap;                                                           \
		int fd;                                                               \
                                                                                      \
		va_start(ap, flags);                                                  \
		fd = real args;                                                       \
		va_end(ap);                                                           \
		if (flags & (O_CREAT | O_DIRECTORY | O_PATH))                         \
			after_call();                                                 \
		return fd;                                                            \
	}

OPEN(open, (const char *path, int flags, ...), (AT_FDCWD, path, flags, va_arg(ap, mode_t)))
OPEN(open64, (const char *path, int flags, ...), (AT_FDCWD, path, flags, va_arg(ap, mode_t)))
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, va_arg(ap, mode_t)))
OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, va_arg(ap, mode_t)))
