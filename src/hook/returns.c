// SPDX-License-Identifier: GPL-2.0-only
#include "hook/returns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/file.h"

#define GROUP "kstats_bpf"

#define LIST_SIZE (1 << 16) /* bytes of the list of events, at first */
#define LIST_MAX (1 << 24) /* events beyond this are not removed */
#define OPEN_TRIES 10
#define WAIT_TRIES 100
#define WAIT_US 5000

/* ---- tracefs ---- */

static int open_tracefs(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	struct statfs of;
	size_t i;
	int dir;

	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		dir = open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0 && !fstatfs(dir, &of) && of.f_type == TRACEFS_MAGIC)
			return dir;
		if (dir >= 0)
			close(dir);
	}
	return file_mount("tracefs");
}

/* struct tracefs - the folder, and its list of kprobes */
struct tracefs {
	int dir;
	int list;
};

static void tracefs_close(struct tracefs *t)
{
	if (t->list >= 0)
		close(t->list);
	if (t->dir >= 0)
		close(t->dir);
}

static int tracefs_open(struct tracefs *t)
{
	int err;

	*t = (struct tracefs){ .dir = open_tracefs(), .list = -1 };
	if (t->dir < 0)
		return t->dir;
	/* Opened without O_APPEND for writing, it would lose all events. */
	t->list = openat(t->dir, "kprobe_events", O_RDWR | O_APPEND | O_CLOEXEC);
	err = t->list < 0 ? -errno : 0;
	if (err)
		tracefs_close(t);
	return err;
}

/* The list, allocated; NULL without memory. */
static char *read_list(int fd)
{
	size_t size = LIST_SIZE, at = 0;
	char *text = malloc(size), *grown;
	ssize_t n = 1;

	while (text && n > 0 && size <= LIST_MAX) {
		n = pread(fd, text + at, size - 1 - at, at);
		at += n > 0 ? n : 0;
		if (at < size - 1)
			continue;
		size *= 2;
		grown = realloc(text, size);
		if (!grown)
			free(text);
		text = grown;
	}
	if (text)
		text[at] = '\0';
	return text;
}

/* ---- events ---- */

static int command(const struct tracefs *t, const char *text)
{
	return write(t->list, text, strlen(text)) < 0 ? -errno : 0;
}

static int drop(const struct tracefs *t, const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "-:" GROUP "/%s\n", name);
	return command(t, text);
}

/* A line is "r4095:GROUP/NAME FUNCTION". Those that are attached stay. */
static unsigned int drop_unused(const struct tracefs *t)
{
	char *text = read_list(t->list), *rest = text, *line, name[64];
	unsigned int left = 0;

	/* Another process may have removed it in the meantime. */
	while (rest && (line = strsep(&rest, "\n")))
		if (sscanf(line, "r%*[0-9]:" GROUP "/%63[^ ]", name) == 1)
			left += drop(t, name) == -EBUSY;
	free(text);
	return left;
}

/*
 * If an event of this name were there, the kernel would add the function to it. Numbers of
 * processes are used again, and differ between containers, while their events stay.
 */
static int choose_name(char *name, size_t size)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	snprintf(name, size, "return_%016llx", (unsigned long long)number);
	return 0;
}

/* 0: it is not there */
static uint64_t returns_read_id(const struct tracefs *t, const char *name)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "events/" GROUP "/%s/id", name);
	fd = openat(t->dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fd);
	return strtoull(text, NULL, 10);
}

/*
 * Until it is attached, another process may remove the event, and the kernel may give its number
 * to another one. If its name has the same number afterwards, the right one was attached.
 */
static int open_event(const struct tracefs *t, const char *name)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT };
	int fd;

	attr.config = returns_read_id(t, name);
	if (!attr.config)
		return -EAGAIN;
	/* The program runs on every CPU, whichever is named here. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	if (returns_read_id(t, name) == attr.config)
		return fd;
	if (fd >= 0)
		close(fd);
	return -EAGAIN;
}

static int make_event(const struct tracefs *t, const struct plan_hook *plan, char *name,
		      size_t size)
{
	char text[512];
	int fd = choose_name(name, size);

	if (fd)
		return fd;
	snprintf(text, sizeof(text), "r%u:" GROUP "/%s %s%s%s\n", plan->calls, name, plan->module,
		 plan->module[0] ? ":" : "", plan->name);
	fd = command(t, text);
	if (fd)
		return fd;
	fd = open_event(t, name);
	if (fd < 0)
		drop(t, name);
	return fd;
}

int returns_open(const struct plan_hook *plan, char *name, size_t size)
{
	struct tracefs t;
	int fd = tracefs_open(&t), i;

	name[0] = '\0';
	if (fd)
		return fd;
	fd = -EAGAIN;
	for (i = 0; i < OPEN_TRIES && fd == -EAGAIN; i++)
		fd = make_event(&t, plan, name, size);
	if (fd < 0)
		name[0] = '\0';
	tracefs_close(&t);
	return fd;
}

void returns_drop(const char *name)
{
	struct tracefs t;

	if (!name[0] || tracefs_open(&t))
		return;
	drop(&t, name);
	tracefs_close(&t);
}

unsigned int returns_clean(void)
{
	struct tracefs t;
	unsigned int left;

	if (tracefs_open(&t))
		return 0;
	left = drop_unused(&t);
	tracefs_close(&t);
	return left;
}

void returns_wait(unsigned int most)
{
	int i;

	for (i = 0; i < WAIT_TRIES && returns_clean() > most; i++)
		usleep(WAIT_US);
}
