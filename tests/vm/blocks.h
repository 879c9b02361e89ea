/* SPDX-License-Identifier: GPL-2.0-only */
/* blocks.h - what blocks.bpf.c and blocks.c share. */
#ifndef BLOCKS_H
#define BLOCKS_H

/* Samples to record, one after another: @value, then @value + @step, and so on. */
struct blocks_run {
	__u64 value;
	__u64 step;
	__u64 n;
	__u64 node; /* which distribution */
};

#endif
