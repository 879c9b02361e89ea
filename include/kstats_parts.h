/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_parts.h - what the BPF programs and user space share of the parts of durations (--parts).
 */
#ifndef KSTATS_PARTS_H
#define KSTATS_PARTS_H

#include "kstats_abi.h"

/**
 * enum kstats_part - what a call's duration is made of, and what else is told of it
 * @KSTATS_PART_RUNNING: on a processor
 * @KSTATS_PART_RUNNABLE: waiting for a processor, after a wakeup or a preemption
 * @KSTATS_PART_SLEEPING: asleep, interruptible by signals
 * @KSTATS_PART_BLOCKED: asleep, not interruptible, as on a disk or a lock
 * @KSTATS_PART_INTERRUPTED: by interrupts while running, a lower bound; part of running
 * @KSTATS_PART_LEFT: the whole duration of calls whose task left the processor
 * @KSTATS_PART_UNSPLIT: the whole duration of calls whose parts are not known
 * @KSTATS_PARTS_N: number of distributions
 *
 * The first four add up to the duration.
 */
enum kstats_part {
	KSTATS_PART_RUNNING,
	KSTATS_PART_RUNNABLE,
	KSTATS_PART_SLEEPING,
	KSTATS_PART_BLOCKED,
	KSTATS_PART_INTERRUPTED,
	KSTATS_PART_LEFT,
	KSTATS_PART_UNSPLIT,
	KSTATS_PARTS_N,
};

#define KSTATS_PARTS_OFF 3 /* parts off the processor, from KSTATS_PART_RUNNABLE on */
#define KSTATS_PART_TIMES KSTATS_PART_LEFT /* parts that are times within the call */
#define KSTATS_PARTS_WAYS 4 /* tasks in a bucket */

/**
 * struct kstats_parts_sums - what became of a task's time so far
 * @switches: how often it was switched out
 * @off_ns: time off the processor, by enum kstats_part less KSTATS_PART_RUNNABLE
 */
struct kstats_parts_sums {
	__u64 switches;
	__u64 off_ns[KSTATS_PARTS_OFF];
};

/**
 * struct kstats_parts_call - an open call, and its task's sums at its start
 * @start_ns: monotonic clock at its start; 0: none is open
 * @sums: of its task
 * @irq_ns: of its task
 * @ident: lower half of an address in its frame
 * @node: of its function
 * @claims: its end gives the task's place back
 * @known: @sums are those of @start_ns
 * @cpu: processor at its start; only where single calls are recorded
 */
struct kstats_parts_call {
	__u64 start_ns;
	struct kstats_parts_sums sums;
	__u64 irq_ns;
	__u32 ident;
	__u32 node;
	__u32 claims;
	__u32 known;
	__u32 cpu;
	__u32 unused;
};

/**
 * struct kstats_parts - a task with an open call
 * @top: number of the next call, modulo KSTATS_STACK_DEPTH
 * @sums: what became of its time
 * @irq_ns: time in interrupts
 * @since_ns: when it came into its state, unless it runs
 * @in_ns: when it was switched in last
 * @state: KSTATS_PART_RUNNING, or how it is off the processor
 * @claim_ns: start of the call that the place was taken for
 * @waits_ns: longest wait since then; only where single calls are recorded
 * @number: of this place among all, from 1; 0: nobody has had it; only with parts_numbered
 * @calls: open calls
 */
struct kstats_parts {
	__u64 top;
	struct kstats_parts_sums sums;
	__u64 irq_ns;
	__u64 since_ns;
	__u64 in_ns;
	__u64 state;
	__u64 claim_ns;
	__u64 waits_ns;
	__u64 number;
	struct kstats_parts_call calls[KSTATS_STACK_DEPTH];
};

/**
 * struct kstats_parts_bucket - places of tasks whose addresses share a hash
 * @owner: the task's address; 0: the place is free
 * @used: at least so many places have an owner; 0: none has
 * @parts: the places
 */
struct kstats_parts_bucket {
	__u64 owner[KSTATS_PARTS_WAYS];
	__u64 used;
	struct kstats_parts parts[KSTATS_PARTS_WAYS];
};

#endif /* KSTATS_PARTS_H */
