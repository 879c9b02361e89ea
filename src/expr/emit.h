/* SPDX-License-Identifier: GPL-2.0-only */
/* emit.h - instructions with jumps to places that come later. Included by compile.c and emit.c. */
#ifndef KSTATS_EXPR_EMIT_H
#define KSTATS_EXPR_EMIT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#define EMIT_LABELS_MAX 1024
#define EMIT_JUMPS_MAX 2048

/** struct emit - instructions that are being made */
struct emit {
	struct bpf_insn *insns; /* receives them */
	int n; /* their number */
	bool full; /* there was no room */
	int labels[EMIT_LABELS_MAX]; /* their places; -1: not set yet */
	int n_labels; /* number of @labels */
	struct {
		int at; /* the jump */
		int label; /* where to */
	} jumps[EMIT_JUMPS_MAX];
	int n_jumps; /* number of @jumps */
};

/** emit() - add an instruction */
void emit(struct emit *m, struct bpf_insn insn);

/** emit_op() - r@dst = r@dst op r@src, in 64 bits; @op: BPF_ADD, ... */
void emit_op(struct emit *m, int op, int dst, int src);

/** emit_op_imm() - r@dst = r@dst op number, in 64 bits */
void emit_op_imm(struct emit *m, int op, int dst, int32_t imm);

/** emit_load() - r@dst = memory at r@src + @off; @size: BPF_DW, ... */
void emit_load(struct emit *m, int size, int dst, int src, int off);

/** emit_number() - r@dst = number of 64 bits */
void emit_number(struct emit *m, int dst, uint64_t v);

/** emit_extend() - extend the lowest bytes of r@dst by their sign, or by zeroes */
void emit_extend(struct emit *m, int dst, unsigned int bytes, bool is_signed);

/** emit_call() - call a helper of the kernel */
void emit_call(struct emit *m, int helper);

/** emit_label() - a place that is set later. Return: its number */
int emit_label(struct emit *m);

/** emit_here() - set the place of a label */
void emit_here(struct emit *m, int label);

/** emit_jump() - jump to a label if r@dst op r@src; @op: BPF_JEQ, ..., or BPF_JA */
void emit_jump(struct emit *m, int op, int dst, int src, int label);

/** emit_jump_imm() - the same with a number */
void emit_jump_imm(struct emit *m, int op, int dst, int32_t imm, int label);

/**
 * emit_divide_signed() - r0 = r0 / r1, or its rest, as signed numbers; @op: BPF_DIV or BPF_MOD
 *
 * r1 is not 0, and r1 and r2 are changed. Only newer kernels have an instruction for it.
 */
void emit_divide_signed(struct emit *m, int op);

/** emit_is_used() - whether something jumps to a label */
bool emit_is_used(const struct emit *m, int label);

/** emit_finish() - fill in where the jumps go */
void emit_finish(struct emit *m);

#endif /* KSTATS_EXPR_EMIT_H */
