/* SPDX-License-Identifier: GPL-2.0-only */
/* arch_x86.bpf.h - x86-64, see arch.bpf.h. */
#ifndef KSTATS_ARCH_X86_BPF_H
#define KSTATS_ARCH_X86_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

/* Stacks of the kernel are this large and aligned to their size. */
#define ARCH_STACK_SIZE 16384

/* A function calls its trampoline within these bytes: behind endbr64. No call of its own can be. */
#define ARCH_TRACED_WITHIN 9

/* Where parameter @n is at the entry of a function: the member of struct pt_regs. */
#define ARCH_PARAMETER_0 di
#define ARCH_PARAMETER_1 si
#define ARCH_PARAMETER_2 dx
#define ARCH_PARAMETER_3 cx
#define ARCH_PARAMETER_4 r8
#define ARCH_PARAMETER_5 r9

/* What a function returned, if it is a number. */
static __always_inline __u64 arch_returned(const struct pt_regs *regs)
{
	return regs->ax;
}

/* The stack pointer as it was at the entry: at the return, the return address has been popped. */
static __always_inline __u64 arch_sp_of_entry(const struct pt_regs *regs)
{
	return regs->sp - sizeof(__u64);
}

/* Of a program at the entry of a function: where it returns to. */
static __always_inline __u64 arch_return_address(const struct pt_regs *regs)
{
	__u64 address = 0;

	bpf_probe_read_user(&address, sizeof(address), (const void *)regs->sp);
	return address;
}

/* Where a call of bpf(2) begins and ends, and whether one of it does. */
#define ARCH_BPF_BEGINS "fentry/__sys_bpf"
#define ARCH_BPF_ENDS "fexit/__sys_bpf"

static __always_inline bool arch_begins_bpf(const __u64 *ctx)
{
	return true;
}

static __always_inline bool arch_ends_bpf(const __u64 *ctx)
{
	return true;
}

#endif /* KSTATS_ARCH_X86_BPF_H */
