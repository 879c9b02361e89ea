// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile.c - the BPF instructions of an expression. They compute what run.c does, in the same
 * order, with every value in 64 bits as the number it is. A value comes into r0.
 */
#include "expr/priv.h"

#include <errno.h>
#include <string.h>

#include "expr/compile.h"
#include "util/arch.h"

static void branch(struct compiler *c, int at, bool sense, int label);

/* ---- operands ---- */

static const struct arch_parameter parameters[] = ARCH_PARAMETERS;
#define N_PARAMETERS (sizeof(parameters) / sizeof(*parameters))

static void word_address(struct compiler *c, int reg)
{
	c->uses_word = true;
	emit_op(&c->m, BPF_MOV, reg, FP);
	emit_op_imm(&c->m, BPF_ADD, reg, WORD);
}

static void word_load(struct compiler *c)
{
	emit_load(&c->m, BPF_DW, BPF_REG_0, FP, WORD);
}

static void regs_load(struct compiler *c, const struct expr_node *node, int reg)
{
	int at = ARCH_RETURN_AT;

	if (node->place.where)
		at = node->place.at;
	else if (node->op == EXPR_PARAM && node->number >= N_PARAMETERS)
		c->err = -ENXIO;
	else if (node->op == EXPR_PARAM)
		at = parameters[node->number].at;
	emit_load(&c->m, BPF_DW, reg, CTX, at);
	emit_extend(&c->m, reg, node->is.bytes, node->is.is_signed);
}

/* Memory of the program, read with page faults off: a page that is not present is unreadable. */
static void program_memory(struct compiler *c, const struct expr_node *node)
{
	unsigned int unused = 64 - 8 * node->is.bytes;

	emit_load(&c->m, BPF_DW, BPF_REG_3, CTX, node->place.at);
	emit_op_imm(&c->m, BPF_ADD, BPF_REG_3, node->place.number);
	word_address(c, BPF_REG_1);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_2, node->is.bytes);
	emit_call(&c->m, BPF_FUNC_probe_read_user);
	emit_jump_imm(&c->m, BPF_JNE, BPF_REG_0, 0, c->tails[KSTATS_EXPR_UNREADABLE]);
	/* The bits that were there before are shifted out. */
	word_load(c);
	if (!unused)
		return;
	emit_op_imm(&c->m, BPF_LSH, BPF_REG_0, unused);
	emit_op_imm(&c->m, node->is.is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_0, unused);
}

/* Operands that need no call: they can go into any register. False if @node is none. */
static bool leaf(struct compiler *c, const struct expr_node *node, int reg)
{
	bool is_param = node->op == EXPR_PARAM;

	if (node->place.where == EXPR_IN_MEMORY)
		return false;
	if (node->op == EXPR_NUMBER || (node->op >= EXPR_KSTACK && node->op <= EXPR_CALLER)) {
		emit_number(&c->m, reg, node->op == EXPR_NUMBER ? node->number : 0);
	} else if (node->op == EXPR_DURATION) {
		c->uses_duration = true;
		emit_op(&c->m, BPF_MOV, reg, DURATION);
	} else if (node->op == EXPR_KEPT) {
		c->uses_kept = true;
		emit_load(&c->m, BPF_DW, reg, OUT, EXPR_KEPT_AT + 8 * node->number);
		emit_extend(&c->m, reg, node->is.bytes, node->is.is_signed);
	} else if (c->context == EXPR_CTX_REGS && (is_param || node->op == EXPR_RET)) {
		regs_load(c, node, reg);
	} else if (is_param && node->is.kind == EXPR_INT) {
		emit_load(&c->m, BPF_DW, reg, CTX, 8 * node->number);
		emit_extend(&c->m, reg, node->is.bytes, node->is.is_signed);
	} else {
		return false;
	}
	return true;
}

