/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_abi.h - what the BPF programs and user space share: ledger counters, limits, and
 * the layout of one node's cell in the per-CPU map.
 */
#ifndef KSTATS_ABI_H
#define KSTATS_ABI_H

#include "kstats_slot.h"
#include "kstats_stack.h"

#define KSTATS_MODULE "kstats" /* name of the kernel module */
#define KSTATS_NAME_MAX 63 /* bytes of a node's name */
#define KSTATS_LINE_MAX 255 /* bytes of a control line */
#define KSTATS_WORDS_MAX 10 /* words of a control line */
#define KSTATS_IDS_MAX 16 /* pids or tids of a filter */
#define KSTATS_CPUS_MAX 4096 /* CPUs a CPU filter can name */
#define KSTATS_COMM_LEN 16 /* bytes of a task's name, with its NUL */

/**
 * enum kstats_ledger - the counters every start event ends in
 * @KSTATS_STARTED: start events seen
 * @KSTATS_SHORT: shorter than --if asks
 * @KSTATS_RET: not the return value that --if asks for
 * @KSTATS_TASK_GONE: the task ended before the end of the call
 * @KSTATS_NESTED: more than KSTATS_STACK_DEPTH starts open in one task
 * @KSTATS_BUSY: no memory for the stamp, or its table was locked by an interrupted call
 * @KSTATS_SUPERSEDED: another call came on that CPU before the end (functions, per CPU)
 * @KSTATS_FULL: the key table was full
 * @KSTATS_END_MISSED: the stack unwound past the call and no end program had run
 * @KSTATS_UNMATCHED: ends that found no start; not a start event
 * @KSTATS_IN_FLIGHT: still open at the snapshot; counted by user space
 * @KSTATS_SKIPPED: calls whose start program the kernel did not run; from its counters
 * @KSTATS_NO_END: calls without an end, for methods that keep no stamp to tell why; user
 *	space computes it as the difference
 * @KSTATS_SKIPPED_SHARED: like KSTATS_SKIPPED, but the sum over all functions that one
 *	program serves; not part of this node's sum
 * @KSTATS_UNVERIFIED: samples whose start may belong to another call; they are kept in a
 *	distribution of their own
 * @KSTATS_SKIPPED_ANYONE: in place of KSTATS_SKIPPED if a filter leaves tasks out: the sum
 *	over all tasks; not part of this node's sum
 * @KSTATS_SKIPPED_ENDS: end programs that the kernel did not run; from its counters
 * @KSTATS_IF: the condition of --if did not hold at the end
 * @KSTATS_UNREADABLE: an expression followed a pointer that could not be read
 * @KSTATS_DIVISION: an expression divided by zero
 * @KSTATS_NEGATIVE: the value of --value was negative
 * @KSTATS_AGAIN: starts of a pair that do not count, since another one came before the end
 * @KSTATS_CANCELLED: starts of a pair that a point of --cancel ended
 * @KSTATS_NO_ROOM: samples for which there was no block of slots left on their CPU
 * @KSTATS_NO_ROOM_APART: the same of gaps and of unverified samples, which are not part of
 *	this node's sum; user space adds them up from the nodes they were for
 * @KSTATS_LEDGER_N: number of counters
 *
 * Recorded samples have no counter: they are the sum over the slots, so that the ledger is
 * a real check. started + skipped = recorded + short + ret +
 * task_gone + nested + busy + superseded + full + end_missed + in_flight +
 * skipped + no_end + unverified + if + unreadable + division + no_room + negative +
 * again + cancelled.
 */
enum kstats_ledger {
	KSTATS_STARTED,
	KSTATS_SHORT,
	KSTATS_RET,
	KSTATS_TASK_GONE,
	KSTATS_NESTED,
	KSTATS_BUSY,
	KSTATS_SUPERSEDED,
	KSTATS_FULL,
	KSTATS_END_MISSED,
	KSTATS_UNMATCHED,
	KSTATS_IN_FLIGHT,
	KSTATS_UNVERIFIED,
	KSTATS_IF,
	KSTATS_UNREADABLE,
	KSTATS_DIVISION,
	KSTATS_NO_ROOM,
	KSTATS_NEGATIVE,
	KSTATS_AGAIN,
	KSTATS_CANCELLED,
	/* from here on only user space counts */
	KSTATS_SKIPPED,
	KSTATS_NO_END,
	KSTATS_SKIPPED_SHARED,
	KSTATS_SKIPPED_ANYONE,
	KSTATS_SKIPPED_ENDS,
	KSTATS_NO_ROOM_APART,
	KSTATS_ENDS_LOST,
	KSTATS_LEDGER_N,
};

