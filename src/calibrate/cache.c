// SPDX-License-Identifier: GPL-2.0-only
/*
 * cache.c - keeping what was measured until the next boot. Whoever can write the file could
 * make others believe any figures, so it is used only if nobody but root and the reader can
 * write it.
 * figures, so it is believed only where nobody but root and its reader could.
 */
#include "calibrate/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/json_read.h"

#define FORMAT "kstats-bpf calibration"
#define VERSION 1
#define SIZE_MAX_BYTES (1 << 20)
#define FOLDER_OPEN (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define FILE_OPEN (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

const struct calibrate_place calibrate_here = { CALIBRATE_FOLDER, "/proc" };

/* ---- validity: boot, kernel, version ---- */

static const struct {
	const char *key;
	const char *file; /* below /proc; NULL: the version of this program */
	const char *what;
} truths[] = {
	{ "boot_id", "sys/kernel/random/boot_id", "it is of an earlier boot" },
	{ "kernel", "sys/kernel/osrelease", "it is of another kernel" },
	{ "program", NULL, "it is of another version of this program" },
};

#define TRUTHS (sizeof(truths) / sizeof(*truths))

static int truth(const struct calibrate_place *p, size_t i, char *buf, int size)
{
	char path[512];
	FILE *f;
	bool ok;

	if (!truths[i].file) {
		snprintf(buf, size, "%s", KSTATS_VERSION);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/%s", p->proc, truths[i].file);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	ok = fgets(buf, size, f);
	fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok && *buf ? 0 : -EIO;
}

static int check_truths(const struct calibrate_place *p, struct json_object *doc, struct error *e)
{
	char now[256], *then = NULL;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < TRUTHS; i++) {
		err = json_get_text(doc, truths[i].key, &then, e);
		if (!err && (truth(p, i, now, sizeof(now)) || strcmp(now, then)))
			err = error_set(e, EXIT_KERNEL, -ESTALE, truths[i].what, NULL, "stale");
		free(then);
		then = NULL;
	}
	return err;
}

/* ---- reading ---- */

static int bad(struct error *e, int err, const char *why)
{
	return error_set(e, EXIT_KERNEL, err, why, NULL, "bad");
}

static int check_owner(int fd, mode_t type, struct error *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return bad(e, -errno, NULL);
	if ((st.st_mode & S_IFMT) != type)
		return bad(e, -EINVAL, "it is not a regular file");
	if (st.st_uid && st.st_uid != geteuid())
		return bad(e, -EPERM, "it, or its folder, belongs to another user");
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return bad(e, -EPERM, "others may write to it or to its folder");
	if (type == S_IFREG && st.st_size > SIZE_MAX_BYTES)
		return bad(e, -EFBIG, "it is larger than 1 MiB");
	return 0;
}

/* Links are never followed, since they may point to another user's file. */
static int open_checked(int dir, const char *name, int flags, mode_t type, struct error *e)
{
	int fd = openat(dir, name, flags), err;

	if (fd < 0)
		return errno == ENOENT ? -ENOENT
		       : errno == ELOOP || errno == ENOTDIR
			       ? bad(e, -errno, "it, or its folder, is a link or no folder")
			       : bad(e, -errno, NULL);
	err = check_owner(fd, type, e);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int read_document(const struct calibrate_place *p, FILE *in, struct costs *c,
			 struct error *e)
{
	struct json_object *doc = json_read(in, e);
	int err = doc ? json_check_format(doc, FORMAT, VERSION, e) : -EINVAL;

	if (!err)
		err = check_truths(p, doc, e);
	if (!err)
		err = costs_read(doc, c, e);
	if (err)
		costs_free(c);
	json_object_put(doc);
	return err;
}

int calibrate_load(const struct calibrate_place *p, struct costs *c, struct error *e)
{
	int dir = open_checked(AT_FDCWD, p->folder, FOLDER_OPEN, S_IFDIR, e), fd = -1, err;
	FILE *in = NULL;

	err = dir < 0 ? dir : 0;
	if (!err) {
		fd = open_checked(dir, CALIBRATE_FILE, FILE_OPEN, S_IFREG, e);
		err = fd < 0 ? fd : 0;
	}
	if (!err) {
		in = fdopen(fd, "r");
		err = in ? read_document(p, in, c, e) : bad(e, -errno, NULL);
	}
	if (in)
		fclose(in);
	else if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	if (err && err != -ENOENT && e) {
		snprintf(e->what, sizeof(e->what), "the calibration in '%s/%s' is not used",
			 p->folder, CALIBRATE_FILE);
		snprintf(e->next, sizeof(e->next), "'kstats-bpf calibrate' makes a new one");
	}
	return err;
}

/* ---- writing ---- */

int calibrate_write(const struct calibrate_place *p, const struct costs *c, FILE *out)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", FORMAT);
	char now[256];
	size_t i;

	err |= json_add_u64(o, "version", VERSION);
	for (i = 0; !err && i < TRUTHS; i++) {
		err = truth(p, i, now, sizeof(now));
		if (!err)
			err = json_add_text(o, truths[i].key, now);
	}
	if (!err)
		err = json_add(o, "calibration", costs_json(c));
	if (!err)
		err = json_write_line(o, out);
	json_object_put(o);
	return err;
}

static int write_file(const struct calibrate_place *p, const struct costs *c, int fd)
{
	FILE *out = fdopen(fd, "w");
	int err;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	err = fchmod(fd, 0644) ? -errno : calibrate_write(p, c, out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

/* Written under another name first, so that readers see the whole old or the whole new file. */
static int replace(const struct calibrate_place *p, const struct costs *c, int dir)
{
	static const char temp[] = "." CALIBRATE_FILE ".new";
	int fd, err;

	unlinkat(dir, temp, 0); /* left by a killed process; with the lock nobody else writes */
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : write_file(p, c, fd);
	if (!err && renameat(dir, temp, dir, CALIBRATE_FILE))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(dir, temp, 0);
	return err;
}

static int make_folder(const struct calibrate_place *p, struct error *e)
{
	bool made = !mkdir(p->folder, 0755);
	int dir = made || errno == EEXIST
			  ? open_checked(AT_FDCWD, p->folder, FOLDER_OPEN, S_IFDIR, e)
			  : bad(e, -errno, NULL);

	if (dir < 0 || !made || !fchmod(dir, 0755))
		return dir;
	bad(e, -errno, NULL);
	close(dir);
	return -EPERM;
}

/* The lock is a file that only its owner may open: anyone could lock a readable file. */
int calibrate_lock(const struct calibrate_place *p, void (*wait)(void *ctx), void *ctx)
{
	int dir = make_folder(p, NULL), fd;

	if (dir < 0)
		return -1;
	fd = openat(dir, CALIBRATE_LOCK, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(dir);
	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd < 0 ? -1 : fd;
	wait(ctx);
	if (!flock(fd, LOCK_EX))
		return fd;
	close(fd);
	return -1;
}

int calibrate_save(const struct calibrate_place *p, const struct costs *c, struct error *e)
{
	int dir = make_folder(p, e);
	int err = dir < 0 ? dir : 0;

	if (!err) {
		err = replace(p, c, dir);
		if (err)
			bad(e, err, NULL);
	}
	if (dir >= 0)
		close(dir);
	if (err && e)
		snprintf(e->what, sizeof(e->what), "cannot keep the calibration in '%s'",
			 p->folder);
	return err;
}
