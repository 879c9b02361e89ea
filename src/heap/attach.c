// SPDX-License-Identifier: GPL-2.0-only
/* attach.c - which program goes on which event. See priv.h. */
#include "heap/priv.h"

#include <errno.h>
#include <unistd.h>

#include "hook/hook.h"
#include "util/refusal.h"

/* Frees come first: an object whose allocation is seen must not be freed unseen. */
void heap_hooks(struct heap *h)
{
	const struct kmem_bpf *skel = h->skel;
	const struct {
		const char *event;
		enum kstats_kmem_kind kind;
		struct bpf_program *raw;
	} events[HEAP_EVENTS] = {
		{ "kfree", KSTATS_KMEM_KMALLOC, skel->progs.kfree_raw },
		{ "kmem_cache_free", KSTATS_KMEM_CACHE, skel->progs.cache_free_raw },
		{ "mm_page_free", KSTATS_KMEM_PAGES, skel->progs.page_free_raw },
		{ "kmalloc", KSTATS_KMEM_KMALLOC, skel->progs.kmalloc_raw },
		{ "kmem_cache_alloc", KSTATS_KMEM_CACHE, skel->progs.cache_alloc_raw },
		{ "mm_page_alloc", KSTATS_KMEM_PAGES, skel->progs.page_alloc_raw },
	};
	int i;

	for (i = 0; i < HEAP_EVENTS; i++)
		h->hooks[i] = (struct heap_hook){
			.event = events[i].event,
			.method = "raw tracepoint",
			.prog = h->want->kinds & 1U << events[i].kind ? events[i].raw : NULL,
			.link = -1,
		};
}

static int attach_helper(struct bpf_link **link, struct bpf_program *prog, struct error *e)
{
	if (!bpf_program__autoload(prog))
		return 0;
	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	return error_set(e, EXIT_KERNEL, -errno, NULL, "use --all to measure everybody",
			 "cannot follow the tasks of the command");
}

int heap_attach(struct heap *h, struct error *e)
{
	struct heap_hook *hook;
	int err;

	err = attach_helper(&h->helpers[0], h->skel->progs.command_task_free, e);
	if (!err)
		err = attach_helper(&h->helpers[1], h->skel->progs.task_birth, e);
	if (err)
		return err;
	for (hook = h->hooks; hook < h->hooks + HEAP_HOOKS; hook++) {
		if (!hook->prog)
			continue;
		hook->link = bpf_raw_tracepoint_open(hook->function ? NULL : hook->event,
						     bpf_program__fd(hook->prog));
		if (hook->link >= 0)
			continue;
		if (!hook->function)
			return error_set(e, EXIT_KERNEL, hook->link, NULL,
					 "see 'kstats-bpf doctor'", "cannot watch the event '%s'",
					 hook->event);
		refusal_blame(hook->link, hook->why, sizeof(hook->why));
		hook->prog = NULL;
	}
	return 0;
}

/* In the other order than heap_attach(), for the same reason. */
void heap_detach(struct heap *h)
{
	int i;

	for (i = HEAP_HOOKS - 1; i >= 0; i--) {
		if (h->hooks[i].link >= 0)
			close(h->hooks[i].link);
		h->hooks[i].link = -1;
	}
	for (i = 0; i < 2; i++) {
		bpf_link__destroy(h->helpers[i]);
		h->helpers[i] = NULL;
	}
}

uint64_t heap_skipped(const struct heap_hook *hook)
{
	struct hook of = HOOK_NONE;

	of.prog_fd = bpf_program__fd(hook->prog);
	return hook_skipped(&of);
}
