/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_why.h - what the BPF programs and user space share of single calls (kstats-bpf why).
 */
#ifndef KSTATS_WHY_ABI_H
#define KSTATS_WHY_ABI_H

#include "kstats_callees.h"
#include "kstats_parts.h"

#define KSTATS_WHY_RECORDS 1024 /* records that wait for user space, a power of two */
#define KSTATS_WHY_FRAMES 64 /* of a stack */
#define KSTATS_WHY_WAIT_FRAMES 32 /* of a stack of a wait */
#define KSTATS_WHY_INNER_FRAMES 12 /* at the inner end of that */
#define KSTATS_WHY_ARGS 6 /* arguments that an end can read */
#define KSTATS_WHY_COMM 2 /* words of a task's name */
#define KSTATS_WHY_SHOW 4 /* expressions of --show */
#define KSTATS_WHY_SHOWN (1 + KSTATS_BY_WORDS) /* words of their values, and which are known */
#define KSTATS_WHY_PLACES_BITS 10 /* of the number of a place for counts on a CPU */
#define KSTATS_WHY_TRIES 8 /* places where the counts of a task may be */

/*
 * Slots by which calls of possible thresholds are counted: of this resolution, from a lowest
 * threshold on. The last one takes all longer calls.
 */
#define KSTATS_WHY_BITS 4
#define KSTATS_WHY_TAIL 64

/** enum kstats_why_state - of a place for a record, or for counts */
enum kstats_why_state {
	KSTATS_WHY_FREE,
	KSTATS_WHY_FILLING,
	KSTATS_WHY_FULL,
};

/** enum kstats_why_kind - what a record is of */
enum kstats_why_kind {
	KSTATS_WHY_CALL,
	KSTATS_WHY_SAMPLE, /* a task within a long call, on a processor */
};

/**
 * enum kstats_why_lost - what could not be kept
 * @KSTATS_WHY_LOST_CALLS: records of calls, since user space was too slow
 * @KSTATS_WHY_LOST_SAMPLES: the same of samples
 * @KSTATS_WHY_LOST_COUNTS: calls of tasks for which there was no place for counts
 * @KSTATS_WHY_LOST_N: number of these
 */
enum kstats_why_lost {
	KSTATS_WHY_LOST_CALLS,
	KSTATS_WHY_LOST_SAMPLES,
	KSTATS_WHY_LOST_COUNTS,
	KSTATS_WHY_LOST_N,
};

/**
 * struct kstats_why_wait - the longest time off the processor of a task with an open call
 * @task: address of the task
 * @since_ns: when it began
 * @ns: how long it lasted; 0: none was long enough
 * @part: enum kstats_part
 * @other: thread that woke the task, or that ran in its place; 0: not known
 * @other_comm: its name
 * @n_frames: bytes of @frames, or -errno
 * @n_other_frames: the same of @other_frames
 * @n_inner: the same of @inner
 * @n_asleep: the same of @asleep
 * @frames: where the task waited, without functions of the scheduler and of sleeping locks
 * @inner: where it went to sleep, with these
 * @asleep: the same of its last sleep
 * @other_frames: where the other one was when it woke the task
 * @next_since_ns: begin of the last preemption
 * @next: thread that came in place of the preempted one
 * @next_comm: its name
 */
struct kstats_why_wait {
	__u64 task;
	__u64 since_ns;
	__u64 ns;
	__u32 part;
	__u32 other;
	__u64 other_comm[KSTATS_WHY_COMM];
	__s32 n_frames;
	__s32 n_other_frames;
	__s32 n_inner;
	__s32 n_asleep;
	__u64 frames[KSTATS_WHY_WAIT_FRAMES];
	__u64 inner[KSTATS_WHY_INNER_FRAMES];
	__u64 asleep[KSTATS_WHY_INNER_FRAMES];
	__u64 other_frames[KSTATS_WHY_WAIT_FRAMES];
	__u64 next_since_ns;
	__u32 next;
	__u32 unused;
	__u64 next_comm[KSTATS_WHY_COMM];
};

/**
 * struct kstats_why_record - one call, or a sample
 * @kind: enum kstats_why_kind
 * @is_split: @part_ns are known
 * @is_chosen: it was chosen at its start, whatever becomes of it
 * @node: its distribution
 * @start_ns: monotonic clock at its start; of a sample, at that of the outermost call
 * @duration_ns: its duration; of a sample, until then
 * @part_ns: by enum kstats_part
 * @callee_ns: time in each callee, the last of them: in the call itself; with @is_divided
 * @ret: what it returned, if it is of a function
 * @args: its arguments, as far as the function has them and the method can read them
 * @switches: how often its task left the processor, if --show needs that
 * @kept: what the expressions of --show need of its start, right before their values
 * @shown: which expressions have a value, as bits, and these, as in a key of --by
 * @tid: thread, first PID namespace
 * @tgid: process
 * @uid: real user, of the first user namespace
 * @cpu_begin: processor at its start; ~0: not known
 * @cpu_end: processor at its end
 * @is_counted: it is in the counts
 * @is_divided: the times in callees are known
 * @comm: name of the thread
 * @cgroup: id of its control group of version 2
 * @n_stack: bytes of @stack, or -errno
 * @n_user: the same of @user
 * @stack: of the kernel, at its end
 * @user: of the program
 * @wait: the longest one
 */
struct kstats_why_record {
	__u32 kind;
	__u16 is_split;
	__u16 is_chosen;
	__u64 node;
	__u64 start_ns;
	__u64 duration_ns;
	__u64 part_ns[KSTATS_PART_TIMES];
	__u64 callee_ns[KSTATS_CALLEES_MAX + 1];
	__u64 ret;
	__u64 args[KSTATS_WHY_ARGS];
	__u64 switches;
	__u64 kept[KSTATS_KEPT_WORDS];
	__u64 shown[KSTATS_WHY_SHOWN];
	__u32 tid;
	__u32 tgid;
	__u32 uid;
	__u32 cpu_begin;
	__u32 cpu_end;
	__u16 is_counted;
	__u16 is_divided;
	__u64 comm[KSTATS_WHY_COMM];
	__u64 cgroup;
	__s32 n_stack;
	__s32 n_user;
	__u64 stack[KSTATS_WHY_FRAMES];
	__u64 user[KSTATS_WHY_FRAMES];
	struct kstats_why_wait wait;
};

/**
 * struct kstats_why_count - calls of a thread that began on a processor
 * @state: enum kstats_why_state
 * @tid: thread, first PID namespace
 * @comm: its name
 * @cred: address of its credentials
 * @cgroups: address of its set of control groups
 * @all: calls
 * @tgid: process
 * @uid: real user
 * @cgroup: id of its control group of version 2
 * @tail: calls by duration, see KSTATS_WHY_TAIL
 *
 * A thread that changes any of these has another place from then on.
 */
struct kstats_why_count {
	__u32 state;
	__u32 tid;
	__u64 comm[KSTATS_WHY_COMM];
	__u64 cred;
	__u64 cgroups;
	__u64 all;
	__u32 tgid;
	__u32 uid;
	__u64 cgroup;
	__u32 tail[KSTATS_WHY_TAIL];
};

#endif /* KSTATS_WHY_ABI_H */
