// SPDX-License-Identifier: GPL-2.0-only
#include "measure/caller.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

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

static int refuse(const char *name, const char *what, struct error *e)
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

int caller_find(struct caller *c, struct error *e)
{
	*c = (struct caller){};
	if (geteuid() || !getenv("SUDO_UID"))
		return 0;
	if (!read_id(getenv("SUDO_UID"), &c->uid))
		return refuse("SUDO_UID", "user", e);
	if (!read_id(getenv("SUDO_GID"), &c->gid))
		return refuse("SUDO_GID", "group", e);
	c->other = true;
	return 0;
}

/* Without a value the variable is removed, since its present value is root's. */
static int put(const char *name, const char *value)
{
	return (value ? setenv(name, value, 1) : unsetenv(name)) ? -errno : 0;
}

static int rename_caller(const struct passwd *pw)
{
	int err = put("HOME", pw ? pw->pw_dir : "/");

	if (!err)
		err = put("USER", pw ? pw->pw_name : NULL);
	if (!err)
		err = put("LOGNAME", pw ? pw->pw_name : NULL);
	if (!err)
		err = put("SHELL", pw && *pw->pw_shell ? pw->pw_shell : "/bin/sh");
	return err;
}

int caller_become(const struct caller *c)
{
	struct passwd *pw;
	int err;

	if (!c->other || geteuid())
		return 0;
	pw = getpwuid(c->uid);
	err = rename_caller(pw);
	if (err)
		return err;
	if (pw ? initgroups(pw->pw_name, c->gid) : setgroups(0, NULL))
		return -errno;
	return setgid(c->gid) || setuid(c->uid) ? -errno : 0;
}

int caller_forget_grants(void)
{
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ? -errno : 0;
}
