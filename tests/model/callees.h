/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callees.h - what the model of callees (test_callees.c) takes from callees.bpf.h. In: starts and
 * ends of calls. Out: samples of the call itself and of its callees.
 */
#ifndef MODEL_CALLEES_H
#define MODEL_CALLEES_H

#include "kstats_callees.h"
#include "kstats_parts.h"
#include "machine.h"

/** struct model_caller - a call of the target */
struct model_caller {
	__u32 frame; /* lower half of an address in it */
	__u64 ns, end_ns;
	/* what its record has */
	bool is_divided;
	__u64 callee_ns[KSTATS_CALLEES_MAX + 1];
};

/** points_begin() - the program at its start; points_end(): at its end, which records it */
void points_begin(struct model_caller *c);
void points_end(struct model_caller *c);

#endif /* MODEL_CALLEES_H */
