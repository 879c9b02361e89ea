// SPDX-License-Identifier: GPL-2.0-only
/* file.c - one-line files of the kernel, and files that are kept until the next boot. */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_first_line(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	int err = 0;
	FILE *in;

	*buf = '\0';
	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	in = fopen(full, "re");
	if (!in)
		return -errno;
	if (!fgets(buf, size, in))
		err = -EIO;
	fclose(in);
	buf[err ? 0 : strcspn(buf, "\n")] = '\0';
	return err;
}

off_t file_check(int fd, mode_t type, off_t most, const char **why)
{
	struct stat st;

	*why = NULL;
	if (fstat(fd, &st))
		return -errno;
	if ((st.st_mode & S_IFMT) != type) {
		*why = "it is not a regular file";
		return -EINVAL;
	}
	if (st.st_uid && st.st_uid != geteuid()) {
		*why = "it, or its folder, belongs to another user";
		return -EPERM;
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		*why = "others may write to it or to its folder";
		return -EPERM;
	}
	return type == S_IFREG && st.st_size > most ? -EFBIG : st.st_size;
}

static int write_file(int fd, mode_t mode, int (*write)(const void *ctx, FILE *out),
		      const void *ctx)
{
	FILE *out = fdopen(fd, "w");
	int err;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	err = fchmod(fd, mode) ? -errno : write(ctx, out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

int file_replace(const struct file_place *p, int (*write)(const void *ctx, FILE *out),
		 const void *ctx)
{
	int fd, err;

	unlinkat(p->dir, p->temp, 0);
	fd = openat(p->dir, p->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, p->mode);
	err = fd < 0 ? -errno : write_file(fd, p->mode, write, ctx);
	if (!err && renameat(p->dir, p->temp, p->dir, p->name))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(p->dir, p->temp, 0);
	return err;
}