static bool is_leaf(const struct compiler *c, const struct expr_node *node)
{
	if (node->place.where == EXPR_IN_MEMORY)
		return false;
	return node->op == EXPR_NUMBER || node->op == EXPR_DURATION || node->op == EXPR_KEPT ||
	       (node->op == EXPR_PARAM &&
		(c->context == EXPR_CTX_REGS || node->is.kind == EXPR_INT)) ||
	       (node->op == EXPR_RET && c->context == EXPR_CTX_REGS);
}

/*
 * A pointer among the parameters as a plain number: the verifier allows no arithmetic on the
 * pointer itself.
 */
static void pointer_param(struct compiler *c, const struct expr_node *node)
{
	if (c->context == EXPR_CTX_TRACE) {
		emit_op(&c->m, BPF_MOV, BPF_REG_1, CTX);
		emit_op_imm(&c->m, BPF_MOV, BPF_REG_2, node->number);
		word_address(c, BPF_REG_3);
		emit_call(&c->m, BPF_FUNC_get_func_arg);
	} else {
		word_address(c, BPF_REG_1);
		emit_op_imm(&c->m, BPF_MOV, BPF_REG_2, 8);
		emit_op(&c->m, BPF_MOV, BPF_REG_3, CTX);
		emit_op_imm(&c->m, BPF_ADD, BPF_REG_3, 8 * node->number);
		emit_call(&c->m, BPF_FUNC_probe_read_kernel);
	}
	word_load(c);
}

static void func_ret(struct compiler *c, const struct expr_node *node)
{
	emit_op(&c->m, BPF_MOV, BPF_REG_1, CTX);
	word_address(c, BPF_REG_2);
	emit_call(&c->m, BPF_FUNC_get_func_ret);
	word_load(c);
	emit_extend(&c->m, BPF_REG_0, node->is.bytes, node->is.is_signed);
}

static void operand(struct compiler *c, const struct expr_node *node)
{
	static const int helpers[] = {
		[EXPR_PID] = BPF_FUNC_get_current_pid_tgid,
		[EXPR_TID] = BPF_FUNC_get_current_pid_tgid,
		[EXPR_UID] = BPF_FUNC_get_current_uid_gid,
		[EXPR_CPU] = BPF_FUNC_get_smp_processor_id,
		[EXPR_NUMA] = BPF_FUNC_get_numa_node_id,
		[EXPR_CGROUP] = BPF_FUNC_get_current_cgroup_id,
	};

	if (leaf(c, node, BPF_REG_0))
		return;
	if (node->place.where == EXPR_IN_MEMORY) {
		program_memory(c, node);
	} else if (node->op == EXPR_PARAM) {
		pointer_param(c, node);
	} else if (node->op == EXPR_RET) {
		func_ret(c, node);
	} else {
		emit_call(&c->m, helpers[node->op]);
		if (node->op == EXPR_PID)
			emit_op_imm(&c->m, BPF_ARSH, BPF_REG_0, 32);
		else
			emit_extend(&c->m, BPF_REG_0, node->is.bytes, node->is.is_signed);
	}
}

/* ---- memory ---- */

/* The address of what lies in memory, in r3. */
void compile_address(struct compiler *c, const struct expr_node *node)
{
	const struct expr_node *base = compile_node(c, node->base);

	if (base->op == EXPR_PARAM && base->is_object && c->context != EXPR_CTX_REGS) {
		emit_load(&c->m, BPF_DW, BPF_REG_3, CTX, 8 * base->number);
		/* The verifier adds nothing to a pointer that may be NULL. */
		if (node->offset)
			emit_jump_imm(&c->m, BPF_JEQ, BPF_REG_3, 0,
				      c->tails[KSTATS_EXPR_UNREADABLE]);
	} else if (!leaf(c, base, BPF_REG_3)) {
		compile_value(c, node->base);
		emit_op(&c->m, BPF_MOV, BPF_REG_3, BPF_REG_0);
	}
	if (node->offset)
		emit_op_imm(&c->m, BPF_ADD, BPF_REG_3, node->offset);
}

