/* SPDX-License-Identifier: GPL-2.0-only */
/* percpu.h - what percpu.bpf.c and percpu.c share. */
#ifndef PERCPU_H
#define PERCPU_H

/**
 * struct percpu_run - one run of a program, its input and what it did
 * @n: how many starts, or ends
 * @ident: of its calls
 * @done: starts made, or ends that found a start
 */
struct percpu_run {
	__u64 n;
	__u64 ident;
	__u64 done;
};

#endif /* PERCPU_H */
