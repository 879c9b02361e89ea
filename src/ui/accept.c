// SPDX-License-Identifier: GPL-2.0-only
/* accept.c - add a set to a folder of accepted ones; see past.h. */
#include "ui/past.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"

#define RUN_NAME 40
#define UNDECIDED "undecided"

/* The folder of a new set, which is renamed when it is complete. */
struct set {
	char *temp; /* name in its folder, or NULL */
	char name[40];
	int into; /* its folder: the history, or that of undecided sets in it */
	int fd;
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
	const char *set = NULL;
	const struct recording *r = accepted_has(&p->accepted, runs, &set);
	char why[300];

	if (!r)
		return 0;
	snprintf(why, sizeof(why), "'%.80s' is in the set '%.80s' already", r->source, set);
	return error_set(e, EXIT_USAGE, -EEXIST, why,
			 "there is nothing to do if it was accepted before",
			 "cannot accept the set into '%s'", p->folder);
}

/* Made by us a moment ago, and not put into its place by another user. */
static bool is_own(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid();
}

/* The folder of undecided sets; by descriptor, as is all below it. */
static int open_undecided(const struct past *p)
{
	int fd;

	if (mkdirat(p->into.fd, UNDECIDED, 0777) && errno != EEXIST)
		return -errno;
	fd = openat(p->into.fd, UNDECIDED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void name_new_set(struct set *s, const struct runs *runs, enum past_place place)
{
	time_t when = runs_begin(runs) / 1000000000;
	size_t len;
	struct tm tm;

	len = strftime(s->name, sizeof(s->name), "%Y-%m-%dT%H%M%SZ", gmtime_r(&when, &tm));
	if (place == PAST_REBASE)
		snprintf(s->name + len, sizeof(s->name) - len, ACCEPTED_REBASE);
}

static int make_set(struct set *s)
{
	unsigned int any;

	if (getrandom(&any, sizeof(any), 0) != sizeof(any) ||
	    asprintf(&s->temp, ".accept-%08x", any) < 0) {
		s->temp = NULL;
		return -ENOMEM;
	}
	if (mkdirat(s->into, s->temp, 0777)) {
		free(s->temp);
		s->temp = NULL;
		return -errno;
	}
	s->fd = openat(s->into, s->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->fd < 0 ? -errno : is_own(s->fd) ? 0 : -EPERM;
}

static void name_run(char name[RUN_NAME], size_t i)
{
	snprintf(name, RUN_NAME, "run-%zu.json", i + 1);
}

/* json-c and stdio tell what failed by errno alone. */
static int write_run(const void *ctx, FILE *out)
{
	struct error e;

	errno = 0;
	if (!recording_save(ctx, out, &e) && !fflush(out) && !fsync(fileno(out)))
		return 0;
	return errno ? -errno : -EIO;
}

/* Whatever cannot be written need not be kept elsewhere: it was read from a file. */
static int save_run(struct set *s, const struct recording *r)
{
	char name[RUN_NAME];
	int err;

	name_run(name, s->n);
	err = file_add(&(struct file_place){ s->fd, name, 0 }, write_run, r);
	s->n += !err;
	return err;
}

/* By descriptor: in the folder of another user, the name can stand for anything by now. */
static void remove_set(struct set *s)
{
	char name[RUN_NAME];

	while (s->n) {
		name_run(name, --s->n);
		unlinkat(s->fd, name, 0);
	}
	if (s->temp)
		unlinkat(s->into, s->temp, AT_REMOVEDIR);
}

/* A folder of this name that is not empty is not replaced. */
static int name_set(const struct past *p, const struct set *s, struct error *e)
{
	if (!renameat(s->into, s->temp, s->into, s->name))
		return 0;
	return errno == ENOTEMPTY || errno == EEXIST ? is_there(p, e) : cannot(p, -errno, e);
}

/* Judged again, an undecided set stays where it is. */
static bool is_kept(const struct set *s, enum past_place place)
{
	return place == PAST_UNDECIDED && !faccessat(s->into, s->name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int add_set(const struct past *p, const struct runs *runs, struct set *s, struct error *e)
{
	int err = make_set(s);
	size_t i;

	for (i = 0; !err && i < runs->n; i++)
		err = save_run(s, runs->recordings[i]);
	err = err ? cannot(p, err, e) : name_set(p, s, e);
	if (err)
		remove_set(s);
	return err;
}

int past_accept(const struct past *p, const struct runs *runs, enum past_place place,
		struct error *e)
{
	struct set s = { .fd = -1, .into = p->into.fd };
	int err = check_new(p, runs, e);

	if (err)
		return err;
	if (place == PAST_UNDECIDED)
		s.into = open_undecided(p);
	name_new_set(&s, runs, place);
	if (s.into < 0)
		err = cannot(p, s.into, e);
	else if (!is_kept(&s, place))
		err = add_set(p, runs, &s, e);
	if (s.fd >= 0)
		close(s.fd);
	if (s.into >= 0 && s.into != p->into.fd)
		close(s.into);
	free(s.temp);
	return err;
}
