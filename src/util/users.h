/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * users.h - names of users and groups. A program that is linked statically asks /etc/passwd and
 * /etc/group alone: to ask other sources, libc would load libraries of the machine, which are made
 * for another libc than the one in the program, and crash it. Called by measure and cmd.
 */
#ifndef KSTATS_USERS_H
#define KSTATS_USERS_H

#include <stdbool.h>
#include <sys/types.h>

#define USERS_GROUPS 1024 /* most groups of a user that are kept */

/** struct users_user - what is known of a user */
struct users_user {
	char *name;
	char *home;
	char *shell;
};

/** users_only_files() - whether only /etc/passwd and /etc/group are read */
bool users_only_files(void);

/**
 * users_find() - find a user by number
 * @u: filled in; freed by users_free()
 *
 * Return: 0, -ENOENT if nobody has that number, or -errno.
 */
int users_find(uid_t id, struct users_user *u);

/** users_free() - free what users_find() has filled in, which may have failed */
void users_free(struct users_user *u);

/**
 * users_groups() - find the groups of a user
 * @own: the one that comes first
 * @groups: room for USERS_GROUPS
 *
 * Return: their number, or -errno.
 */
int users_groups(const char *user, gid_t own, gid_t *groups);

/** users_group() - find a group by name. Return: 0, -ENOENT, or -errno */
int users_group(const char *name, gid_t *id);

/** users_file_find() - users_find() in a file like /etc/passwd */
int users_file_find(const char *path, uid_t id, struct users_user *u);

/** users_file_groups() - users_groups() in a file like /etc/group */
int users_file_groups(const char *path, const char *user, gid_t own, gid_t *groups);

/** users_file_group() - users_group() in a file like /etc/group */
int users_file_group(const char *path, const char *name, gid_t *id);

#endif /* KSTATS_USERS_H */