static void memory(struct compiler *c, const struct expr_node *node)
{
	static const int sizes[] = { [1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW };
	unsigned int width = node->bits ? node->bits : node->is.bytes * 8;

	compile_address(c, node);
	word_address(c, BPF_REG_1);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_2, (node->bit + width + 7) / 8);
	emit_call(&c->m, BPF_FUNC_probe_read_kernel);
	emit_jump_imm(&c->m, BPF_JNE, BPF_REG_0, 0, c->tails[KSTATS_EXPR_UNREADABLE]);
	if (!node->bits && !node->is.is_signed) {
		emit_load(&c->m, sizes[node->is.bytes], BPF_REG_0, FP, WORD);
		return;
	}
	/* The bits that were there before are shifted out. */
	word_load(c);
	emit_op_imm(&c->m, BPF_LSH, BPF_REG_0, 64 - node->bit - width);
	emit_op_imm(&c->m, node->is.is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_0, 64 - width);
}

/* ---- operators ---- */

/* The first part of an operation into r0, the second into r1. */
static void both(struct compiler *c, const struct expr_node *node, const struct expr_is *a,
		 const struct expr_is *b)
{
	if (is_leaf(c, compile_node(c, node->b))) {
		compile_value(c, node->a);
		leaf(c, compile_node(c, node->b), BPF_REG_1);
	} else if (is_leaf(c, compile_node(c, node->a))) {
		compile_value(c, node->b);
		emit_op(&c->m, BPF_MOV, BPF_REG_1, BPF_REG_0);
		leaf(c, compile_node(c, node->a), BPF_REG_0);
	} else if (c->spills == SPILLS_MAX) {
		c->err = -E2BIG;
	} else {
		compile_value(c, node->a);
		emit(&c->m, (struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_DW,
					       .dst_reg = FP,
					       .src_reg = BPF_REG_0,
					       .off = SPILL(c->spills) });
		c->spills++;
		compile_value(c, node->b);
		c->spills--;
		emit_op(&c->m, BPF_MOV, BPF_REG_1, BPF_REG_0);
		emit_load(&c->m, BPF_DW, BPF_REG_0, FP, SPILL(c->spills));
	}
	/* The conversion to unsigned changes a value only if it is a negative int. */
	if (a->bytes == 4 && !a->is_signed && expr_promoted(compile_node(c, node->a)).is_signed)
		emit_extend(&c->m, BPF_REG_0, 4, false);
	if (b->bytes == 4 && !b->is_signed && expr_promoted(compile_node(c, node->b)).is_signed)
		emit_extend(&c->m, BPF_REG_1, 4, false);
}

static void compile_divide(struct compiler *c, const struct expr_node *node)
{
	emit_jump_imm(&c->m, BPF_JEQ, BPF_REG_1, 0, c->tails[KSTATS_EXPR_DIVISION]);
	if (node->is.is_signed)
		emit_divide_signed(&c->m, node->op == EXPR_DIV ? BPF_DIV : BPF_MOD);
	else
		emit_op(&c->m, node->op == EXPR_DIV ? BPF_DIV : BPF_MOD, BPF_REG_0, BPF_REG_1);
}

static void compile_arithmetic(struct compiler *c, const struct expr_node *node)
{
	static const int ops[] = { [EXPR_ADD] = BPF_ADD, [EXPR_SUB] = BPF_SUB, [EXPR_MUL] = BPF_MUL,
				   [EXPR_AND] = BPF_AND, [EXPR_OR] = BPF_OR,   [EXPR_XOR] = BPF_XOR,
				   [EXPR_SHL] = BPF_LSH };
	bool shifts = node->op == EXPR_SHL || node->op == EXPR_SHR;
	struct expr_is of_b = expr_promoted(compile_node(c, node->b));

	both(c, node, &node->is, shifts ? &of_b : &node->is);
	if (shifts)
		emit_op_imm(&c->m, BPF_AND, BPF_REG_1, node->is.bytes * 8 - 1);
	if (node->op == EXPR_DIV || node->op == EXPR_MOD)
		compile_divide(c, node);
	else if (node->op == EXPR_SHR)
		emit_op(&c->m, node->is.is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_0, BPF_REG_1);
	else
		emit_op(&c->m, ops[node->op], BPF_REG_0, BPF_REG_1);
	emit_extend(&c->m, BPF_REG_0, node->is.bytes, node->is.is_signed);
}

