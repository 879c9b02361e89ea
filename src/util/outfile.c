// SPDX-License-Identifier: GPL-2.0-only
/* outfile.c - writing a file that appears complete or not at all. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_TRIES 100

static int fail(const char *path, int err, struct error *e)
{
	return error_set(e, EXIT_USAGE, err, NULL,
			 "choose a file in a folder that you may write to", "cannot write '%s'",
			 path);
}

/* The folder of a path; to be freed. */
static char *folder_of(const char *path)
{
	char *copy = strdup(path), *folder = copy ? strdup(dirname(copy)) : NULL;

	free(copy);
	return folder;
}

/* ---- checks before writing ---- */

/* Checked early, since CAP_FOWNER has been given up when the file is replaced. */
static bool is_kept_by_owner(const char *path)
{
	char *folder = folder_of(path);
	struct stat file, in;
	bool is = folder && !lstat(path, &file) && !stat(folder, &in) && in.st_mode & S_ISVTX &&
		  file.st_uid != geteuid() && in.st_uid != geteuid();

	free(folder);
	return is;
}

static int check_target(const char *path, struct error *e)
{
	struct stat st;
	bool is = !stat(path, &st);

	if (is && S_ISDIR(st.st_mode))
		return fail(path, -EISDIR, e);
	/* Renaming a file over a device would remove the device for everybody. */
	if (is && !S_ISREG(st.st_mode))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is not a regular file",
				 "leave it out and redirect the output", "cannot write '%s'", path);
	if (is_kept_by_owner(path))
		return error_set(e, EXIT_USAGE, -EPERM,
				 "it is somebody else's, in a sticky folder, where only its owner "
				 "may replace it",
				 "choose another name, or remove it first", "cannot write '%s'",
				 path);
	return 0;
}

/* ---- names ---- */

static bool is_name_of(const char *name, int fd)
{
	struct stat a, b;

	return !lstat(name, &a) && !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * A process holds the lock of its temporary file while it lives. If we get the lock, the
 * process was killed, or has renamed the file in the meantime.
 */
static int remove_left_over(const char *temp, bool wait)
{
	int fd = open(temp, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)))
		err = -EBUSY;
	else if (is_name_of(temp, fd) && unlink(temp))
		err = -errno;
	close(fd);
	return err;
}

static int link_as(int fd, const char *name)
{
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, proc, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* An existing file can only be replaced by renaming a file that has a name. */
static int replace(struct outfile *o)
{
	int i, err = o->named ? 0 : -EEXIST;

	for (i = 0; err == -EEXIST && i < NAME_TRIES; i++) {
		remove_left_over(o->temp, true);
		err = link_as(o->fd, o->temp);
		o->named = !err;
	}
	if (!err && rename(o->temp, o->path))
		err = -errno;
	if (!err)
		o->named = false;
	return err;
}

static int give_name(struct outfile *o)
{
	int err = o->named ? -EEXIST : link_as(o->fd, o->path);

	return err == -EEXIST ? replace(o) : err;
}

/* ---- elsewhere ---- */

/* The folder that was asked for may still accept a file of another name. */
static char *place_name(const struct outfile *o, unsigned int place)
{
	const char *const folders[] = { getenv("TMPDIR"), "/tmp", "/var/tmp", "." };
	char *copy = strdup(o->path), *own = folder_of(o->path), *name = NULL;
	const char *folder = place ? folders[place - 1] : own;

	if (!copy || !folder ||
	    asprintf(&name, "%s/%s.kept-%d", folder, basename(copy), (int)getpid()) < 0)
		name = NULL;
	free(copy);
	free(own);
	return name;
}

#define PLACES 5 /* number of places in place_name(); the last is standard output */

static int copy_all(int from, int to)
{
	char buf[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, buf, sizeof(buf), at)) > 0) {
		if (write(to, buf, n) != n)
			return -EIO;
		at += n;
	}
	return n < 0 ? -errno : 0;
}

