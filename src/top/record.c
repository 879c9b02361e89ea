// SPDX-License-Identifier: GPL-2.0-only
/* record.c - recordings of what is shown: a file for each source. */
#include "top/priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"

#define SUFFIX ".json"

/* How many are recorded, also of those that were refused in the meantime. */
static unsigned int record_sources(const struct top *t)
{
	unsigned int i, n = 0;

	for (i = 0; i < t->n_sources; i++)
		n += t->sources[i].rec != NULL;
	return n;
}

int record_begin(struct top *t, struct error *e)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < t->n_sources; i++)
		if (!t->sources[i].refused.err)
			err = source_record(t, &t->sources[i], e);
	if (!err)
		t->screen.record_ns = 1;
	return err;
}

/* FILE without its suffix, or a name with the time of day in this folder. */
static void record_stem(const struct top *t, char *stem, size_t size)
{
	size_t length = t->record ? strlen(t->record) : 0;
	time_t now = time(NULL);
	struct tm tm;

	if (length) {
		if (length > strlen(SUFFIX) && !strcmp(t->record + length - strlen(SUFFIX), SUFFIX))
			length -= strlen(SUFFIX);
		snprintf(stem, size, "%.*s", (int)length, t->record);
		return;
	}
	strcpy(stem, "kstats-top");
	if (localtime_r(&now, &tm))
		strftime(stem, size, "kstats-top-%Y%m%d-%H%M%S", &tm);
}

/* The file of source @i: FILE itself if it is the @only one, else with the name of the source. */
static char *record_path(const struct top *t, unsigned int i, const char *stem, bool only)
{
	char *path, *c;
	int n;

	if (only) {
		if (t->record)
			return strdup(t->record);
		return asprintf(&path, "%s" SUFFIX, stem) < 0 ? NULL : path;
	}
	n = asprintf(&path, "%s-%u-%.100s" SUFFIX, stem, i + 1, t->sources[i].name);
	if (n < 0)
		return NULL;
	for (c = path + strlen(stem) + 1; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	return path;
}

static void record_note(struct top *t, const char *path, unsigned int n)
{
	char *kept;

	if (n == 1)
		n = asprintf(&kept, "recorded in %s", path) < 0;
	else
		n = asprintf(&kept, "recorded in %u files, the last is %s", n, path) < 0;
	if (n)
		return;
	free(t->kept);
	t->kept = kept;
	snprintf(t->screen.message, sizeof(t->screen.message), "%s", kept);
}

int record_end(struct top *t, struct error *e)
{
	char stem[1024], *path, *last = NULL;
	unsigned int i, n = 0, sources = record_sources(t);
	int err = 0, failed;

	t->screen.record_ns = 0;
	record_stem(t, stem, sizeof(stem));
	/* What can be written is written, also if another file cannot. */
	for (i = 0; i < t->n_sources; i++) {
		if (!t->sources[i].rec)
			continue;
		path = record_path(t, i, stem, sources == 1);
		failed = path ? source_save(t, &t->sources[i], path, err ? NULL : e)
			      : error_no_memory(err ? NULL : e, "cannot record");
		n += !failed;
		err = err ?: failed;
		free(last);
		last = path;
	}
	if (!err && n)
		record_note(t, last, n);
	free(last);
	return err;
}
