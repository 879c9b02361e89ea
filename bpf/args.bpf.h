/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * args.bpf.h - arguments by their position. In: the context of a trampoline, or the registers at
 * the entry of a function. Out: the argument. Called by kstats.bpf.c.
 */
#ifndef KSTATS_ARGS_BPF_H
#define KSTATS_ARGS_BPF_H

#include "vmlinux.h"
#include "arch.bpf.h"
#include "insn.bpf.h"

/*
 * In assembly, since the compiler would otherwise turn the choice into a computed offset,
 * which the verifier refuses. Once loaded, only one branch is left.
 */
#define LOAD(n, offset)                            \
	do {                                       \
		if (index == (n))                  \
			INSN_LOAD(v, ctx, offset); \
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

#define REGS_AT(n) __builtin_offsetof(struct pt_regs, ARCH_PARAMETER_##n)

static __always_inline __u64 regs_arg(struct pt_regs *ctx, __u32 index)
{
	__u64 v = 0;

	LOAD(0, REGS_AT(0));
	LOAD(1, REGS_AT(1));
	LOAD(2, REGS_AT(2));
	LOAD(3, REGS_AT(3));
	LOAD(4, REGS_AT(4));
	LOAD(5, REGS_AT(5));
	return v;
}

#endif /* KSTATS_ARGS_BPF_H */
