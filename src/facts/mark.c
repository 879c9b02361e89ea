// SPDX-License-Identifier: GPL-2.0-only
/* mark.c - whether facts that were read earlier are still true. */
#include "facts/priv.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		hash = (hash ^ *p++) * 0x100000001b3;
	return hash;
}

/* A reloaded module has a file of the same name with another inode number. */
uint64_t facts_mark(const char *root)
{
	uint64_t sum = 0, hash, number;
	char path[4200];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s" FACTS_BTF_DIR, root);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		number = d->d_ino;
		hash = mix(0xcbf29ce484222325, d->d_name, strlen(d->d_name));
		sum += mix(hash, &number, sizeof(number)); /* independent of their order */
	}
	if (dir)
		closedir(dir);
	return sum;
}
