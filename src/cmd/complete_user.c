// SPDX-License-Identifier: GPL-2.0-only
/* complete_user.c - words that begin with u: or usdt:: files, and then what is in them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "user/user.h"

/* Folders, and files that can be a program or library. */
static void offer_file(const char *prefix, const char *folder, const char *name)
{
	bool library = strstr(name, ".so");
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	if (stat(path, &st))
		return;
	if (S_ISDIR(st.st_mode))
		printf("%s%s/\n", prefix, path);
	else if (S_ISREG(st.st_mode) && (library || st.st_mode & 0111))
		printf("%s%s:\n", prefix, path);
}

static void offer_files(const char *prefix, const char *begin)
{
	const char *slash = strrchr(begin, '/'), *name = slash ? slash + 1 : begin;
	char *folder = strndup(begin, name - begin);
	DIR *dir = folder ? opendir(*folder ? folder : ".") : NULL;
	struct dirent *at;

	while (dir && (at = readdir(dir)))
		if ((at->d_name[0] != '.' || *name == '.') &&
		    !strncmp(at->d_name, name, strlen(name)))
			offer_file(prefix, folder, at->d_name);
	if (dir)
		closedir(dir);
	free(folder);
}

/* @begin: "BINARY:" and the begin of a name */
static void offer_name(const char *prefix, const char *begin, const char *name)
{
	size_t len = strcspn(begin, ":");

	if (!strncmp(name, begin + len + 1, strlen(begin + len + 1)))
		printf("%s%.*s:%s\n", prefix, (int)len, begin, name);
}

static void offer_functions(const struct user_binary *b, const char *begin)
{
	const struct user_symbol *s;
	size_t n, i;

	s = user_symbols(b, &n);
	for (i = 0; i < n; i++)
		if (!s[i].refused)
			offer_name(CMD_FUNCTIONS, begin, s[i].shown);
}

static void offer_marks(const struct user_binary *b, const char *begin)
{
	const struct user_mark *m;
	char name[512];
	size_t n, i;

	m = user_marks(b, &n);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s:%s", m[i].provider, m[i].name);
		if (!m[i].refused)
			offer_name(CMD_MARKS, begin, name);
	}
}

bool cmd_complete_user(const char *begin)
{
	const char *prefix = !strncmp(begin, CMD_FUNCTIONS, strlen(CMD_FUNCTIONS)) ? CMD_FUNCTIONS
			     : !strncmp(begin, CMD_MARKS, strlen(CMD_MARKS))       ? CMD_MARKS
										   : NULL;
	struct user_binary *b;
	char *binary;

	if (!prefix)
		return false;
	begin += strlen(prefix);
	if (!strchr(begin, ':')) {
		offer_files(prefix, begin);
		return true;
	}
	binary = strndup(begin, strcspn(begin, ":"));
	b = binary ? user_open(binary, 0, NULL) : NULL;
	if (b)
		(!strcmp(prefix, CMD_MARKS) ? offer_marks : offer_functions)(b, begin);
	user_close(b);
	free(binary);
	return true;
}
