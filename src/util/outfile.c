// SPDX-License-Identifier: GPL-2.0-only
/* outfile.c - writing a file that appears complete or not at all. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/folder.h"

/* NULL: the error number tells it. */
static const char *why_of(int err)
{
	return err == -ESTALE ? "another user of the folder has put a file there meanwhile" : NULL;
}

/* @why: half a sentence, or NULL */
static int fail_because(const char *path, int err, const char *why, struct error *e)
{
	return error_set(e, EXIT_USAGE, err, why, "choose a file in a folder that you may write to",
			 "cannot write '%s'", path);
}

static int fail(const char *path, int err, struct error *e)
{
	return fail_because(path, err, why_of(err), e);
}

/* ---- checks before writing ---- */

/* Checked early, since CAP_FOWNER has been given up when the file is replaced. */
static bool is_kept_by_owner(int dir, const struct stat *file)
{
	struct stat in;

	return !fstat(dir, &in) && in.st_mode & S_ISVTX && file->st_uid != geteuid() &&
	       in.st_uid != geteuid();
}

/* As in /dev: renaming a file over the link would remove the link for everybody. */
static bool leads_to_proc(int dir, const char *name)
{
	char target[16] = "";

	return readlinkat(dir, name, target, sizeof(target) - 1) > 0 &&
	       !strncmp(target, "/proc/", 6);
}

static int check_target(const char *path, int dir, const char *name, struct error *e)
{
	struct stat st, own;
	bool is = !fstatat(dir, name, &st, 0);

	if (!*name || (is && S_ISDIR(st.st_mode)))
		return fail(path, *path ? -EISDIR : -ENOENT, e);
	/* Renaming a file over a device would remove the device for everybody. */
	if ((is && !S_ISREG(st.st_mode)) || leads_to_proc(dir, name))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is not a regular file",
				 "leave it out and redirect the output", "cannot write '%s'", path);
	if (!fstatat(dir, name, &own, AT_SYMLINK_NOFOLLOW) && is_kept_by_owner(dir, &own))
		return error_set(e, EXIT_USAGE, -EPERM,
				 "it is somebody else's, in a sticky folder, where only its owner "
				 "may replace it",
				 "choose another name, or remove it first", "cannot write '%s'",
				 path);
	return 0;
}

/* ---- elsewhere ---- */

#define PLACES 5 /* number of places in name_place(); the last is standard output */

/* The folder that was asked for may still accept a file of another name. */
static char *name_place(const struct outfile *o, unsigned int place)
{
	const char *const folders[] = { getenv("TMPDIR"), "/tmp", "/var/tmp", "." };
	const char *name = folder_name(o->path);
	char *path = NULL;
	int n;

	if (!place)
		n = asprintf(&path, "%s.kept-%d", o->path, (int)getpid());
	else
		n = folders[place - 1] ? asprintf(&path, "%s/%s.kept-%d", folders[place - 1], name,
						  (int)getpid())
				       : -1;
	return n < 0 ? NULL : path;
}

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

static bool move_to_stdout(struct outfile *o)
{
	if (copy_all(o->fd, STDOUT_FILENO))
		return false;
	newfile_close(&o->file);
	free(o->kept);
	o->kept = NULL;
	o->fd = STDOUT_FILENO;
	return true;
}

static bool move_to_place(struct outfile *o, unsigned int place)
{
	char *path = name_place(o, place);
	struct folder other = FOLDER_NONE;
	struct newfile new = {};
	const char *why;
	int err = path ? 0 : -ENOENT;

	if (!err && place)
		err = folder_of(&other, path, &why);
	if (!err)
		err = newfile_open(&new, place ? other.fd : o->dir.fd, folder_name(path));
	if (!err)
		err = copy_all(o->fd, new.fd);
	folder_close(&other);
	if (err) {
		newfile_close(&new);
		free(path);
		return false;
	}
	newfile_close(&o->file);
	free(o->kept);
	o->file = new;
	o->fd = new.fd;
	o->kept = path;
	return true;
}

/* Move to another place. True if what was written so far is there and writing can go on. */
static bool go_elsewhere(struct outfile *o, int err)
{
	bool is = false;

	if (!o->err)
		o->err = err;
	while (!is && o->place <= PLACES) {
		is = o->place == PLACES ? move_to_stdout(o) : move_to_place(o, o->place);
		o->place++;
	}
	return is;
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

static int open_stream(struct outfile *o)
{
	const cookie_io_functions_t functions = { .write = put };
	int err = newfile_open(&o->file, o->dir.fd, folder_name(o->path));

	o->fd = o->file.fd;
	if (!err)
		o->stream = fopencookie(o, "w", functions);
	return err ? err : o->stream ? 0 : -ENOMEM;
}

/* In @o->dir, with @err of opening that and its reason. */
static int open_in_folder(struct outfile *o, int err, const char *why, struct error *e)
{
	if (err)
		fail_because(o->path, err, why, e);
	else
		err = check_target(o->path, o->dir.fd, folder_name(o->path), e);
	if (!err) {
		err = open_stream(o);
		if (err)
			fail(o->path, err, e);
	}
	if (err)
		outfile_abort(o);
	return err;
}

int outfile_open(struct outfile *o, const char *path, struct error *e)
{
	const char *why;
	int err;

	*o = (struct outfile){ .path = path, .fd = -1 };
	err = folder_of(&o->dir, path, &why);
	return open_in_folder(o, err, why, e);
}

int outfile_open_in(struct outfile *o, const struct folder *folder, const char *path,
		    struct error *e)
{
	*o = (struct outfile){ .path = path, .fd = -1, .dir = FOLDER_NONE };
	o->dir.fd = fcntl(folder->fd, F_DUPFD_CLOEXEC, 3);
	return open_in_folder(o, o->dir.fd < 0 ? -errno : 0, NULL, e);
}

FILE *outfile_spool(const struct outfile *o)
{
	int fd = openat(o->dir.fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

void outfile_set_mode(struct outfile *o, mode_t mode)
{
	o->mode = mode;
}

static int tell_kept(const struct outfile *o, struct error *e)
{
	char next[300];

	if (!o->kept)
		snprintf(next, sizeof(next), "the result went to standard output instead");
	else
		snprintf(next, sizeof(next), "the result is in '%.200s' instead", o->kept);
	return error_set(e, EXIT_USAGE, o->err, why_of(o->err), next, "cannot write '%s'", o->path);
}

/* Standard output is not ours. */
static int finish(struct outfile *o)
{
	if (!o->file.name)
		return 0;
	if ((o->mode && fchmod(o->fd, o->mode)) || fsync(o->fd))
		return -errno;
	return newfile_commit(&o->file, !o->kept);
}

int outfile_commit(struct outfile *o, struct error *e)
{
	int err = 0;

	if (fflush(o->stream) || ferror(o->stream))
		err = o->err ? o->err : -EIO;
	else
		for (err = finish(o); err && go_elsewhere(o, err); err = finish(o))
			;
	if (err)
		fail(o->path, o->err ? o->err : err, e);
	else if (o->err)
		err = tell_kept(o, e);
	outfile_abort(o);
	return err;
}

void outfile_abort(struct outfile *o)
{
	if (!o->path)
		return;
	/* Discard what is still in the buffer. */
	o->place = PLACES + 1;
	if (o->stream)
		fclose(o->stream);
	newfile_close(&o->file);
	folder_close(&o->dir);
	free(o->kept);
	*o = (struct outfile){};
}