/* Counters in a cell: those before the ones that only user space counts. */
#define KSTATS_LEDGER_SPACE KSTATS_SKIPPED

#define KSTATS_CPU_INTERRUPT (1ULL << 63) /* the start was in an interrupt or NMI */

/**
 * struct kstats_cell - one node on one CPU: the value of the per-CPU map
 * @start_ns: open start stamp of --key cpu, 0 when none; among several points with
 *	KSTATS_CPU_INTERRUPT
 * @last_end_ns: last end on this CPU, for the gap distribution, 0 when none
 * @ident: of the open start stamp, see struct kstats_stamp; not set among several points
 * @switches: of the open start stamp, see struct kstats_stack; likewise
 * @ledger: counters by enum kstats_ledger; a start touches only the first, which shares a
 *	cache line with @start_ns
 * @id: with the module backend: the node in the module, the same on every CPU
 * @index: likewise; where that node is an array, the distribution in it, else 0
 * @blocks: with slots in blocks: by kstats_block_place(), the number of the first block in the
 *	map of blocks; 0: none. A number that is set stays until the counts are reset
 * @slots: otherwise: kstats_n_slots(bits) of them
 *
 * At most 31 KiB, so that it fits the 32 KiB of the kernel's per-CPU allocation unit.
 */
struct kstats_cell {
	__u64 start_ns;
	__u64 last_end_ns;
	__u32 ident;
	__u32 switches;
	__u64 ledger[KSTATS_LEDGER_SPACE];
	union {
		struct {
			__u32 id;
			__u32 index;
		};
		__u32 blocks[KSTATS_BLOCK_PLACES];
		struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
	};
};

_Static_assert(sizeof(struct kstats_slot) == 16, "slot size");
_Static_assert(sizeof(struct kstats_cell) <= 32768, "per-CPU allocation unit");

/* Bytes of a cell without what its last member holds, and with each kind of it. */
#define KSTATS_CELL_HEAD (sizeof(struct kstats_cell) - sizeof(((struct kstats_cell *)0)->slots))
#define KSTATS_CELL_SIZE(n_slots) (KSTATS_CELL_HEAD + (n_slots) * sizeof(struct kstats_slot))
#define KSTATS_CELL_SIZE_KMOD (KSTATS_CELL_HEAD + sizeof(__u64))
#define KSTATS_CELL_SIZE_BLOCKS (KSTATS_CELL_HEAD + KSTATS_BLOCK_PLACES * sizeof(__u32))

/* With slots in an array of the module: the cell, and the array's own places for blocks. */
#define KSTATS_CELL_SIZE_ARRAY (KSTATS_CELL_SIZE_KMOD + KSTATS_BLOCK_PLACES * sizeof(__u32))

_Static_assert(KSTATS_CELL_SIZE_BLOCKS <= 320, "a distribution that is never recorded");
_Static_assert(KSTATS_CELL_SIZE_ARRAY <= 320, "the same in the module");

#define KSTATS_KEY_BITS 15 /* the table of keys has 2^15 buckets */
#define KSTATS_KEY_BUCKETS (1 << KSTATS_KEY_BITS)
#define KSTATS_KEY_WAYS 7 /* places in a bucket */
#define KSTATS_BUCKET_OVERFLOWED (1ULL << 31) /* its keys may be in the next one, too */
#define KSTATS_BUCKET_START ((1ULL << 32) + 1) /* a start: one has begun, one is in progress */
#define KSTATS_KEY_CHAIN 4 /* buckets in a row that a key may be in */

/**
 * struct kstats_task - the kernel's own identification of a task
 * @address: of its struct; unique while the task lives
 * @tgid: number of its process in the initial PID namespace
 * @pid: number of the task there
 */
struct kstats_task {
	__u64 address;
	__u32 tgid;
	__u32 pid;
};

/**
 * struct kstats_cgroup - the kernel's own identification of a group
 * @id: unique
 * @level: depth below the root of the initial cgroup namespace, which is 0
 */
struct kstats_cgroup {
	__u64 id;
	__u64 level;
};

/**
 * enum kstats_place_state - the lowest two bits of a place's word
 * @KSTATS_PLACE_FREE: no start is open there; the word holds the time of the last one
 * @KSTATS_PLACE_FILLING: a start is being written
 * @KSTATS_PLACE_OPEN: a start is open there
 */
