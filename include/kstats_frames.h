/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_frames.h - what the BPF programs and user space share of stacks as keys (--by kstack).
 */
#ifndef KSTATS_FRAMES_H
#define KSTATS_FRAMES_H

#include "kstats_abi.h"

#define KSTATS_FRAMES_MOST 128 /* of a stack; more than the kernel's usual limit */
#define KSTATS_FRAMES_ROOMS 8 /* stacks that are read at once on a CPU: tasks and interrupts */
#define KSTATS_FRAMES_TRIES 16 /* places that a stack may be at */

/**
 * struct kstats_frames - a place of the table of stacks
 * @state: 0: free; KSTATS_BY_FILLING: being written; KSTATS_BY_NUMBER: set
 * @n: frames; KSTATS_FRAMES_MOST: there may be more
 * @tgid: of a program's stack, whose addresses are those of this process; else 0
 * @hash: of the frames and @tgid
 * @at: the innermost first; 0: no frame
 */
struct kstats_frames {
	__u32 state;
	__u32 n;
	__u32 tgid;
	__u32 unused;
	__u64 hash;
	__u64 at[KSTATS_FRAMES_MOST];
};

/**
 * struct kstats_frames_room - room to read a stack
 * @taken: somebody reads one
 * @at: frames
 */
struct kstats_frames_room {
	__u32 taken;
	__u32 unused;
	__u64 at[KSTATS_FRAMES_MOST];
};

/**
 * enum kstats_frames_id - word of a key that stands for a stack
 * @KSTATS_FRAMES_NONE: there is none: a task of the kernel has no program
 * @KSTATS_FRAMES_FULL: the table has no place for it
 * @KSTATS_FRAMES_BUSY: there was no room to read it
 * @KSTATS_FRAMES_FIRST: this, and its place in the table
 */
enum kstats_frames_id {
	KSTATS_FRAMES_NONE,
	KSTATS_FRAMES_FULL,
	KSTATS_FRAMES_BUSY,
	KSTATS_FRAMES_FIRST,
};

#endif /* KSTATS_FRAMES_H */
