/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch.bpf.h - what of the processor the programs know: one file for each architecture. What user
 * space knows is in src/util/arch.h.
 */
#ifndef KSTATS_ARCH_BPF_H
#define KSTATS_ARCH_BPF_H

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#include "arch_x86.bpf.h"
#elif defined(__TARGET_ARCH_arm64)
#include "arch_arm64.bpf.h"
#else
#error "There is no bpf/arch_*.bpf.h for this architecture; arch_x86.bpf.h shows what it defines."
#endif

#endif /* KSTATS_ARCH_BPF_H */
