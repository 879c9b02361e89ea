// SPDX-License-Identifier: GPL-2.0-only
/* folder.c - walking to a folder without following links of other users. */
#include "util/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MOST 40 /* as in the kernel */
#define STEP (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* On the way to a folder. */
struct walk {
	int fd; /* the folder that was reached */
	int links; /* links that were followed */
	const char **why;
};

static int walk_path(struct walk *w, const char *path);

static int go_to(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = fd;
	return 0;
}

static bool is_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static int follow(struct walk *w, int link, const struct stat *st)
{
	char target[PATH_MAX];
	ssize_t n;

	if (st->st_uid && st->st_uid != geteuid()) {
		*w->why = "a symbolic link of another user is on the way";
		return -EPERM;
	}
	if (++w->links > LINKS_MOST)
		return -ELOOP;
	n = readlinkat(link, "", target, sizeof(target));
	if (n < 0 || n == sizeof(target))
		return n < 0 ? -errno : -ENAMETOOLONG;
	target[n] = '\0';
	return walk_path(w, target);
}

static int step(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name, STEP), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (!S_ISLNK(st.st_mode)) {
		return go_to(w, fd);
	} else if (is_proc(fd)) {
		/* The text of these links is not where they lead to, and nobody can change them. */
		err = go_to(w, openat(w->fd, name, O_PATH | O_CLOEXEC));
	} else {
		err = follow(w, fd, &st);
	}
	close(fd);
	return err;
}

static int walk_path(struct walk *w, const char *path)
{
	char *copy = strdup(path), *save, *name;
	int err = copy ? 0 : -ENOMEM;

	if (!err && *path == '/')
		err = go_to(w, open("/", STEP));
	for (name = copy ? strtok_r(copy, "/", &save) : NULL; name && !err;
	     name = strtok_r(NULL, "/", &save))
		err = step(w, name);
	free(copy);
	return err;
}

/* Return: a descriptor or -errno. */
static int open_path(const char *path, const char **why)
{
	struct walk w = { .fd = open(".", STEP), .why = why };
	int err = w.fd < 0 ? -errno : walk_path(&w, path);
	struct stat st;

	if (!err && (fstat(w.fd, &st) || !S_ISDIR(st.st_mode)))
		err = -ENOTDIR;
	if (!err)
		return w.fd;
	if (w.fd >= 0)
		close(w.fd);
	return err;
}

static int make_in(struct folder *f, const char *path, const char *name, const char **why)
{
	struct walk w = { .why = why };
	int err = folder_of(f, path, why);

	f->above = f->fd;
	f->fd = -1;
	if (err)
		return err;
	f->name = strdup(name);
	if (!f->name)
		return -ENOMEM;
	if (mkdirat(f->above, f->name, 0777)) {
		err = errno;
		free(f->name);
		f->name = NULL;
		/* Also if it is a link that may be followed. */
		f->fd = err == EEXIST ? open_path(path, why) : -err;
		return f->fd < 0 ? f->fd : 0;
	}
	w.fd = fcntl(f->above, F_DUPFD_CLOEXEC, 3);
	err = w.fd < 0 ? -errno : step(&w, f->name);
	f->fd = w.fd;
	return err;
}

int folder_open(struct folder *f, const char *path, bool make, const char **why)
{
	char *copy = strdup(path);
	size_t n = copy ? strlen(copy) : 0;
	int err;

	*f = (struct folder)FOLDER_NONE;
	*why = NULL;
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	if (!n) {
		free(copy);
		return copy ? -ENOENT : -ENOMEM;
	}
	if (make && *folder_name(copy)) {
		err = make_in(f, copy, folder_name(copy), why);
	} else {
		f->fd = open_path(copy, why);
		err = f->fd < 0 ? f->fd : 0;
	}
	free(copy);
	return err;
}

int folder_of(struct folder *f, const char *path, const char **why)
{
	char *copy = strndup(path, folder_name(path) - path);
	int err;

	*f = (struct folder)FOLDER_NONE;
	*why = NULL;
	f->fd = copy ? open_path(copy, why) : -ENOMEM;
	err = f->fd < 0 ? f->fd : 0;
	free(copy);
	return err;
}

const char *folder_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool folder_is_shared(int fd)
{
	struct stat st;

	return fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH);
}

void folder_unmake(const struct folder *f)
{
	if (f->name)
		unlinkat(f->above, f->name, AT_REMOVEDIR);
}

void folder_close(struct folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->above >= 0)
		close(f->above);
	free(f->name);
	*f = (struct folder)FOLDER_NONE;
}
