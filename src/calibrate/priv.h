/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - the calls that are measured.
 */
#ifndef KSTATS_CALIBRATE_PRIV_H
#define KSTATS_CALIBRATE_PRIV_H

#include <sched.h>

#include "calibrate/calibrate.h"

#define LOOP_FUNCTION "noop_llseek"
#define LOOP_CHUNKS 64
#define LOOP_WARM_CHUNKS 8 /* enough to fill the caches */
#define LOOP_CHUNK 256 /* calls */
#define LOOP_CHUNK_USER 64 /* of this program: they take long, so that a chunk needs fewer */
#define LOOP_COLD_CALLS 16

/* What is called. */
enum loop_target {
	LOOP_SEEK, /* LOOP_FUNCTION, by a system call */
	LOOP_INVALID, /* a system call that fails at once */
	LOOP_NOP, /* an empty function of this program, whose first instruction is this one */
	LOOP_LONG_NOP,
	LOOP_PUSH,
	LOOP_JUMP,
	LOOP_STEPPED, /* one that the kernel does not emulate */
	LOOP_MARKS, /* two points of this program, which are nops */
	LOOP_TARGETS,
};

/* A process that makes cheap calls, on one CPU. */
struct loop {
	int fd; /* eventfd */
	volatile char *buffer; /* owned; larger than the second-level cache */
	size_t size; /* its bytes */
	cpu_set_t cpus; /* the CPUs that the process could use before */
};

/** loop_open() - keep the process on this CPU; @l: ended by loop_close(), also after an error */
int loop_open(struct loop *l, struct error *e);

/** loop_is_user() - whether what is called is in this program */
static inline bool loop_is_user(enum loop_target target)
{
	return target >= LOOP_NOP;
}

/** loop_name() - the name of a function of this program; @end: of LOOP_MARKS, the second point */
const char *loop_name(enum loop_target target, bool end);

/** loop_chunk() - calls of a chunk */
static inline unsigned int loop_chunk(enum loop_target target)
{
	return loop_is_user(target) ? LOOP_CHUNK_USER : LOOP_CHUNK;
}

/**
 * loop_hot() - make chunks of calls back to back
 * @chunks: their number, at most LOOP_CHUNKS
 *
 * Return: ns per call: the median over the chunks, so that interrupts and other tasks do not
 * count.
 */
double loop_hot(const struct loop *l, enum loop_target target, unsigned int chunks);

/**
 * loop_cold() - make LOOP_COLD_CALLS calls a millisecond apart, each after filling the first
 *	and second caches of this CPU with other data
 *
 * Return: ns per call: the median.
 */
double loop_cold(const struct loop *l, enum loop_target target);

/** loop_close() - release, and allow the process all its CPUs again */
void loop_close(struct loop *l);

/**
 * calibrate_measure() - measure one way
 * @plan: its plan, whose only probe is on @target
 * @loop: makes the calls
 * @row: receives the figures, and the method and backend that were really used
 */
int calibrate_measure(const struct plan *plan, const struct loop *loop, enum loop_target target,
		      struct cost *row, struct error *e);

#endif /* KSTATS_CALIBRATE_PRIV_H */
