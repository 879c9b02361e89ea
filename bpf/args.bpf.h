/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * args.bpf.h - arguments by their position. In: the context of a trampoline, or the registers at
 * the entry of a function. Out: the argument. Called by kstats.bpf.c.
 */
#ifndef KSTATS_ARGS_BPF_H
#define KSTATS_ARGS_BPF_H

#include "vmlinux.h"

/*
 * In assembly, since the compiler would otherwise turn the choice into a computed offset,
 * which the verifier refuses. Once loaded, only one branch is left.
 */
#define LOAD(n, offset)                                                                           \
	do {                                                                                      \
		if (index == (n))                                                                 \
			asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(v) : "r"(ctx), "i"(offset)); \
	} while (0)

static __always_inline __u64 trace_arg(void *ctx, __u32 index)
{
	__u64 v = 0;

	LOAD(0, 0);
	LOAD(1, 8);
	LOAD(2, 16);
	LOAD(3, 24);
	LOAD(4, 32);
	LOAD(5, 40);
	return v;
}

/* The x86-64 calling convention. */
static __always_inline __u64 regs_arg(struct pt_regs *ctx, __u32 index)
{
	__u64 v = 0;

	LOAD(0, __builtin_offsetof(struct pt_regs, di));
	LOAD(1, __builtin_offsetof(struct pt_regs, si));
	LOAD(2, __builtin_offsetof(struct pt_regs, dx));
	LOAD(3, __builtin_offsetof(struct pt_regs, cx));
	LOAD(4, __builtin_offsetof(struct pt_regs, r8));
	LOAD(5, __builtin_offsetof(struct pt_regs, r9));
	return v;
}

#endif /* KSTATS_ARGS_BPF_H */
