/* SPDX-License-Identifier: GPL-2.0-only */
/* tool.h - what tool.bpf.c and tool.c share. */
#ifndef TOOL_H
#define TOOL_H

#define TOOL_BURST 1000 /* records of one run of burst */
#define TOOL_VALUE 100 /* the first of them; each is one more */
#define TOOL_BITS 3
#define TOOL_SLOTS 497
#define TOOL_PLACES 16 /* nodes that one process can own */
#define TOOL_NAME_SPACE 256

/* What a call is made with, and what it gave; one for each thread. */
struct tool_call {
	__u32 id;
	__u32 cpu;
	__u32 op;
	__u32 bits;
	__u32 place;
	__u32 pad;
	__u32 slots_size;
	__u32 index;
	__s64 result;
	__u64 value;
	__u64 accepted; /* records of burst */
	__u64 accepted_sum;
	__u64 refused;
	char name[TOOL_NAME_SPACE];
	struct kstats_slot slots[TOOL_SLOTS];
	struct kstats_block blocks[KSTATS_N_BLOCKS_MAX];
};

#define TOOL_THREADS 8

#endif /* TOOL_H */
