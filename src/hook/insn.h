/* SPDX-License-Identifier: GPL-2.0-only */
/* insn.h - what kind of instruction it is. Included by fold.c, splice.c and trim.c. */
#ifndef KSTATS_HOOK_INSN_H
#define KSTATS_HOOK_INSN_H

#include <linux/bpf.h>
#include <stdbool.h>

/** insn_is_wide() - whether it takes two places: a load of 64 bits */
static inline bool insn_is_wide(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/** insn_is_jump() - whether it jumps, always or not, within its function */
static inline bool insn_is_jump(const struct bpf_insn *i)
{
	unsigned int class = BPF_CLASS(i->code), op = BPF_OP(i->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

/** insn_is_function() - whether it leads to another function: a call, or a load of its address */
static inline bool insn_is_function(const struct bpf_insn *i)
{
	if (i->code == (BPF_JMP | BPF_CALL))
		return i->src_reg == BPF_PSEUDO_CALL;
	return insn_is_wide(i) && i->src_reg == BPF_PSEUDO_FUNC;
}

#endif /* KSTATS_HOOK_INSN_H */
