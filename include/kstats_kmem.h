/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_kmem.h - what the BPF programs on the kernel's memory events share with user space:
 * the tables of allocations, of live objects and of lifetimes, and the counters.
 *
 * All tables are plain arrays with open addressing. A place is claimed by compare-and-swap,
 * word by word in the order of its members. Only the table of live objects releases places. So
 * any number of CPUs, interrupts and preempted tasks may use them at once.
 */
#ifndef KSTATS_KMEM_H
#define KSTATS_KMEM_H

#include "kstats_slot.h"

#define KSTATS_KMEM_PROBES 32 /* places in a row where a key may be; all taken: it has no room */
#define KSTATS_KMEM_BITS 5 /* resolution of large sizes */
/*
 * Requested bytes up to which each size has rows of its own. It is the last size of a slot:
 * the first size of a slot that is shared must be above it.
 */
#define KSTATS_KMEM_EXACT 1055
#define KSTATS_KMEM_WAYS 4 /* live objects in a bucket */
#define KSTATS_KMEM_NAME 32 /* bytes of a cache's name, with its NUL */
#define KSTATS_KMEM_CACHES_BITS 10
#define KSTATS_KMEM_CACHES (1 << KSTATS_KMEM_CACHES_BITS) /* caches that are told apart */
#define KSTATS_KMEM_INNER 16 /* ranges of code of the allocator itself or of its helpers */
#define KSTATS_KMEM_SKIPPED_BITS 10
#define KSTATS_KMEM_SKIPPED (1 << KSTATS_KMEM_SKIPPED_BITS) /* ranges of code that are skipped */
#define KSTATS_KMEM_NO_CALLER 1 /* site where the stack ends before a caller is found */

/** enum kstats_kmem_kind - which allocator an object came from */
enum kstats_kmem_kind {
	KSTATS_KMEM_NONE, /* a free place */
	KSTATS_KMEM_KMALLOC, /* kmalloc() and its like */
	KSTATS_KMEM_CACHE, /* kmem_cache_alloc() and its like */
	KSTATS_KMEM_PAGES, /* pages, by order */
};

/** enum kstats_kmem_name - what the expressions of --if and --by know of an allocation, 8 bytes
 * each */
enum kstats_kmem_name {
	KSTATS_KMEM_SIZE, /* bytes requested */
	KSTATS_KMEM_GIVEN, /* bytes that it was given */
	KSTATS_KMEM_ORDER, /* of the pages; 0 of other kinds */
	KSTATS_KMEM_GFP_FLAGS,
	KSTATS_KMEM_NODE, /* the NUMA node that was asked for; -1: any */
	KSTATS_KMEM_NAMES,
};

/** enum kstats_kmem_key - keys of --by that need no expression, since many ask for them */
enum kstats_kmem_key {
	KSTATS_KMEM_KEY_ASKED, /* the others, which expressions find */
	KSTATS_KMEM_KEY_COMM,
	KSTATS_KMEM_KEY_GFP,
	KSTATS_KMEM_KEY_NODE,
	KSTATS_KMEM_KEY_CPU,
};

#define KSTATS_KMEM_BY_WORDS 4 /* words of the key of --by */
/*
 * Words of a key are stored with these bits changed, so that no usual one is 0, which is a free
 * place. A key that has this word itself gets no row. No string has it: it goes on behind its end.
 */
#define KSTATS_KMEM_BY_CHANGED ((__u64)-0x6b738d00LL) /* one immediate of an instruction */

/* The kind in the first word of a row. A kmalloc has a call site: the word is never 0. */
#define KSTATS_KMEM_ROW_KIND(kind) ((__u64)((kind)-KSTATS_KMEM_KMALLOC) << 62)
#define KSTATS_KMEM_KIND_OF(word) (((word) >> 62) + KSTATS_KMEM_KMALLOC)

/**
 * struct kstats_kmem_row - allocations that share call site, cache and size
 * @site: lower half of the call site's address, then 30 bits of the requested size (of the
 *	first one in this row), then 2 bits of enum kstats_kmem_kind less 1; 0: a free place
 * @what: kmalloc: bytes allocated; cache: address of its struct; pages: order + 1; 0 while
 *	the place is being claimed
 * @by: the key of --by, KSTATS_KMEM_BY words of it; none of these is 0
 * @count: number of allocations
 * @req: sum of the requested bytes; only where the size is above KSTATS_KMEM_EXACT, else it
 *	is @count times the size
 *
 * Sizes above KSTATS_KMEM_EXACT share a row if they share a slot of KSTATS_KMEM_BITS; the
 * size in @site is then the first of the slot.
 */
