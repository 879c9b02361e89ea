/* SPDX-License-Identifier: GPL-2.0-only */
/* compile.h - what compile.c and compile_text.c share. Included by these alone. */
#ifndef KSTATS_EXPR_COMPILE_H
#define KSTATS_EXPR_COMPILE_H

#include "expr/emit.h"
#include "expr/priv.h"

/* Registers that calls keep. */
#define CTX BPF_REG_6
#define OUT BPF_REG_7
#define DURATION BPF_REG_8
#define FP BPF_REG_10

/* The stack: one word that is read into, values that wait, a string. */
#define WORD (-8)
#define SPILLS_MAX 16
#define SPILL(i) (-16 - 8 * (i))

/** struct compiler - instructions that are being made, and of what */
struct compiler {
	struct emit m;
	const struct expr *x;
	enum expr_context context;
	int spills; /* values that wait */
	int err;
	bool uses_word;
	bool uses_duration;
	bool uses_kept;
	int tails[KSTATS_EXPR_NEGATIVE + 1]; /* labels, by enum kstats_outcome */
};

/** compile_node() - a node by its number */
static inline const struct expr_node *compile_node(const struct compiler *c, int at)
{
	return &c->x->nodes[at];
}

/** compile_put() - a word of the result; @reg: has it */
static inline void compile_put(struct compiler *c, int word, int reg)
{
	emit(&c->m, (struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_DW,
				       .dst_reg = OUT,
				       .src_reg = reg,
				       .off = 8 * word });
}

/** compile_value() - the value of a node, in r0 */
void compile_value(struct compiler *c, int at);

/** compile_address() - the address of what lies in memory, in r3 */
void compile_address(struct compiler *c, const struct expr_node *node);

/** compile_text_branch() - jump if strings are equal, or, without @sense, if they are not */
void compile_text_branch(struct compiler *c, const struct expr_node *node, bool sense, int label);

/** compile_text_part() - a string into the key, with zeroes behind it; @at: its first word */
void compile_text_part(struct compiler *c, const struct expr_node *text, int at, int words);

#endif /* KSTATS_EXPR_COMPILE_H */
