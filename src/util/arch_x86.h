/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch_x86.h - x86-64, see arch.h. Places are bytes from the begin of struct pt_regs, which the
 * kernel's interface fixes. No program relocates it: a wrong place loads, and reads a wrong
 * register.
 */
#ifndef KSTATS_ARCH_X86_H
#define KSTATS_ARCH_X86_H

#include <elf.h>

#define ARCH_NAME "x86-64"
#define ARCH_ELF_MACHINE EM_X86_64

/* What stands before the name of a system call in the name of its function. */
#define ARCH_SYSTEM_CALL "__x64_sys_"

/* How a jump begins in assembly. */
#define ARCH_JUMP "jmp"

/* What the kernel puts in place of an instruction for a uprobe. */
#define ARCH_BREAKPOINT \
	{               \
		0xcc    \
	}

/* Why the kernel module has no stubs for functions; NULL: it has. */
#define ARCH_NO_DIRECT NULL

/* The largest pages that the programs know. */
#define ARCH_PAGE_MOST 4096

/* Functions of this architecture that never return. */
#define ARCH_NEVER_RETURN                                                                     \
	"__ia32_sys_exit", "__ia32_sys_exit_group", "__x64_sys_exit", "__x64_sys_exit_group", \
		"x86_64_start_kernel"

/* Addresses of the kernel have the sign that is left when this many bits are shifted out. */
#define ARCH_KERNEL_SHIFT 0

/* The upper half of the addresses of all code of the kernel; 0 if it differs. */
#define ARCH_KERNEL_HALF 0xffffffff00000000ULL

/* A function calls its trampoline within these bytes: behind endbr64. No call of its own can be. */
#define ARCH_TRACED_WITHIN 9

/* Where libraries are, beside the folders of every architecture, and their kind in ld.so.cache. */
#define ARCH_LIBRARIES "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"
#define ARCH_CACHE_KIND 0x0303

/* The place of the returned number. */
#define ARCH_RETURN_AT 80

/* Registers of parameters that are numbers, in order: their number in DWARF and their place. */
#define ARCH_PARAMETERS                                                             \
	{                                                                           \
		{ 5, 112 }, { 4, 104 }, { 1, 96 }, { 2, 88 }, { 8, 72 }, { 9, 64 }, \
	}

/* Names of each register by its width, of 8, 4, 2 and 1 bytes, and its place. */
#define ARCH_REGISTERS                                                                      \
	{                                                                                   \
		{ { "rax", "eax", "ax", "al" }, 80 }, { { "rbx", "ebx", "bx", "bl" }, 40 }, \
			{ { "rcx", "ecx", "cx", "cl" }, 88 },                               \
			{ { "rdx", "edx", "dx", "dl" }, 96 },                               \
			{ { "rsi", "esi", "si", "sil" }, 104 },                             \
			{ { "rdi", "edi", "di", "dil" }, 112 },                             \
			{ { "rbp", "ebp", "bp", "bpl" }, 32 },                              \
			{ { "rsp", "esp", "sp", "spl" }, 152 },                             \
			{ { "r8", "r8d", "r8w", "r8b" }, 72 },                              \
			{ { "r9", "r9d", "r9w", "r9b" }, 64 },                              \
			{ { "r10", "r10d", "r10w", "r10b" }, 56 },                          \
			{ { "r11", "r11d", "r11w", "r11b" }, 48 },                          \
			{ { "r12", "r12d", "r12w", "r12b" }, 24 },                          \
			{ { "r13", "r13d", "r13w", "r13b" }, 16 },                          \
			{ { "r14", "r14d", "r14w", "r14b" }, 8 },                           \
			{ { "r15", "r15d", "r15w", "r15b" }, 0 },                           \
	}

#endif /* KSTATS_ARCH_X86_H */
