/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - what was seen of the kernel's memory, as a value: who allocated how much, what was
 * freed where and after how long, what is still live, and the account of all events. In: read
 * from the kernel by the room heap, or from a file. Out: to report, and to the verbs. Pure: no
 * kernel, no root.
 */
#ifndef KSTATS_KMEM_VALUE_H
#define KSTATS_KMEM_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kstats_abi.h"
#include "kstats_kmem.h"
#include "result/recording.h"
#include "util/error.h"
#include "util/tags.h"

/**
 * struct kmem_site - a place in the kernel's code
 * @name: owned; "kmemdup+0x1e", "ext4_fill_super+0x44 [ext4]"; "" where the event names none
 * @line: owned; "mm/util.c:124", or NULL where there is no debug information
 */
struct kmem_site {
	char *name;
	char *line;
};

/**
 * struct kmem_cache - a cache of the kernel
 * @name: owned
 * @object_size: bytes of an object
 * @size: bytes that an object takes
 * @frees: objects freed by events that name this cache
 */
struct kmem_cache {
	char *name;
	uint32_t object_size;
	uint32_t size;
	uint64_t frees;
};

/**
 * struct kmem_row - allocations with the same kind, call site, size, cache, order and dimensions
 * @kind: allocator
 * @site: index in the sites
 * @cache: index in the caches; only of KSTATS_KMEM_CACHE
 * @order: of the pages; only of KSTATS_KMEM_PAGES
 * @size: bytes requested by one allocation; of sizes that share a row the smallest possible
 * @last: the largest possible; equal to @size where the size is exact
 * @each: bytes that one allocation was given
 * @count: allocations
 * @req: sum of the requested bytes
 * @alloc: sum of the allocated bytes
 * @live: objects that were not freed at the end; without lifetimes it is 0, like the next ones
 * @live_req: their requested bytes
 * @live_alloc: their allocated bytes
 * @live_age_ns: sum of their ages at the end, at most UINT64_MAX
 * @live_oldest_ns: the largest of their ages
 */
struct kmem_row {
	enum kstats_kmem_kind kind;
	uint32_t site;
	uint32_t cache;
	uint32_t order;
	uint64_t size;
	uint64_t last;
	uint64_t each;
	uint64_t count;
	uint64_t req;
	uint64_t alloc;
	uint64_t live;
	uint64_t live_req;
	uint64_t live_alloc;
	uint64_t live_age_ns;
	uint64_t live_oldest_ns;
};

/**
 * struct kmem_value - the value of one dimension of one row
 * @text: owned; "bash", "GFP_KERNEL|__GFP_ZERO", "0", ...
 */
struct kmem_value {
	char *text;
};

/**
 * struct kmem_life - objects of a row that lived about equally long and were freed at one site
 * @row: index in the rows; KSTATS_KMEM_NO_ROW: their allocation found no room there
 * @slot: of the lifetime in ns, at the resolution of struct kmem
 * @flags: enum kstats_kmem_flag
 * @how: enum kstats_kmem_free
 * @site: of the free, index in the sites
 * @count: objects
 * @sum_ns: sum of their lifetimes, at most UINT64_MAX
 */
struct kmem_life {
	uint32_t row;
	uint32_t slot;
	uint32_t flags;
	enum kstats_kmem_free how;
	uint32_t site;
	uint64_t count;
	uint64_t sum_ns;
};

/**
 * struct kmem_program - a program on an event, or an event without one
 * @event: owned; "kmalloc", "kmem_cache_alloc_bulk", "kvfree_call_rcu", ...
 * @method: owned; "raw tracepoint", "tracepoint", "fentry", or "" where it is unseen
 * @why: owned; why the event is unseen, or ""
 * @skipped: events for which the kernel did not run it
 */
struct kmem_program {
	char *event;
	char *method;
	char *why;
	uint64_t skipped;
};

/**
 * struct kmem_period - an interval of the measurement; it begins where the one before it ends
 * @end_ns: by the monotonic clock, like those of struct snapshot_span
 */
struct kmem_period {
	uint64_t end_ns;
};

#define KMEM_ALL_SITES UINT32_MAX

/**
 * struct kmem_part - what an interval added
 * @period: index in the periods
 * @kind: allocator
 * @site: index in the sites, or KMEM_ALL_SITES: all allocations of the kind
 * @count: allocations
 * @req: sum of the requested bytes
 * @alloc: sum of the allocated bytes
 * @live: objects that were not freed at its end; 0 without lifetimes
 * @live_alloc: their allocated bytes
 */
struct kmem_part {
	uint32_t period;
	enum kstats_kmem_kind kind;
	uint32_t site;
	uint64_t count;
	uint64_t req;
	uint64_t alloc;
	uint64_t live;
	uint64_t live_alloc;
};

/**
 * struct kmem - all that was seen in one measurement
 * @source: owned; the file it was read from, or NULL; not part of the file
 * @program: owned; version of this program
 * @kernel: owned; kernel release
 * @machine: where; owned
 * @tags: what the user says about it; owned
 * @command: owned; the command measured, or ""
 * @filters: owned; the filters in words, or ""
 * @skip: owned; functions that are no call sites, globs with commas, or NULL
 * @status: exit status of the command
 * @n_by: number of dimensions of the rows, beside what all rows have
 * @by: owned; these, as parts of --by: "comm", "gfp & __GFP_ZERO"
 * @lifetimes: allocations were matched with their frees
 * @span: the time it covers
 * @bits: resolution of the lifetimes
 * @live_max: places in the table of live objects
 * @rows_max: places in the table of rows
 * @memory: bytes of kernel memory that the tables took
 * @live_no_row: objects live at the end whose allocation found no row
 * @live_no_row_bytes: their requested bytes
 * @counts: by enum kstats_kmem_count, summed over CPUs
 * @n_sites: number of @sites, and so on; there are @periods only if they were asked for
 * @values: @n_by of each row, row by row
 */
struct kmem {
	char *source;
	char *program;
	char *kernel;
	struct recording_machine machine;
	struct tags tags;
	char *command;
	char *filters;
	char *skip;
	uint32_t status;
	unsigned int n_by;
	char *by[KSTATS_BY_PARTS];
	bool lifetimes;
	struct snapshot_span span;
	uint32_t bits;
	uint64_t live_max;
	uint64_t rows_max;
	uint64_t memory;
	uint64_t live_no_row;
	uint64_t live_no_row_bytes;
	uint64_t counts[KSTATS_KMEM_COUNT_N];
	size_t n_sites;
	struct kmem_site *sites;
	size_t n_caches;
	struct kmem_cache *caches;
	size_t n_rows;
	struct kmem_row *rows;
	size_t n_values;
	struct kmem_value *values;
	size_t n_lifes;
	struct kmem_life *lifes;
	size_t n_programs;
	struct kmem_program *programs;
	size_t n_periods;
	struct kmem_period *periods;
	size_t n_parts;
	struct kmem_part *parts; /* sorted as kmem_part_compare() says */
};

/** kmem_free() - release; @k may be NULL */
void kmem_free(struct kmem *k);

/**
 * kmem_save() - write as one JSON document, see kstats-bpf-formats(5)
 * @out: stream; not closed
 */
int kmem_save(const struct kmem *k, FILE *out, struct error *e);

/**
 * kmem_load() - read what kmem_save() wrote; the input is not trusted
 * @in: stream; not closed
 *
 * Return: a value, freed by kmem_free(), or NULL.
 */
struct kmem *kmem_load(FILE *in, struct error *e);

#endif /* KSTATS_KMEM_VALUE_H */
