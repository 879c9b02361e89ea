/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.bpf.h - loops that every verifier follows to their end. In: a counter. Out: the
 * next one. Called by the other headers.
 */
#ifndef KSTATS_LOOP_BPF_H
#define KSTATS_LOOP_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

/*
 * The next value of a loop's counter. It keeps the counter as it is written, so that the
 * verifier sees where the loop ends: compilers from clang 18 on like to count otherwise.
 * And it stands between a call and the begin of the loop, as the verifier of 6.1 wants it.
 */
static __always_inline __u64 loop_next(__u64 i)
{
	i++;
	asm volatile("%0 += 0" : "+r"(i));
	return i;
}

#endif /* KSTATS_LOOP_BPF_H */
