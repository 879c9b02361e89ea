// SPDX-License-Identifier: GPL-2.0-only
/*
 * doubt.c - where the kernel counts the programs on frees that it skips, which the programs
 * compare to find lifetimes that are not sure. See priv.h and kmem_doubt.bpf.h.
 */
#include "heap/priv.h"

#include <errno.h>

#include "hook/rows.h"

/* The hook of each way to free. */
static const int hook_of[KSTATS_KMEM_FREE_N] = {
	[KSTATS_KMEM_KFREE] = 0,
	[KSTATS_KMEM_CACHE_FREE] = 1,
	[KSTATS_KMEM_PAGE_FREE] = 2,
	[KSTATS_KMEM_BULK_FREE] = HEAP_EVENTS,
	[KSTATS_KMEM_RCU_FREE] = HEAP_EVENTS + 1,
};

bool heap_doubt_allocations(const struct heap *h, const struct heap_moment *at)
{
	static const int hooks[] = { 3, 4, HEAP_EVENTS + 3 };
	size_t i;

	for (i = 0; i < sizeof(hooks) / sizeof(*hooks); i++)
		if (h->hooks[hooks[i]].fd < 0 || at->skipped[hooks[i]])
			return true;
	return false;
}

void heap_doubt_choose(struct heap *h)
{
	uint32_t cast = facts_types_find(&h->types, BTF_KIND_FUNC, "bpf_rdonly_cast");
	uint32_t word = facts_types_find(&h->types, BTF_KIND_STRUCT, "bpf_prog_stats");

	h->settings[KSTATS_KMEM_CAST] = word ? cast : 0;
	h->settings[KSTATS_KMEM_WORD] = cast ? word : 0;
}

/* Their numbers, by which the iterator knows them. */
static int tell_programs(struct heap *h)
{
	struct bpf_prog_info info;
	uint32_t len;
	int i, fd;

	for (i = 0; i < KSTATS_KMEM_FREE_N; i++) {
		info = (struct bpf_prog_info){};
		len = sizeof(info);
		fd = h->hooks[hook_of[i]].fd;
		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len))
			return -errno;
		h->skel->bss->free_programs[i] = info.id;
	}
	return 0;
}

static int iterate(const struct bpf_program *iterator)
{
	struct bpf_link *link = bpf_program__attach_iter(iterator, NULL);
	struct rows none = {};
	int err = link ? rows_read(&none, sizeof(uint64_t), bpf_link__fd(link)) : -errno;

	rows_free(&none);
	bpf_link__destroy(link);
	return err;
}

int heap_doubt_begin(struct heap *h, struct error *e)
{
	const struct kmem_bpf__bss *of = h->skel->bss;
	int i, err = 0;

	if (!h->want->lifetimes)
		return 0;
	err = tell_programs(h);
	if (!err)
		err = iterate(h->skel->progs.tell_misses);
	for (i = 0; !err && i < KSTATS_KMEM_FREE_N; i++)
		if (of->free_programs[i] && (!of->free_misses[i] || !of->here_base))
			err = -ENOENT;
	return err ? error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'",
			       "cannot read where the kernel counts the programs it skips")
		   : 0;
}
