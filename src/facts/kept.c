// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept.c - ftrace's list of functions, kept in a file until the next boot. The kernel takes
 * more than 300 million instructions to write the list, and the list changes only with the
 * loaded modules. The file is used only if nobody but root and the reader can write it: see
 * util/file.h.
 */
#include "facts/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/folder.h"

#define FOLDER "/run/"
#define NAME "kstats-bpf.functions"
#define SIZE_MAX_BYTES (64 << 20)

struct path {
	char text[4300];
};

static struct path kept_path_of(const struct facts *f)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "%s" FOLDER NAME, f->root);
	return p;
}

/* The first line: what the list is true for, and how long it is. False if that is not known. */
static bool make_header(const struct facts *f, uint64_t mark, size_t size, char *buf, size_t room)
{
	char boot[64];

	if (!mark ||
	    file_first_line(f->root, "/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
		return false;
	snprintf(buf, room, "kstats-bpf functions 1 %s %" PRIx64 " %zu\n", boot, mark, size);
	return true;
}

/* ---- reading ---- */

/* The list begins after the header, whose length depends on the length of the list. */
static char *check_text(const struct facts *f, uint64_t mark, char *text, size_t size)
{
	char header[256], *line = memchr(text, '\n', size);
	size_t n = line ? line + 1 - text : 0;

	if (!n || !make_header(f, mark, size - n, header, sizeof(header)) || strlen(header) != n ||
	    memcmp(header, text, n))
		return NULL;
	memmove(text, text + n, size - n);
	text[size - n] = '\0';
	return text;
}

char *facts_kept_read(const struct facts *f, uint64_t mark)
{
	int fd = open(kept_path_of(f).text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = NULL, *list = NULL;
	const char *why;
	off_t size;

	if (fd < 0)
		return NULL;
	size = file_check(fd, S_IFREG, SIZE_MAX_BYTES, &why);
	if (size >= 0)
		text = malloc(size + 1);
	if (text && read(fd, text, size) == size)
		list = check_text(f, mark, text, size);
	if (!list)
		free(text);
	close(fd);
	return list;
}

/* ---- writing ---- */

struct kept {
	char header[256];
	const char *list;
};

static int write_kept(const void *ctx, FILE *out)
{
	const struct kept *kept = ctx;

	return fputs(kept->header, out) < 0 || fputs(kept->list, out) < 0 ? -EIO : 0;
}

void facts_kept_write(const struct facts *f, uint64_t mark, const char *list)
{
	struct path path = kept_path_of(f);
	struct folder folder;
	struct kept kept = { .list = list };
	const char *why;

	if (!make_header(f, mark, strlen(list), kept.header, sizeof(kept.header)))
		return;
	if (!folder_of(&folder, path.text, &why))
		file_replace(&(struct file_place){ folder.fd, NAME, 0600 }, write_kept, &kept);
	folder_close(&folder);
}
