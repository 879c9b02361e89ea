// SPDX-License-Identifier: GPL-2.0-only
/* file.c - one-line files of the kernel, and files that are kept until the next boot. */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/newfile.h"

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

static int write_file(int fd, int (*write)(const void *ctx, FILE *out), const void *ctx)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3), err;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		if (copy >= 0)
			close(copy);
		return -ENOMEM;
	}
	err = write(ctx, out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int write_at(const struct file_place *p, bool replace,
		    int (*write)(const void *ctx, FILE *out), const void *ctx)
{
	struct newfile new;
	int err = newfile_open(&new, p->dir, p->name);

	if (!err && p->mode && fchmod(new.fd, p->mode))
		err = -errno;
	if (!err)
		err = write_file(new.fd, write, ctx);
	if (!err)
		err = newfile_commit(&new, replace);
	newfile_close(&new);
	return err;
}

int file_replace(const struct file_place *p, int (*write)(const void *ctx, FILE *out),
		 const void *ctx)
{
	return write_at(p, true, write, ctx);
}

int file_add(const struct file_place *p, int (*write)(const void *ctx, FILE *out), const void *ctx)
{
	return write_at(p, false, write, ctx);
}

int file_mount(const char *type)
{
	int fs = syscall(SYS_fsopen, type, FSOPEN_CLOEXEC), dir;

	if (fs < 0)
		return -errno;
	dir = syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (!dir)
		dir = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (dir < 0)
		dir = -errno;
	close(fs);
	return dir;
}
