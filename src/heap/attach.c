// SPDX-License-Identifier: GPL-2.0-only
/* attach.c - which program goes on which event. See priv.h. */
#include "heap/priv.h"

#include <errno.h>
#include <unistd.h>

#include "hook/hook.h"
#include "util/refusal.h"

/* An event, and the programs for both ways to hook it. */
struct event {
	const char *name;
	enum kstats_kmem_kind kind;
	bool frees;
	struct bpf_program *raw;
	struct bpf_program *raw_walk; /* the same with call sites by the stack */
	struct bpf_program *event;
	struct bpf_program *event_walk;
};

#define OBJECTS (1U << KSTATS_KMEM_KMALLOC | 1U << KSTATS_KMEM_CACHE)

bool heap_wants(const struct heap *h, enum kstats_kmem_kind kind, bool frees)
{
	unsigned int of = 1U << kind;

	if (frees && h->want->lifetimes && of & OBJECTS)
		of = OBJECTS;
	return h->want->kinds & of;
}

/*
 * While a task is preempted inside a program on a raw tracepoint, the kernel skips that program
 * for all other tasks on the CPU. Programs on trace events run with preemption off, but cost
 * more, and cannot tell the cache without a function that came with 6.13.
 */
static bool takes_events(struct heap *h, const struct event *events)
{
	int i;

	if (!facts_tp_preempts(h->facts))
		return false;
	for (i = 0; i < HEAP_EVENTS; i++)
		if (facts_event_id("/", events[i].name) < 0)
			return false;
	h->settings[KSTATS_KMEM_GET_CACHE] =
		facts_types_find(&h->types, BTF_KIND_FUNC, "bpf_get_kmem_cache");
	return h->settings[KSTATS_KMEM_GET_CACHE];
}

bool heap_walks(const struct heap *h, enum kstats_kmem_kind kind)
{
	return kind == KSTATS_KMEM_PAGES ? h->want->page_sites : h->want->skip != NULL;
}

static struct bpf_program *program(const struct heap *h, const struct event *e, bool take)
{
	bool walks = heap_walks(h, e->kind);

	if (take)
		return walks ? e->event_walk : e->event;
	return walks ? e->raw_walk : e->raw;
}

#define EVENT(name, kind, frees, stem)                                                  \
	{                                                                               \
		name, kind, frees, skel->progs.stem##_raw, skel->progs.stem##_raw_walk, \
			skel->progs.stem##_event, skel->progs.stem##_event_walk         \
	}

/* Frees come first: an object whose allocation is seen must not be freed unseen. */
void heap_hooks(struct heap *h)
{
	const struct kmem_bpf *skel = h->skel;
	const struct event events[HEAP_EVENTS] = {
		EVENT("kfree", KSTATS_KMEM_KMALLOC, true, kfree),
		EVENT("kmem_cache_free", KSTATS_KMEM_CACHE, true, cache_free),
		EVENT("mm_page_free", KSTATS_KMEM_PAGES, true, page_free),
		EVENT("kmalloc", KSTATS_KMEM_KMALLOC, false, kmalloc),
		EVENT("kmem_cache_alloc", KSTATS_KMEM_CACHE, false, cache_alloc),
		EVENT("mm_page_alloc", KSTATS_KMEM_PAGES, false, page_alloc),
	};
	bool take = takes_events(h, events);
	struct heap_hook *hook;
	int i;

	for (i = 0; i < HEAP_EVENTS; i++) {
		hook = &h->hooks[i];
		*hook = (struct heap_hook){ .event = events[i].name, HEAP_NO_HOOK };
		hook->is_trace_event = take;
		hook->method = take ? "tracepoint" : "raw tracepoint";
		if (heap_wants(h, events[i].kind, events[i].frees))
			hook->prog = program(h, &events[i], take);
	}
}

static int attach_helper(struct bpf_link **link, struct bpf_program *prog, struct error *e)
{
	if (!bpf_program__autoload(prog))
		return 0;
	*link = bpf_program__attach_trace(prog);
	if (*link)
		return 0;
	return error_set(e, EXIT_KERNEL, -errno, NULL, "use --all to measure all tasks",
			 "cannot follow the tasks of the command");
}

static int attach(struct heap_hook *hook)
{
	const struct plan_hook event = {
		.type = PLAN_TRACE_EVENT,
		.module = (char *)"",
		.name = (char *)hook->event,
	};

	if (hook->is_trace_event) {
		hook->perf = hook_perf_event(&event);
		if (hook->perf < 0)
			return hook->perf;
		hook->link = bpf_link_create(hook->fd, hook->perf, BPF_PERF_EVENT, NULL);
	} else {
		hook->link = bpf_raw_tracepoint_open(hook->function ? NULL : hook->event, hook->fd);
	}
	return hook->link < 0 ? hook->link : 0;
}

/* Nothing that is pinned follows a command. */
static int attach_helpers(struct heap *h, struct error *e)
{
	int err;

	if (!h->skel)
		return 0;
	err = attach_helper(&h->helpers[0], h->skel->progs.command_task_free, e);
	return err ? err : attach_helper(&h->helpers[1], h->skel->progs.task_birth, e);
}

/* What was pinned with a program is not measured again without it. */
int heap_attach(struct heap *h, struct error *e)
{
	struct heap_hook *hook;
	int err = attach_helpers(h, e);

	if (err)
		return err;
	for (hook = h->hooks; hook < h->hooks + HEAP_HOOKS; hook++) {
		if (hook->fd < 0)
			continue;
		err = attach(hook);
		if (!err)
			continue;
		refusal_blame(err, hook->why, sizeof(hook->why));
		if (!hook->function || !h->skel)
			return error_set(e, EXIT_KERNEL, err, hook->why, "see 'kstats-bpf doctor'",
					 "cannot watch the event '%s'", hook->event);
		heap_close_fd(&hook->fd);
	}
	return 0;
}

void heap_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the other order than heap_attach(), for the same reason. */
void heap_detach(struct heap *h)
{
	int i;

	for (i = HEAP_HOOKS - 1; i >= 0; i--) {
		heap_close_fd(&h->hooks[i].link);
		heap_close_fd(&h->hooks[i].perf);
	}
	for (i = 0; i < 2; i++) {
		bpf_link__destroy(h->helpers[i]);
		h->helpers[i] = NULL;
	}
}

uint64_t heap_skipped(const struct heap_hook *hook)
{
	struct hook of = HOOK_NONE;

	of.prog_fd = hook->fd;
	return hook->fd < 0 ? 0 : hook_skipped(&of);
}
