// SPDX-License-Identifier: GPL-2.0-only
/* past.c - read accepted sets; see past.h. */
#include "ui/past.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ui/input.h"

static int no_memory(struct error *e)
{
	return error_no_memory(e, "cannot read the history");
}

/* ---- folders ---- */

static int is_recording(const struct dirent *d)
{
	return d->d_name[0] != '.' && !fnmatch("*.json", d->d_name, 0);
}

static int is_of_set(const struct dirent *d)
{
	return is_recording(d) && fnmatch("base-*.json", d->d_name, 0);
}

static int is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int list(const char *path, int (*wanted)(const struct dirent *), struct dirent ***names,
		struct error *e)
{
	int n = scandir(path, names, wanted, versionsort);

	return n >= 0 ? n
		      : error_set(e, EXIT_USAGE, -errno, NULL, "name a folder of recordings",
				  "cannot read the history '%s'", path);
}

static void free_names(struct dirent **names, int n)
{
	while (n-- > 0)
		free(names[n]);
	free(names);
}

static int load_file(struct accepted_set *set, const char *path, struct error *e)
{
	struct recording *r = input_load_regular(path, e);

	if (!r)
		return e->err;
	return runs_add(&set->runs, r) ? no_memory(e) : 0;
}

static int load_folder(struct accepted_set *set, const char *path, struct error *e)
{
	struct dirent **names = NULL;
	int n = list(path, is_of_set, &names, e), i, err = n < 0 ? n : 0;
	char *file;

	for (i = 0; !err && i < n; i++) {
		if (asprintf(&file, "%s/%s", path, names[i]->d_name) < 0)
			file = NULL;
		err = file ? load_file(set, file, e) : no_memory(e);
		free(file);
	}
	free_names(names, n);
	return err;
}

/* ---- all sets ---- */

static int add_entry(struct past *p, const struct dirent *d, struct error *e)
{
	struct accepted_set set = { .name = strdup(d->d_name) };
	struct stat st = {};
	char *path;
	int err = 0;

	if (asprintf(&path, "%s/%s", p->folder, d->d_name) < 0)
		path = NULL;
	if (!path || !set.name)
		err = no_memory(e);
	else if (!stat(path, &st) && S_ISDIR(st.st_mode))
		err = load_folder(&set, path, e);
	else if (is_recording(d))
		err = load_file(&set, path, e);
	set.when_ns = runs_begin(&set.runs);
	if (!err && set.runs.n)
		p->accepted.found[p->accepted.n++] = set;
	else
		accepted_free_set(&set);
	free(path);
	return err;
}

int past_open(struct past *p, const char *folder, bool make, struct error *e)
{
	struct dirent **names = NULL;
	const char *why = NULL;
	int n, i, err = 0;

	*p = (struct past){ .folder = folder, .into = FOLDER_NONE };
	if (make)
		err = folder_open(&p->into, folder, true, &why);
	if (err)
		return error_set(e, EXIT_USAGE, err, why,
				 "name a folder in one that you may write to",
				 "cannot make the history '%s'", folder);
	n = list(folder, is_shown, &names, e);
	if (n < 0)
		return n;
	p->accepted.found = calloc(n + 1, sizeof(*p->accepted.found));
	err = p->accepted.found ? 0 : no_memory(e);
	for (i = 0; !err && i < n; i++)
		err = add_entry(p, names[i], e);
	free_names(names, n);
	if (!err)
		accepted_sort(&p->accepted);
	return err;
}

int past_newest(struct past *p, struct runs *runs, struct error *e)
{
	struct accepted *a = &p->accepted;

	if (!a->n)
		return error_set(e, EXIT_USAGE, -ENOENT, "it holds no recording",
				 "name recordings to judge", "no set to judge in '%s'", p->folder);
	*runs = a->found[--a->n].runs;
	free(a->found[a->n].name);
	return 0;
}

void past_close(struct past *p)
{
	if (p->folder)
		folder_close(&p->into);
	accepted_free(&p->accepted);
	*p = (struct past){};
}
