// SPDX-License-Identifier: GPL-2.0-only
/* mark.c - whether facts that were read earlier are still true. */
#include "facts/priv.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * A reloaded module has a folder of the same name with another inode number. Modules that were
 * built without BTF are only here.
 */
#define FACTS_MODULE_DIR "/sys/module"

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		hash = (hash ^ *p++) * 0x100000001b3;
	return hash;
}

/* The sum does not depend on the order of the entries. False if there is no such folder. */
static bool add_folder(uint64_t *sum, const char *root, const char *folder)
{
	uint64_t hash, number;
	char path[4200];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		number = d->d_ino;
		hash = mix(0xcbf29ce484222325, d->d_name, strlen(d->d_name));
		*sum += mix(hash, &number, sizeof(number));
	}
	return dir && !closedir(dir);
}

uint64_t facts_mark(const char *root)
{
	uint64_t sum = 0;

	return add_folder(&sum, root, FACTS_MODULE_DIR) && add_folder(&sum, root, FACTS_BTF_DIR)
		       ? sum
		       : 0;
}
