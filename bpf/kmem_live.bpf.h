/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_live.bpf.h - live objects by address, and lifetimes by row and site of the free. In:
 * allocations and frees. Out: the tables @live and @lifes. Called by kmem.bpf.c.
 *
 * An object is in one of two buckets. A search ends at a place of the first bucket that was
 * never used: those after it were never used either, and the second bucket was never needed.
 * An address is in one place at most, live or freed, so a search ends with the first match.
 *
 * The kernel tells of an allocation before anybody else has the object, and of a free before
 * the memory can be given out again. So events of one address never race; those of different
 * addresses race for places, which they take by compare-and-swap.
 */
#ifndef KSTATS_KMEM_LIVE_BPF_H
#define KSTATS_KMEM_LIVE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kmem_doubt.bpf.h"
#include "kmem_table.bpf.h"
#include "loop.bpf.h"

#define LIVE_FREED 1 /* bits of an address, see struct kstats_kmem_live */
#define LIVE_BITS 3
#define LIVE_TRIES 3

/* What a search for an address returns if there is no live object. */
#define LIVE_NONE (~0ULL)
#define LIVE_AGAIN (~1ULL) /* it was freed before */
#define LIVE_RCU (~2ULL) /* it was handed to kfree_rcu() before */
#define LIVE_LEAST LIVE_RCU

const volatile __u16 kmem_numa[KSTATS_CPUS_MAX]; /* NUMA node of each CPU */

static __always_inline struct kstats_kmem_live *live_at(__u64 at)
{
	struct kstats_kmem_live *l = table_of(&live);

	SET_AND(at, LIVE_ALL);
	return &l[at];
}

/* The same of a place that needs no mask. */
static __always_inline struct kstats_kmem_live *live_first(__u64 place)
{
	struct kstats_kmem_live *l = table_of(&live);

	l += place;
	asm volatile("" : "+r"(l));
	return l;
}

/* The first place of the first bucket of an address. */
static __always_inline __u64 live_place(__u64 ptr)
{
	__u64 at = ptr * KMEM_GOLDEN >> 38;

	SET_AND(at, LIVE_FIRST);
	return at;
}

/* The @i-th place of both buckets. */
static __always_inline __u64 live_next(__u64 place, __u64 i)
{
	return place ^ i;
}

/* ---- allocations ---- */

static __always_inline bool live_write(struct kstats_kmem_live *l, __u64 old,
				       const struct kstats_kmem_live *from)
{
	__u64 got = __sync_val_compare_and_swap(&l->ptr, old, from->ptr);

	asm volatile("" : "+r"(got));
	if (got != old)
		return false;
	l->ns = from->ns;
	l->row = from->row;
	l->req = from->req;
	l->cpu = from->cpu;
	l->tid = from->tid;
	if (old == from->ptr)
		kmem_count(from->cpu, KSTATS_KMEM_N_REUSED);
	return true;
}

/* Why an object has no place. */
enum live_put {
	LIVE_PUT,
	LIVE_FULL, /* both buckets */
	LIVE_LOST, /* another CPU took the place meanwhile */
};

/* Its own old place, else the first free one of both buckets. Returns an enum live_put. */
__noinline int live_try(const struct kstats_kmem_live *from, __u64 place)
{
	__u64 i, at, old, chosen = LIVE_NONE, chosen_old = 0;

	if (!SETTING(LIFETIMES) || !from)
		return LIVE_FULL;
	for (i = 0; i < 2 * KSTATS_KMEM_WAYS; i = loop_next(i)) {
		at = live_next(place, i);
		old = *(volatile __u64 *)&live_at(at)->ptr;
		if ((old ^ from->ptr) <= LIVE_BITS) {
			chosen = at;
			chosen_old = old;
			break;
		}
		if (chosen == LIVE_NONE && (!old || old & LIVE_FREED)) {
			chosen = at;
			chosen_old = old;
		}
	}
	if (chosen == LIVE_NONE)
		return LIVE_FULL;
	return live_write(live_at(chosen), chosen_old, from) ? LIVE_PUT : LIVE_LOST;
}

__noinline int live_put_slow(const struct kstats_kmem_live *from, __u64 place)
{
	enum live_put put = LIVE_LOST;
	__u64 i;

	if (!SETTING(LIFETIMES) || !from)
		return 0;
	for (i = 0; i < LIVE_TRIES && put == LIVE_LOST; i = loop_next(i))
		put = live_try(from, place);
	if (put == LIVE_PUT)
		return 0;
	kmem_count(from->cpu, KSTATS_KMEM_N_NO_LIVE);
	if (put == LIVE_LOST)
		kmem_count(from->cpu, KSTATS_KMEM_N_RACED);
	return 0;
}

/* Where the search of an address ends: @bits are those by which it may differ. */
#define LIVE_ENDS(l, address, old, bits)                 \
	({                                               \
		(old) = *(volatile __u64 *)&(l)->ptr;    \
		!(old) || ((old) ^ (address)) <= (bits); \
	})

static __always_inline void live_put(const struct kstats_kmem_live *from)
{
	__u64 place = live_place(from->ptr), old;
	struct kstats_kmem_live *l = live_first(place), slow;

	if (LIVE_ENDS(l, from->ptr, old, LIVE_BITS))
		goto found;
	l++;
	if (LIVE_ENDS(l, from->ptr, old, LIVE_BITS))
		goto found;
	l++;
	if (LIVE_ENDS(l, from->ptr, old, LIVE_BITS))
		goto found;
	l++;
	if (!LIVE_ENDS(l, from->ptr, old, LIVE_BITS))
		goto slow;
found:
	if (old != from->ptr && live_write(l, old, from))
		return;
slow:
	slow = *from;
	live_put_slow(&slow, place);
}

