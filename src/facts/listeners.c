// SPDX-License-Identifier: GPL-2.0-only
/*
 * listeners.c - who listens to tracepoints now: BPF programs, and ftrace; and which BPF programs
 * listen to places in programs.
 *
 * The kernel lists links with their programs. A program without a link, and on kernels
 * before 6.6 one of a trace event or of an uprobe, is known only by the open file of the process
 * that attached it. What perf records without a program is not known from anywhere.
 */
#include "facts/facts.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing/"

/* What the kernel tells of a link, as much as is read here; older headers lack the third kind. */
struct link_info {
	__u32 type;
	__u32 id;
	__u32 program;
	__u32 pad;
	union {
		struct {
			__u64 name;
			__u32 size;
		} raw;
		struct {
			__u32 type;
			__u32 pad;
			__u64 name;
			__u32 size;
			__u32 offset; /* of an uprobe */
			__u64 cookie;
		} event;
		struct {
			__u64 path;
			__u64 offsets;
			__u64 semaphores;
			__u64 cookies;
			__u32 size;
			__u32 count;
			__u32 flags;
			__u32 pid;
		} many; /* uprobes, since 6.8 */
	};
};

#define EVENT_IS_UPROBE 1
#define EVENT_IS_URETPROBE 2
#define EVENT_IS_TRACEPOINT 5
#define LINK_OF_UPROBES 12 /* BPF_LINK_TYPE_UPROBE_MULTI, newer than many headers */
#define UPROBES_AT_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

struct listeners {
	struct facts_listener *rows;
	size_t n;
	bool programs; /* to places in programs are wanted, else to tracepoints */
};

/* Return: the new row, or NULL without memory. */
static struct facts_listener *listeners_add(struct listeners *l, const char *tracepoint)
{
	struct facts_listener *rows = realloc(l->rows, (l->n + 1) * sizeof(*rows));

	if (!rows)
		return NULL;
	l->rows = rows;
	rows += l->n++;
	*rows = (struct facts_listener){};
	snprintf(rows->tracepoint, sizeof(rows->tracepoint), "%s", tracepoint);
	return rows;
}

static void name_program(struct facts_listener *row)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(row->program);

	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size))
		snprintf(row->name, sizeof(row->name), "%s", info.name);
	if (fd >= 0)
		close(fd);
}

/* ---- links ---- */

static int link_info(int fd, struct link_info *info)
{
	__u32 size = sizeof(*info);

	return bpf_obj_get_info_by_fd(fd, info, &size);
}

/* @name: gets the tracepoint. Return: whether the link is on one. */
static bool is_on_tracepoint(int fd, struct link_info *info, char *name, __u32 size)
{
	struct link_info kind = {};

	*info = (struct link_info){};
	if (link_info(fd, &kind))
		return false;
	if (kind.type == BPF_LINK_TYPE_RAW_TRACEPOINT) {
		info->raw.name = (uintptr_t)name;
		info->raw.size = size;
	} else if (kind.type == BPF_LINK_TYPE_PERF_EVENT &&
		   kind.event.type == EVENT_IS_TRACEPOINT) {
		info->event.name = (uintptr_t)name;
		info->event.size = size;
	} else {
		return false;
	}
	return !link_info(fd, info);
}

static int add_place(struct listeners *l, const struct link_info *info, const char *path,
		     __u64 offset, bool is_return)
{
	struct facts_listener *row = listeners_add(l, "");

	if (!row)
		return -ENOMEM;
	snprintf(row->path, sizeof(row->path), "%s", path);
	row->offset = offset;
	row->is_return = is_return;
	row->program = info->program;
	row->link = info->id;
	name_program(row);
	return 0;
}

static int add_uprobe(struct listeners *l, int fd, __u32 kind)
{
	char path[sizeof(l->rows->path)] = "";
	struct link_info info = { .event = { .name = (uintptr_t)path, .size = sizeof(path) } };

	if ((kind != EVENT_IS_UPROBE && kind != EVENT_IS_URETPROBE) || link_info(fd, &info))
		return 0;
	return add_place(l, &info, path, info.event.offset, kind == EVENT_IS_URETPROBE);
}

static int add_uprobes(struct listeners *l, int fd, __u32 count)
{
	char path[sizeof(l->rows->path)] = "";
	__u64 *offsets = calloc(count + 1, sizeof(*offsets));
	struct link_info info = { .many = { .path = (uintptr_t)path,
					    .size = sizeof(path),
					    .offsets = (uintptr_t)offsets,
					    .count = count } };
	int err = offsets ? 0 : -ENOMEM;
	__u32 i;

	if (!err && !link_info(fd, &info))
		for (i = 0; !err && i < count && i < info.many.count; i++)
			err = add_place(l, &info, path, offsets[i],
					info.many.flags & UPROBES_AT_RETURN);
	free(offsets);
	return err;
}

static int add_link_of_program(struct listeners *l, int fd)
{
	struct link_info kind = {};

	if (link_info(fd, &kind))
		return 0;
	if (kind.type == BPF_LINK_TYPE_PERF_EVENT)
		return add_uprobe(l, fd, kind.event.type);
	return kind.type == LINK_OF_UPROBES ? add_uprobes(l, fd, kind.many.count) : 0;
}

static int add_link_of_tracepoint(struct listeners *l, int fd, __u32 id)
{
	struct facts_listener *row;
	struct link_info info;
	char name[128] = "";

	if (!is_on_tracepoint(fd, &info, name, sizeof(name)))
		return 0;
	row = listeners_add(l, name);
	if (!row)
		return -ENOMEM;
	row->program = info.program;
	row->link = id;
	name_program(row);
	return 0;
}

