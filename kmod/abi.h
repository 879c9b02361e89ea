/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * abi.h - where a function has its arguments and its result. In: a BPF program for the function.
 * Out: whether a stub may call it. Included by abi.c and direct.c.
 */
#ifndef KSTATS_ABI_CHECK_H
#define KSTATS_ABI_CHECK_H

#include <linux/types.h>

/**
 * abi_check() - whether a function has all its arguments and its result in registers
 * @program: descriptor of a program of user space
 * @addr: where the function begins
 *
 * The kernel's BTF tells it. Modules cannot read that, but the verifier does for each program that
 * it lets in for a function, and notes what it found together with the address.
 *
 * Context: process.
 * Return: 0; -EBADF if that is no program, one for something else, or one that is attached; -E2BIG
 * if they may be on the stack; -EOPNOTSUPP if the kernel has no BPF.
 */
int abi_check(u32 program, unsigned long addr);

#endif /* KSTATS_ABI_CHECK_H */