static void compile_compare(struct compiler *c, const struct expr_node *node, bool sense, int label)
{
	const struct expr_node *a = compile_node(c, node->a), *b = compile_node(c, node->b);
	struct expr_is common = expr_common(a, b);
	int jump = expr_jump(node->op, sense, common.is_signed);
	bool is_same = common.is_signed || common.bytes == 8;

	if (b->op == EXPR_NUMBER && b->number == (int32_t)b->number &&
	    (is_same || b->number >= 0)) {
		compile_value(c, node->a);
		if (!is_same && expr_promoted(a).is_signed)
			emit_extend(&c->m, BPF_REG_0, 4, false);
		emit_jump_imm(&c->m, jump, BPF_REG_0, b->number, label);
		return;
	}
	both(c, node, &common, &common);
	emit_jump(&c->m, jump, BPF_REG_0, BPF_REG_1, label);
}

/* && if @any is false, else ||. */
static void logic(struct compiler *c, const struct expr_node *node, bool any, bool sense, int label)
{
	int skip;

	if (sense == any) {
		branch(c, node->a, sense, label);
		branch(c, node->b, sense, label);
		return;
	}
	skip = emit_label(&c->m);
	branch(c, node->a, any, skip);
	branch(c, node->b, sense, label);
	emit_here(&c->m, skip);
}

/* Jump to a label if the value is true, or, without @sense, if it is not. */
static void branch(struct compiler *c, int at, bool sense, int label)
{
	const struct expr_node *node = compile_node(c, at);

	if (node->op == EXPR_NOT) {
		branch(c, node->a, !sense, label);
	} else if (node->op == EXPR_ANDAND || node->op == EXPR_OROR) {
		logic(c, node, node->op == EXPR_OROR, sense, label);
	} else if (expr_is_of_text(c->x, node)) {
		compile_text_branch(c, node, sense, label);
	} else if (expr_is_comparison(node->op)) {
		compile_compare(c, node, sense, label);
	} else {
		compile_value(c, at);
		emit_jump_imm(&c->m, sense ? BPF_JNE : BPF_JEQ, BPF_REG_0, 0, label);
	}
}

/* Operators whose value is 0 or 1. */
static void truth(struct compiler *c, int at)
{
	int is_false = emit_label(&c->m), end = emit_label(&c->m);

	branch(c, at, false, is_false);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_0, 1);
	emit_jump(&c->m, BPF_JA, 0, 0, end);
	emit_here(&c->m, is_false);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_0, 0);
	emit_here(&c->m, end);
}

void compile_value(struct compiler *c, int at)
{
	const struct expr_node *node = compile_node(c, at);

	if (node->base >= 0) {
		memory(c, node);
	} else if (node->op < EXPR_DOT) {
		operand(c, node);
	} else if (node->op == EXPR_CAST || node->op == EXPR_MINUS || node->op == EXPR_INVERT) {
		compile_value(c, node->a);
		if (node->op == EXPR_MINUS)
			emit_op_imm(&c->m, BPF_NEG, BPF_REG_0, 0);
		else if (node->op == EXPR_INVERT)
			emit_op_imm(&c->m, BPF_XOR, BPF_REG_0, -1);
		emit_extend(&c->m, BPF_REG_0, node->is.bytes, node->is.is_signed);
	} else if (node->op == EXPR_NOT || expr_is_comparison(node->op) ||
		   node->op >= EXPR_ANDAND) {
		truth(c, at);
	} else {
		compile_arithmetic(c, node);
	}
}

/* ---- the function ---- */

