// SPDX-License-Identifier: GPL-2.0-only
/* path.c - paths of source files, without the folder in which they were built. */
#include "lines/lines.h"

#include <stdio.h>
#include <string.h>

#define PATH_MOST 1024 /* a longer one is cut */

/* Removes "." and ".." in place, where there is room for one more character. */
static void normalise(char *path)
{
	char *from = path, *to = path, *end = path + strlen(path), *next;
	size_t n;

	for (; from < end; from = next) {
		n = strcspn(from, "/");
		next = from + n + 1;
		if (n == 2 && !memcmp(from, "..", 2) && to > path + 1) {
			for (to -= 2; to > path && *to != '/'; to--)
				;
			to += *to == '/';
		} else if ((n || from == path) && !(n == 1 && *from == '.')) {
			memmove(to, from, n);
			to += n;
			*to++ = '/';
		}
	}
	if (to > path)
		to--; /* the last '/' */
	*to = '\0';
}

/* Distributions build in folders that are called linux-6.12.95 and the like. */
static const char *below_tree(const char *path)
{
	const char *at = path, *found = path;

	while ((at = strstr(at, "/linux-"))) {
		at += 1;
		if (strchr(at, '/'))
			found = strchr(at, '/') + 1;
	}
	return found;
}

const char *lines_path(const struct lines_frame *f, char *buf, size_t size)
{
	char path[PATH_MOST], folder[PATH_MOST];
	bool joined = *f->file != '/' && f->folder;
	const char *shown;
	size_t n;

	snprintf(folder, sizeof(folder) - 1, "%s", f->folder ? f->folder : "");
	normalise(folder);
	n = strlen(folder);
	snprintf(path, sizeof(path) - 1, "%s%s%s", joined ? f->folder : "", joined ? "/" : "",
		 f->file);
	normalise(path);
	shown = below_tree(path);
	if (shown == path && n && !strncmp(path, folder, n) && path[n] == '/')
		shown = path + n + 1;
	snprintf(buf, size, "%s", shown);
	return buf;
}