struct kstats_kmem_row {
	__u64 site;
	__u64 what;
	__u64 by[KSTATS_KMEM_BY_WORDS];
	__u64 count;
	__u64 req;
};

/**
 * struct kstats_kmem_live - an object that was allocated and not freed yet
 * @ptr: its address, or that of its struct page; 0: a free place; with bit 0 set: the object
 *	was freed, and the place is free; with bit 1 set, too: it was handed to kfree_rcu()
 * @ns: monotonic clock at the allocation
 * @row: index of its row, or KSTATS_KMEM_NO_ROW
 * @req: bytes requested
 * @cpu: where it was allocated
 * @tid: task that allocated it, by its number in the first PID namespace
 */
struct kstats_kmem_live {
	__u64 ptr;
	__u64 ns;
	__u32 row;
	__u32 req;
	__u32 cpu;
	__u32 tid;
};

#define KSTATS_KMEM_NO_ROW (~0U)

/** struct kstats_kmem_bucket - the live objects whose addresses share a hash */
struct kstats_kmem_bucket {
	struct kstats_kmem_live live[KSTATS_KMEM_WAYS];
};

/** enum kstats_kmem_flag - how a free differs from its allocation */
enum kstats_kmem_flag {
	KSTATS_KMEM_OTHER_CPU = 1,
	KSTATS_KMEM_OTHER_NUMA = 2,
	KSTATS_KMEM_OTHER_TASK = 4,
	KSTATS_KMEM_UNVERIFIED = 8, /* it may be the free of a later object: see kmem_doubt.bpf.h */
};

/** enum kstats_kmem_free - which event freed an object */
enum kstats_kmem_free {
	KSTATS_KMEM_KFREE,
	KSTATS_KMEM_CACHE_FREE,
	KSTATS_KMEM_PAGE_FREE,
	KSTATS_KMEM_RCU_FREE, /* handed to kfree_rcu() or kvfree_rcu() */
	KSTATS_KMEM_BULK_FREE, /* kmem_cache_free_bulk() */
};

/**
 * struct kstats_kmem_life - objects of one row that lived about equally long, freed at one site
 * @key: index of the row in the upper 32 bits, then the slot of the lifetime (ns, bits of
 *	kstats_kmem_life_bits) shifted by 8, then enum kstats_kmem_flag, then bit 7, always set;
 *	0: a free place
 * @site: bit 63 set; enum kstats_kmem_free shifted by 32; lower half of the free's call site
 * @count: number of objects
 * @sum_ns: sum of the lifetimes
 */
struct kstats_kmem_life {
	__u64 key;
	__u64 site;
	__u64 count;
	__u64 sum_ns;
};

/**
 * struct kstats_kmem_cache - a cache that was met
 * @cache: address of its struct; 0: a free place
 * @object_size: bytes of an object
 * @size: bytes that an object takes
 * @frees: number of objects freed by an event that names the cache
 * @name: its name
 */
struct kstats_kmem_cache {
	__u64 cache;
	__u32 object_size;
	__u32 size;
	__u64 frees;
	char name[KSTATS_KMEM_NAME];
	__u64 unused;
};

_Static_assert(sizeof(struct kstats_kmem_row) == 64, "cache line");
_Static_assert(sizeof(struct kstats_kmem_bucket) == 128, "cache lines");
_Static_assert(sizeof(struct kstats_kmem_cache) == 64, "cache line");

