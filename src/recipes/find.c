// SPDX-License-Identifier: GPL-2.0-only
/*
 * find.c - where recipes are: in the user's folder, in that of the machine, in this program. A file
 * that others may write is not used, since it chooses what root measures.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recipes/priv.h"
#include "util/file.h"
#include "util/near.h"

#define ENDS ".recipe"
#define SIZE_MOST (64 << 10)
#define FOLDERS 2

/* The folder of the user, or NULL if he has none; then that of the machine. Owned by the caller. */
static char *recipes_folder(unsigned int nth)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path;
	int n;

	if (nth)
		return strdup(RECIPES_OF_MACHINE);
	/* What is no whole path counts as not set, as the standard of these folders says. */
	if (config && *config == '/')
		n = asprintf(&path, "%s/kstats-bpf/recipes", config);
	else if (home && *home == '/')
		n = asprintf(&path, "%s/.config/kstats-bpf/recipes", home);
	else
		return NULL;
	return n < 0 ? NULL : path;
}

/* ---- a file ---- */

static int find_refuse(const char *path, int err, const char *why, const char *next,
		       struct error *e)
{
	return error_set(e, EXIT_USAGE, err, why, next, "cannot use the recipe '%s'", path);
}

static int find_trust(int fd, const char *path, mode_t type, off_t *size, struct error *e)
{
	const char *why;

	*size = file_check(fd, type, SIZE_MOST, &why);
	if (*size >= 0)
		return 0;
	return find_refuse(path, *size, *size == -EFBIG ? "it is larger than 64 KiB" : why,
			   *size == -EPERM ? "copy it to " RECIPES_OF_MACHINE
					     ", or let only its reader and root write it"
					   : NULL,
			   e);
}

static char *find_read_text(int fd, const char *path, off_t size, struct error *e)
{
	char *text = malloc(size + 1);
	ssize_t got = text ? pread(fd, text, size, 0) : -1;

	if (!text)
		error_no_memory(e, "cannot read '%s'", path);
	else if (got < 0)
		find_refuse(path, -errno, NULL, NULL, e);
	else if (memchr(text, '\0', got))
		find_refuse(path, -EILSEQ, "it contains a NUL byte", "name a text file", e);
	else
		return text[got] = '\0', text;
	free(text);
	return NULL;
}

/* @path: for messages. Return: NULL, with -ENOENT in @e if there is no such file. */
static struct recipe *find_in_folder(int dir, const char *name, const char *path, struct error *e)
{
	char base[RECIPE_NAME_MOST + sizeof(ENDS)], *text = NULL;
	struct recipe *r = NULL;
	off_t size;
	int fd, err;

	snprintf(base, sizeof(base), "%s" ENDS, name);
	fd = openat(dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		find_refuse(path, -errno, errno == ELOOP ? "it is a link" : NULL, NULL, e);
		return NULL;
	}
	/* Whoever may write to the folder can put a file in the place of this one. */
	err = find_trust(dir, path, S_IFDIR, &size, e);
	if (!err)
		err = find_trust(fd, path, S_IFREG, &size, e);
	if (!err)
		text = find_read_text(fd, path, size, e);
	if (text)
		r = recipe_read(name, path, text, e);
	free(text);
	close(fd);
	return r;
}

static struct recipe *find_file(const char *folder, const char *name, struct error *e)
{
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct recipe *r = NULL;
	char *path = NULL;

	/* Whatever is in a folder that cannot be opened, the other places have theirs. */
	if (dir < 0)
		find_refuse(folder, -ENOENT, NULL, NULL, e);
	else if (asprintf(&path, "%s/%s" ENDS, folder, name) < 0)
		error_no_memory(e, "cannot read the recipe @%s", name);
	else
		r = find_in_folder(dir, name, path, e);
	free(path);
	if (dir >= 0)
		close(dir);
	return r;
}

static struct recipe *find_built_in(const char *name, struct error *e)
{
	char is[RECIPE_NAME_MOST + 1], *text;
	struct recipe *r = NULL;
	unsigned int i;

