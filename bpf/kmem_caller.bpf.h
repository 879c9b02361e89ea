/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_caller.bpf.h - call sites by the stack. In: where a program runs, and the tables of
 * functions that are skipped. Out: the first call site outside of these. Called by kmem.bpf.c.
 *
 * A stack is read only where an event's own call site is skipped, or where the event names
 * none. A search never goes on into a task that was interrupted: it does not call the code
 * of the interrupt.
 */
#ifndef KSTATS_KMEM_CALLER_BPF_H
#define KSTATS_KMEM_CALLER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kmem_table.bpf.h"
#include "loop.bpf.h"

#define CALLER_FRAMES 24

/* Call sites, from the program outwards. */
struct caller_frames {
	__u64 at[CALLER_FRAMES];
};

/* Sorted; those after the last one begin at the highest address. */
const volatile struct kstats_kmem_range skipped[KSTATS_KMEM_SKIPPED]; /* as the user asks */
const volatile struct kstats_kmem_range pagers[KSTATS_KMEM_SKIPPED]; /* the page allocator's own */
const volatile struct kstats_kmem_range entries; /* where interrupts and system calls enter */

/*
 * Finds the last range that begins at or before an address, by halves. A call site is the
 * address after a call, which may be that of the next function.
 */
static __always_inline bool is_in(const volatile struct kstats_kmem_range *ranges, __u32 site)
{
	__u32 at = site - 1, step;
	__u64 i = 0;

	for (step = KSTATS_KMEM_SKIPPED / 2; step; step /= 2) {
		if (ranges[(i + step) & (KSTATS_KMEM_SKIPPED - 1)].first <= at)
			i += step;
		i = loop_forget(i, site);
	}
	i &= KSTATS_KMEM_SKIPPED - 1;
	return at - ranges[i].first < ranges[i].size;
}

/* Not static: the verifier goes through each once, and not once for each frame. */
__noinline int is_skipped(__u32 site)
{
	return is_in(skipped, site);
}

__noinline int is_pager(__u32 site)
{
	return is_in(pagers, site);
}

static __always_inline bool is_entry(__u32 site)
{
	return site - entries.first < entries.size;
}

/* The first call site that is not skipped, from @site outwards; or KSTATS_KMEM_NO_CALLER. */
__noinline __u32 site_behind(const struct caller_frames *frames, __u32 site)
{
	bool inside = false;
	__u32 i, at;

	if (!frames)
		return KSTATS_KMEM_NO_CALLER;
	for (i = 0; i < CALLER_FRAMES; i++) {
		at = frames->at[i];
		if (!inside)
			inside = at == site;
		else if (!at || is_entry(at))
			break;
		else if (!is_skipped(at))
			return at;
	}
	return KSTATS_KMEM_NO_CALLER;
}

/* The same from the page allocator's own functions outwards, which are skipped, too. */
__noinline __u32 site_behind_pages(const struct caller_frames *frames)
{
	bool inside = false;
	__u32 i, at;

	if (!frames)
		return KSTATS_KMEM_NO_CALLER;
	for (i = 0; i < CALLER_FRAMES; i++) {
		at = frames->at[i];
		if (is_pager(at))
			inside = true;
		else if (!inside)
			continue;
		else if (!at || is_entry(at))
			break;
		else if (!SETTING(SKIP) || !is_skipped(at))
			return at;
	}
	return KSTATS_KMEM_NO_CALLER;
}

static __always_inline __u32 no_caller(__u64 cpu)
{
	kmem_count(cpu, KSTATS_KMEM_N_NO_CALLER);
	return KSTATS_KMEM_NO_CALLER;
}

/* The site that a search has found; if there is none, that is counted. */
static __always_inline __u32 caller_found(__u32 site, __u64 cpu)
{
	return site == KSTATS_KMEM_NO_CALLER ? no_caller(cpu) : site;
}

static __noinline __u32 caller_behind(void *ctx, __u32 site, __u64 cpu)
{
	struct caller_frames frames = {};

	if (bpf_get_stack(ctx, frames.at, sizeof(frames.at), 0) <= 0)
		return no_caller(cpu);
	return caller_found(site_behind(&frames, site), cpu);
}

static __noinline __u32 caller_of_pages(void *ctx, __u64 cpu)
{
	struct caller_frames frames = {};

	if (bpf_get_stack(ctx, frames.at, sizeof(frames.at), 0) <= 0)
		return no_caller(cpu);
	return caller_found(site_behind_pages(&frames), cpu);
}

/* The call site to count, for what an event or a function says. */
static __always_inline __u32 site_to_count(void *ctx, __u32 site, __u64 cpu)
{
	if (!SETTING(SKIP) || !is_skipped(site))
		return site;
	return caller_behind(ctx, site, cpu);
}

#endif /* KSTATS_KMEM_CALLER_BPF_H */
