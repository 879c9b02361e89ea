// SPDX-License-Identifier: GPL-2.0-only
/* mapped.c - what a process has in its memory, and by which path its files are opened from here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "user/priv.h"

#define DELETED " (deleted)" /* how the kernel marks a file that was removed or replaced */

bool user_mapped_read(char *line, struct user_mapped *m)
{
	size_t len, mark = strlen(DELETED);
	char mode[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->begin,
		   &m->end, mode, &m->offset, &m->major, &m->minor, &m->inode, &at) < 7 ||
	    !at)
		return false;
	m->is_code = strchr(mode, 'x');
	m->path = line + at;
	m->path[strcspn(m->path, "\n")] = '\0';
	len = strlen(m->path);
	if (len > mark && !strcmp(m->path + len - mark, DELETED))
		m->path[len - mark] = '\0';
	return true;
}

static bool mapped_leads_to(const char *path, const struct user_mapped *m)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == m->inode && major(st.st_dev) == m->major &&
	       minor(st.st_dev) == m->minor;
}

/* By the root of the process; else, where that has another file now, by the mapping. */
char *user_mapped_path(const char *root, pid_t pid, const struct user_mapped *m)
{
	char *path;

	if (asprintf(&path, "%s/proc/%d/root%s", root, (int)pid, m->path) < 0)
		return NULL;
	if (mapped_leads_to(path, m))
		return path;
	free(path);
	/* The process may be gone. */
	if (asprintf(&path, "%s%s", root, m->path) < 0)
		return NULL;
	if (mapped_leads_to(path, m))
		return path;
	free(path);
	if (asprintf(&path, "%s/proc/%d/map_files/%" PRIx64 "-%" PRIx64, root, (int)pid, m->begin,
		     m->end) < 0)
		return NULL;
	return path;
}
