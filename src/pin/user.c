// SPDX-License-Identifier: GPL-2.0-only
#include "pin/user.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kstats_user_abi.h"
#include "pin/priv.h"
#include "util/folder.h"

#define PATH_SIZE 160
#define LOCK "+lock" /* a folder that nobody else can open */

static int no_folder(const char *path, int err, struct error *e)
{
	return error_set(e, EXIT_KERNEL, err, NULL,
			 geteuid() ? "nodes belong to root: run it as root" : NULL,
			 "cannot use the folder '%s'", path);
}

static int not_bpf(const char *path, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, "it is not in a BPF file system",
			 "mount one: mount -t bpf -o mode=0755 bpf FOLDER",
			 "cannot use the folder '%s'", path);
}

static bool on_bpf(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == BPF_FS_MAGIC;
}

/* Opens the folder again under the lock: another process may have mounted over it meanwhile. */
static int mount_once(const char *path, int below, struct error *e)
{
	int fd = flock(below, LOCK_EX) ? -errno : open(path, PIN_OPEN), err = 0;

	if (fd >= 0 && on_bpf(fd))
		return fd;
	if (fd >= 0) {
		close(fd);
		if (mount("bpf", path, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755"))
			err = -errno;
		fd = err ? err : open(path, PIN_OPEN);
	}
	if (fd >= 0)
		return fd;
	return error_set(e, EXIT_KERNEL, err ? err : -errno, NULL, NULL,
			 "cannot mount a BPF file system on '%s'", path);
}

/* What is mounted over is closed, so that nobody else can hold its lock. */
static void make_folder(const char *path, mode_t mode)
{
	struct folder f;
	const char *why;
	int fd;

	if (!folder_open(&f, path, true, &why) && f.name) {
		fd = openat(f.fd, ".", PIN_OPEN);
		if (fd >= 0) {
			fchmod(fd, mode);
			close(fd);
		}
	}
	folder_close(&f);
}

static int open_mounted(const char *path, bool make, struct error *e)
{
	bool ours = !strcmp(path, KSTATS_USER_FOLDER);
	int fd, mounted;

	if (make)
		make_folder(path, ours ? 0700 : 0755);
	fd = open(path, PIN_OPEN);
	if (fd < 0)
		return no_folder(path, -errno, e);
	if (on_bpf(fd))
		return fd;
	mounted = make && ours ? mount_once(path, fd, e) : not_bpf(path, e);
	close(fd);
	return mounted;
}

static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* All users can open the folder, and whoever opens a file can lock it. */
static int lock(int folder, const char *path, struct error *e)
{
	int fd;

	mkdirat(folder, LOCK, 0700);
	fd = openat(folder, LOCK, PIN_OPEN);
	if (fd >= 0 && !flock(fd, LOCK_EX))
		return fd;
	no_folder(path, -errno, e);
	if (fd >= 0)
		close(fd);
	return -EIO;
}

int pin_user_open(const char *path, bool make, struct error *e)
{
	int fd = open_mounted(path, make, e), locked;

	if (fd < 0)
		return fd;
	locked = is_ours(fd) ? lock(fd, path, e)
			     : error_set(e, EXIT_USAGE, -EPERM,
					 "it belongs to another user, or others may write to it",
					 "let its owner remove it, or take their rights away: "
					 "chmod 755",
					 "cannot use the folder '%s'", path);
	close(fd);
	return locked;
}

static void path_of(char path[PATH_SIZE], int folder, const char *name, const char *more)
{
	snprintf(path, PATH_SIZE, "/proc/self/fd/%d/../%s%s", folder, name, more);
}

int pin_user_put(int folder, const char *name, const char *more, int map,
		 const struct pin_access *access)
{
	char path[PATH_SIZE];
	int err;

	path_of(path, folder, name, more);
	err = bpf_obj_pin(map, path);
	if (err)
		return err;
	/* The group first: until the mode is set, nobody else but its owner can open it. */
	if (!lchown(path, access->owner, access->group) && !chmod(path, access->mode))
		return 0;
	err = -errno;
	unlink(path);
	return err;
}

int pin_user_get(int folder, const char *name, const char *more)
{
	char path[PATH_SIZE];

	path_of(path, folder, name, more);
	return bpf_obj_get(path);
}

void pin_user_drop(int folder, const char *name, const char *more)
{
	char path[PATH_SIZE];

	path_of(path, folder, name, more);
	unlink(path);
}

/* ---- names that are claimed ---- */

#define CLAIM "+of-" /* a folder, before the name */

static void user_clear(int folder, const char *name)
{
	pin_user_drop(folder, name, "");
	pin_user_drop(folder, name, KSTATS_USER_CELLS);
}

/*
 * Return: descriptor of its folder, which is locked; -EWOULDBLOCK: by another process. Who has the
 * lock of all may remove a folder; nobody claims or looks for claims without that.
 */
static int claim_lock(const char *path)
{
	int fd = open(path, PIN_OPEN), err;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int pin_user_claim(int folder, const char *name)
{
	char path[PATH_SIZE];
	int fd;

	path_of(path, folder, CLAIM, name);
	if (!mkdir(path, 0700)) {
		fd = pin_user_get(folder, name, "");
		if (fd == -ENOENT)
			return claim_lock(path);
		if (fd >= 0)
			close(fd);
		rmdir(path);
		return -EEXIST;
	}
	return errno == EEXIST ? -EWOULDBLOCK : -errno;
}

void pin_user_unclaim(int folder, const char *name, int claim)
{
	char path[PATH_SIZE];

	path_of(path, folder, CLAIM, name);
	if (folder >= 0) {
		user_clear(folder, name);
		rmdir(path);
	}
	close(claim);
}

void pin_user_each_left(int folder, void (*each)(void *ctx, const char *name), void *ctx)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	const char *name;
	DIR *dir;
	int fd;

	path_of(path, folder, "", "");
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, CLAIM, strlen(CLAIM)))
			continue;
		name = entry->d_name + strlen(CLAIM);
		path_of(path, folder, CLAIM, name);
		fd = claim_lock(path);
		if (fd < 0)
			continue;
		each(ctx, name);
		pin_user_unclaim(folder, name, fd);
	}
	if (dir)
		closedir(dir);
}