static void move_to(struct outfile *o, int fd, char *name)
{
	close(o->fd);
	if (o->named)
		unlink(o->temp);
	o->named = false;
	if (o->kept)
		unlink(o->kept);
	free(o->kept);
	o->kept = name;
	o->fd = fd;
}

static bool try_place(struct outfile *o, unsigned int place)
{
	bool last = place == PLACES;
	char *name = last ? NULL : place_name(o, place);
	int fd = last   ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
		 : name ? open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666)
			: -1;

	if (fd >= 0 && !copy_all(o->fd, fd)) {
		move_to(o, fd, name);
		return true;
	}
	if (fd >= 0) {
		close(fd);
		if (name)
			unlink(name);
	}
	free(name);
	return false;
}

/* Move to another place. True if what was written so far is there and writing can go on. */
static bool go_elsewhere(struct outfile *o, int err)
{
	if (!o->err)
		o->err = err;
	while (o->place <= PLACES)
		if (try_place(o, o->place++))
			return true;
	return false;
}

static ssize_t put(void *cookie, const char *buf, size_t size)
{
	struct outfile *o = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = write(o->fd, buf + done, size - done);
		if (n > 0)
			done += n;
		else if (n && errno == EINTR)
			continue;
		else if (!go_elsewhere(o, n ? -errno : -EIO))
			return 0;
	}
	return done;
}

/* ---- the interface ---- */

static int open_file(struct outfile *o)
{
	char *folder = folder_of(o->path);
	int err;

	err = remove_left_over(o->temp, false);
	o->fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
	free(folder);
	if (o->fd < 0) {
		o->fd = open(o->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
		o->named = o->fd >= 0;
	}
	if (o->fd < 0)
		return err == -EBUSY ? err : -errno;
	/* If locking does not work, other processes cannot lock it and remove it either. */
	flock(o->fd, LOCK_EX | LOCK_NB);
	return 0;
}

int outfile_open(struct outfile *o, const char *path, struct error *e)
{
	const cookie_io_functions_t functions = { .write = put };
	int err;

	*o = (struct outfile){ .path = path, .fd = -1 };
	err = check_target(path, e);
	if (err)
		return err;
	if (asprintf(&o->temp, "%s.kstats-tmp", path) < 0) {
		o->temp = NULL;
		return fail(path, -ENOMEM, e);
	}
	err = open_file(o);
	if (!err)
		o->stream = fopencookie(o, "w", functions);
	if (o->stream)
		return 0;
	err = fail(path, err ? err : -ENOMEM, e);
	outfile_abort(o);
	return err;
}

static int tell_kept(const struct outfile *o, struct error *e)
{
	char next[300];

	if (o->place > PLACES)
		snprintf(next, sizeof(next), "the result went to standard output instead");
	else
		snprintf(next, sizeof(next), "the result is in '%.200s' instead", o->kept);
	return error_set(e, EXIT_USAGE, o->err, NULL, next, "cannot write '%s'", o->path);
}

int outfile_commit(struct outfile *o, struct error *e)
{
	int err = 0;

	if (fflush(o->stream) || ferror(o->stream))
		err = o->err ? o->err : -EIO;
	while (!err && o->place <= PLACES && fsync(o->fd))
		if (!go_elsewhere(o, -errno))
			err = o->err;
	if (!err && !o->err) {
		err = give_name(o);
		if (err && go_elsewhere(o, err))
			err = 0;
	}
	if (err) {
		fail(o->path, err, e);
	} else {
		err = o->err ? tell_kept(o, e) : 0;
		free(o->kept);
		o->kept = NULL;
	}
	outfile_abort(o);
	return err;
}

void outfile_abort(struct outfile *o)
{
	/* Discard what is still in the buffer. */
	o->place = PLACES + 1;
	if (o->stream)
		fclose(o->stream);
	if (o->temp && o->fd >= 0)
		close(o->fd);
	if (o->named)
		unlink(o->temp);
	if (o->kept)
		unlink(o->kept);
	free(o->kept);
	free(o->temp);
	*o = (struct outfile){};
}
