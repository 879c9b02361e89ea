// SPDX-License-Identifier: GPL-2.0-only
/*
 * cache.c - keeping what was measured until the next boot. It is used only if nobody but root
 * and the reader can write it: see util/file.h.
 */
#include "calibrate/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
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
	{ "boot_id", "/sys/kernel/random/boot_id", "it is of an earlier boot" },
	{ "kernel", "/sys/kernel/osrelease", "it is of another kernel" },
	{ "program", NULL, "it is of another version of this program" },
};

#define TRUTHS (sizeof(truths) / sizeof(*truths))

static int cache_truth(const struct calibrate_place *p, size_t i, char *buf, int size)
{
	int err = 0;

	if (truths[i].file)
		err = file_first_line(p->proc, truths[i].file, buf, size);
	else
		snprintf(buf, size, "%s", KSTATS_VERSION);
	return err ? err : *buf ? 0 : -EIO;
}

static int check_truths(const struct calibrate_place *p, struct json_object *doc, struct error *e)
{
	char now[256], *then = NULL;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < TRUTHS; i++) {
		err = json_get_text(doc, truths[i].key, &then, e);
		if (!err && (cache_truth(p, i, now, sizeof(now)) || strcmp(now, then)))
			err = error_set(e, EXIT_KERNEL, -ESTALE, truths[i].what, NULL, "stale");
		free(then);
		then = NULL;
	}
	return err;
}

/* ---- reading ---- */

static int cache_bad(struct error *e, int err, const char *why)
{
	return error_set(e, EXIT_KERNEL, err, why, NULL, "bad");
}

static int cache_check_owner(int fd, mode_t type, struct error *e)
{
	const char *why;
	off_t size = file_check(fd, type, SIZE_MAX_BYTES, &why);

	if (size < 0)
		return cache_bad(e, size, size == -EFBIG ? "it is larger than 1 MiB" : why);
	return 0;
}

/* Links are never followed, since they may point to another user's file. */
static int open_checked(int dir, const char *name, int flags, mode_t type, struct error *e)
{
	int fd = openat(dir, name, flags), err;

	if (fd < 0)
		return errno == ENOENT ? -ENOENT
		       : errno == ELOOP || errno == ENOTDIR
			       ? cache_bad(e, -errno,
					   "it, or its folder, is a link or not a folder")
			       : cache_bad(e, -errno, NULL);
	err = cache_check_owner(fd, type, e);
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
		err = in ? read_document(p, in, c, e) : cache_bad(e, -errno, NULL);
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
		err = cache_truth(p, i, now, sizeof(now));
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

/* What is written, and how long it stays true. */
struct cache {
	const struct calibrate_place *place;
	const struct costs *costs;
};

static int write_cache(const void *ctx, FILE *out)
{
	const struct cache *cache = ctx;

	return calibrate_write(cache->place, cache->costs, out);
}

static int cache_make_folder(const struct calibrate_place *p, struct error *e)
{
	bool made = !mkdir(p->folder, 0755);
	int dir = made || errno == EEXIST
			  ? open_checked(AT_FDCWD, p->folder, FOLDER_OPEN, S_IFDIR, e)
			  : cache_bad(e, -errno, NULL);

	if (dir < 0 || !made || !fchmod(dir, 0755))
		return dir;
	cache_bad(e, -errno, NULL);
	close(dir);
	return -EPERM;
}

/* The lock is a file that only its owner may open: anyone could lock a readable file. */
int calibrate_lock(const struct calibrate_place *p, void (*wait)(void *ctx), void *ctx)
{
	int dir = cache_make_folder(p, NULL), fd;

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
	const struct cache cache = { p, c };
	int dir = cache_make_folder(p, e);
	const struct file_place place = { dir, CALIBRATE_FILE, 0644 };
	int err = dir < 0 ? dir : 0;

	if (!err) {
		err = file_replace(&place, write_cache, &cache);
		if (err)
			cache_bad(e, err, NULL);
	}
	if (dir >= 0)
		close(dir);
	if (err && e)
		snprintf(e->what, sizeof(e->what), "cannot keep the calibration in '%s'",
			 p->folder);
	return err;
}

/* ---- the hint ---- */

static int write_boot(const void *ctx, FILE *out)
{
	return fprintf(out, "%s\n", (const char *)ctx) < 0 ? -EIO : 0;
}

bool calibrate_hint(const struct calibrate_place *p)
{
	char now[256], then[256] = "";
	int dir = cache_make_folder(p, NULL), fd;
	const struct file_place place = { dir, CALIBRATE_TOLD, 0644 };
	bool told;

	if (dir < 0)
		return true;
	fd = open_checked(dir, CALIBRATE_TOLD, FILE_OPEN, S_IFREG, NULL);
	if (fd >= 0 && read(fd, then, sizeof(then) - 1) > 0)
		then[strcspn(then, "\n")] = '\0';
	told = !cache_truth(p, 0, now, sizeof(now)) && !strcmp(now, then);
	if (!told)
		file_replace(&place, write_boot, now);
	if (fd >= 0)
		close(fd);
	close(dir);
	return !told;
}
