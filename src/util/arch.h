/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch.h - what of the processor this program knows: one file for each architecture. What the BPF
 * programs know is in bpf/arch.bpf.h, instructions of programs in user/first.c, instruction.c and
 * first_arm64.c, words of static probes in user/operand_*.c, and functions to calibrate with in
 * calibrate/code_*.c. Called by every room.
 */
#ifndef KSTATS_ARCH_H
#define KSTATS_ARCH_H

#if defined(__x86_64__)
#include "util/arch_x86.h"
#elif defined(__aarch64__)
#include "util/arch_arm64.h"
#else
#error "There is no src/util/arch_*.h for this architecture; arch_x86.h shows what it defines."
#endif

/** struct arch_parameter - a register in which a parameter can be */
struct arch_parameter {
	int number; /* in DWARF */
	int at; /* its place */
};

/** struct arch_register - a register by its names */
struct arch_register {
	const char *names[4];
	int at; /* its place */
};

#endif /* KSTATS_ARCH_H */
