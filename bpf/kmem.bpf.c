// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem.bpf.c - programs on the kernel's memory events. In: the events. Out: the tables of
 * kmem_table.bpf.h, which user space reads.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "command.bpf.h"
#include "kmem_caller.bpf.h"
#include "kmem_event.bpf.h"
#include "kmem_live.bpf.h"
#include "kmem_rows.bpf.h"

#define KMEM_NULL 16 /* up to here an address is NULL or what kmalloc(0) gives */
#define KMEM_TWO_PAGES (2 * KMEM_PAGE)

__u32 kmem_on; /* set by user space while it measures */

const volatile struct kstats_kmem_range inner[KSTATS_KMEM_INNER];

/* ---- allocations ---- */

/* Whether an event is the second one of a large kmalloc(), made by the allocator's own code. */
static __always_inline bool is_inner(__u32 site)
{
	__u32 i;

	for (i = 0; i < KSTATS_KMEM_INNER && i < SETTING(INNER_N); i++)
		if (site - inner[i].first < inner[i].size)
			return true;
	return false;
}

static __always_inline bool is_on_node(__u64 node)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return kmem_numa[cpu & (KSTATS_CPUS_MAX - 1)] == node;
}

static __always_inline bool filters_leave_out(void)
{
	return task_is_left_out(who_first) || (who_later && !call_passes());
}

/* Ends a program for what a filter leaves out, before all else: most events are, then. */
#define LEAVE_OUT()                                      \
	do {                                             \
		if (SETTING(FILTERED)) {                 \
			REMOVABLE();                     \
			if (task_is_left_out(who_first)) \
				return 0;                \
			if (who_later && !call_passes()) \
				return 0;                \
		}                                        \
	} while (0)

static __always_inline bool is_wanted(const struct kmem_alloc *a)
{
	if (SETTING(FILTERED) && filters_leave_out())
		return false;
	if (SETTING(NUMA) && !is_on_node(SETTING(NUMA) - 1))
		return false;
	return !SETTING(GFP) || (a->gfp & SETTING(GFP)) == SETTING(GFP);
}

static __always_inline void object_begins(const struct kmem_alloc *a, __u64 row)
{
	struct kstats_kmem_live object = {
		.ptr = a->ptr,
		.ns = bpf_ktime_get_ns(),
		.row = row,
		.req = a->req,
		.cpu = a->cpu,
		.tid = bpf_get_current_task_btf()->pid,
	};

	live_put(&object);
}

/* @walks: call sites are those that a walk over the stack finds. */
static __always_inline int alloc_seen(void *ctx, struct kmem_alloc *a, bool walks)
{
	__u64 by[KSTATS_KMEM_BY_WORDS], row;

	if (!kmem_on || !is_wanted(a))
		return 0;
	a->cpu = bpf_get_smp_processor_id();
	if (a->kind == KSTATS_KMEM_KMALLOC && a->req > KMEM_TWO_PAGES && is_inner(a->site)) {
		kmem_count(a->cpu, KSTATS_KMEM_N_TWICE);
		return 0;
	}
	if (SETTING(ASKS) && !is_asked(a, by, 1))
		return 0;
	if (a->ptr <= KMEM_NULL) {
		kmem_count(a->cpu, KSTATS_KMEM_N_FAILED);
		return 0;
	}
	if (walks)
		a->site = a->kind == KSTATS_KMEM_PAGES ? caller_of_pages(ctx, a->cpu)
						       : site_to_count(ctx, a->site, a->cpu);
	row = row_count(a, by, 1);
	if (SETTING(LIFETIMES))
		object_begins(a, row);
	return 0;
}

/*
 * What nearly all allocations need: no filter, and their row at its first place. It keeps no
 * value over a call, so that the compiler finds registers for all. False: take the long way.
 */
static __always_inline bool row_quick(__u64 site, __u64 what, __u64 cpu, __u64 *at)
{
	struct kstats_kmem_row *r = table_of(&rows);

	*at = KMEM_PLACE(site + what, cpu, ROWS_MASK, ROWS_BITS);
	r += *at;
	asm volatile("" : "+r"(r));
	if (r->site != site || r->what != what)
		return false;
	__sync_fetch_and_add(&r->count, 1);
	return true;
}

