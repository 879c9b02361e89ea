// SPDX-License-Identifier: GPL-2.0-only
/*
 * follow.c - what processes map, as it happens: those that are gone by the time that their frames
 * are named had names too. The kernel tells of it in a ring of each processor.
 */
#include "stacks/priv.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES 32 /* a power of two */
#define RECORD_LEAST 16 /* a header, and the time at the end */
#define KEPT_MOST 4096 /* processes; if there are more, those that are gone are forgotten */

/** struct stacks_ring - what one processor tells */
struct stacks_ring {
	int fd;
	struct perf_event_mmap_page *head;
	uint64_t until; /* up to here it is read this time */
};

/** struct stacks_heard - a record, in the order of time */
struct stacks_heard {
	uint64_t ns;
	size_t at; /* in the bytes of all */
};

/** struct stacks_news - records of all processors */
struct stacks_news {
	char *bytes; /* owned */
	size_t size, room;
	struct stacks_heard *heard; /* owned */
	size_t n, room_heard;
};

/* ---- what records say ---- */

struct record_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct record_task {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
};

struct record_mmap {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t begin, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

static void heard_mmap(struct stacks *s, const struct record_mmap *r)
{
	struct stacks_process *p = stacks_process_find(s, r->pid);
	struct user_mapped m = {
		.begin = r->begin,
		.end = r->begin + r->length,
		.offset = r->offset,
		.is_code = true,
		.major = r->major,
		.minor = r->minor,
		.inode = r->inode,
		.path = (char *)r->path,
	};

	if (!p || !p->is_read || !(r->protection & PROT_EXEC))
		return;
	/* What has no file is named "//anon" and the like. */
	if (!strncmp(r->path, "//", 2))
		m.path = "";
	stacks_process_map(p, &m);
}

/* @p runs another program from now on: its children keep what they have of it. */
static void heard_leave(struct stacks *s, const struct stacks_process *p)
{
	struct stacks_process *child;
	size_t i;

	for (child = s->processes; child < s->processes + s->n_processes; child++) {
		if (child->parent != p->pid || child->is_read)
			continue;
		for (i = 0; i < p->n; i++)
			stacks_process_map(child, &p->ranges[i].mapped);
		child->parent = p->n ? 0 : p->parent;
	}
}

/* A new program; all that it maps is told. */
static void heard_exec(struct stacks *s, uint32_t pid)
{
	struct stacks_process *p = stacks_process_add(s, pid);

	if (!p)
		return;
	heard_leave(s, p);
	stacks_process_clear(p);
	p->is_read = true;
}

/* The new one has what its parent has. */
static void heard_fork(struct stacks *s, const struct record_task *r)
{
	struct stacks_process *p = r->pid != r->ppid ? stacks_process_add(s, r->pid) : NULL;

	if (!p)
		return;
	stacks_process_clear(p);
	/* It may run another program, of which nobody has told. */
	p->parent = s->has_gaps ? 0 : r->ppid;
}

/* Something was not told: what is known may be over. What runs is read anew when it is asked for.
 */
static void stacks_gap(struct stacks *s)
{
	struct stacks_process *p;
	bool is_gone;

	s->has_gaps = true;
	for (p = s->processes; p < s->processes + s->n_processes; p++) {
		is_gone = p->is_gone;
		if (!is_gone)
			stacks_process_clear(p);
		p->parent = 0;
	}
}

void stacks_hear(struct stacks *s, const void *record)
{
	const struct perf_event_header *h = record;
	const struct record_task *task = record;
	struct stacks_process *p;

	switch (h->type) {
	case PERF_RECORD_COMM:
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			heard_exec(s, task->pid);
		break;
	case PERF_RECORD_FORK:
		heard_fork(s, task);
		break;
	case PERF_RECORD_EXIT:
		p = task->pid == task->tid ? stacks_process_find(s, task->pid) : NULL;
		if (p)
			p->is_gone = true;
		break;
	case PERF_RECORD_MMAP2:
		heard_mmap(s, record);
		break;
	case PERF_RECORD_LOST:
		stacks_gap(s);
		break;
	}
}

/* ---- rings ---- */

static size_t ring_size(void)
{
	return (size_t)RING_PAGES * sysconf(_SC_PAGESIZE);
}

static void ring_open(struct stacks_ring *r, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = ring_size(),
	};

