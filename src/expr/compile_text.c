// SPDX-License-Identifier: GPL-2.0-only
/* compile_text.c - the BPF instructions that compare strings, and put them into keys. */
#include <string.h>

#include "expr/compile.h"
#include "util/arch.h"

/* Where a string is read to. */
#define TEXT_WORDS ((EXPR_TEXT_MAX + 2 + 7) / 8)
#define TEXT_AT (SPILL(SPILLS_MAX - 1) - 8 * TEXT_WORDS)

/* The string at the address in r3, of the kernel or of the program. */
static void text_call(struct compiler *c, bool is_program)
{
	int kernel = emit_label(&c->m), end = emit_label(&c->m);

	if (is_program) {
		emit_call(&c->m, BPF_FUNC_probe_read_user_str);
		return;
	}

	emit_op(&c->m, BPF_MOV, BPF_REG_0, BPF_REG_3);
	if (ARCH_KERNEL_SHIFT)
		emit_op_imm(&c->m, BPF_LSH, BPF_REG_0, ARCH_KERNEL_SHIFT);
	emit_jump_imm(&c->m, BPF_JSLT, BPF_REG_0, 0, kernel);
	if (ARCH_KERNEL_SHIFT) {
		emit_op_imm(&c->m, BPF_LSH, BPF_REG_3, ARCH_KERNEL_SHIFT);
		emit_op_imm(&c->m, BPF_RSH, BPF_REG_3, ARCH_KERNEL_SHIFT);
	}
	emit_call(&c->m, BPF_FUNC_probe_read_user_str);
	emit_jump(&c->m, BPF_JA, 0, 0, end);
	emit_here(&c->m, kernel);
	emit_call(&c->m, BPF_FUNC_probe_read_kernel_str);
	emit_here(&c->m, end);
}

static void text_read(struct compiler *c, const struct expr_node *text, int at, uint32_t room)
{
	int pointer = expr_text_pointer(c->x, at);
	unsigned int i;

	for (i = 0; i < (room + 7) / 8; i++)
		emit(&c->m, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_DW,
					       .dst_reg = FP,
					       .off = TEXT_AT + 8 * i });
	if (text->op == EXPR_COMM) {
		room = EXPR_COMM_LEN;
	} else if (pointer >= 0) {
		compile_value(c, pointer);
		emit_op(&c->m, BPF_MOV, BPF_REG_3, BPF_REG_0);
	} else {
		compile_address(c, text);
	}
	emit_op(&c->m, BPF_MOV, BPF_REG_1, FP);
	emit_op_imm(&c->m, BPF_ADD, BPF_REG_1, TEXT_AT);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_2, room);
	if (pointer >= 0)
		text_call(c, text->is_program);
	else
		emit_call(&c->m, text->op == EXPR_COMM ? BPF_FUNC_get_current_comm
						       : BPF_FUNC_probe_read_kernel);
	if (text->op != EXPR_COMM)
		emit_jump_imm(&c->m, BPF_JSLT, BPF_REG_0, 0, c->tails[KSTATS_EXPR_UNREADABLE]);
}

/* Read in place. The kernel pads it with zeroes; while it is changed, it may hold any bytes. */
static bool is_in_task(const struct expr_node *text)
{
	return text->op == EXPR_COMM && text->offset;
}

/* Words are compared: behind a shorter string there are zeroes on both sides. */
void compile_text_branch(struct compiler *c, const struct expr_node *node, bool sense, int label)
{
	const struct expr_node *text = compile_node(c, node->a),
			       *literal = compile_node(c, node->b);
	uint32_t room = expr_text_room(text, literal->length), i;
	bool equal = (node->op == EXPR_EQ) == sense, in_task = is_in_task(text);
	char wanted[8 * TEXT_WORDS] = "";
	int differs = equal ? emit_label(&c->m) : label;
	uint64_t word;

	memcpy(wanted, c->x->text + literal->text, literal->length);
	if (in_task)
		emit_call(&c->m, BPF_FUNC_get_current_task_btf);
	else
		text_read(c, text, node->a, room);
	for (i = 0; i < (room + 7) / 8; i++) {
		memcpy(&word, wanted + 8 * i, 8);
		emit_load(&c->m, BPF_DW, BPF_REG_2, in_task ? BPF_REG_0 : FP,
			  (in_task ? (int)text->offset : TEXT_AT) + 8 * i);
		emit_number(&c->m, BPF_REG_1, word);
		emit_jump(&c->m, BPF_JNE, BPF_REG_2, BPF_REG_1, differs);
	}
	if (equal) {
		emit_jump(&c->m, BPF_JA, 0, 0, label);
		emit_here(&c->m, differs);
	}
}

/* Where a string was cut, one byte more was read. It gives way to a mark. */
static void text_mark(struct compiler *c, int at)
{
	int whole = emit_label(&c->m), off = 8 * at + (int)expr_part_cut(c->x);

	if (!expr_part_cut(c->x))
		return;
	emit_load(&c->m, BPF_B, BPF_REG_0, OUT, off);
	emit_jump_imm(&c->m, BPF_JEQ, BPF_REG_0, 0, whole);
	emit(&c->m, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_B,
				       .dst_reg = OUT,
				       .off = off,
				       .imm = EXPR_CUT });
	emit_here(&c->m, whole);
}

/* A string into the key, with zeroes behind it. */
void compile_text_part(struct compiler *c, const struct expr_node *text, int at, int words)
{
	int pointer = expr_text_pointer(c->x, c->x->root), i;

	if (is_in_task(text)) {
		emit_call(&c->m, BPF_FUNC_get_current_task_btf);
		for (i = 0; i < words; i++) {
			emit_load(&c->m, BPF_DW, BPF_REG_1, BPF_REG_0, text->offset + 8 * i);
			compile_put(c, at + i, BPF_REG_1);
		}
		return;
	}
	for (i = 0; i < words; i++)
		emit(&c->m, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_DW,
					       .dst_reg = OUT,
					       .off = 8 * (at + i) });
	if (pointer >= 0) {
		compile_value(c, pointer);
		emit_op(&c->m, BPF_MOV, BPF_REG_3, BPF_REG_0);
	} else if (text->op != EXPR_COMM) {
		compile_address(c, text);
	}
	emit_op(&c->m, BPF_MOV, BPF_REG_1, OUT);
	emit_op_imm(&c->m, BPF_ADD, BPF_REG_1, 8 * at);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_2, expr_part_bytes(c->x));
	if (pointer >= 0)
		text_call(c, text->is_program);
	else
		emit_call(&c->m, text->op == EXPR_COMM ? BPF_FUNC_get_current_comm
						       : BPF_FUNC_probe_read_kernel_str);
	if (text->op != EXPR_COMM)
		emit_jump_imm(&c->m, BPF_JSLT, BPF_REG_0, 0, c->tails[KSTATS_EXPR_UNREADABLE]);
	text_mark(c, at);
}
