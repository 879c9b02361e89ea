/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_many.bpf.h - what has no events of memory: many objects at once, kfree_rcu(), krealloc() in
 * place. In: calls of the kernel's functions. Out: the tables of kmem_table.bpf.h. Part of
 * kmem.bpf.c.
 */
#ifndef KSTATS_KMEM_MANY_BPF_H
#define KSTATS_KMEM_MANY_BPF_H

const volatile struct kstats_kmem_range hooked; /* code of kmem_cache_alloc_bulk() */
const volatile struct kstats_kmem_range hooked_free; /* of kmem_cache_free_bulk() */
const volatile struct kstats_kmem_range hooked_rcu; /* of kvfree_call_rcu() */
const volatile bool rcu_by_offset; /* its second argument is a function: up to 6.1 */
const volatile bool realloc_by_node; /* krealloc() also takes an alignment and a NUMA node: 7.x */
const volatile bool bulk_is_bool; /* kmem_cache_alloc_bulk() returns a bool and no number: 7.x */

#define KMEM_FRAMES 8
#define KMEM_ABOVE 2 /* frames of the program and its trampoline */

static __always_inline __u64 func_arg(void *ctx, __u32 n)
{
	__u64 v = 0;

	bpf_get_func_arg(ctx, n, &v);
	return v;
}

/* Call sites, from the program to the caller of the function it is on. */
struct many_frames {
	__u64 at[KMEM_FRAMES];
};

/*
 * The call site of the function whose code is @size bytes from @first; or KSTATS_KMEM_NO_CALLER.
 * From 7.0 on trampolines at a return are jumped to, and leave no frame of the function: the
 * caller's is the next one.
 */
__noinline __u32 site_outside(const struct many_frames *frames, __u32 first, __u32 size)
{
	bool inside = false;
	__u32 i, site;

	if (!frames)
		return KSTATS_KMEM_NO_CALLER;
	for (i = 0; i < KMEM_FRAMES; i++) {
		site = frames->at[i];
		if (site - first < size)
			inside = true;
		else if (inside)
			return site;
	}
	return inside ? KSTATS_KMEM_NO_CALLER : frames->at[KMEM_ABOVE];
}

/* Not inlined: its frames are not on the stack while others are searched. */
static __noinline __u32 site_of(void *ctx, __u32 first, __u32 size)
{
	struct many_frames frames = {};

	if (bpf_get_stack(ctx, frames.at, sizeof(frames.at), 0) <= 0)
		return KSTATS_KMEM_NO_CALLER;
	return site_outside(&frames, first, size);
}

/* The call site of the function that a program is on, or of its caller that is not skipped. */
static __always_inline __u32 caller_of(void *ctx, const volatile struct kstats_kmem_range *function,
				       __u64 cpu)
{
	__u32 site = site_of(ctx, function->first, function->size);

	if (site == KSTATS_KMEM_NO_CALLER)
		return no_caller(cpu);
	return site_to_count(ctx, site, cpu);
}

struct many {
	__u64 objects; /* address of the array */
	struct kmem_alloc a;
	struct kmem_freed f;
	__u64 row;
};

static long many_begins(__u32 i, struct many *m)
{
	bpf_probe_read_kernel(&m->a.ptr, sizeof(m->a.ptr), (void *)(m->objects + 8ULL * i));
	object_begins(&m->a, m->row);
	return 0;
}