static void tail(struct compiler *c, enum kstats_outcome outcome)
{
	emit_here(&c->m, c->tails[outcome]);
	emit_op_imm(&c->m, BPF_MOV, BPF_REG_0, outcome);
	emit(&c->m, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

static void sample(struct compiler *c, const struct expr_wanted *wanted)
{
	const struct expr *x = wanted->value;

	c->x = x;
	compile_value(c, x->root);
	if (wanted->use == EXPR_VALUE && expr_promoted(&x->nodes[x->root]).is_signed)
		emit_jump_imm(&c->m, BPF_JSLT, BPF_REG_0, 0, c->tails[KSTATS_EXPR_NEGATIVE]);
	compile_put(c, 0, BPF_REG_0);
}

static void key(struct compiler *c, const struct expr_wanted *wanted)
{
	struct expr_part part;
	int i, at = 0;

	for (i = 0; i < KSTATS_KEPT_WORDS && wanted->by[i]; i++) {
		c->x = wanted->by[i];
		part = expr_part(c->x);
		if (part.is_text) {
			compile_text_part(c, compile_node(c, c->x->root), at, part.words);
		} else {
			compile_value(c, c->x->root);
			compile_put(c, at, BPF_REG_0);
		}
		at += part.words;
	}
}

static void compile_begin(struct compiler *c)
{
	c->m.n = c->m.n_labels = c->m.n_jumps = c->spills = 0;
	for (int i = 0; i <= KSTATS_EXPR_NEGATIVE; i++)
		c->tails[i] = emit_label(&c->m);
	emit_op(&c->m, BPF_MOV, CTX, BPF_REG_1);
	/* Up to 6.2 the verifier refuses to read what was never written. */
	if (c->uses_word)
		emit(&c->m, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_DW,
					       .dst_reg = FP,
					       .off = WORD });
}

/* Compiled twice: the first pass finds out which registers are used. */
static void function(struct compiler *c, const struct expr_wanted *wanted)
{
	compile_begin(c);
	if (wanted->value || wanted->by[0] || c->uses_kept)
		emit_op(&c->m, BPF_MOV, OUT, BPF_REG_2);
	if (c->uses_duration)
		emit_op(&c->m, BPF_MOV, DURATION, BPF_REG_3);
	c->x = wanted->condition;
	if (c->x)
		branch(c, c->x->root, false, c->tails[KSTATS_EXPR_NO]);
	if (wanted->value)
		sample(c, wanted);
	key(c, wanted);
	tail(c, KSTATS_EXPR_YES);
	for (int i = 0; i <= KSTATS_EXPR_NEGATIVE; i++)
		if (i != KSTATS_EXPR_YES && emit_is_used(&c->m, c->tails[i]))
			tail(c, i);
	emit_finish(&c->m);
}

int expr_compile(const struct expr_wanted *wanted, enum expr_context context,
		 struct bpf_insn *insns)
{
	struct compiler c = { .m.insns = insns, .context = context };

	function(&c, wanted);
	if (!c.err && !c.m.full)
		function(&c, wanted);
	return c.err ? c.err : c.m.full ? -E2BIG : c.m.n;
}

/* ---- the gate ---- */

/* Only registers that the program behind it sets before use, so only r1 has to be restored. */
static void compile_gate(struct compiler *c)
{
	int i, open;

	compile_begin(c);
	open = emit_label(&c->m);
	branch(c, c->x->root, true, open);
	for (i = 0; i <= KSTATS_EXPR_NEGATIVE; i++)
		emit_here(&c->m, c->tails[i]);
	tail(c, KSTATS_EXPR_NO);
	emit_here(&c->m, open);
	emit_op(&c->m, BPF_MOV, BPF_REG_1, CTX);
	emit_finish(&c->m);
}

int expr_compile_gate(const struct expr *x, enum expr_context context, struct bpf_insn *insns)
{
	struct compiler c = { .m.insns = insns, .x = x, .context = context };

	compile_gate(&c);
	if (!c.err && !c.m.full)
		compile_gate(&c);
	return c.err ? c.err : c.m.full ? -E2BIG : c.m.n;
}
