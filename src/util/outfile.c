// SPDX-License-Identifier: GPL-2.0-only
/* outfile.c - see outfile.h. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_unnamed(const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;

	free(copy);
	return fd;
}

static int fail(const char *path, int err, struct error *e)
{
	return error_set(e, EXIT_USAGE, err, NULL,
			 "choose a file in a folder that you may write to", "cannot write '%s'",
			 path);
}

int outfile_open(struct outfile *o, const char *path, struct error *e)
{
	struct stat st;
	int fd;

	*o = (struct outfile){ .path = path };
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return fail(path, -EISDIR, e);
	/* Renaming over a device would take it away from everybody. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is not a regular file",
				 "leave it out and redirect the output", "cannot write '%s'", path);
	if (asprintf(&o->temp, "%s.%d.tmp", path, (int)getpid()) < 0) {
		o->temp = NULL;
		return fail(path, -ENOMEM, e);
	}
	fd = open_unnamed(path);
	if (fd < 0) {
		fd = open(o->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
		o->named = fd >= 0;
	}
	if (fd >= 0)
		o->stream = fdopen(fd, "w");
	if (o->stream)
		return 0;
	fail(path, -errno, e);
	if (fd >= 0)
		close(fd);
	outfile_abort(o);
	return e ? e->err : -EIO;
}

static int give_name(struct outfile *o)
{
	char proc[64];

	if (!o->named) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fileno(o->stream));
		unlink(o->temp); /* of an earlier process with our number */
		if (linkat(AT_FDCWD, proc, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW))
			return -errno;
		o->named = true;
	}
	return rename(o->temp, o->path) ? -errno : 0;
}

int outfile_commit(struct outfile *o, struct error *e)
{
	int err = 0;

	if (fflush(o->stream) || ferror(o->stream) || fsync(fileno(o->stream)))
		err = errno ? -errno : -EIO;
	if (!err)
		err = give_name(o);
	if (!err)
		o->named = false;
	else
		fail(o->path, err, e);
	outfile_abort(o);
	return err;
}

void outfile_abort(struct outfile *o)
{
	if (o->stream)
		fclose(o->stream);
	if (o->named)
		unlink(o->temp);
	free(o->temp);
	*o = (struct outfile){};
}
