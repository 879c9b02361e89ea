/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.bpf.h - loops that every verifier follows to their end in short time. In: a
 * counter. Out: its next value. Called by the other headers.
 */
#ifndef KSTATS_LOOP_BPF_H
#define KSTATS_LOOP_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"

/*
 * The next value of a loop's counter. The assembly keeps the compiler (clang 18 and later)
 * from replacing the counter by another one, so that the verifier sees where the loop ends.
 * The verifier of 6.1 also needs an instruction between a call and the beginning of the loop.
 */
static __always_inline __u64 loop_next(__u64 i)
{
	i++;
	INSN_KEEP(i);
	return i;
}

/*
 * The same value, which the verifier then knows nothing about: @unknown is a value that it
 * does not know. Code that follows several ends of a loop is verified once and not once for
 * each value of the counter.
 */
static __always_inline __u64 loop_forget(__u64 i, __u64 unknown)
{
	INSN_FORGET(i, unknown);
	return i;
}

/*
 * Do something for each index @i below @n, a constant that is filled in before the program is
 * loaded and is at most @most. Once it is loaded, no loop is left.
 */
#define LOOP_EACH(i, most, n, todo)                                             \
	do {                                                                    \
		__u32 i;                                                        \
                                                                                \
		_Pragma("clang loop unroll(full)") for (i = 0; i < (most); i++) \
		{                                                               \
			if (i >= (n))                                           \
				break;                                          \
			todo;                                                   \
		}                                                               \
	} while (0)

#endif /* KSTATS_LOOP_BPF_H */