enum kstats_place_state {
	KSTATS_PLACE_FREE,
	KSTATS_PLACE_FILLING,
	KSTATS_PLACE_OPEN,
};

/**
 * struct kstats_place - one open pair that is joined by a key
 * @word: monotonic clock at its start, and its state; never has the same value twice
 * @key: what joins start and end; changes only in the state KSTATS_PLACE_FILLING
 */
struct kstats_place {
	__u64 word;
	__u64 key;
};

/**
 * struct kstats_keys - a bucket: the places of the keys that share a hash
 * @places: all of them
 * @state: number of starts in progress, with KSTATS_BUCKET_OVERFLOWED; in the upper half the
 *	number of starts so far
 * @unused: fills two cache lines
 */
struct kstats_keys {
	struct kstats_place places[KSTATS_KEY_WAYS];
	__u64 state;
	__u64 unused;
};

_Static_assert(sizeof(struct kstats_keys) == 128, "cache lines");

/**
 * kstats_key_bucket() - the first bucket of a key
 * @key: any number
 *
 * Return: its index.
 */
static inline __u32 kstats_key_bucket(__u64 key)
{
	/* 2^64 divided by the golden ratio: a multiplier for hashing. */
	return key * 0x9e3779b97f4a7c15 >> (64 - KSTATS_KEY_BITS);
}

/**
 * kstats_place_word() - the word of a place
 * @ns: monotonic clock, below 2^62
 * @state: of the place
 *
 * Return: the word.
 */
static inline __u64 kstats_place_word(__u64 ns, enum kstats_place_state state)
{
	return ns << 2 | state;
}

/**
 * kstats_place_ns() - the time in the word of a place
 * @word: of a place in any state
 *
 * Return: monotonic clock at the start that is open there, or that was open last.
 */
static inline __u64 kstats_place_ns(__u64 word)
{
	return word >> 2;
}

/**
 * kstats_place_is_free() - whether a place is free
 * @word: its word
 *
 * Return: 1 or 0.
 */
static inline int kstats_place_is_free(__u64 word)
{
	return (word & 3) == KSTATS_PLACE_FREE;
}

/**
 * kstats_place_is_open() - whether a start is open at a place
 * @word: its word
 *
 * Return: 1 or 0.
 */
static inline int kstats_place_is_open(__u64 word)
{
	return (word & 3) == KSTATS_PLACE_OPEN;
}

#define KSTATS_KEPT_WORDS 4 /* values of a start that its end needs */

/**
 * struct kstats_kept_ring - values of the starts of a task, by the places of its ring of stamps
 * @words: those of each start
 */
struct kstats_kept_ring {
	__u64 words[KSTATS_STACK_DEPTH][KSTATS_KEPT_WORDS];
};

/**
 * struct kstats_kept_keys - values of the starts in a bucket of the table of keys, by their places
 * @words: those of each start
 */
struct kstats_kept_keys {
	__u64 words[KSTATS_KEY_WAYS][KSTATS_KEPT_WORDS];
};

#define KSTATS_VIAS_MAX                                                          \
	KSTATS_KEPT_WORDS /* points of --via: each keeps a value, the last first \
			   */
#define KSTATS_VIA_AGAIN (1ULL << 63) /* in such a value, beside a time: it was passed again */

#define KSTATS_BY_PARTS 3 /* expressions of --by */
#define KSTATS_BY_WORDS 16 /* words of a key of --by */
#define KSTATS_BY_MAX 16384 /* keys of --by */
#define KSTATS_BY_TRIES 64 /* places that a key may be at */
#define KSTATS_BY_GOLDEN 0x9e3779b97f4a7c15ULL /* 2^64 divided by the golden ratio */

/**
 * struct kstats_by - a place of the table of keys
 * @number: 0: free; KSTATS_BY_FILLING: being written; else the node of the key, and
 *	KSTATS_BY_NUMBER more
 * @node: the node that the key belongs to, which gets what has no node of its own
 * @words: the key; user space leaves out those that are not in use
 */
struct kstats_by {
	__u32 number;
	__u32 node;
	__u64 words[KSTATS_BY_WORDS];
};

#define KSTATS_BY_FILLING 1
#define KSTATS_BY_NUMBER 2

/**
 * struct kstats_heres - where the memory of each CPU lies
 * @at: a CPU's "here": the address on that CPU of one per-CPU variable, the same for all
 */
