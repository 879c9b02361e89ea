// SPDX-License-Identifier: GPL-2.0-only
/* past.c - read and choose accepted sets; see past.h. */
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

static int load_file(struct past_set *set, const char *path, struct error *e)
{
	struct recording *r = input_load_regular(path, e);

	if (!r)
		return e->err;
	return runs_add(&set->runs, r) ? no_memory(e) : 0;
}

static int load_folder(struct past_set *set, const char *path, struct error *e)
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

uint64_t past_begin(const struct runs *runs)
{
	uint64_t first = UINT64_MAX, when;
	size_t i;

	for (i = 0; i < runs->n; i++) {
		when = runs->snapshots[i]->span.wall_ns;
		if (when < first)
			first = when;
	}
	return runs->n ? first : 0;
}

/* ---- all sets ---- */

static void free_set(struct past_set *set)
{
	free(set->name);
	runs_free(&set->runs);
}

static int add_entry(struct past *p, const struct dirent *d, struct error *e)
{
	struct past_set set = { .name = strdup(d->d_name) };
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
	set.when_ns = past_begin(&set.runs);
	if (!err && set.runs.n)
		p->found[p->n++] = set;
	else
		free_set(&set);
	free(path);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct past_set *x = a, *y = b;

	return x->when_ns < y->when_ns ? -1 : x->when_ns > y->when_ns;
}

int past_open(struct past *p, const char *folder, bool make, struct error *e)
{
	struct dirent **names = NULL;
	int n, i, err;

	*p = (struct past){ .folder = folder };
	if (make && mkdir(folder, 0777) && errno != EEXIST)
		return error_set(e, EXIT_USAGE, -errno, NULL,
				 "name a folder in one that you may write to",
				 "cannot make the history '%s'", folder);
	n = list(folder, is_shown, &names, e);
	if (n < 0)
		return n;
	p->found = calloc(n + 1, sizeof(*p->found));
	err = p->found ? 0 : no_memory(e);
	for (i = 0; !err && i < n; i++)
		err = add_entry(p, names[i], e);
	free_names(names, n);
	if (!err)
		qsort(p->found, p->n, sizeof(*p->found), by_time);
	return err;
}

int past_newest(struct past *p, struct runs *runs, struct error *e)
{
	if (!p->n)
		return error_set(e, EXIT_USAGE, -ENOENT, "it holds no recording",
				 "name recordings to judge", "no set to judge in '%s'", p->folder);
	*runs = p->found[--p->n].runs;
	free(p->found[p->n].name);
	return 0;
}

/* ---- the sets that are used ---- */

static int check_time(const char *name, uint64_t when_ns, struct error *e)
{
	if (when_ns)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "a recording of it does not say when it was made",
			 "record it again, or take it out of the folder",
			 "cannot put '%s' in the order of time", name);
}

/* Go back from the newest set until one was not recorded alike. */
static int find_first(struct past *p, const struct runs *runs, size_t last, bool alike,
		      struct error *e)
{
	size_t most = last > HISTORY_SETS_MOST ? last : HISTORY_SETS_MOST;
	int err = 0;

	p->first = p->end;
	while (!err && p->first && p->end - p->first < most) {
		err = check_time(p->found[p->first - 1].name, p->found[p->first - 1].when_ns, e);
		if (!err && alike)
			err = runs_check(runs, &p->found[p->first - 1].runs, false, e);
		p->first -= !err;
	}
	p->left_out = err ? p->first : 0;
	return p->end - p->first < last ? err : 0;
}

/* A set that is counted twice makes all sets look more alike than they are. */
static int check_distinct(const struct past *p, struct error *e)
{
	const struct past_set *set, *other;
	const struct recording *r;

	for (set = p->found + p->first; set < p->found + p->end; set++)
		for (other = p->found + p->first; other < set; other++) {
			r = runs_shared(&other->runs, &set->runs);
			if (r)
				return error_set(
					e, EXIT_USAGE, -EINVAL, "it is the same run",
					"take one of them out of the folder, or use --force",
					"cannot count '%s' beside the set '%s'", r->source,
					other->name);
		}
	return 0;
}

static int fill(struct past *p, const struct runs *fresh, uint64_t when_ns)
{
	size_t n_sets = p->end - p->first + 1, n_runs = fresh->n, i, k, at = 0;
	const struct runs *runs;

	for (i = p->first; i < p->end; i++)
		n_runs += p->found[i].runs.n;
	p->sets = calloc(n_sets, sizeof(*p->sets));
	p->snapshots = calloc(n_runs + 1, sizeof(*p->snapshots));
	p->set_of = calloc(n_runs + 1, sizeof(*p->set_of));
	if (!p->sets || !p->snapshots || !p->set_of)
		return -ENOMEM;
	for (i = 0; i < n_sets; i++) {
		runs = i + 1 < n_sets ? &p->found[p->first + i].runs : fresh;
		p->sets[i] = (struct history_set){
			.name = i + 1 < n_sets ? p->found[p->first + i].name : "the new set",
			.when_ns = i + 1 < n_sets ? p->found[p->first + i].when_ns : when_ns,
			.first = at,
			.n = runs->n,
		};
		for (k = 0; k < runs->n; k++) {
			p->set_of[at] = i;
			p->snapshots[at++] = runs->snapshots[k];
		}
	}
	return 0;
}

int past_take(struct past *p, const struct runs *runs, size_t last, bool alike, struct error *e)
{
	uint64_t when_ns = past_begin(runs);
	int err = check_time(runs->recordings[0]->source, when_ns, e);

	p->end = p->n;
	while (p->end && p->found[p->end - 1].when_ns >= when_ns)
		p->end--;
	if (!err)
		err = find_first(p, runs, last, alike, e);
	if (!err && alike)
		err = check_distinct(p, e);
	if (!err && fill(p, runs, when_ns))
		err = no_memory(e);
	return err;
}

static size_t first_judged(const struct past *p, size_t last)
{
	size_t n = p->end - p->first;

	return n > last ? n - last : 0;
}

struct compare_set past_base(const struct past *p, size_t last)
{
	size_t begin = p->sets[first_judged(p, last)].first;

	return (struct compare_set){
		.n = p->sets[p->end - p->first].first - begin,
		.runs = (const struct snapshot *const *)p->snapshots + begin,
		.set_of = p->set_of + begin,
	};
}

struct history_sets past_series(const struct past *p, size_t last)
{
	return (struct history_sets){
		.n = p->end - p->first + 1,
		.sets = p->sets,
		.judged = first_judged(p, last),
		.left_out = p->left_out,
		.runs = (const struct snapshot *const *)p->snapshots,
	};
}

void past_close(struct past *p)
{
	while (p->n)
		free_set(&p->found[--p->n]);
	free(p->found);
	free(p->sets);
	free(p->snapshots);
	free(p->set_of);
	*p = (struct past){};
}
