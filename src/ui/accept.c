// SPDX-License-Identifier: GPL-2.0-only
/* accept.c - add a set to a folder of accepted ones; see past.h. */
#include "ui/past.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The folder of a new set, which is renamed when it is complete. */
struct folder {
	char *temp;
	char *path;
	size_t n; /* files in it */
};

static int cannot(const struct past *p, int err, struct error *e)
{
	bool full = err == -ENOSPC || err == -EDQUOT || err == -EFBIG;

	return error_set(e, full ? EXIT_USAGE : EXIT_KERNEL, err, NULL,
			 full ? "the set was not added, and its recordings are "
				"unchanged: make room, and accept it again"
			      : "make the folder writable",
			 "cannot accept the set into '%s'", p->folder);
}

static int is_there(const struct past *p, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EEXIST, "a set of that time is there",
			 "there is nothing to do if it was accepted before",
			 "cannot accept the set into '%s'", p->folder);
}

/* Refuse a run that an accepted set contains already, under whatever name. */
static int check_new(const struct past *p, const struct runs *runs, struct error *e)
{
	const struct recording *r;
	const char *set;
	char why[300];
	size_t i;

	for (i = 0; i < p->n; i++) {
		set = p->found[i].name;
		r = runs_shared(&p->found[i].runs, runs);
		if (!r)
			continue;
		snprintf(why, sizeof(why), "'%.80s' is in the set '%.80s' already", r->source, set);
		return error_set(e, EXIT_USAGE, -EEXIST, why,
				 "there is nothing to do if it was accepted before",
				 "cannot accept the set into '%s'", p->folder);
	}
	return 0;
}

static int make_folder(const struct past *p, const struct runs *runs, struct folder *f)
{
	time_t s = past_begin(runs) / 1000000000;
	char when[32];
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%dT%H%M%SZ", gmtime_r(&s, &tm));
	if (asprintf(&f->temp, "%s/.accept-XXXXXX", p->folder) < 0)
		f->temp = NULL;
	if (asprintf(&f->path, "%s/%s", p->folder, when) < 0)
		f->path = NULL;
	if (!f->temp || !f->path)
		return -ENOMEM;
	if (!mkdtemp(f->temp)) {
		free(f->temp);
		f->temp = NULL;
		return -errno;
	}
	return chmod(f->temp, 0755) ? -errno : 0;
}

static char *file_name(const struct folder *f, size_t i)
{
	char *path;

	return asprintf(&path, "%s/run-%zu.json", f->temp, i + 1) < 0 ? NULL : path;
}

/* Whatever cannot be written need not be kept elsewhere: it was read from a file. */
static int save_run(struct folder *f, const struct recording *r)
{
	char *path = file_name(f, f->n);
	FILE *out = path ? fopen(path, "wxe") : NULL;
	int err = out ? 0 : path ? -errno : -ENOMEM;
	struct error e;

	f->n += !err;
	errno = 0;
	if (!err && (recording_save(r, out, &e) || fflush(out) || fsync(fileno(out))))
		err = errno ? -errno : -EIO;
	if (out && fclose(out) && !err)
		err = -errno;
	free(path);
	return err;
}

static void remove_folder(struct folder *f)
{
	char *path;

	while (f->temp && f->n) {
		path = file_name(f, --f->n);
		if (path)
			unlink(path);
		free(path);
	}
	if (f->temp)
		rmdir(f->temp);
}

int past_accept(const struct past *p, const struct runs *runs, struct error *e)
{
	struct folder f = {};
	int err = check_new(p, runs, e);
	size_t i;

	if (err)
		return err;
	err = make_folder(p, runs, &f);
	for (i = 0; !err && i < runs->n; i++)
		err = save_run(&f, runs->recordings[i]);
	/* rename() does not replace a folder of this name that is not empty. */
	if (err)
		cannot(p, err, e);
	else if (rename(f.temp, f.path))
		err = errno == ENOTEMPTY || errno == EEXIST ? is_there(p, e) : cannot(p, -errno, e);
	else
		f.n = 0;
	if (err)
		remove_folder(&f);
	free(f.temp);
	free(f.path);
	return err;
}