	for (i = 0; (text = recipe_built_in(i, is)); i++) {
		if (!strcmp(is, name))
			r = recipe_read(name, NULL, text, e);
		free(text);
		if (!strcmp(is, name))
			return r;
	}
	error_set(e, EXIT_USAGE, -ENOENT, "there is none of that name",
		  "'kstats-bpf recipes' lists them", "cannot use the recipe @%s", name);
	return NULL;
}

/* ---- all ---- */

/* Names, each owned. */
struct names_found {
	char **names;
	size_t n;
	bool no_memory;
};

static void note_name(struct names_found *f, const char *name, size_t length)
{
	char **grown = realloc(f->names, (f->n + 1) * sizeof(*grown));

	if (grown)
		f->names = grown;
	if (grown && (grown[f->n] = strndup(name, length)))
		f->n++;
	else
		f->no_memory = true;
}

static void note_folder(struct names_found *f, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	const char *dot;

	while (dir && (d = readdir(dir))) {
		dot = strrchr(d->d_name, '.');
		if (dot && !strcmp(dot, ENDS))
			note_name(f, d->d_name, dot - d->d_name);
	}
	if (dir)
		closedir(dir);
}

static int find_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void note_all(struct names_found *f)
{
	char name[RECIPE_NAME_MOST + 1], *text, *folder;
	unsigned int i;

	for (i = 0; i < FOLDERS; i++) {
		folder = recipes_folder(i);
		if (folder)
			note_folder(f, folder);
		free(folder);
	}
	for (i = 0; (text = recipe_built_in(i, name)); i++) {
		note_name(f, name, strlen(name));
		free(text);
	}
	if (f->n)
		qsort(f->names, f->n, sizeof(*f->names), find_by_name);
}

static void find_forget(struct names_found *f)
{
	while (f->n)
		free(f->names[--f->n]);
	free(f->names);
}

/* ---- by name ---- */

static void tell_near(const char *name, struct error *e)
{
	struct nearest near = { .wanted = name };
	struct names_found all = {};
	char did[200];
	size_t i;

	note_all(&all);
	for (i = 0; i < all.n; i++)
		if (!i || strcmp(all.names[i], all.names[i - 1]))
			near_consider(&near, all.names[i]);
	near.n = near.n && near.best[0].distance <= 2;
	if (near.n && e)
		snprintf(e->next, sizeof(e->next), "%s 'kstats-bpf recipes' lists all",
			 near_words(&near, did, sizeof(did)));
	find_forget(&all);
}

struct recipe *recipe_open(const char *name, struct error *e)
{
	struct error missing = { .err = -ENOENT };
	struct recipe *r = NULL;
	unsigned int i;
	char *folder;

	if (!recipe_name_ok(name)) {
		error_set(e, EXIT_USAGE, -EINVAL, "its name has letters, digits, _ and - only",
			  "'kstats-bpf recipes' lists them", "cannot use the recipe '@%s'", name);
		return NULL;
	}
	for (i = 0; i < FOLDERS && !r && missing.err == -ENOENT; i++) {
		folder = recipes_folder(i);
		if (folder)
			r = find_file(folder, name, &missing);
		free(folder);
	}
	if (!r && missing.err != -ENOENT && e)
		*e = missing;
	if (r || missing.err != -ENOENT)
		return r;
	missing = (struct error){};
	r = find_built_in(name, &missing);
	if (!r && missing.err == -ENOENT)
		tell_near(name, &missing);
	if (!r && e)
		*e = missing;
	return r;
}

int recipes_each(void (*each)(void *ctx, const struct recipe *r, const struct error *bad),
		 void *ctx, struct error *e)
{
	struct names_found all = {};
	struct error bad;
	struct recipe *r;
	size_t i;

	note_all(&all);
	for (i = 0; !all.no_memory && i < all.n; i++) {
		if (i && !strcmp(all.names[i], all.names[i - 1]))
			continue;
		bad = (struct error){};
		r = recipe_open(all.names[i], &bad);
		each(ctx, r, r ? NULL : &bad);
		recipe_free(r);
	}
	find_forget(&all);
	return all.no_memory ? error_no_memory(e, "cannot list the recipes") : 0;
}
