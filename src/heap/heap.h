/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap.h - the programs on the kernel's memory events, loaded and attached. In: struct
 * spec_kmem. Out: struct kmem. Called by cmd/.
 */
#ifndef KSTATS_HEAP_H
#define KSTATS_HEAP_H

#include <stdio.h>
#include <sys/types.h>

#include "facts/facts.h"
#include "kmem/kmem.h"
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

/** heap_close() - detach, and release; @h may be NULL */
void heap_close(struct heap *h);

#endif /* KSTATS_HEAP_H */
