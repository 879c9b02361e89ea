/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - the calls that are measured. Included by this folder only.
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

/**
 * struct loop - a process that makes cheap system calls, on one CPU
 * @fd: eventfd
 * @buffer: owned; larger than the second cache
 * @size: its bytes
 * @cpus: where the process may run otherwise
 */
struct loop {
	int fd;
	volatile char *buffer;
	size_t size;
	cpu_set_t cpus;
};

/**
 * loop_open() - stay on this CPU
 * @l: filled in; ended by loop_close(), also after an error
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int loop_open(struct loop *l, struct error *e);

/**
 * loop_hot() - make LOOP_HOT_CALLS calls back to back
 * @l: loop
 * @fd: @l->fd to call LOOP_FUNCTION, or -1 for a system call alone
 *
 * Return: ns a call: the median over chunks of them, so that an interrupt or
 * another task does not count.
 */
double loop_hot(const struct loop *l, int fd);

/**
 * loop_cold() - make LOOP_COLD_CALLS calls a millisecond apart, with this CPU's
 *	first and second caches filled with something else before each
 * @l: loop
 * @fd: as of loop_hot()
 *
 * Return: ns a call: the median.
 */
double loop_cold(const struct loop *l, int fd);

/**
 * loop_close() - release, and run anywhere again
 * @l: loop
 */
void loop_close(struct loop *l);

/**
 * calibrate_measure() - measure one way
 * @plan: its plan, whose only probe is LOOP_FUNCTION or the events of system calls
 * @loop: what calls it
 * @row: figures are filled in, and the method and backend that it really got
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int calibrate_measure(const struct plan *plan, const struct loop *loop, struct cost *row,
		      struct error *e);

#endif /* KSTATS_CALIBRATE_PRIV_H */
