// SPDX-License-Identifier: GPL-2.0-only
/* newfile.c - files that get their names when they are complete. */
#include "util/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/folder.h"

#define NAME_TRIES 100

static bool is_name_of(int dir, const char *name, int fd)
{
	struct stat a, b;

	return !fstatat(dir, name, &a, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* ---- names for now ---- */

/* The first has to be found again by those who clear up; nobody can guess the others. */
static int set_temp(struct newfile *f, int tried)
{
	unsigned int any;

	free(f->temp);
	f->temp = NULL;
	if (!tried)
		return asprintf(&f->temp, "%.200s.kstats-tmp", f->name) < 0 ? -ENOMEM : 0;
	if (getrandom(&any, sizeof(any), 0) != sizeof(any))
		return -EIO;
	return asprintf(&f->temp, "%.200s.kstats-tmp-%08x", f->name, any) < 0 ? -ENOMEM : 0;
}

static void drop_temp(struct newfile *f)
{
	free(f->temp);
	f->temp = NULL;
}

/*
 * A process holds the lock of its file while it lives. If we get the lock, the process was
 * killed, or has renamed the file in the meantime. Another user could hold it for ever, so
 * his files are left alone, and nothing is waited for.
 */
static void remove_left_over(const struct newfile *f)
{
	char name[256];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%.200s.kstats-tmp", f->name);
	if (fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid())
		return;
	fd = openat(f->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB) &&
	    is_name_of(f->dir, name, fd))
		unlinkat(f->dir, name, 0);
	close(fd);
}

/* For file systems without files that have no name. */
static int open_named(struct newfile *f)
{
	int i, err = -EEXIST;

	for (i = 0; err == -EEXIST && i < NAME_TRIES; i++) {
		err = set_temp(f, i);
		if (err)
			break;
		f->fd = openat(f->dir, f->temp, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
			       0666);
		err = f->fd < 0 ? -errno : 0;
	}
	if (err)
		drop_temp(f);
	return err;
}

int newfile_open(struct newfile *f, int dir, const char *name)
{
	int err = 0;

	*f = (struct newfile){ .name = strdup(name), .fd = -1 };
	if (!f->name)
		return -ENOMEM;
	f->dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	if (f->dir < 0)
		return -errno;
	remove_left_over(f);
	f->fd = openat(f->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (f->fd < 0)
		err = open_named(f);
	/* If locking does not work, other processes cannot lock it and remove it either. */
	if (!err)
		flock(f->fd, LOCK_EX | LOCK_NB);
	return err;
}

/* ---- the final name ---- */

static int link_as(const struct newfile *f, const char *name)
{
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, proc, f->dir, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* An existing file can only be replaced by renaming a file that has a name. */
static int link_temp(struct newfile *f)
{
	int i, err = -EEXIST;

	remove_left_over(f);
	for (i = 0; err == -EEXIST && i < NAME_TRIES; i++) {
		err = set_temp(f, i);
		if (!err)
			err = link_as(f, f->temp);
	}
	if (err)
		drop_temp(f);
	return err;
}

static int rename_temp(struct newfile *f, bool replace)
{
	struct stat st;

	if (!replace && !fstatat(f->dir, f->name, &st, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	if (renameat(f->dir, f->temp, f->dir, f->name))
		return -errno;
	drop_temp(f);
	return 0;
}

int newfile_commit(struct newfile *f, bool replace)
{
	int err = f->temp ? -EEXIST : link_as(f, f->name);

	if (err == -EEXIST && !f->temp && replace)
		err = link_temp(f);
	if (f->temp)
		err = rename_temp(f, replace);
	/* Whoever may rename files there can have put another one into the place of ours. */
	if (!err && folder_is_shared(f->dir) && !is_name_of(f->dir, f->name, f->fd))
		err = -ESTALE;
	return err;
}

void newfile_close(struct newfile *f)
{
	if (f->name && f->temp && is_name_of(f->dir, f->temp, f->fd))
		unlinkat(f->dir, f->temp, 0);
	if (f->name && f->fd >= 0)
		close(f->fd);
	if (f->name && f->dir >= 0)
		close(f->dir);
	free(f->temp);
	free(f->name);
	*f = (struct newfile){};
}
