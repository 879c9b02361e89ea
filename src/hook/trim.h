/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trim.h - programs without what constants make superfluous. In: a program whose settings have
 * become constants. Out: the same without branches that are never taken, and without instructions
 * whose results nothing reads. Called by hook.c and heap.
 *
 * The verifier removes what it finds to be unreachable, but not what led there: the loads of
 * settings, the constants, the copies. The kernel runs these at each call.
 *
 * Not for verifiers before 6.12. There a trimmed program of a pair of uprobes by key lost a third
 * of its samples, though all that it does is the same: the verifier of 6.1 took the duration for
 * one of the other path, and removed the code for longer ones.
 */
#ifndef KSTATS_HOOK_TRIM_H
#define KSTATS_HOOK_TRIM_H

#include "hook/splice.h"

/**
 * trim_program() - leave out what does nothing
 * @p: changed; unchanged after an error, and where it has instructions that are not known
 *
 * Return: number of instructions that are left out, or -ENOMEM.
 */
int trim_program(struct splice_program *p);

#endif /* KSTATS_HOOK_TRIM_H */
