// SPDX-License-Identifier: GPL-2.0-only
/* jump.c - the jump instruction of a comparison. */
#include "expr/priv.h"

#include <linux/bpf.h>

int expr_jump(enum expr_op op, bool sense, bool is_signed)
{
	static const enum expr_op opposite[] = {
		[EXPR_LT] = EXPR_GE, [EXPR_LE] = EXPR_GT, [EXPR_GT] = EXPR_LE,
		[EXPR_GE] = EXPR_LT, [EXPR_EQ] = EXPR_NE, [EXPR_NE] = EXPR_EQ,
	};

	switch (sense ? op : opposite[op]) {
	case EXPR_LT:
		return is_signed ? BPF_JSLT : BPF_JLT;
	case EXPR_LE:
		return is_signed ? BPF_JSLE : BPF_JLE;
	case EXPR_GT:
		return is_signed ? BPF_JSGT : BPF_JGT;
	case EXPR_GE:
		return is_signed ? BPF_JSGE : BPF_JGE;
	case EXPR_EQ:
		return BPF_JEQ;
	default:
		return BPF_JNE;
	}
}