/* ---- frees ---- */

/* Where an object is that is not in its first bucket; or LIVE_NONE and its like. */
__noinline __u64 live_find(__u64 ptr, __u64 place)
{
	__u64 i, at, old;

	if (!SETTING(LIFETIMES))
		return LIVE_NONE;
	for (i = 0; i < 2 * KSTATS_KMEM_WAYS; i = loop_next(i)) {
		at = live_next(place, i);
		old = *(volatile __u64 *)&live_at(at)->ptr;
		if (old == ptr)
			return at;
		if ((old ^ ptr) <= LIVE_BITS)
			return (old ^ ptr) == LIVE_BITS ? LIVE_RCU : LIVE_AGAIN;
	}
	return LIVE_NONE;
}

/*
 * Takes an object out and copies what was known of it. Returns 0, or LIVE_NONE and its like.
 */
static __always_inline __u64 live_take(struct kstats_kmem_live *to, __u64 ptr, bool rcu)
{
	__u64 place = live_place(ptr), at;
	struct kstats_kmem_live *l = live_first(place);

	if (l->ptr == ptr)
		goto found;
	l++;
	if (l->ptr == ptr)
		goto found;
	at = live_find(ptr, place);
	if (at >= LIVE_LEAST)
		return at;
	l = live_at(at);
found:
	to->ns = l->ns;
	to->row = l->row;
	to->cpu = l->cpu;
	to->tid = l->tid;
	at = __sync_val_compare_and_swap(&l->ptr, ptr, ptr | (rcu ? LIVE_BITS : LIVE_FREED));
	asm volatile("" : "+r"(at));
	return at == ptr ? 0 : LIVE_AGAIN;
}

/* ---- lifetimes ---- */

static __always_inline struct kstats_kmem_life *life_at(__u64 at)
{
	struct kstats_kmem_life *l = table_of(&lifes);

	SET_AND(at, LIFES_ALL);
	return &l[at];
}

/* Whether a place is that of a lifetime, or is free and becomes so. */
__noinline int life_try(__u64 key, __u64 site, __u64 at)
{
	struct kstats_kmem_life *l = life_at(at);

	return word_claim(&l->key, key) && word_claim(&l->site, site);
}

static __noinline __u64 life_find(__u64 key, __u64 site, __u64 at)
{
	__u64 i;

	for (i = 0; i < KSTATS_KMEM_PROBES; i = loop_next(i)) {
		if (life_try(key, site, at))
			return at;
		at = KMEM_NEXT(at, LIFES_MASK);
	}
	return LIVE_NONE;
}

static __always_inline __u64 life_flags(const struct kstats_kmem_live *l, __u64 cpu)
{
	__u64 flags = 0;

	if (l->cpu != (__u32)cpu) {
		flags = KSTATS_KMEM_OTHER_CPU;
		if (!l->tid) /* the idle task of another CPU: all of these have the number 0 */
			flags |= KSTATS_KMEM_OTHER_TASK;
		if (SETTING(NODES) && kmem_numa[l->cpu & (KSTATS_CPUS_MAX - 1)] !=
					      kmem_numa[cpu & (KSTATS_CPUS_MAX - 1)])
			flags |= KSTATS_KMEM_OTHER_NUMA;
	}
	if (l->tid != (__u32)bpf_get_current_task_btf()->pid)
		flags |= KSTATS_KMEM_OTHER_TASK;
	return flags;
}

/* The place of a lifetime, wherever it is. Not static: the verifier goes through it once. */
__noinline __u64 life_search(__u64 key, __u64 site, __u64 cpu)
{
	__u64 at = KMEM_PLACE(key + site * KMEM_GOLDEN, cpu, LIFES_MASK, LIFES_BITS);

	at = life_find(key, site, at);
	if (at == LIVE_NONE)
		kmem_count(cpu, KSTATS_KMEM_N_NO_LIFE);
	return at;
}

/*
 * @site: bit 63, how it was freed, and the call site, as in struct kstats_kmem_life. False
 * where there is no room. A lifetime that is not sure has a row of its own.
 */
static __always_inline bool life_count(const struct kstats_kmem_live *l, __u64 site,
				       enum kstats_kmem_free how, __u64 cpu)
{
	__u64 ns = bpf_ktime_get_ns() - l->ns, key, at;
	struct kstats_kmem_life *life;

	if ((__s64)ns < 0)
		ns = 0;
	key = (__u64)l->row << 32 | 0x80 | life_flags(l, cpu) |
	      (__u64)kstats_slot_index(ns, KSTATS_KMEM_LIFE_BITS) << 8;
	at = KMEM_PLACE(key + site * KMEM_GOLDEN, cpu, LIFES_MASK, LIFES_BITS);
	life = table_of(&lifes);
	life += at;
	asm volatile("" : "+r"(life));
	if (life->key != key || life->site != site) {
		at = life_search(key, site, cpu);
		if (at == LIVE_NONE) {
			doubt_renew(how, cpu);
			return false;
		}
		life = life_at(at);
	}
	doubt_look(how, cpu);
	if (doubt_since(l->ns, how)) {
		at = life_search(life->key | KSTATS_KMEM_UNVERIFIED, life->site, cpu);
		if (at == LIVE_NONE)
			return false;
		life = life_at(at);
	}
	__sync_fetch_and_add(&life->count, 1);
	__sync_fetch_and_add(&life->sum_ns, ns);
	return true;
}

#endif /* KSTATS_KMEM_LIVE_BPF_H */
