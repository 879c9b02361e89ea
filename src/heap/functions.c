// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - functions that allocate and free without an event: their names on this kernel,
 * and the forms of their arguments. See priv.h.
 */
#include "heap/priv.h"

#include <stdio.h>
#include <string.h>

#include "hook/probe.h"
#include "util/file.h"

#define NAMES_MAX 4

/* A function, by all the names that it has had, the newest first. */
struct function {
	const char *event;
	const char *names[NAMES_MAX];
	enum kstats_kmem_kind kind;
	bool frees;
	struct bpf_program *prog;
	bool at_return;
	struct kstats_kmem_range *range;
	const char *spared; /* why no program may be on it, or NULL */
};

static const struct btf_type *proto_of(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *t = id ? facts_type(types, id) : NULL;

	return t ? facts_type(types, t->type) : NULL;
}

/* A type without its typedefs and qualifiers. */
static const struct btf_type *bare(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *t = facts_type(types, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = facts_type(types, t->type);
	return t;
}

static bool returns_bool(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *proto = proto_of(types, id);
	const struct btf_type *ret = proto ? bare(types, proto->type) : NULL;

	return ret && btf_is_int(ret) && btf_int_encoding(ret) & BTF_INT_BOOL;
}

static bool takes_function(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *proto = proto_of(types, id), *t;

	if (!proto || btf_vlen(proto) < 2)
		return false;
	t = bare(types, btf_params(proto)[1].type);
	if (!t || !btf_is_ptr(t))
		return false;
	t = t->type ? bare(types, t->type) : NULL;
	return t && btf_is_func_proto(t);
}

/* Fills in the hook: with the program if the function is there. */
static void look_up(struct heap *h, struct heap_hook *hook, const struct function *f)
{
	uint64_t address, size;
	int i;

	*hook = (struct heap_hook){ .event = f->event, HEAP_NO_HOOK };
	if (!heap_wants(h, f->kind, f->frees))
		return;
	if (f->spared) {
		snprintf(hook->why, sizeof(hook->why), "%s", f->spared);
		return;
	}
	for (i = 0; i < NAMES_MAX && f->names[i] && !hook->btf_id; i++) {
		hook->function = f->names[i];
		hook->btf_id = facts_types_find(&h->types, BTF_KIND_FUNC, hook->function);
	}
	if (!hook->btf_id) {
		snprintf(hook->why, sizeof(hook->why), "this kernel has no such function");
		return;
	}
	hook->method = f->at_return ? "fexit" : "fentry";
	hook->attach = f->at_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
	hook->prog = f->prog;
	if (f->range && symbols_find(&h->symbols, hook->function, &address, &size))
		*f->range = (struct kstats_kmem_range){ address, size };
}

static uint32_t n_params(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *proto = proto_of(types, id);

	return proto ? btf_vlen(proto) : 0;
}

/* Whether debugging makes objects of kmalloc() take more than they hold: the event tells that. */
static bool has_padding(void)
{
	char holds[32], takes[32];

	return file_first_line("", "/sys/kernel/slab/kmalloc-64/object_size", holds,
			       sizeof(holds)) == 0 &&
	       file_first_line("", "/sys/kernel/slab/kmalloc-64/slab_size", takes, sizeof(takes)) ==
		       0 &&
	       strcmp(holds, takes);
}

/* Why no program may tell what krealloc() does in place, or NULL. */
static const char *realloc_spared(const struct heap *h)
{
	if (!h->want->lifetimes)
		return "what fits in place is known only with --lifetime";
	return has_padding() ? "slab_debug is on: what fits in place is not known" : NULL;
}

void heap_functions(struct heap *h)
{
	struct kmem_bpf__rodata *set = h->skel->rodata;
	const struct function functions[HEAP_HOOKS - HEAP_EVENTS] = {
		{ .event = "kmem_cache_free_bulk",
		  .names = { "kmem_cache_free_bulk" },
		  .kind = KSTATS_KMEM_CACHE,
		  .frees = true,
		  .prog = h->skel->progs.free_bulk_fentry,
		  .range = (void *)&set->hooked_free },
		{ .event = "kvfree_call_rcu",
		  .names = { "kvfree_call_rcu" },
		  .kind = KSTATS_KMEM_KMALLOC,
		  .frees = true,
		  .prog = h->skel->progs.kfree_rcu_fentry,
		  .range = (void *)&set->hooked_rcu },
		/* With a program at its return, a trampoline calls it, and would then be the call
		   site of what it allocates. */
		{ .event = "krealloc",
		  .names = { "krealloc_node_align_noprof", "krealloc_noprof", "krealloc" },
		  .kind = KSTATS_KMEM_KMALLOC,
		  .prog = h->skel->progs.krealloc_fentry,
		  .spared = realloc_spared(h) },
		{ .event = "kmem_cache_alloc_bulk",
		  .names = { "kmem_cache_alloc_bulk_noprof", "kmem_cache_alloc_bulk" },
		  .kind = KSTATS_KMEM_CACHE,
		  .prog = h->skel->progs.alloc_bulk_fexit,
		  .at_return = true,
		  .range = (void *)&set->hooked },
	};
	char why[256];
	int i;

	for (i = 0; i < HEAP_HOOKS - HEAP_EVENTS; i++)
		look_up(h, &h->hooks[HEAP_EVENTS + i], &functions[i]);
	set->rcu_by_offset = takes_function(&h->types, h->hooks[HEAP_EVENTS + 1].btf_id);
	set->bulk_is_bool = returns_bool(&h->types, h->hooks[HEAP_EVENTS + 3].btf_id);
	set->realloc_by_node = n_params(&h->types, h->hooks[HEAP_EVENTS + 2].btf_id) > 3;
	if (!h->dry && probe_type(PLAN_FENTRY, why, sizeof(why)))
		heap_lose_functions(h, why);
}

void heap_lose_functions(struct heap *h, const char *why)
{
	struct heap_hook *hook;

	for (hook = h->hooks + HEAP_EVENTS; hook < h->hooks + HEAP_HOOKS; hook++) {
		if (!hook->prog)
			continue;
		hook->prog = NULL;
		snprintf(hook->why, sizeof(hook->why), "fentry refused: %.230s", why);
	}
}