struct kstats_heres {
	__u64 at[KSTATS_CPUS_MAX];
};

/**
 * struct kstats_guard - what tells whether the kernel skipped programs of a hook
 * @active: distance from a CPU's "here" to a counter that is not 0 while the kernel skips the
 *	hook's start program on that CPU; 0 if not needed, because an end that runs proves that
 *	its start could run
 * @misses: distances to the kernel's counts of skipped starts and ends; 0: none
 * @end_misses: distance to the count of skipped ends, if @misses has none, but a gap between calls
 *	needs it; else 0
 * @missed_at: addresses of the kernel's counts of starts and ends whose kprobe was hit inside
 *	another; 0: none. Written by the iterator over links, when it runs
 * @by_bpf_calls: the kernel does not count what it skips of this hook, but skips only inside
 *	bpf(2); @misses then belong to the programs that count calls of bpf(2)
 * @skipped: sum of those counts over all CPUs, as last read
 * @since_ns: a time at which the sum was already @skipped; written before it, and only grows
 */
struct kstats_guard {
	__u64 active;
	__u64 misses[2];
	__u64 end_misses;
	__u64 missed_at[2];
	__u64 by_bpf_calls;
	__u64 skipped;
	__u64 since_ns;
};

/**
 * struct kstats_seen - the kernel's counts on one CPU, as an end on that CPU last read them
 * @skipped: sum of the skipped starts and ends of a hook
 * @since_ns: a time at which the sum was already @skipped
 */
struct kstats_seen {
	__u64 skipped;
	__u64 since_ns;
};

/**
 * struct kstats_prog_counts - one loaded program, as the iterator over programs reports it
 * @id: its number
 * @active: per-CPU address of the count of its runs in progress
 * @misses: per-CPU address of the count of its skipped runs
 */
struct kstats_prog_counts {
	__u64 id;
	__u64 active;
	__u64 misses;
};

/**
 * struct kstats_hits - an attached kprobe, as the iterator over links reports it
 * @place: twice the number of its guard; 1 more for an end
 * @skipped: hits whose program the kernel did not run; only differences mean something
 * @missed: hits inside another kprobe, and calls that the kernel had no room to remember
 */
struct kstats_hits {
	__u64 place;
	__u64 skipped;
	__u64 missed;
};

/**
 * struct kstats_deep - a task with calls that were nested deeper than the kernel keeps
 * @task: its address
 * @start_time: when it began
 * @calls: their number since the task began
 */
struct kstats_deep {
	__u64 task;
	__u64 start_time;
	__u64 calls;
};

/**
 * struct kstats_map_base - one loaded map, as the iterator over maps reports it
 * @id: its number
 * @base: for a per-CPU array, the per-CPU address of its first element
 */
struct kstats_map_base {
	__u64 id;
	__u64 base;
};

/* The settings of one hook in one word, which user space patches into its program. */
#define KSTATS_HOOK_NODE_BITS 32
#define KSTATS_HOOK_RET_SHIFT 32 /* bytes of the return value */
#define KSTATS_HOOK_KEY_SHIFT 40 /* bytes of the key argument */
#define KSTATS_HOOK_SIGNED (1ULL << 48) /* the return value is signed */
#define KSTATS_HOOK_POINTER (1ULL << 49) /* the return value is a pointer */
#define KSTATS_HOOK_KEY_POINTER (1ULL << 50) /* the key argument is a pointer */

/* Placeholder in a program's instructions: user space replaces it by the hook word. */
#define KSTATS_HOOK_MAGIC 0x6b73746174735f68

#define KSTATS_POINTS_MAX 16 /* starts, ends and cancels of a pair together */

/* Placeholder for the number of the hook's guard. */
#define KSTATS_GUARD_MAGIC 0x6b73746174735f67

/* Placeholder for whether the condition of --if stands before the program: 1 or 0. */
#define KSTATS_GATE_MAGIC 0x6b73746174736567

/*
 * Placeholders for the expressions of a program: each is the first instruction of a function that
 * user space replaces by the instructions of the expression.
 */
#define KSTATS_EXPR_START_MAGIC 0x6b73746174736573
#define KSTATS_EXPR_END_MAGIC 0x6b73746174736565
#define KSTATS_EXPR_KEY_MAGIC 0x6b7374617473656b
#define KSTATS_EXPR_BY_MAGIC 0x6b73746174736562
#define KSTATS_EXPR_POINT_MAGIC 0x6b73746174736570
#define KSTATS_EXPR_KEEP_MAGIC 0x6b73746174736576
#define KSTATS_EXPR_SHOW_MAGIC 0x6b73746174736577

