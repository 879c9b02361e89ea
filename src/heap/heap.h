/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap.h - the programs on the kernel's memory events, loaded and attached. In: struct
 * spec_kmem. Out: struct kmem. Called by cmd/ and node.
 */
#ifndef KSTATS_HEAP_H
#define KSTATS_HEAP_H

#include <json-c/json.h>
#include <stdio.h>
#include <sys/types.h>

#include "facts/facts.h"
#include "kmem/kmem.h"
#include "pin/pin.h"
#include "spec/spec_kmem.h"

#define HEAP_HOOKS 10 /* programs, at most */

struct heap;

/**
 * heap_open() - load and attach; nothing is counted yet
 * @want: must live as long as the result
 * @facts: of this machine; as long
 *
 * Return: freed by heap_close(), or NULL.
 */
struct heap *heap_open(const struct spec_kmem *want, struct facts *facts, struct error *e);

/**
 * heap_dry_run() - print what heap_open() would load; nothing is loaded
 * @out: stream; not closed
 */
int heap_dry_run(const struct spec_kmem *want, struct facts *facts, FILE *out, struct error *e);

/** heap_follow() - only this task and its children are measured, unless --all; @pid: waits */
int heap_follow(struct heap *h, pid_t pid, struct error *e);

/** heap_start() - count from now on */
void heap_start(struct heap *h);

/** heap_stop() - count no more, and wait until no program runs; may be called again */
void heap_stop(struct heap *h);

/**
 * heap_read() - what was counted so far
 *
 * Return: freed by kmem_free(), or NULL. Exact after heap_stop().
 */
struct kmem *heap_read(struct heap *h, struct error *e);

/** struct heap_moment - what the figures cover, and what was not seen then */
struct heap_moment {
	struct snapshot_span span; /* final: nothing records any more */
	uint64_t skipped[HEAP_HOOKS]; /* events for which the kernel did not run a program */
};

/** heap_read_at() - as heap_read(), by somebody else's clock; @at: of the figures */
struct kmem *heap_read_at(struct heap *h, const struct heap_moment *at, struct error *e);

/** heap_untracked() - tasks of the command that could not be followed */
uint64_t heap_untracked(const struct heap *h);

/** heap_lines_missing() - why call sites have no source lines; see lines_missing() */
const char *heap_lines_missing(const struct heap *h, char *buf, size_t size);

/* The next functions are for a measurement that outlives the process: see node. */

/**
 * heap_describe() - what heap_reopen() must know beside what is pinned
 *
 * Return: an object, released by json_object_put(); or NULL when out of memory.
 */
struct json_object *heap_describe(const struct heap *h);

/** heap_pin() - name its maps, programs and links; @f: its owner removes them after an error */
int heap_pin(const struct heap *h, const struct pin_folder *f, struct error *e);

/**
 * heap_reopen() - open what was pinned: to read it, or to attach it again
 * @from: what heap_describe() told; not trusted
 * @machine: copied
 * @names: call sites will be named
 * @e: what of it cannot be used, and why
 *
 * Return: freed by heap_close(), or NULL.
 */
struct heap *heap_reopen(const struct pin_folder *f, struct json_object *from,
			 const struct recording_machine *machine, bool names, struct error *e);

/** heap_attach_pinned() - attach the programs, and pin the links; @e: then none is attached */
int heap_attach_pinned(struct heap *h, const struct pin_folder *f, struct error *e);

/** heap_detach_pinned() - remove the links, of which some may be missing */
void heap_detach_pinned(const struct pin_folder *f);

/** heap_switch() - count from now on, or no more; then it waits until no program runs */
void heap_switch(struct heap *h, bool on);

/** heap_is_on() - whether it counts */
bool heap_is_on(const struct heap *h);

/** heap_clear() - set all tables to zero; @h: it counts nothing */
void heap_clear(struct heap *h);

/** heap_skips() - events that a program missed since it was loaded; @i: below HEAP_HOOKS */
uint64_t heap_skips(const struct heap *h, unsigned int i);

/** heap_allocations() - allocations seen so far */
uint64_t heap_allocations(const struct heap *h);

/** heap_lifetimes() - whether allocations are matched with their frees */
bool heap_lifetimes(const struct heap *h);

/** heap_memory() - bytes of kernel memory that the tables take */
size_t heap_memory(const struct heap *h);

/** heap_close() - detach, and release; @h may be NULL */
void heap_close(struct heap *h);

#endif /* KSTATS_HEAP_H */
