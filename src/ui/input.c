// SPDX-License-Identifier: GPL-2.0-only
/* input.c - reading recordings from files. */
#include "ui/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmem/document.h"
#include "result/recording_json.h"
#include "util/json_read.h"

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

/* ---- one kind or the other ---- */

static int load_document(struct json_object *doc, struct json_rest *rest, struct input *in,
			 struct error *e)
{
	if (!kmem_is(doc))
		in->rec = recording_read(doc, rest, e);
	else if (!json_rest_join(rest, doc, RECORDING_PERIODS, e))
		in->kmem = kmem_read(doc, e);
	return in->kmem || in->rec ? 0 : -EINVAL;
}

static int load_stream(FILE *stream, const char *path, struct input *in, struct error *e)
{
	struct error why = {};
	struct json_rest rest;
	struct json_object *doc = json_read_but(stream, RECORDING_PERIODS, &rest, &why);
	int err = doc ? load_document(doc, &rest, in, &why) : -EINVAL;
	char **source;

	json_object_put(doc);
	json_rest_free(&rest);
	if (err)
		return error_set(e, why.status, why.err, why.why, why.next, "cannot read '%s'",
				 path);
	source = in->kmem ? &in->kmem->source : &in->rec->source;
	*source = strdup(path);
	return *source ? 0 : error_no_memory(e, "cannot read '%s'", path);
}

int input_load_any(const char *path, struct input *in, struct error *e)
{
	FILE *stream;
	int err;

	*in = (struct input){};
	if (!strcmp(path, "-"))
		return load_stream(stdin, "standard input", in, e);
	stream = open_file(path, e);
	if (!stream)
		return e->err;
	err = load_stream(stream, path, in, e);
	fclose(stream);
	return err;
}

void input_free(struct input *in)
{
	recording_free(in->rec);
	kmem_free(in->kmem);
	*in = (struct input){};
}

static int wrong_kind(struct input *in, const char *path, struct error *e)
{
	error_set(e, EXIT_USAGE, -EINVAL,
		  in->kmem ? "it is a recording of memory events"
			   : "it is not a recording of memory events",
		  in->kmem ? "name files that 'trace --record' has written"
			   : "name files that 'kmem --record' has written",
		  "cannot read '%s'", path);
	input_free(in);
	return -EINVAL;
}

struct recording *input_load_regular(const char *path, struct error *e)
{
	FILE *stream = open_regular(path, e);
	struct input in = {};
	int err = stream ? load_stream(stream, path, &in, e) : -EINVAL;

	if (stream)
		fclose(stream);
	if (!err && in.kmem)
		wrong_kind(&in, path, e);
	else if (err)
		input_free(&in);
	return in.rec;
}

/* ---- sets of them ---- */

static int load_one(struct runs *r, const struct runs *like, const char *path, struct error *e)
{
	const struct runs *first = r->n ? r : like;
	struct input in;
	int err = input_load_any(path, &in, e);

	if (err) {
		input_free(&in);
		return err;
	}
	if (first && first->n && !first->memory != !in.kmem)
		return wrong_kind(&in, path, e);
	err = in.kmem ? runs_add_memory(r, in.kmem) : runs_add(r, in.rec);
	return err ? error_no_memory(e, "cannot read the files") : 0;
}

int input_load_runs(struct runs *r, const struct runs *like, char *const *files, size_t n,
		    struct error *e)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < n; i++)
		err = load_one(r, like, files[i], e);
	return err;
}