/**
 * enum kstats_outcome - how evaluating an expression ends
 * @KSTATS_EXPR_NO: the condition does not hold
 * @KSTATS_EXPR_YES: it holds, or there is none; the value is there
 * @KSTATS_EXPR_UNREADABLE: a pointer could not be read
 * @KSTATS_EXPR_DIVISION: a division by zero
 * @KSTATS_EXPR_NEGATIVE: the value is negative
 */
enum kstats_outcome {
	KSTATS_EXPR_NO,
	KSTATS_EXPR_YES,
	KSTATS_EXPR_UNREADABLE,
	KSTATS_EXPR_DIVISION,
	KSTATS_EXPR_NEGATIVE,
};

/* The hook word of a program on many functions: the link holds one for each function. */
#define KSTATS_HOOK_OF_LINK (~0ULL)

/** enum kstats_pairing - how an end finds its start */
enum kstats_pairing {
	KSTATS_BY_TASK,
	KSTATS_BY_CPU,
	KSTATS_BY_KEY,
	KSTATS_BY_POINT, /* there is one point, and no end */
};

/** enum kstats_ret_op - which return values are recorded */
enum kstats_ret_op {
	KSTATS_RET_ANY,
	KSTATS_RET_LT,
	KSTATS_RET_LE,
	KSTATS_RET_EQ,
	KSTATS_RET_NE,
	KSTATS_RET_GE,
	KSTATS_RET_GT,
};

/**
 * enum kstats_op - operations on a node, see kstats_node_control()
 * @KSTATS_OP_START: record from now on, as a new node does
 * @KSTATS_OP_STOP: stop recording and keep the counts; in effect when the call returns
 * @KSTATS_OP_RESET: counts are zero from now on
 */
enum kstats_op {
	KSTATS_OP_START,
	KSTATS_OP_STOP,
	KSTATS_OP_RESET,
};

/** Stubs of the module; each measures one function at a time */
#define KSTATS_DIRECT_STUBS 64

/**
 * enum kstats_direct_state - whether a stub of the module measures its function
 * @KSTATS_DIRECT_ATTACHED: it does
 * @KSTATS_DIRECT_DETACHED: it was detached on demand
 * @KSTATS_DIRECT_PATCHED: a livepatch came to the function, so it lets calls pass
 * @KSTATS_DIRECT_UNLOADED: the module with the function was unloaded
 * @KSTATS_DIRECT_UNSTABLE: it does, or did, but the time stamp counter became unstable since
 * @KSTATS_DIRECT_SUSPENDED: it does, or did, but the machine was suspended since
 */
enum kstats_direct_state {
	KSTATS_DIRECT_ATTACHED,
	KSTATS_DIRECT_DETACHED,
	KSTATS_DIRECT_PATCHED,
	KSTATS_DIRECT_UNLOADED,
	KSTATS_DIRECT_UNSTABLE,
	KSTATS_DIRECT_SUSPENDED,
};

/**
 * struct kstats_direct_counts - calls of a function that the module measures without a program
 * @started: calls that began since the last reset, or were open then
 * @died: those of them whose task ended inside
 * @state: see enum kstats_direct_state
 */
struct kstats_direct_counts {
	__u64 started;
	__u64 died;
	__u64 state;
};

/**
 * enum kstats_direct_flag - which calls a stub of the module measures
 * @KSTATS_DIRECT_BY_PROCESS: those of some processes, see KSTATS_DEV_FOLLOW
 * @KSTATS_DIRECT_FOLLOW: and of all processes that they create
 * @KSTATS_DIRECT_BY_CPU: those that begin on some CPUs
 */
enum kstats_direct_flag {
	KSTATS_DIRECT_BY_PROCESS = 1 << 0,
	KSTATS_DIRECT_FOLLOW = 1 << 1,
	KSTATS_DIRECT_BY_CPU = 1 << 2,
};

/**
 * struct kstats_direct_filter - which calls a stub of the module measures
 * @flags: see enum kstats_direct_flag; several filters must all let a call pass
 * @like: another node, whose processes are measured; 0 if this one has its own
 * @cpus: bit mask of CPUs
 */
struct kstats_direct_filter {
	__u32 flags;
	__u32 like;
	__u64 cpus[KSTATS_CPUS_MAX / 64];
};

#endif /* KSTATS_ABI_H */
