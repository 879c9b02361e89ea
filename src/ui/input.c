// SPDX-License-Identifier: GPL-2.0-only
/* input.c - reading recordings from files. */
#include "ui/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int unreadable(const char *path, int err, const char *next, struct error *e)
{
	return error_set(e, EXIT_USAGE, err, NULL, next, "cannot read '%s'", path);
}

static FILE *open_file(const char *path, struct error *e)
{
	FILE *in = fopen(path, "re");
	struct stat st;

	if (!in) {
		unreadable(path, -errno, "name a file that 'trace --record' has written", e);
		return NULL;
	}
	if (fstat(fileno(in), &st) || !S_ISDIR(st.st_mode))
		return in;
	unreadable(path, -EISDIR, "name the files in it", e);
	fclose(in);
	return NULL;
}

/* Without waiting for somebody who writes, as into a FIFO. */
static FILE *open_regular(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	struct stat st;

	if (in && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return in;
	if (in)
		error_set(e, EXIT_USAGE, -EINVAL, "it is not a regular file",
			  "take it out of the folder", "cannot read '%s'", path);
	else
		unreadable(path, -errno, "take it out of the folder", e);
	if (in)
		fclose(in);
	else if (fd >= 0)
		close(fd);
	return NULL;
}

static struct recording *load_stream(FILE *in, const char *path, struct error *e)
{
	struct error why = {};
	struct recording *r = recording_load(in, &why);

	if (!r) {
		error_set(e, why.status, why.err, why.why, why.next, "cannot read '%s'", path);
		return NULL;
	}
	r->source = strdup(path);
	if (r->source)
		return r;
	error_no_memory(e, "cannot read '%s'", path);
	recording_free(r);
	return NULL;
}

static struct recording *load_file(FILE *in, const char *path, struct error *e)
{
	struct recording *r = in ? load_stream(in, path, e) : NULL;

	if (in)
		fclose(in);
	return r;
}

struct recording *input_load(const char *path, struct error *e)
{
	if (!strcmp(path, "-"))
		return load_stream(stdin, "standard input", e);
	return load_file(open_file(path, e), path, e);
}

struct recording *input_load_regular(const char *path, struct error *e)
{
	return load_file(open_regular(path, e), path, e);
}
