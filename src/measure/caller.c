// SPDX-License-Identifier: GPL-2.0-only
#include "measure/caller.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "util/users.h"

/* To the kernel, (uid_t)-1 means "no change", so no user can have this number. */
static bool read_id(const char *text, uint32_t *id)
{
	uint64_t n = 0;

	if (!text || !*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		n = 10 * n + (*text - '0');
		if (n >= UINT32_MAX)
			return false;
	}
	*id = n;
	return true;
}

static int caller_refuse(const char *name, const char *what, struct error *e)
{
	const char *value = getenv(name);
	char why[128];

	if (value)
		snprintf(why, sizeof(why), "%s is '%.60s', which is not the number of a %s", name,
			 value, what);
	else
		snprintf(why, sizeof(why), "%s is not set, and SUDO_UID is", name);
	return error_set(e, EXIT_USAGE, -EINVAL, why,
			 "call it by sudo, or use --as-root for the command to run as root",
			 "cannot tell whose command it is");
}

/* With the groups of nobody it would be another user's command. */
static int caller_check(const struct caller *c, struct error *e)
{
	struct users_user user;
	int err = users_find(c->uid, &user);
	char why[160];

	users_free(&user);
	if (!err || !users_only_files())
		return 0;
	snprintf(why, sizeof(why),
		 "user %u is not in /etc/passwd, and a program that is linked statically "
		 "reads nothing else",
		 c->uid);
	return error_set(
		e, EXIT_USAGE, err, why,
		"use --as-root for the command to run as root, or the program of a package",
		"cannot tell whose command it is");
}

int caller_find(struct caller *c, struct error *e)
{
	*c = (struct caller){};
	if (geteuid() || !getenv("SUDO_UID"))
		return 0;
	if (!read_id(getenv("SUDO_UID"), &c->uid))
		return caller_refuse("SUDO_UID", "user", e);
	if (!read_id(getenv("SUDO_GID"), &c->gid))
		return caller_refuse("SUDO_GID", "group", e);
	c->other = true;
	return caller_check(c, e);
}

/* Without a value the variable is removed, since its present value is root's. */
static int caller_put(const char *name, const char *value)
{
	return (value ? setenv(name, value, 1) : unsetenv(name)) ? -errno : 0;
}

static int rename_caller(const struct users_user *user)
{
	int err = caller_put("HOME", user->home ? user->home : "/");

	if (!err)
		err = caller_put("USER", user->name);
	if (!err)
		err = caller_put("LOGNAME", user->name);
	if (!err)
		err = caller_put("SHELL", user->shell && *user->shell ? user->shell : "/bin/sh");
	return err;
}

int caller_become(const struct caller *c)
{
	gid_t groups[USERS_GROUPS];
	struct users_user user;
	int n = 0, err;

	if (!c->other || geteuid())
		return 0;
	err = users_find(c->uid, &user);
	if (!err)
		n = users_groups(user.name, c->gid, groups);
	err = err && err != -ENOENT ? err : n < 0 ? n : rename_caller(&user);
	users_free(&user);
	if (err)
		return err;
	return setgroups(n, groups) || setgid(c->gid) || setuid(c->uid) ? -errno : 0;
}

int caller_forget_grants(void)
{
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ? -errno : 0;
}
