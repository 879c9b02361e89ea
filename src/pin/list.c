// SPDX-License-Identifier: GPL-2.0-only
/* list.c - all nodes, and what killed processes left behind. */
#include "pin/priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int list_read_names(int root, int (*take)(void *ctx, const char *file), void *ctx)
{
	int copy = openat(root, ".", PIN_OPEN), err = 0;
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *d;

	if (!dir) {
		err = -errno;
		if (copy >= 0)
			close(copy);
		return err;
	}
	while (!err && (d = readdir(dir)))
		if (d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN))
			err = take(ctx, d->d_name);
	closedir(dir);
	return err;
}

struct list {
	char **names;
	int n;
};

static int add_name(struct list *l, const char *name)
{
	char **grown = realloc(l->names, (l->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->names = grown;
	grown[l->n] = strdup(name);
	return grown[l->n++] ? 0 : -ENOMEM;
}

static int take_node(void *ctx, const char *file)
{
	return file[0] == '+' ? 0 : add_name(ctx, file);
}

static int take_leftover(void *ctx, const char *file)
{
	return file[0] == '+' ? add_name(ctx, file) : 0;
}

static int list_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int pin_list(int root, char ***names)
{
	struct list l = {};
	int err = list_read_names(root, take_node, &l), i;

	if (err) {
		pin_list_free(l.names, l.n);
		return err;
	}
	for (i = 0; i < l.n; i++)
		pin_to_node(l.names[i]);
	if (l.n)
		qsort(l.names, l.n, sizeof(*l.names), list_by_name);
	*names = l.names;
	return l.n;
}

void pin_list_free(char **names, int n)
{
	while (n > 0)
		free(names[--n]);
	free(names);
}

/* Whoever works on a folder holds its lock, so a locked one is left alone. */
static bool clear_one(int root, const char *file)
{
	int fd = openat(root, file, PIN_OPEN);
	bool mine = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && pin_still_there(root, file, fd);

	if (mine && pin_destroy(root, fd, file))
		mine = false;
	if (fd >= 0)
		close(fd);
	return mine;
}

unsigned int pin_clear(int root, void (*say)(void *ctx, const char *name), void *ctx)
{
	struct list l = {};
	unsigned int n = 0;
	char *name;
	int i;

	list_read_names(root, take_leftover, &l);
	for (i = 0; i < l.n; i++) {
		if (!clear_one(root, l.names[i]))
			continue;
		n++;
		name = strlen(l.names[i]) > PIN_MARK_LEN ? strchr(l.names[i] + PIN_MARK_LEN, '+')
							 : NULL;
		name = name ? name + 1 : l.names[i];
		pin_to_node(name);
		say(ctx, name);
	}
	pin_list_free(l.names, l.n);
	return n;
}