SEC("kmem_fexit")
int alloc_bulk_fexit(void *ctx)
{
	struct many m = { .a = { .kind = KSTATS_KMEM_CACHE } };
	__u64 got = 0, n, by[KSTATS_KMEM_BY_WORDS];

	bpf_get_func_ret(ctx, &got);
	n = !bulk_is_bool ? (__u32)got : (__u8)got ? func_arg(ctx, 2) : 0;
	m.a.gfp = func_arg(ctx, 1);
	if (!kmem_on || !is_wanted(&m.a))
		return 0;
	m.a.cpu = bpf_get_smp_processor_id();
	m.a.what = func_arg(ctx, 0);
	m.a.node = ~0U;
	if (SETTING(ASKS) && !is_asked(&m.a, by, n ?: 1))
		return 0;
	if (!n) {
		kmem_count(m.a.cpu, KSTATS_KMEM_N_FAILED);
		return 0;
	}
	m.a.site = caller_of(ctx, &hooked, m.a.cpu);
	m.objects = func_arg(ctx, 3);
	kmem_add(m.a.cpu, KSTATS_KMEM_N_BULK, n);
	m.row = row_count(&m.a, by, n);
	if (SETTING(LIFETIMES))
		bpf_loop(n, many_begins, &m, 0);
	return 0;
}

/* Not static: the verifier goes through it once, and not once for each turn of the loop. */
__noinline int free_one_of_many(__u64 ptr, __u64 cache, __u32 site)
{
	struct kmem_freed f = { ptr, cache, site };

	return free_wanted(NULL, &f, false, KSTATS_KMEM_BULK_FREE);
}

static long many_ends(__u32 i, struct many *m)
{
	__u64 ptr = 0;

	bpf_probe_read_kernel(&ptr, sizeof(ptr), (void *)(m->objects + 8ULL * i));
	free_one_of_many(ptr, m->f.cache, m->f.site);
	return 0;
}

SEC("kmem_fentry")
int free_bulk_fentry(void *ctx)
{
	struct many m = { .f = { .cache = func_arg(ctx, 0) } };

	if (!kmem_on)
		return 0;
	m.objects = func_arg(ctx, 2);
	if (SETTING(LIFETIMES))
		m.f.site = caller_of(ctx, &hooked_free, bpf_get_smp_processor_id());
	bpf_loop(func_arg(ctx, 1), many_ends, &m, 0);
	return 0;
}

/* Without a head the second argument is the object. */
SEC("kmem_fentry")
int kfree_rcu_fentry(void *ctx)
{
	__u64 head = func_arg(ctx, 0);
	struct kmem_freed f = { func_arg(ctx, 1) };

	if (!kmem_on)
		return 0;
	if (rcu_by_offset && head)
		f.ptr = head - f.ptr;
	if (SETTING(LIFETIMES))
		f.site = caller_of(ctx, &hooked_rcu, bpf_get_smp_processor_id());
	return free_wanted(NULL, &f, false, KSTATS_KMEM_RCU_FREE);
}

/* What krealloc() does is known before it does it: it gives the same object back if that fits. */
static __always_inline bool fits(void *ctx, __u64 ptr, __u64 size, __u64 given)
{
	if (!size || size > given)
		return false;
	if (!realloc_by_node)
		return true;
	if (ptr & (func_arg(ctx, 2) - 1))
		return false;
	return !SETTING(NODES) || (__s32)func_arg(ctx, 4) < 0;
}

SEC("kmem_fentry")
int krealloc_fentry(void *ctx)
{
	__u64 ptr = func_arg(ctx, 0), size = func_arg(ctx, 1), at;
	struct kstats_kmem_live *l;
	struct kstats_kmem_row *r;

	if (!kmem_on || ptr <= KMEM_NULL)
		return 0;
	at = live_find(ptr, live_place(ptr));
	if (at >= LIVE_LEAST)
		return 0;
	l = live_at(at);
	if (l->row == KSTATS_KMEM_NO_ROW)
		return 0;
	r = row_at(l->row);
	if (KSTATS_KMEM_KIND_OF(r->site) != KSTATS_KMEM_KMALLOC || !fits(ctx, ptr, size, r->what))
		return 0;
	l->req = size;
	kmem_count(bpf_get_smp_processor_id(), KSTATS_KMEM_N_IN_PLACE);
	return 0;
}

#endif /* KSTATS_KMEM_MANY_BPF_H */
