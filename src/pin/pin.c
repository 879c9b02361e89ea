// SPDX-License-Identifier: GPL-2.0-only
/* pin.c - folders of nodes in the BPF file system. */
#include "pin/priv.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ADDING "+add+"
#define REMOVING "+del+"
#define TRIES 100 /* to open a folder that is renamed while waiting for its lock */

/* ---- names ---- */

/* A dot becomes a comma: the file system allows no dots, and no node name has a comma. */
static void to_file(char *to, size_t size, const char *node)
{
	char *p;

	snprintf(to, size, "%s", node);
	for (p = to; *p; p++)
		if (*p == '.')
			*p = ',';
}

void pin_to_node(char *file)
{
	for (; *file; file++)
		if (*file == ',')
			*file = '.';
}

/* ---- can it be trusted ---- */

static int check_owner(int fd, const char *what, const char *name, struct error *e)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot use %s '%s'", what,
				 name);
	if (fs.f_type != BPF_FS_MAGIC)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is not in a BPF file system",
				 "mount one: mount -t bpf bpf /sys/fs/bpf", "cannot use %s '%s'",
				 what, name);
	if (st.st_uid != geteuid())
		return error_set(e, EXIT_USAGE, -EPERM, "it belongs to another user",
				 "let its owner remove it", "cannot use %s '%s'", what, name);
	return 0;
}

static int check_folder(int fd, const char *what, const char *name, struct error *e)
{
	int err = check_owner(fd, what, name, e);
	struct stat st;

	if (err)
		return err;
	if (fstat(fd, &st) || st.st_mode & 077)
		return error_set(e, EXIT_USAGE, -EPERM, "others may write or look into it",
				 "remove it, or take their rights away: chmod 700",
				 "cannot use %s '%s'", what, name);
	return 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Other users cannot open it, and so they cannot hold its lock. */
static bool is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 077);
}

/* A maker shares the lock of the root folder, so that nobody removes it in the meantime. */
static int pin_open_root(const char *path, bool make, bool *made)
{
	struct stat a, b;
	int fd, i;

	for (i = 0; i < TRIES; i++) {
		if (make && !mkdir(path, 0700))
			*made = true;
		fd = open(path, PIN_OPEN);
		if (fd < 0 && (errno != ENOENT || !*made))
			return -errno;
		if (fd < 0)
			continue;
		if (!make || fstat(fd, &a) || !is_private(&a))
			return fd;
		if (!flock(fd, LOCK_SH) && !lstat(path, &b) && same_file(&a, &b))
			return fd;
		close(fd);
	}
	return -EBUSY;
}

int pin_root(const char *path, bool make, struct error *e)
{
	bool made = false;
	int fd = pin_open_root(path, make, &made), err;

	if (fd == -ENOENT && !make)
		return -ENOENT;
	if (fd < 0)
		return error_set(e, EXIT_KERNEL, fd, NULL,
				 geteuid() ? "nodes belong to root: run it as root"
					   : "a BPF file system must be there: mount -t bpf bpf "
					     "/sys/fs/bpf",
				 "cannot use the folder '%s'", path);
	err = check_folder(fd, "the folder", path, e);
	if (!err)
		return fd;
	close(fd);
	if (made)
		rmdir(path);
	return err;
}

void pin_root_leave(const char *path, int root)
{
	if (!flock(root, LOCK_EX | LOCK_NB))
		rmdir(path);
}

/* ---- objects ---- */

static void pin_path_of(char path[PIN_PATH], const struct pin_folder *f, const char *name)
{
	snprintf(path, PIN_PATH, "/proc/self/fd/%d/%s", f->fd, name);
}

int pin_put(const struct pin_folder *f, const char *name, int fd)
{
	char path[PIN_PATH];

	pin_path_of(path, f, name);
	return bpf_obj_pin(fd, path);
}

int pin_get(const struct pin_folder *f, const char *name)
{
	char path[PIN_PATH];

	pin_path_of(path, f, name);
	return bpf_obj_get(path);
}

void pin_drop(const struct pin_folder *f, const char *name)
{
	unlinkat(f->fd, name, 0);
}

/* ---- folders ---- */

static void empty(int fd)
{
	int copy = openat(fd, ".", PIN_OPEN);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *d;

	/* No node has a folder in it, but an empty one must not prevent removal. */
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.' && unlinkat(fd, d->d_name, 0))
			unlinkat(fd, d->d_name, AT_REMOVEDIR);
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
}

/* Remove all contents, then the folder. Repeated, since reading may miss what is moved. */
int pin_destroy(int root, int fd, const char *name)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		empty(fd);
		if (!unlinkat(root, name, AT_REMOVEDIR))
			return 0;
		if (errno != ENOTEMPTY)
			return -errno;
	}
	return -ENOTEMPTY;
}

