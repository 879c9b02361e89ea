/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_stack.h - the open calls of a task, which the BPF programs write and user space counts.
 */
#ifndef KSTATS_STACK_H
#define KSTATS_STACK_H

#include "kstats_slot.h"

#define KSTATS_STACK_DEPTH 16 /* start stamps kept for one task */
#define KSTATS_TASK_SLOTS_PER_CPU 64 /* task slots: tasks whose stamps are found without a call */
#define KSTATS_TASK_SLOTS_MAX 16384 /* task slots in all; a power of 2 */

/**
 * struct kstats_stamp - one open call of a task
 * @start_ns: monotonic clock at its start; 0 when the entry is free
 * @ident: distinguishes this call from others: the lower half of the address of the
 *	trampoline's context, or of the stack pointer; for a pair of points, enum
 *	kstats_level
 * @node: node whose ledger accounts for it
 */
struct kstats_stamp {
	__u64 start_ns;
	__u32 ident;
	__u32 node;
};

/*
 * In place of the time of a start: a call at this frame was left out, so that its end, which may
 * come, is nobody's.
 */
#define KSTATS_START_MARK 1
#define KSTATS_MARK_TIMED (1ULL << 63) /* the same, and the other bits are a time */

/*
 * Here a start is being made, which is counted already: later than all times. Who counts open
 * calls of tasks passes over it; per CPU, where starts of functions have it, it is in flight.
 */
#define KSTATS_START_TAKEN (~0ULL)

/**
 * kstats_stamp_counts() - whether an open entry holds a start that is counted
 * @start: of struct kstats_stamp
 * @epoch: monotonic clock; starts from before do not count
 *
 * Return: 1, or 0 where the entry is free, holds a mark, or a start of before a reset.
 */
static inline int kstats_stamp_counts(__u64 start, __u64 epoch)
{
	/* Marks with a time are negative. */
	return (__s64)start > KSTATS_START_MARK && start >= epoch;
}

/** enum kstats_level - whose stack a point of a pair ran on */
enum kstats_level {
	KSTATS_LEVEL_TASK,
	KSTATS_LEVEL_INTERRUPT, /* or NMI, on the first processor; further ones follow */
};

/**
 * struct kstats_stack - the open calls of one task, a ring
 * @top: number of the next entry, modulo KSTATS_STACK_DEPTH
 * @stamps: the entries, the innermost call at @top - 1
 * @switches: for each entry, how often the task had been switched out at the start;
 *	only where the kernel preempts tasks inside programs
 * @by: for each entry, the node of its key; only with a --by that belongs to the entry
 *
 * Written only by the task itself and by interrupts on top of it.
 */
struct kstats_stack {
	__u64 top;
	struct kstats_stamp stamps[KSTATS_STACK_DEPTH];
	__u32 switches[KSTATS_STACK_DEPTH];
	__u32 by[KSTATS_STACK_DEPTH];
};

/**
 * struct kstats_task_slot - a task slot: a stack that a task finds by its own address
 * @owner: the task's address, until the task is freed; 0 if the slot is free
 * @stack: the task's open calls
 * @unused: so that two tasks share no cache line
 */
struct kstats_task_slot {
	__u64 owner;
	struct kstats_stack stack;
	__u64 unused[6];
};

_Static_assert(sizeof(struct kstats_task_slot) % 64 == 0, "cache lines");

#endif /* KSTATS_STACK_H */
