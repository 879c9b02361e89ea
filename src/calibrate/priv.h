/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - the calls that are measured.
 */
#ifndef KSTATS_CALIBRATE_PRIV_H
#define KSTATS_CALIBRATE_PRIV_H

#include <sched.h>

#include "calibrate/calibrate.h"

#define LOOP_FUNCTION "noop_llseek"
#define LOOP_HOT_CALLS (LOOP_CHUNKS * LOOP_CHUNK)
#define LOOP_CHUNKS 64
#define LOOP_CHUNK 256
#define LOOP_COLD_CALLS 32

/* A process that makes cheap system calls, on one CPU. */
struct loop {
	int fd; /* eventfd */
	volatile char *buffer; /* owned; larger than the second-level cache */
	size_t size; /* its bytes */
	cpu_set_t cpus; /* the CPUs that the process could use before */
};

/** loop_open() - keep the process on this CPU; @l: ended by loop_close(), also after an error */
int loop_open(struct loop *l, struct error *e);

/**
 * loop_hot() - make LOOP_HOT_CALLS calls back to back
 * @fd: @l->fd to call LOOP_FUNCTION, or -1 for just a system call
 *
 * Return: ns per call: the median over chunks of calls, so that interrupts and other tasks do
 * not count.
 */
double loop_hot(const struct loop *l, int fd);

/**
 * loop_cold() - make LOOP_COLD_CALLS calls a millisecond apart, each after filling the first
 *	and second caches of this CPU with other data
 *
 * Arguments and result are those of loop_hot().
 */
double loop_cold(const struct loop *l, int fd);

/** loop_close() - release, and allow the process all its CPUs again */
void loop_close(struct loop *l);

/**
 * calibrate_measure() - measure one way
 * @plan: its plan, whose only probe is LOOP_FUNCTION or the events of system calls
 * @loop: makes the calls
 * @row: receives the figures, and the method and backend that were really used
 */
int calibrate_measure(const struct plan *plan, const struct loop *loop, struct cost *row,
		      struct error *e);

#endif /* KSTATS_CALIBRATE_PRIV_H */