/* While waiting for the lock, the folder may have been removed and made again. */
bool pin_still_there(int root, const char *file, int fd)
{
	struct stat a, b;

	return !fstat(fd, &a) && !fstatat(root, file, &b, AT_SYMLINK_NOFOLLOW) && same_file(&a, &b);
}

static int make_fresh(struct pin_folder *f, const char *mark, const char *node)
{
	char file[256];

	to_file(file, sizeof(file), node);
	if (asprintf(&f->name, "%s%d+%s", mark, (int)getpid(), file) < 0) {
		f->name = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Until it is locked, another process may remove it as a leftover. */
static int open_fresh(struct pin_folder *f)
{
	if (mkdirat(f->root, f->name, 0700))
		return -errno;
	f->fresh = true;
	f->fd = openat(f->root, f->name, PIN_OPEN);
	if (f->fd >= 0 && !flock(f->fd, LOCK_EX | LOCK_NB) &&
	    pin_still_there(f->root, f->name, f->fd))
		return 0;
	return -EAGAIN;
}

static int name_taken(const char *node, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EEXIST, "there is a node of that name",
			 "choose another name, or remove it: kstats-bpf node rm", "cannot add '%s'",
			 node);
}

int pin_begin(struct pin_folder *f, int root, const char *node, struct error *e)
{
	int err = -EAGAIN, i;
	char file[256];

	*f = PIN_NONE;
	to_file(file, sizeof(file), node);
	/* An early check for a quick answer; the final one is in pin_commit(). */
	if (!faccessat(root, file, F_OK, AT_SYMLINK_NOFOLLOW))
		return name_taken(node, e);
	for (i = 0; i < TRIES && err == -EAGAIN; i++) {
		pin_close(f);
		f->root = root;
		err = make_fresh(f, ADDING, node);
		if (!err)
			err = open_fresh(f);
	}
	if (!err)
		return 0;
	pin_close(f);
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot make a folder for '%s'", node);
}

int pin_commit(struct pin_folder *f, const char *node, struct error *e)
{
	char file[256];

	to_file(file, sizeof(file), node);
	if (!renameat2(f->root, f->name, f->root, file, RENAME_NOREPLACE)) {
		f->fresh = false;
		return 0;
	}
	if (errno == EEXIST)
		return name_taken(node, e);
	return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot add '%s'", node);
}

void pin_close(struct pin_folder *f)
{
	if (f->fresh)
		pin_destroy(f->root, f->fd, f->name);
	if (f->fd >= 0)
		close(f->fd);
	free(f->name);
	*f = PIN_NONE;
}

/* ---- opening ---- */

static int no_node(const char *node, int err, struct error *e)
{
	if (err == -ENOENT || err == -ENOTDIR)
		return error_set(e, EXIT_USAGE, err, "there is no node of that name",
				 "see 'kstats-bpf node ls'", "cannot use the node '%s'", node);
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot use the node '%s'", node);
}

static int open_locked(int root, const char *file, int how)
{
	int i, fd;

	for (i = 0; i < TRIES; i++) {
		fd = openat(root, file, PIN_OPEN);
		if (fd < 0)
			return -errno;
		if (!flock(fd, how) && pin_still_there(root, file, fd))
			return fd;
		close(fd);
	}
	return -EBUSY;
}

static int open_node(struct pin_folder *f, int root, const char *node, bool alone, struct error *e)
{
	char file[256];
	int err;

	*f = PIN_NONE;
	f->root = root;
	to_file(file, sizeof(file), node);
	if (root < 0 || !*file || strchr("+.", file[0]) || strpbrk(node, "/,"))
		return no_node(node, -ENOENT, e);
	f->fd = open_locked(root, file, alone ? LOCK_EX : LOCK_SH);
	if (f->fd >= 0)
		return 0;
	err = f->fd;
	f->fd = -1;
	return no_node(node, err, e);
}

int pin_open(struct pin_folder *f, int root, const char *node, bool alone, struct error *e)
{
	int err = open_node(f, root, node, alone, e);

	if (!err)
		err = check_folder(f->fd, "the node", node, e);
	if (err)
		pin_close(f);
	return err;
}

int pin_remove(int root, const char *node, struct error *e)
{
	struct pin_folder f;
	bool left = false;
	char file[256];
	int err = open_node(&f, root, node, true, e);

	/* The owner is enough here: nothing inside is read, so it may be open to others. */
	if (!err)
		err = check_owner(f.fd, "the node", node, e);
	if (err) {
		pin_close(&f);
		return err;
	}
	to_file(file, sizeof(file), node);
	err = make_fresh(&f, REMOVING, node);
	if (!err && renameat2(root, file, root, f.name, RENAME_NOREPLACE))
		err = -errno;
	if (!err && pin_destroy(root, f.fd, f.name))
		left = true;
	pin_close(&f);
	if (left)
		return error_set(e, EXIT_USAGE, -ENOTEMPTY, "its folder holds objects of no node",
				 "remove them by hand", "cannot remove all of the node '%s'", node);
	return err ? no_node(node, err, e) : 0;
}
