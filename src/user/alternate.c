// SPDX-License-Identifier: GPL-2.0-only
/*
 * alternate.c - the file of debug information that several files share (dwz). It is looked for
 * here: libdw would open whatever a file names, wait for a pipe, and unpack anything.
 */
#include "user/priv.h"

#ifdef KSTATS_LIBDW
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As the linker of dwz means it: behind the folder of the file that names it. */
static bool alternate_path(int fd, const char *name, char path[PATH_MAX])
{
	char link[32], *slash;
	ssize_t n = 0;

	if (*name != '/') {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, PATH_MAX - 1);
		if (n < 0)
			return false;
		path[n] = '\0';
		slash = strrchr(path, '/');
		n = slash ? slash + 1 - path : 0;
	}
	return snprintf(path + n, PATH_MAX - n, "%s", name) < PATH_MAX - n;
}

/* One that names a third file is none. */
static Dwarf *alternate_open(const char *path, int *fd)
{
	const char *name;
	const void *id;
	struct stat st;
	Dwarf *dwarf;

	*fd = user_open_regular(path, &st);
	dwarf = *fd < 0 || user_unpacks_far(*fd) ? NULL : dwarf_begin(*fd, DWARF_C_READ);
	if (dwarf && !dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id))
		return dwarf;
	dwarf_end(dwarf);
	if (*fd >= 0)
		close(*fd);
	return NULL;
}

bool user_alternate_set(struct user_binary *b, int fd)
{
	char id_text[BUILD_ID_TEXT], path[PATH_MAX];
	const char *name;
	const void *id;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(b->dwarf, &name, &id);

	if (n <= 0)
		return !n;
	build_id_text(id, n, id_text);
	if (strlen(id_text) > 2) {
		snprintf(path, sizeof(path), USER_DEBUG_FOLDER "/%.2s/%s.debug", id_text,
			 id_text + 2);
		b->alternate = alternate_open(path, &b->alternate_fd);
	}
	if (!b->alternate && alternate_path(fd, name, path))
		b->alternate = alternate_open(path, &b->alternate_fd);
	if (b->alternate)
		dwarf_setalt(b->dwarf, b->alternate);
	return b->alternate;
}

void user_alternate_close(struct user_binary *b)
{
	if (!b->alternate)
		return;
	dwarf_end(b->alternate);
	close(b->alternate_fd);
}
#endif
