// SPDX-License-Identifier: GPL-2.0-only
/* emit.c - see emit.h. */
#include "expr/emit.h"

#include "expr/expr.h"

void emit(struct emit *m, struct bpf_insn insn)
{
	if (m->n < EXPR_INSNS_MAX)
		m->insns[m->n++] = insn;
	else
		m->full = true;
}

void emit_op(struct emit *m, int op, int dst, int src)
{
	emit(m,
	     (struct bpf_insn){ .code = BPF_ALU64 | BPF_X | op, .dst_reg = dst, .src_reg = src });
}

void emit_op_imm(struct emit *m, int op, int dst, int32_t imm)
{
	emit(m, (struct bpf_insn){ .code = BPF_ALU64 | BPF_K | op, .dst_reg = dst, .imm = imm });
}

void emit_load(struct emit *m, int size, int dst, int src, int off)
{
	emit(m, (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | size,
				   .dst_reg = dst,
				   .src_reg = src,
				   .off = off });
}

void emit_number(struct emit *m, int dst, uint64_t v)
{
	if ((int64_t)v == (int32_t)v) {
		emit_op_imm(m, BPF_MOV, dst, v);
		return;
	}
	emit(m, (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = dst, .imm = v });
	emit(m, (struct bpf_insn){ .imm = v >> 32 });
}

void emit_extend(struct emit *m, int dst, unsigned int bytes, bool is_signed)
{
	unsigned int shift = 64 - 8 * bytes;

	if (bytes >= 8)
		return;
	if (bytes == 4 && !is_signed) {
		emit(m, (struct bpf_insn){ .code = BPF_ALU | BPF_MOV | BPF_X,
					   .dst_reg = dst,
					   .src_reg = dst });
	} else if (!is_signed && bytes < 4) {
		emit_op_imm(m, BPF_AND, dst, (1U << 8 * bytes) - 1);
	} else {
		emit_op_imm(m, BPF_LSH, dst, shift);
		emit_op_imm(m, is_signed ? BPF_ARSH : BPF_RSH, dst, shift);
	}
}

void emit_call(struct emit *m, int helper)
{
	emit(m, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = helper });
}

int emit_label(struct emit *m)
{
	if (m->n_labels == EMIT_LABELS_MAX) {
		m->full = true;
		return 0;
	}
	m->labels[m->n_labels] = -1;
	return m->n_labels++;
}

void emit_here(struct emit *m, int label)
{
	m->labels[label] = m->n;
}

static void remember(struct emit *m, int label)
{
	if (m->n_jumps == EMIT_JUMPS_MAX || m->full) {
		m->full = true;
		return;
	}
	m->jumps[m->n_jumps].at = m->n;
	m->jumps[m->n_jumps++].label = label;
}

void emit_jump(struct emit *m, int op, int dst, int src, int label)
{
	remember(m, label);
	emit(m, (struct bpf_insn){ .code = BPF_JMP | (op == BPF_JA ? 0 : BPF_X) | op,
				   .dst_reg = dst,
				   .src_reg = src });
}

void emit_jump_imm(struct emit *m, int op, int dst, int32_t imm, int label)
{
	remember(m, label);
	emit(m, (struct bpf_insn){ .code = BPF_JMP | BPF_K | op, .dst_reg = dst, .imm = imm });
}

bool emit_is_used(const struct emit *m, int label)
{
	int i;

	for (i = 0; i < m->n_jumps; i++)
		if (m->jumps[i].label == label)
			return true;
	return false;
}

void emit_finish(struct emit *m)
{
	int i;

	for (i = 0; i < m->n_jumps && !m->full; i++)
		m->insns[m->jumps[i].at].off = m->labels[m->jumps[i].label] - m->jumps[i].at - 1;
}

static void negate_if(struct emit *m, int reg, int tested)
{
	int label = emit_label(m);

	emit_jump_imm(m, BPF_JSGE, tested, 0, label);
	emit_op_imm(m, BPF_NEG, reg, 0);
	emit_here(m, label);
}

void emit_divide_signed(struct emit *m, int op)
{
	emit_op(m, BPF_MOV, BPF_REG_2, BPF_REG_0);
	if (op == BPF_DIV)
		emit_op(m, BPF_XOR, BPF_REG_2, BPF_REG_1);
	negate_if(m, BPF_REG_0, BPF_REG_0);
	negate_if(m, BPF_REG_1, BPF_REG_1);
	emit_op(m, op, BPF_REG_0, BPF_REG_1);
	negate_if(m, BPF_REG_0, BPF_REG_2);
}
