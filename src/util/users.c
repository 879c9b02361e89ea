// SPDX-License-Identifier: GPL-2.0-only
#include "util/users.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int users_copy(struct users_user *u, const struct passwd *pw)
{
	*u = (struct users_user){ strdup(pw->pw_name), strdup(pw->pw_dir), strdup(pw->pw_shell) };
	return u->name && u->home && u->shell ? 0 : -ENOMEM;
}

void users_free(struct users_user *u)
{
	free(u->name);
	free(u->home);
	free(u->shell);
	*u = (struct users_user){};
}

/* ---- files ---- */

int users_file_find(const char *path, uid_t id, struct users_user *u)
{
	FILE *in = fopen(path, "re");
	struct passwd *pw;
	int err = -ENOENT;

	*u = (struct users_user){};
	if (!in)
		return -errno;
	while (err == -ENOENT && (pw = fgetpwent(in)))
		if (pw->pw_uid == id)
			err = users_copy(u, pw);
	fclose(in);
	return err;
}

static bool group_has(const struct group *g, const char *user)
{
	char **member;

	for (member = g->gr_mem; *member; member++)
		if (!strcmp(*member, user))
			return true;
	return false;
}

int users_file_groups(const char *path, const char *user, gid_t own, gid_t *groups)
{
	FILE *in = fopen(path, "re");
	struct group *g;
	int n = 0;

	groups[n++] = own;
	while (in && n < USERS_GROUPS && (g = fgetgrent(in)))
		if (g->gr_gid != own && group_has(g, user))
			groups[n++] = g->gr_gid;
	if (in)
		fclose(in);
	return n;
}

int users_file_group(const char *path, const char *name, gid_t *id)
{
	FILE *in = fopen(path, "re");
	struct group *g;
	int err = -ENOENT;

	if (!in)
		return -errno;
	while (err && (g = fgetgrent(in)))
		if (!strcmp(g->gr_name, name)) {
			*id = g->gr_gid;
			err = 0;
		}
	fclose(in);
	return err;
}

/* ---- this machine ---- */

#ifdef KSTATS_STATIC

bool users_only_files(void)
{
	return true;
}

int users_find(uid_t id, struct users_user *u)
{
	return users_file_find("/etc/passwd", id, u);
}

int users_groups(const char *user, gid_t own, gid_t *groups)
{
	return users_file_groups("/etc/group", user, own, groups);
}

int users_group(const char *name, gid_t *id)
{
	return users_file_group("/etc/group", name, id);
}

#else

bool users_only_files(void)
{
	return false;
}

int users_find(uid_t id, struct users_user *u)
{
	struct passwd *pw = getpwuid(id);

	*u = (struct users_user){};
	return pw ? users_copy(u, pw) : -ENOENT;
}

int users_groups(const char *user, gid_t own, gid_t *groups)
{
	int n = USERS_GROUPS;

	return getgrouplist(user, own, groups, &n) < 0 ? -E2BIG : n;
}

int users_group(const char *name, gid_t *id)
{
	struct group *g = getgrnam(name);

	if (g)
		*id = g->gr_gid;
	return g ? 0 : -ENOENT;
}

#endif
