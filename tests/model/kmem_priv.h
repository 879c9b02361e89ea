/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_priv.h - what kmem.c, kmem_placed.c and kmem_judge.c share: the allocator, what programs
 * told, and what is wrong. Called by these alone.
 */
#ifndef MODEL_KMEM_PRIV_H
#define MODEL_KMEM_PRIV_H

#include "kmem.h"
#include "kstats_abi.h"
#include "tell.h"

extern char rows[], live[], lifes[], caches[], counts[];

#define COPIES 2
#define ROWS_MOST 64
#define LIVE_MOST 64
#define LIFES_MOST 512
#define N_CACHES 3
#define CACHE_PLACES (COPIES * KSTATS_KMEM_CACHES)

enum program {
	KMALLOC,
	KFREE,
	CACHE_ALLOC,
	CACHE_FREE,
	RCU_FREE,
	PROGRAMS
};

/** struct object - an address, and what the events told of it */
struct object {
	__u64 ptr;
	enum {
		NOBODYS,
		BUSY,
		OWNED,
		WAITING
	} state; /* waiting: handed to kfree_rcu() */
	enum program program; /* that told of the allocation */
	__u32 site, cache, size; /* size: which one of @sizes */
	__u64 req;
	__u64 by[KSTATS_KMEM_BY_WORDS];
	bool left_out;
	/* what the table must have; after a free that was skipped, of an older object */
	bool is_live;
	bool freed_by_rcu;
	bool stale; /* its free was skipped, or its allocation was, after such a free */
	int skipped_how, skipped_cpu; /* the last free that was skipped */
	__u64 ns;
	__u32 row, cpu, tid;
	__u64 old_req;
};

/** struct machine_run - a program that runs */
struct machine_run {
	struct machine_run *below;
	struct object *o;
	enum program program;
	__u64 ns; /* that it read first */
	__u32 row; /* that it counted in */
	struct kstats_kmem_life *life;
	__u32 counted[KSTATS_KMEM_COUNT_N];
	__u32 rows, lifes;
	__u64 began; /* number of the event */
	bool began_alone;
	__u64 switched; /* @n_switched then */
	bool saw_off; /* it found that nothing is to be counted */
	int free; /* places for the object, when it was told that there is none */
};

/* Allocations by site and size, as the rows must have them; those of caches behind the others. */
#define SITES 4
#define SIZES 4

extern const struct kmem_shape *shape;
extern struct object objects[KMEM_ADDRESSES];
extern struct kmem_cache cache_of[N_CACHES];
extern __u32 settings[KSTATS_KMEM_SETTINGS];
extern const __u64 sizes[SIZES];
extern __u64 n_events;

static inline bool is_cache(enum program program)
{
	return program == CACHE_ALLOC || program == CACHE_FREE;
}

/** programs_run() - how many there are at this moment, on all processors */
int programs_run(void);

/** object_alloc() - an allocation; @dice: of what kind */
void object_alloc(struct object *o, bool cached, __u64 dice);

/** object_free() - a free by a program on frees */
void object_free(struct object *o, enum program program);

/** free_null() - a free of NULL */
void free_null(void);

/** kmem_begin() - forget the last run */
void kmem_begin(const struct kmem_shape *of, __u64 seed);

/** alloc_done() - judge a program that was told of an allocation */
void alloc_done(const struct machine_run *run);

/** free_done() - judge a program that was told of a free */
void free_done(const struct machine_run *run, __u32 site, enum kstats_kmem_free how);

/** free_skipped() - note that the kernel skipped a program that was to be told of a free */
void free_skipped(const struct machine_run *run, enum kstats_kmem_free how);

/** judge_begin() - forget the last run */
void judge_begin(void);

/** judge_reset() - forget what the tables had; no program runs */
void judge_reset(void);

/* User space has switched off and on so often in this run; odd: nothing is to be counted. */
extern __u64 n_switched;

/** judge_off() - set @saw_off: it counted nothing, and did not have to; judge that it kept to it */
void judge_off(struct machine_run *run);

/**
 * judge_all() - judge the tables after a run
 *
 * Return: NULL, or what is wrong.
 */
const char *judge_all(void);

#endif /* MODEL_KMEM_PRIV_H */