static __always_inline int quick_end(__u64 *ctx, __u64 row, __u64 req, __u64 cpu)
{
	struct kmem_alloc a = { .ptr = *(volatile __u64 *)&ctx[1], .req = req, .cpu = cpu };

	object_begins(&a, row);
	return 0;
}

#define SITE_WORD(ctx, kind) (*(__u32 *)(ctx) | KSTATS_KMEM_ROW_KIND(kind))

/* site, ptr, bytes requested, bytes allocated, flags, node */
static __always_inline int kmalloc_any(__u64 *ctx, bool walks)
{
	struct kmem_alloc a = {
		KSTATS_KMEM_KMALLOC, ctx[0], ctx[1], ctx[3], ctx[2], ctx[4], ctx[5]
	};

	return alloc_seen(ctx, &a, walks);
}

static __noinline int kmalloc_slow(__u64 *ctx)
{
	return kmalloc_any(ctx, false);
}

SEC("kmem_raw")
int kmalloc_raw_walk(__u64 *ctx)
{
	return kmalloc_any(ctx, true);
}

/* Written out with lifetimes and without: else these would share registers that are saved. */
static __always_inline int kmalloc_quick(__u64 *ctx, bool lives)
{
	__u64 cpu, row, req;

	cpu = bpf_get_smp_processor_id();
	req = ctx[2];
	if (ctx[1] <= KMEM_NULL || req > KSTATS_KMEM_EXACT)
		return kmalloc_slow(ctx);
	if (!row_quick(SITE_WORD(ctx, KSTATS_KMEM_KMALLOC) | req << 32, ctx[3], cpu, &row))
		return kmalloc_slow(ctx);
	return lives ? quick_end(ctx, row, req, cpu) : 0;
}

SEC("kmem_raw")
int kmalloc_raw(__u64 *ctx)
{
	LEAVE_OUT();
	if (!kmem_on)
		return 0;
	if (!SETTING(PLAIN)) {
		REMOVABLE();
		return kmalloc_slow(ctx);
	}
	if (SETTING(LIFETIMES)) {
		REMOVABLE();
		return kmalloc_quick(ctx, true);
	}
	return kmalloc_quick(ctx, false);
}

/* site, ptr, cache, flags, node */
static __always_inline int cache_alloc_any(__u64 *ctx, bool walks)
{
	struct kmem_alloc a = { KSTATS_KMEM_CACHE, ctx[0], ctx[1], ctx[2], 0, ctx[3], ctx[4] };

	return alloc_seen(ctx, &a, walks);
}

static __noinline int cache_alloc_slow(__u64 *ctx)
{
	return cache_alloc_any(ctx, false);
}

SEC("kmem_raw")
int cache_alloc_raw_walk(__u64 *ctx)
{
	return cache_alloc_any(ctx, true);
}

static __always_inline int cache_alloc_quick(__u64 *ctx, bool lives)
{
	__u64 cpu, row;

	cpu = bpf_get_smp_processor_id();
	if (ctx[1] <= KMEM_NULL)
		return cache_alloc_slow(ctx);
	if (!row_quick(SITE_WORD(ctx, KSTATS_KMEM_CACHE), ctx[2], cpu, &row))
		return cache_alloc_slow(ctx);
	return lives ? quick_end(ctx, row, 0, cpu) : 0;
}

SEC("kmem_raw")
int cache_alloc_raw(__u64 *ctx)
{
	LEAVE_OUT();
	if (!kmem_on)
		return 0;
	if (!SETTING(PLAIN)) {
		REMOVABLE();
		return cache_alloc_slow(ctx);
	}
	if (SETTING(LIFETIMES)) {
		REMOVABLE();
		return cache_alloc_quick(ctx, true);
	}
	return cache_alloc_quick(ctx, false);
}

/* A program, and the same one that walks over the stack. */
#define BOTH(section, name, type)              \
	SEC(section)                           \
	int name(type *ctx)                    \
	{                                      \
		return name##_any(ctx, false); \
	}                                      \
	SEC(section)                           \
	int name##_walk(type *ctx)             \
	{                                      \
		return name##_any(ctx, true);  \
	}

