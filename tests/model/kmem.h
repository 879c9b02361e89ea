/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - the programs of bpf/kmem.bpf.c on the machine of machine.h, and a small allocator. In:
 * a shape (how large the tables are, and what comes in between). Out: whether each allocation and
 * each free is where it must be. Scenarios are in test_kmem.c.
 */
#ifndef MODEL_KMEM_H
#define MODEL_KMEM_H

#include "machine.h"
#include "kstats_kmem.h"

#define KMEM_ADDRESSES 48

/**
 * struct kmem_shape - what happens, and what comes in between
 * @addresses: that the allocator has
 * @live: places for live objects, a power of 2
 * @rows: places for rows in each copy, likewise
 * @lifes: places for lifetimes in each copy, likewise
 * @stripes: each processor has a copy of its own
 * @plain: programs take the short way
 * @caches: objects come from caches, too
 * @rcu: some are freed by kfree_rcu()
 * @nulls: most calls of kfree() are of NULL
 * @keys: words of a key of --by; then there is a condition, too, for which some are left out
 * @resets: user space resets the tables meanwhile
 * @preempts: tasks are preempted inside programs
 * @mean: points from one event to the next
 * @tasks: what they do, if not by chance: see below; those with even numbers on the first processor
 * @interrupts: what may come in between: 'S', 'I' (softirq, irq) and what they do; "|" is the
 *	other processor
 * @events: so many of these come, in all ways
 *
 * In a text a to h allocate an object, and A to H free it, if that can be; after a '*', by
 * kfree_rcu(). 0 is a free of NULL. Two letters that follow each other (a and b, c and d) have one
 * call site and one size; with @caches, the second one of the two is of a cache.
 */
struct kmem_shape {
	const char *name;
	__u32 addresses;
	__u32 live, rows, lifes;
	bool stripes;
	bool plain;
	bool caches;
	bool rcu;
	bool nulls;
	bool resets;
	bool preempts;
	int keys;
	int mean;
	const char *tasks[4];
	const char *interrupts[6];
	int events;
};

#define KMEM_PLACED 3

/**
 * struct kmem_plan - events at given points
 * @at: their points
 * @what: which of the interrupts of the shape they are
 * @came: receives whether each could come there, and did something
 */
struct kmem_plan {
	__u64 at[KMEM_PLACED];
	int what[KMEM_PLACED];
	int n;
	bool came[KMEM_PLACED];
};

/** kmem_open() - make the maps */
void kmem_open(void);

/**
 * kmem_chance() - run a shape by chance
 *
 * Return: NULL, or what is wrong.
 */
const char *kmem_chance(const struct kmem_shape *shape, __u64 seed);

/**
 * kmem_planned() - run a shape with interrupts at given points
 * @with: what comes where; receives what became of it
 * @points: receives how many points there were
 *
 * Return: NULL, or what is wrong.
 */
const char *kmem_planned(const struct kmem_shape *shape, struct kmem_plan *with, __u64 *points);

/** struct kmem_sums - what all runs so far came to */
struct kmem_sums {
	__u64 allocs, frees;
	__u64 skipped_allocs, skipped_frees;
	__u64 counts[KSTATS_KMEM_COUNT_N];
	__u64 lifetimes;
	__u64 resets;
	__u64 off; /* programs that saw that nothing is counted */
	__u64 stale; /* lifetimes that began with an object whose free was skipped */
	__u64 stale_and_sure; /* of these, those that are not told as unverified */
};

extern struct kmem_sums kmem_sums;

#endif /* MODEL_KMEM_H */