	r->fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return;
	r->head = mmap(NULL, sysconf(_SC_PAGESIZE) + ring_size(), PROT_READ | PROT_WRITE,
		       MAP_SHARED, r->fd, 0);
	if (r->head == MAP_FAILED)
		r->head = NULL;
}

/* Bytes of a ring, which begins again at its end. */
static void ring_copy(const struct stacks_ring *r, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)r->head + sysconf(_SC_PAGESIZE);
	size_t from = at & (ring_size() - 1), first = ring_size() - from;

	if (first > size)
		first = size;
	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, size - first);
}

static bool news_room(struct stacks_news *n, size_t size)
{
	size_t room = 2 * n->room + size, room_heard = 2 * n->room_heard + 64;
	struct stacks_heard *heard;
	char *bytes;

	if (n->size + size > n->room) {
		bytes = realloc(n->bytes, room);
		if (!bytes)
			return false;
		n->bytes = bytes;
		n->room = room;
	}
	if (n->n == n->room_heard) {
		heard = realloc(n->heard, room_heard * sizeof(*heard));
		if (!heard)
			return false;
		n->heard = heard;
		n->room_heard = room_heard;
	}
	return true;
}

/* Reads up to @until. Returns false if something could not be kept. */
static bool ring_read(struct stacks_ring *r, struct stacks_news *n)
{
	struct perf_event_header h;
	bool all = true;
	uint64_t at, ns;

	for (at = r->head->data_tail; at < r->until; at += h.size) {
		ring_copy(r, at, &h, sizeof(h));
		all = h.size >= RECORD_LEAST && news_room(n, h.size);
		if (!all)
			break;
		ring_copy(r, at, n->bytes + n->size, h.size);
		memcpy(&ns, n->bytes + n->size + h.size - sizeof(ns), sizeof(ns));
		n->heard[n->n++] = (struct stacks_heard){ ns, n->size };
		n->size += h.size;
	}
	__atomic_store_n(&r->head->data_tail, r->until, __ATOMIC_RELEASE);
	return all;
}

/* Records have sizes that are multiples of 8. */
static int heard_first(const void *a, const void *b)
{
	const struct stacks_heard *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* ---- all ---- */

void stacks_follow(struct stacks *s)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	long i;

	s->rings = n > 0 ? calloc(n, sizeof(*s->rings)) : NULL;
	if (!s->rings)
		return;
	s->n_rings = n;
	for (i = 0; i < n; i++)
		ring_open(&s->rings[i], i);
}

void stacks_catch_up(struct stacks *s)
{
	struct stacks_news n = {};
	bool all = true;
	size_t i;

	if (s->n_processes > KEPT_MOST)
		stacks_forget_gone(s);
	/* First of all, one after the other: what one ring has may come after what another has. */
	for (i = 0; i < s->n_rings; i++)
		if (s->rings[i].head)
			s->rings[i].until =
				__atomic_load_n(&s->rings[i].head->data_head, __ATOMIC_ACQUIRE);
	for (i = 0; i < s->n_rings; i++)
		if (s->rings[i].head)
			all &= ring_read(&s->rings[i], &n);
	if (n.n)
		qsort(n.heard, n.n, sizeof(*n.heard), heard_first);
	for (i = 0; i < n.n; i++)
		stacks_hear(s, n.bytes + n.heard[i].at);
	if (!all)
		stacks_gap(s);
	free(n.bytes);
	free(n.heard);
}

void stacks_unfollow(struct stacks *s)
{
	size_t i;

	for (i = 0; i < s->n_rings; i++) {
		if (s->rings[i].head)
			munmap(s->rings[i].head, sysconf(_SC_PAGESIZE) + ring_size());
		if (s->rings[i].fd >= 0)
			close(s->rings[i].fd);
	}
	free(s->rings);
}
