// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept.c - ftrace's list of functions, kept in a file until the next boot. The kernel takes
 * more than 300 million instructions to write the list, and the list changes only with the
 * loaded modules. See priv.h.
 *
 * The file is used only if nobody but root and the reader can write it.
 */
#include "facts/priv.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT "/run/kstats-bpf.functions"
#define SIZE_MAX_BYTES (64 << 20)

struct path {
	char text[4300];
};

static struct path path_of(const struct facts *f, const char *suffix)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "%s" KEPT "%s", f->root, suffix);
	return p;
}

/* The first line: what the list is true for, and how long it is. False if that is not known. */
static bool make_header(const struct facts *f, uint64_t mark, size_t size, char *buf, size_t room)
{
	char path[4300], boot[64];
	FILE *in;
	bool got;

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/random/boot_id", f->root);
	in = fopen(path, "re");
	if (!in)
		return false;
	got = fgets(boot, sizeof(boot), in);
	fclose(in);
	if (!got || !mark)
		return false;
	boot[strcspn(boot, "\n")] = '\0';
	snprintf(buf, room, "kstats-bpf functions 1 %s %" PRIx64 " %zu\n", boot, mark, size);
	return true;
}

/* ---- reading ---- */

static bool is_ours(int fd, off_t *size)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SIZE_MAX_BYTES)
		return false;
	*size = st.st_size;
	return (!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

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
	int fd = open(path_of(f, "").text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = NULL, *list = NULL;
	off_t size;

	if (fd < 0)
		return NULL;
	if (is_ours(fd, &size))
		text = malloc(size + 1);
	if (text && read(fd, text, size) == size)
		list = check_text(f, mark, text, size);
	if (!list)
		free(text);
	close(fd);
	return list;
}

/* ---- writing ---- */

/*
 * Written under another name first. If two processes write at once, one may give the other's
 * unfinished file its name: readers notice by its length.
 */
void facts_kept_write(const struct facts *f, uint64_t mark, const char *list)
{
	struct path path = path_of(f, ""), new = path_of(f, ".new");
	char header[256];
	bool written;
	FILE *out;
	int fd;

	if (!make_header(f, mark, strlen(list), header, sizeof(header)))
		return;
	unlink(new.text); /* left by a killed process */
	fd = open(new.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		if (fd >= 0)
			close(fd);
		return;
	}
	written = fputs(header, out) >= 0 && fputs(list, out) >= 0;
	if (fclose(out) || !written || rename(new.text, path.text))
		unlink(new.text);
}