static int add_links(struct listeners *l)
{
	int fd, err = 0;
	__u32 id = 0;

	while (!err && !bpf_link_get_next_id(id, &id)) {
		fd = bpf_link_get_fd_by_id(id);
		/* Gone in the meantime. */
		if (fd < 0)
			continue;
		err = l->programs ? add_link_of_program(l, fd) : add_link_of_tracepoint(l, fd, id);
		close(fd);
	}
	if (err)
		return err;
	return errno == ENOENT ? 0 : -errno;
}

/* ---- open files of processes ---- */

static void set_process(struct facts_listener *row, int pid)
{
	char path[64];
	FILE *in;

	row->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	in = fopen(path, "re");
	if (!in)
		return;
	if (!fgets(row->comm, sizeof(row->comm), in))
		row->comm[0] = '\0';
	row->comm[strcspn(row->comm, "\n")] = '\0';
	fclose(in);
}

static void own_link(struct listeners *l, int pid, const char *fd)
{
	char path[300], line[128];
	__u32 id = 0;
	size_t i;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, fd);
	in = fopen(path, "re");
	if (!in)
		return;
	while (!id && fgets(line, sizeof(line), in))
		sscanf(line, "link_id: %u", &id);
	fclose(in);
	for (i = 0; i < l->n; i++)
		if (id && l->rows[i].link == id && !l->rows[i].pid)
			set_process(&l->rows[i], pid);
}

/* A perf event; it has no link, or one whose tracepoint the kernel does not tell. */
static int own_event(struct listeners *l, int pid, const char *fd)
{
	__u32 size = sizeof(l->rows->path), program = 0, type = 0;
	char name[sizeof(l->rows->path)];
	struct facts_listener *row;
	__u64 offset, addr;
	bool is_uprobe;
	size_t i;

	if (bpf_task_fd_query(pid, atoi(fd), 0, name, &size, &program, &type, &offset, &addr))
		return 0;
	is_uprobe = type == BPF_FD_TYPE_UPROBE || type == BPF_FD_TYPE_URETPROBE;
	if (l->programs ? !is_uprobe : type != BPF_FD_TYPE_TRACEPOINT)
		return 0;
	for (i = 0; i < l->n; i++)
		if (l->rows[i].program == program &&
		    (is_uprobe ? l->rows[i].offset == offset && !strcmp(l->rows[i].path, name)
			       : !strcmp(l->rows[i].tracepoint, name)))
			return 0;
	row = listeners_add(l, is_uprobe ? "" : name);
	if (!row)
		return -ENOMEM;
	if (is_uprobe) {
		snprintf(row->path, sizeof(row->path), "%s", name);
		row->offset = offset;
		row->is_return = type == BPF_FD_TYPE_URETPROBE;
	}
	row->program = program;
	name_program(row);
	set_process(row, pid);
	return 0;
}

static int look_through_process(struct listeners *l, int pid)
{
	char path[300], to[64];
	struct dirent *at;
	ssize_t n;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	/* It has ended in the meantime. */
	if (!dir)
		return 0;
	while (!err && (at = readdir(dir))) {
		n = readlinkat(dirfd(dir), at->d_name, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		/* "bpf-link" up to 6.0. */
		if (!strncmp(to, "anon_inode:bpf", 14))
			own_link(l, pid, at->d_name);
		else if (!strcmp(to, "anon_inode:[perf_event]"))
			err = own_event(l, pid, at->d_name);
	}
	closedir(dir);
	return err;
}

static int look_through_processes(struct listeners *l)
{
	DIR *dir = opendir("/proc");
	struct dirent *at;
	int err = 0, pid;

	if (!dir)
		return -errno;
	while (!err && (at = readdir(dir))) {
		pid = atoi(at->d_name);
		if (pid > 0)
			err = look_through_process(l, pid);
	}
	closedir(dir);
	return err;
}

/* ---- ftrace ---- */

/* @instance: "" for the main one. */
static int add_ftrace(struct listeners *l, const char *instance)
{
	char path[400], subsystem[64], name[128];
	struct facts_listener *row;
	int err = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s%s%s/set_event", TRACEFS, *instance ? "instances/" : "",
		 instance);
	in = fopen(path, "re");
	if (!in)
		return 0;
	while (!err && fscanf(in, "%63[^:]:%127s ", subsystem, name) == 2) {
		row = listeners_add(l, name);
		err = row ? 0 : -ENOMEM;
		if (row)
			snprintf(row->name, sizeof(row->name), "%s", instance);
	}
	fclose(in);
	return err;
}

static int add_instances(struct listeners *l)
{
	DIR *dir = opendir(TRACEFS "instances");
	struct dirent *at;
	int err = 0;

	if (!dir)
		return 0;
	while (!err && (at = readdir(dir)))
		if (at->d_name[0] != '.')
			err = add_ftrace(l, at->d_name);
	closedir(dir);
	return err;
}

int facts_listeners(bool programs, struct facts_listener **rows, size_t *n)
{
	struct listeners l = { .programs = programs };
	int err = add_links(&l);

	if (!err)
		err = look_through_processes(&l);
	if (!err && !programs)
		err = add_ftrace(&l, "");
	if (!err && !programs)
		err = add_instances(&l);
	if (err) {
		free(l.rows);
		return err;
	}
	*rows = l.rows;
	*n = l.n;
	return 0;
}
