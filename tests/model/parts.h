/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.h - what the model of parts (test_parts.c) takes from parts.bpf.h. In: starts and ends of
 * calls. Out: the parts of each.
 */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "kstats_parts.h"
#include "machine.h"

/** struct model_truth - what became of a task's time so far */
struct model_truth {
	__u64 off_ns[KSTATS_PARTS_OFF];
	__u64 irq_ns;
	__u64 switches;
	__u64 wait_ns; /* longest wait since the outermost call began */
};

/** struct model_call - a call, and what the programs made of it */
struct model_call {
	__u32 node;
	__u32 frame; /* lower half of an address in it */
	bool outermost;
	__u64 ns, end_ns;
	__u64 wait_ns; /* longest wait; of an outermost call */
	__u64 parts[KSTATS_PART_TIMES];
	bool left, known;
	struct model_truth from, to;
};

/** points_begin() - the program at its start; points_end(): at its end */
void points_begin(struct model_call *c);
void points_end(struct model_call *c);

/** model_began() - the clock was read at a start; model_ended(): at an end */
void model_began(struct model_call *c);
void model_ended(struct model_call *c);

#endif /* MODEL_PARTS_H */