/* page, order, flags, migratetype */
static __always_inline int page_alloc_raw_any(__u64 *ctx, bool walks)
{
	__u32 order = ctx[1];
	struct kmem_alloc a = { KSTATS_KMEM_PAGES, 0, ctx[0], order + 1, 0, ctx[2], ~0U };

	a.req = (__u64)KMEM_PAGE << (order & 31);
	return alloc_seen(ctx, &a, walks);
}

BOTH("kmem_raw", page_alloc_raw, __u64)

/* ---- frees ---- */

/**
 * struct kmem_freed - a free
 * @ptr: the object
 * @cache: of which cache, as the event says; 0: it does not
 * @site: lower half of the call site's address
 */
struct kmem_freed {
	__u64 ptr;
	__u64 cache;
	__u32 site;
};

/* Returns whether the caller must count the free: the table of lifetimes counts most frees. */
static __always_inline bool object_ends(void *ctx, const struct kmem_freed *f, bool walks,
					enum kstats_kmem_free how, __u64 cpu)
{
	struct kstats_kmem_live object;
	struct kstats_kmem_row *r;
	__u32 site = f->site;
	__u64 found = live_take(&object, f->ptr, how == KSTATS_KMEM_RCU_FREE);

	if (!found) {
		if (f->cache && object.row != KSTATS_KMEM_NO_ROW) {
			r = row_at(object.row);
			if (KSTATS_KMEM_KIND_OF(r->site) == KSTATS_KMEM_CACHE &&
			    r->what != f->cache)
				kmem_count(cpu, KSTATS_KMEM_N_CACHE);
		}
		if (walks)
			site = how == KSTATS_KMEM_PAGE_FREE ? caller_of_pages(ctx, cpu)
							    : site_to_count(ctx, site, cpu);
		return !life_count(&object, site | (__u64)how << 32 | 1ULL << 63, how, cpu);
	}
	doubt_look(how, cpu);
	if (found == LIVE_RCU) {
		kmem_count(cpu, KSTATS_KMEM_N_RCU_DONE);
		return false;
	}
	kmem_count(cpu, KSTATS_KMEM_N_UNKNOWN);
	if (found == LIVE_AGAIN)
		kmem_count(cpu, KSTATS_KMEM_N_AGAIN);
	return true;
}

/* Events are counted: who calls it has looked. */
static __always_inline int free_wanted(void *ctx, const struct kmem_freed *f, bool walks,
				       enum kstats_kmem_free how)
{
	__u64 cpu;

	if (!SETTING(LIFETIMES))
		LEAVE_OUT();
	cpu = bpf_get_smp_processor_id();
	if (f->ptr <= KMEM_NULL) {
		kmem_count(cpu, KSTATS_KMEM_N_NULL);
		kmem_count(cpu, KSTATS_KMEM_N_FREES + how);
		if (SETTING(LIFETIMES))
			doubt_renew(how, cpu);
		return 0;
	}
	if (f->cache)
		cache_freed(f->cache, cpu, 1);
	if (!SETTING(LIFETIMES)) {
		REMOVABLE();
		kmem_count(cpu, KSTATS_KMEM_N_FREES + how);
		return 0;
	}
	if (object_ends(ctx, f, walks, how, cpu))
		kmem_count(cpu, KSTATS_KMEM_N_FREES + how);
	return 0;
}

static __always_inline int free_seen(void *ctx, const struct kmem_freed *f, bool walks,
				     enum kstats_kmem_free how)
{
	return kmem_on ? free_wanted(ctx, f, walks, how) : 0;
}

/* site, ptr */
static __always_inline int kfree_raw_any(__u64 *ctx, bool walks)
{
	struct kmem_freed f = { ctx[1], 0, *(__u32 *)ctx };

	return free_seen(ctx, &f, walks, KSTATS_KMEM_KFREE);
}

SEC("kmem_raw")
int kfree_raw_walk(__u64 *ctx)
{
	return kfree_raw_any(ctx, true);
}

static __noinline int kfree_slow(__u64 *ctx)
{
	return kfree_raw_any(ctx, false);
}

