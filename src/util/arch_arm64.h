/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch_arm64.h - arm64, see arch.h. Places are bytes from the begin of struct user_pt_regs, which
 * the kernel's interface fixes. No program relocates it: a wrong place loads, and reads a wrong
 * register.
 */
#ifndef KSTATS_ARCH_ARM64_H
#define KSTATS_ARCH_ARM64_H

#include <elf.h>

#define ARCH_NAME "arm64"
#define ARCH_ELF_MACHINE EM_AARCH64

/* What stands before the name of a system call in the name of its function. */
#define ARCH_SYSTEM_CALL "__arm64_sys_"

/* A function calls its trampoline within these bytes: behind bti. No call of its own can be. */
#define ARCH_TRACED_WITHIN 12

/* Where libraries are, beside the folders of every architecture, and their kind in ld.so.cache. */
#define ARCH_LIBRARIES "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu"
#define ARCH_CACHE_KIND 0x0a03

/* How a jump begins in assembly. */
#define ARCH_JUMP "b"

/* What the kernel puts in place of an instruction for a uprobe: brk 5. */
#define ARCH_BREAKPOINT                \
	{                              \
		0xa0, 0x00, 0x20, 0xd4 \
	}

/* Why the kernel module has no stubs for functions; NULL: it has. */
#define ARCH_NO_DIRECT "the module has no stubs for arm64"

/* The largest pages that the programs know: see ARCH_STACK_SIZE in bpf/arch_arm64.bpf.h. */
#define ARCH_PAGE_MOST 16384

/* Functions of this architecture that never return. */
#define ARCH_NEVER_RETURN "__arm64_sys_exit", "__arm64_sys_exit_group", "cpu_die", "cpu_park_loop"

/*
 * Addresses of the kernel have the sign that is left when this many bits are shifted out. The upper
 * byte of a program's address may hold a tag.
 */
#define ARCH_KERNEL_SHIFT 8

/* The upper half of the addresses of all code of the kernel; 0 if it differs from boot to boot. */
#define ARCH_KERNEL_HALF 0ULL

/* The place of the returned number. */
#define ARCH_RETURN_AT 0

/* Registers of parameters that are numbers, in order: their number in DWARF and their place. */
#define ARCH_PARAMETERS                                                                    \
	{                                                                                  \
		{ 0, 0 }, { 1, 8 }, { 2, 16 }, { 3, 24 }, { 4, 32 }, { 5, 40 }, { 6, 48 }, \
			{ 7, 56 },                                                         \
	}

/* The places of x0, which the other numbered registers follow, and of the stack pointer. */
#define ARCH_X0_AT 0
#define ARCH_SP_AT 248

#endif /* KSTATS_ARCH_ARM64_H */