/**
 * enum kstats_kmem_count - counters of the programs, one set for each CPU
 * @KSTATS_KMEM_N_FREES: events by enum kstats_kmem_free, five counters; objects, not calls. With
 *	lifetimes the programs count here only what is not in the table of lifetimes.
 * @KSTATS_KMEM_N_NULL: frees of NULL and of what kmalloc(0) gives, which do nothing
 * @KSTATS_KMEM_N_FAILED: allocations that gave no memory
 * @KSTATS_KMEM_N_TWICE: events that report an allocation again: the kernel makes them inside
 *	a kmalloc() of more than two pages
 * @KSTATS_KMEM_N_BULK: objects of kmem_cache_alloc_bulk(); they are in rows, too
 * @KSTATS_KMEM_N_IN_PLACE: krealloc() that gave the same object back; their size changed
 * @KSTATS_KMEM_N_NO_ROW: allocations by kind - 1 that found no room in the table of rows
 * @KSTATS_KMEM_REQ_NO_ROW: their requested bytes
 * @KSTATS_KMEM_ALLOC_NO_ROW: their allocated bytes
 * @KSTATS_KMEM_N_NO_LIVE: allocations that found no room in the table of live objects
 * @KSTATS_KMEM_N_REUSED: live objects whose address was allocated again: their free was not seen
 * @KSTATS_KMEM_N_NO_LIFE: freed live objects whose lifetime found no room in its table
 * @KSTATS_KMEM_N_UNKNOWN: frees of objects that are not in the table of live ones
 * @KSTATS_KMEM_N_AGAIN: of these, frees of an address whose last event was a free, too
 * @KSTATS_KMEM_N_CACHE: frees that name another cache than the allocation did
 * @KSTATS_KMEM_N_RCU_DONE: frees that carry out a kfree_rcu() that was counted already; they
 *	are not among the frees
 * @KSTATS_KMEM_N_NO_CALLER: allocations, and with lifetimes frees, whose call site is
 *	KSTATS_KMEM_NO_CALLER; calls, not objects
 * @KSTATS_KMEM_N_NO_CACHE: of KSTATS_KMEM_N_NO_ROW, those whose cache found no room
 * @KSTATS_KMEM_N_RACED: of KSTATS_KMEM_N_NO_LIVE, those that lost each chosen place to another
 *	CPU
 * @KSTATS_KMEM_N_IF: allocations for which the condition of --if does not hold; they are nowhere
 *	else, as those of the next two
 * @KSTATS_KMEM_N_DIVISION: an expression of --if or --by divides by zero
 * @KSTATS_KMEM_N_UNREADABLE: it reads memory that cannot be read
 */
enum kstats_kmem_count {
	KSTATS_KMEM_N_FREES,
	KSTATS_KMEM_N_NULL = KSTATS_KMEM_N_FREES + 5,
	KSTATS_KMEM_N_FAILED,
	KSTATS_KMEM_N_TWICE,
	KSTATS_KMEM_N_BULK,
	KSTATS_KMEM_N_IN_PLACE,
	KSTATS_KMEM_N_NO_ROW,
	KSTATS_KMEM_REQ_NO_ROW = KSTATS_KMEM_N_NO_ROW + 3,
	KSTATS_KMEM_ALLOC_NO_ROW = KSTATS_KMEM_REQ_NO_ROW + 3,
	KSTATS_KMEM_N_NO_LIVE = KSTATS_KMEM_ALLOC_NO_ROW + 3,
	KSTATS_KMEM_N_REUSED,
	KSTATS_KMEM_N_NO_LIFE,
	KSTATS_KMEM_N_UNKNOWN,
	KSTATS_KMEM_N_AGAIN,
	KSTATS_KMEM_N_CACHE,
	KSTATS_KMEM_N_RCU_DONE,
	KSTATS_KMEM_N_NO_CALLER,
	KSTATS_KMEM_N_NO_CACHE,
	KSTATS_KMEM_N_RACED,
	KSTATS_KMEM_N_IF,
	KSTATS_KMEM_N_DIVISION,
	KSTATS_KMEM_N_UNREADABLE,
	KSTATS_KMEM_COUNT_N,
};

#define KSTATS_KMEM_FREE_N (KSTATS_KMEM_BULK_FREE + 1)

/**
 * struct kstats_kmem_counts - the counters of one CPU
 * @n: by enum kstats_kmem_count
 * @scratch: a program uses it while it runs
 * @misses_at: by enum kstats_kmem_free, where the kernel counts the runs of the program on this
 *	event that it skips on this CPU; 0: not known yet
 * @misses: that count, as the program last saw it, plus 1; 0: not seen yet
 */
struct kstats_kmem_counts {
	__u64 n[32];
	__u64 scratch;
	__u64 misses_at[KSTATS_KMEM_FREE_N];
	__u64 misses[KSTATS_KMEM_FREE_N];
	__u64 unused[21];
};

_Static_assert(KSTATS_KMEM_COUNT_N <= 32, "all counters have a place");
_Static_assert(sizeof(struct kstats_kmem_counts) == 512, "cache lines");

