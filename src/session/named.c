// SPDX-License-Identifier: GPL-2.0-only
/* named.c - names of numbers that this machine gives: of block devices and of control groups. */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/priv.h"

#define MINOR_BITS 20 /* of dev_t in the kernel */

/* ---- devices ---- */

/* "vda1"; the numbers of one that has gone. */
static void name_device(uint64_t device, char *buf, size_t size)
{
	unsigned int major = device >> MINOR_BITS, minor = device & ((1 << MINOR_BITS) - 1);
	char path[64], link[PATH_MAX];
	ssize_t length;

	snprintf(buf, size, "%u:%u", major, minor);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	length = readlink(path, link, sizeof(link) - 1);
	if (length <= 0)
		return;
	link[length] = '\0';
	if (strrchr(link, '/'))
		snprintf(buf, size, "%s", strrchr(link, '/') + 1);
}

/* ---- control groups ---- */

/* The first place where version 2 is mounted. */
static bool named_mount(char *place, size_t size)
{
	FILE *in = fopen("/proc/self/mounts", "re");
	char line[PATH_MAX + 256], path[PATH_MAX], type[64];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in))
		found = sscanf(line, "%*s %4095s %63s", path, type) == 2 &&
			!strcmp(type, "cgroup2") && strlen(path) < size;
	if (in)
		fclose(in);
	if (found)
		strcpy(place, path);
	return found;
}

/* A search for the folder whose number is the id of the group. */
struct named_walk {
	uint64_t id;
	char path[PATH_MAX]; /* receives it */
};

/* Return: whether it is in the folder of @path, or is that. */
static bool named_look(struct named_walk *w, size_t length)
{
	DIR *dir = opendir(w->path);
	struct dirent *d;
	struct stat st;
	bool found = dir && !fstat(dirfd(dir), &st) && st.st_ino == w->id;

	while (dir && !found && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.' ||
		    length + strlen(d->d_name) + 2 > sizeof(w->path))
			continue;
		sprintf(w->path + length, "/%s", d->d_name);
		found = d->d_ino == w->id || named_look(w, length + 1 + strlen(d->d_name));
		if (!found)
			w->path[length] = '\0';
	}
	if (dir)
		closedir(dir);
	return found;
}

/*
 * The path of a group below the one that is mounted: "/system.slice". Its folder can be opened by
 * the id at once, but only with a privilege that is dropped by then.
 */
static bool named_group(uint64_t id, char *buf, size_t size)
{
	struct named_walk w = { .id = id };
	size_t length;

	if (!named_mount(w.path, sizeof(w.path)))
		return false;
	length = strlen(w.path);
	if (!named_look(&w, length))
		return false;
	snprintf(buf, size, "%s", w.path[length] ? w.path + length : "/");
	return true;
}

bool session_named(enum naming naming, uint64_t number, char *buf, size_t size)
{
	if (naming == NAMING_DEVICE)
		name_device(number, buf, size);
	else if (naming == NAMING_CGROUP)
		return named_group(number, buf, size);
	else
		return naming_write(naming, number, buf, size);
	return true;
}
