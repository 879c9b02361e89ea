// SPDX-License-Identifier: GPL-2.0-only
/* input.c - reading recordings from files. */
#include "ui/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

struct recording *input_load(const char *path, struct error *e)
{
	struct recording *r;
	FILE *in;

	if (!strcmp(path, "-"))
		return load_stream(stdin, "standard input", e);
	in = open_file(path, e);
	if (!in)
		return NULL;
	r = load_stream(in, path, e);
	fclose(in);
	return r;
}