/* Without lifetimes it keeps no value over a call, so that no register is saved. */
SEC("kmem_raw")
int kfree_raw(__u64 *ctx)
{
	if (SETTING(LIFETIMES)) {
		REMOVABLE();
		return kfree_raw_any(ctx, false);
	}
	if (ctx[1] <= KMEM_NULL)
		return kfree_slow(ctx);
	LEAVE_OUT();
	if (kmem_on)
		kmem_count(bpf_get_smp_processor_id(), KSTATS_KMEM_N_FREES + KSTATS_KMEM_KFREE);
	return 0;
}

/* site, ptr, cache */
static __always_inline int cache_free_raw_any(__u64 *ctx, bool walks)
{
	struct kmem_freed f = { ctx[1], ctx[2], *(__u32 *)ctx };

	return free_seen(ctx, &f, walks, KSTATS_KMEM_CACHE_FREE);
}

BOTH("kmem_raw", cache_free_raw, __u64)

/* page, order */
static __always_inline int page_free_raw_any(__u64 *ctx, bool walks)
{
	struct kmem_freed f = { ctx[0], 0, 0 };

	return free_seen(ctx, &f, walks, KSTATS_KMEM_PAGE_FREE);
}

BOTH("kmem_raw", page_free_raw, __u64)

/* ---- the same from trace events ---- */

static __always_inline int kmalloc_event_any(struct trace_event_raw_kmalloc *e, bool walks)
{
	struct kmem_alloc a = {
		KSTATS_KMEM_KMALLOC, e->call_site, (__u64)e->ptr, e->bytes_alloc,
		e->bytes_req,        e->gfp_flags, e->node,
	};

	return alloc_seen(e, &a, walks);
}

BOTH("kmem_event", kmalloc_event, struct trace_event_raw_kmalloc)

static __always_inline int cache_alloc_event_any(struct trace_event_raw_kmem_cache_alloc *e,
						 bool walks)
{
	struct kmem_alloc a = {
		KSTATS_KMEM_CACHE, e->call_site, (__u64)e->ptr, 0, 0, e->gfp_flags, e->node,
	};

	if (!kmem_on)
		return 0;
	if (a.ptr > KMEM_NULL)
		a.what = cache_of(a.ptr, bpf_get_smp_processor_id());
	return alloc_seen(e, &a, walks);
}

BOTH("kmem_event", cache_alloc_event, struct trace_event_raw_kmem_cache_alloc)

static __always_inline int page_alloc_event_any(struct trace_event_raw_mm_page_alloc *e, bool walks)
{
	struct kmem_alloc a = { KSTATS_KMEM_PAGES, 0, page_of(e->pfn), 0, 0, e->gfp_flags, ~0U };
	__u32 order = e->order;

	a.what = order + 1;
	a.req = (__u64)KMEM_PAGE << (order & 31);
	return alloc_seen(e, &a, walks);
}

BOTH("kmem_event", page_alloc_event, struct trace_event_raw_mm_page_alloc)

static __always_inline int kfree_event_any(struct trace_event_raw_kfree *e, bool walks)
{
	struct kmem_freed f = { (__u64)e->ptr, 0, e->call_site };

	return free_seen(e, &f, walks, KSTATS_KMEM_KFREE);
}

BOTH("kmem_event", kfree_event, struct trace_event_raw_kfree)

static __always_inline int cache_free_event_any(struct trace_event_raw_kmem_cache_free *e,
						bool walks)
{
	struct kmem_freed f = { (__u64)e->ptr, 0, e->call_site };

	if (!kmem_on)
		return 0;
	if (f.ptr > KMEM_NULL)
		f.cache = cache_of(f.ptr, bpf_get_smp_processor_id());
	return free_seen(e, &f, walks, KSTATS_KMEM_CACHE_FREE);
}

BOTH("kmem_event", cache_free_event, struct trace_event_raw_kmem_cache_free)

static __always_inline int page_free_event_any(struct trace_event_raw_mm_page_free *e, bool walks)
{
	struct kmem_freed f = { page_of(e->pfn) };

	return free_seen(e, &f, walks, KSTATS_KMEM_PAGE_FREE);
}

BOTH("kmem_event", page_free_event, struct trace_event_raw_mm_page_free)

#include "kmem_many.bpf.h"

/* ---- the command ---- */

SEC("tp_btf/sched_process_free")
int command_task_free(__u64 *ctx)
{
	command_end((struct task_struct *)ctx[0]);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
