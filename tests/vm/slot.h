/* SPDX-License-Identifier: GPL-2.0-only */
/* slot.h - what slot.bpf.c and slot.c share. */
#ifndef KSTATS_TEST_SLOT_H
#define KSTATS_TEST_SLOT_H

#define SLOT_BATCH 16 /* what the verifier of 6.1 gets through */

/** struct slot_case - one value, and what BPF makes of it */
struct slot_case {
	__u64 value;
	__u32 bits;
	__u32 index;
	__u64 first;
	__u64 last;
	__u64 scaled;
};

#endif /* KSTATS_TEST_SLOT_H */