/**
 * enum kstats_kmem_setting - what user space writes into the programs' instructions
 * @KSTATS_KMEM_CPU_MASK: sets of counters less 1; a power of 2, as all that have a mask
 * @KSTATS_KMEM_STRIPE_MASK: copies of the tables less 1. A CPU uses the copy of its number, so
 *	that CPUs seldom write to the same cache line. User space adds the copies up.
 * @KSTATS_KMEM_ROWS_MASK: rows of a copy less 1
 * @KSTATS_KMEM_ROWS_BITS: number of bits of this mask
 * @KSTATS_KMEM_ROWS_ALL: rows of all copies less 1
 * @KSTATS_KMEM_LIFES_MASK: the same for lifetimes
 * @KSTATS_KMEM_LIFES_BITS: the same
 * @KSTATS_KMEM_LIFES_ALL: the same
 * @KSTATS_KMEM_CACHES_ALL: places for caches in all copies less 1
 * @KSTATS_KMEM_LIVE_ALL: places for live objects less 1; there are no copies of these
 * @KSTATS_KMEM_LIVE_FIRST: the bits of a place that tell its bucket
 * @KSTATS_KMEM_BY: words of the key of --by
 * @KSTATS_KMEM_KEY: enum kstats_kmem_key
 * @KSTATS_KMEM_ASKS: there are expressions; with bit 1 << enum kstats_kmem_name, of this name
 * @KSTATS_KMEM_LIFETIMES: allocations are matched with their frees
 * @KSTATS_KMEM_FILTERED: only some tasks or CPUs are measured
 * @KSTATS_KMEM_GFP: only allocations that have all these flags; 0: all
 * @KSTATS_KMEM_NUMA: only allocations on CPUs of this NUMA node, plus 1; 0: all
 * @KSTATS_KMEM_NODES: there is more than one NUMA node
 * @KSTATS_KMEM_PLAIN: all allocations, by call site, size and cache alone
 * @KSTATS_KMEM_INNER_N: ranges of the allocator's own code
 * @KSTATS_KMEM_SKIP: call sites in the code of skipped functions become those of their callers
 * @KSTATS_KMEM_GET_CACHE: no number: a call of the kernel's bpf_get_kmem_cache()
 * @KSTATS_KMEM_CAST: no number: a call of the kernel's bpf_rdonly_cast()
 * @KSTATS_KMEM_WORD: number of a type of the kernel that begins with a word; 0: there is no cast
 */
enum kstats_kmem_setting {
	KSTATS_KMEM_CPU_MASK,
	KSTATS_KMEM_STRIPE_MASK,
	KSTATS_KMEM_ROWS_MASK,
	KSTATS_KMEM_ROWS_BITS,
	KSTATS_KMEM_ROWS_ALL,
	KSTATS_KMEM_LIFES_MASK,
	KSTATS_KMEM_LIFES_BITS,
	KSTATS_KMEM_LIFES_ALL,
	KSTATS_KMEM_CACHES_ALL,
	KSTATS_KMEM_LIVE_ALL,
	KSTATS_KMEM_LIVE_FIRST,
	KSTATS_KMEM_BY,
	KSTATS_KMEM_KEY,
	KSTATS_KMEM_ASKS,
	KSTATS_KMEM_LIFETIMES,
	KSTATS_KMEM_FILTERED,
	KSTATS_KMEM_GFP,
	KSTATS_KMEM_NUMA,
	KSTATS_KMEM_NODES,
	KSTATS_KMEM_PLAIN,
	KSTATS_KMEM_INNER_N,
	KSTATS_KMEM_SKIP,
	KSTATS_KMEM_GET_CACHE,
	KSTATS_KMEM_CAST,
	KSTATS_KMEM_WORD,
	KSTATS_KMEM_SETTINGS,
};

#define KSTATS_KMEM_MAGIC 0x6b6d0000 /* stands for the first setting, and so on */
#define KSTATS_KMEM_LIFE_BITS 3 /* resolution of lifetimes */

/** struct kstats_kmem_range - code of a function; only the lower half of its address */
struct kstats_kmem_range {
	__u32 first;
	__u32 size;
};

/**
 * kstats_kmem_places() - size of a table whose places are found by a mask
 * @n: how many are asked for, at least 1
 *
 * Return: the next power of 2, @n itself if it is one.
 */
static inline __u32 kstats_kmem_places(__u32 n)
{
	return 1U << kstats_fls64(n - 1);
}

#endif /* KSTATS_KMEM_H */
