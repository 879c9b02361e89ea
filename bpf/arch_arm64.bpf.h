/* SPDX-License-Identifier: GPL-2.0-only */
/* arch_arm64.bpf.h - arm64, see arch.bpf.h. */
#ifndef KSTATS_ARCH_ARM64_BPF_H
#define KSTATS_ARCH_ARM64_BPF_H

#include "vmlinux.h"

/*
 * Stacks of the kernel are this large and aligned to it, with pages of 4 and 16 KiB. With 64 KiB
 * they take a page: user space refuses such a kernel.
 */
#define ARCH_STACK_SIZE 16384

/* A function calls its trampoline within these bytes: behind bti. No call of its own can be. */
#define ARCH_TRACED_WITHIN 12

/* Where parameter @n is at the entry of a function: the member of struct pt_regs. */
#define ARCH_PARAMETER_0 regs[0]
#define ARCH_PARAMETER_1 regs[1]
#define ARCH_PARAMETER_2 regs[2]
#define ARCH_PARAMETER_3 regs[3]
#define ARCH_PARAMETER_4 regs[4]
#define ARCH_PARAMETER_5 regs[5]

/* What a function returned, if it is a number. */
static __always_inline __u64 arch_returned(const struct pt_regs *regs)
{
	return regs->regs[0];
}

/* The stack pointer as it was at the entry: the return address is in a register. */
static __always_inline __u64 arch_sp_of_entry(const struct pt_regs *regs)
{
	return regs->sp;
}

/* Of a program at the entry of a function: where it returns to. */
static __always_inline __u64 arch_return_address(const struct pt_regs *regs)
{
	return regs->regs[30];
}

/*
 * Where a call of bpf(2) begins and ends: of all system calls, since the kernels that need it have
 * no fentry.
 */
#define ARCH_BPF_BEGINS "tp_btf/sys_enter"
#define ARCH_BPF_ENDS "tp_btf/sys_exit"
#define ARCH_BPF_CALL 280 /* its number */

static __always_inline bool arch_begins_bpf(const __u64 *ctx)
{
	return ctx[1] == ARCH_BPF_CALL;
}

/* The program's x8 has the number, also at the end. */
static __always_inline bool arch_ends_bpf(const __u64 *ctx)
{
	return ((const struct pt_regs *)ctx[0])->regs[8] == ARCH_BPF_CALL;
}

#endif /* KSTATS_ARCH_ARM64_BPF_H */
