// SPDX-License-Identifier: GPL-2.0-only
/*
 * run.c - the value of an expression over given bytes: what expressions mean. Values are kept in
 * 64 bits as the number they are: extended by their sign, or by zeroes.
 */
#include "expr/priv.h"

#include <string.h>

struct run {
	const struct expr *x;
	const struct expr_input *in;
	enum kstats_outcome failed; /* KSTATS_EXPR_UNREADABLE or KSTATS_EXPR_DIVISION, or 0 */
};

static uint64_t eval(struct run *r, int at);

static uint64_t extend(uint64_t v, unsigned int width, bool is_signed)
{
	unsigned int shift = 64 - width;

	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* Values of at most 4 bytes may be negative when they are converted to unsigned int. */
static uint64_t convert(uint64_t v, const struct expr_is *to)
{
	return extend(v, to->bytes * 8, to->is_signed);
}

/* ---- memory ---- */

static void run_read_memory(struct run *r, uint64_t address, void *to, size_t size)
{
	if (!r->failed && r->in->read(r->in->memory, address, to, size))
		r->failed = KSTATS_EXPR_UNREADABLE;
}

static uint64_t eval_memory(struct run *r, const struct expr_node *node)
{
	unsigned int bits = node->bits ? node->bits : node->is.bytes * 8;
	uint64_t address = eval(r, node->base) + node->offset, v = 0;

	run_read_memory(r, address, &v, (node->bit + bits + 7) / 8);
	return extend(v >> node->bit, bits, node->is.is_signed);
}

/* Reads a string as the kernel does: byte by byte, up to its NUL or until there is no room. */
static void read_string(struct run *r, uint64_t address, char *to, size_t room)
{
	size_t i;

	for (i = 0; i < room && !r->failed; i++) {
		run_read_memory(r, address + i, &to[i], 1);
		if (!to[i])
			return;
	}
}

static bool eval_text(struct run *r, const struct expr_node *node)
{
	const struct expr_node *text = &r->x->nodes[node->a], *literal = &r->x->nodes[node->b];
	uint32_t room = expr_text_room(text, literal->length);
	int pointer = expr_text_pointer(r->x, node->a);
	char found[EXPR_TEXT_MAX + 3] = "", wanted[sizeof(found)] = "";

	memcpy(wanted, r->x->text + literal->text, literal->length);
	if (text->op == EXPR_COMM)
		memcpy(found, r->in->comm, EXPR_COMM_LEN);
	else if (pointer >= 0)
		read_string(r, eval(r, pointer), found, room - 1);
	else
		run_read_memory(r, eval(r, text->base) + text->offset, found, room);
	return !memcmp(found, wanted, sizeof(found)) == (node->op == EXPR_EQ);
}

/* ---- operators ---- */

static uint64_t divide(struct run *r, enum expr_op op, uint64_t a, uint64_t b, bool is_signed)
{
	bool minus_a = is_signed && (int64_t)a < 0, minus_b = is_signed && (int64_t)b < 0;
	uint64_t v;

	if (!b) {
		r->failed = r->failed ? r->failed : KSTATS_EXPR_DIVISION;
		return 0;
	}
	a = minus_a ? -a : a;
	b = minus_b ? -b : b;
	v = op == EXPR_DIV ? a / b : a % b;
	return (op == EXPR_DIV ? minus_a != minus_b : minus_a) ? -v : v;
}

static uint64_t arithmetic(struct run *r, const struct expr_node *node, uint64_t a, uint64_t b)
{
	unsigned int mask = node->is.bytes * 8 - 1;

	switch (node->op) {
	case EXPR_ADD:
		return a + b;
	case EXPR_SUB:
		return a - b;
	case EXPR_MUL:
		return a * b;
	case EXPR_AND:
		return a & b;
	case EXPR_OR:
		return a | b;
	case EXPR_XOR:
		return a ^ b;
	case EXPR_SHL:
		return a << (b & mask);
	case EXPR_SHR:
		return node->is.is_signed ? (uint64_t)((int64_t)a >> (b & mask)) : a >> (b & mask);
	default:
		return divide(r, node->op, a, b, node->is.is_signed);
	}
}

static bool compare(enum expr_op op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case EXPR_LT:
		return less;
	case EXPR_LE:
		return less || a == b;
	case EXPR_GT:
		return !less && a != b;
	case EXPR_GE:
		return !less;
	case EXPR_EQ:
		return a == b;
	default:
		return a != b;
	}
}

static uint64_t eval_binary(struct run *r, const struct expr_node *node)
{
	const struct expr_node *nodes = r->x->nodes;
	struct expr_is common;
	uint64_t a, b;

	if (node->op == EXPR_ANDAND)
		return eval(r, node->a) && !r->failed && eval(r, node->b);
	if (node->op == EXPR_OROR)
		return eval(r, node->a) || (!r->failed && eval(r, node->b));
	if (expr_is_of_text(r->x, node))
		return eval_text(r, node);
	a = eval(r, node->a);
	b = eval(r, node->b);
	if (node->op == EXPR_SHL || node->op == EXPR_SHR)
		return convert(arithmetic(r, node, a, b), &node->is);
	common = expr_common(&nodes[node->a], &nodes[node->b]);
	a = convert(a, &common);
	b = convert(b, &common);
	if (expr_is_comparison(node->op))
		return compare(node->op, a, b, common.is_signed);
	return convert(arithmetic(r, node, a, b), &node->is);
}

static uint64_t eval_operand(const struct run *r, const struct expr_node *node)
{
	const struct expr_input *in = r->in;

	switch (node->op) {
	case EXPR_NUMBER:
		return node->number;
	case EXPR_PARAM:
		return convert(in->params[node->number], &node->is);
	case EXPR_KSTACK:
	case EXPR_USTACK:
	case EXPR_CALLER:
		return 0;
	case EXPR_RET:
		return convert(in->ret, &node->is);
	case EXPR_DURATION:
		return in->duration;
	case EXPR_SWITCHES:
		return in->switches;
	case EXPR_KEPT:
		return convert(in->kept[node->number], &node->is);
	case EXPR_PID:
		return (int32_t)in->pid;
	case EXPR_TID:
		return (int32_t)in->tid;
	case EXPR_UID:
		return in->uid;
	case EXPR_CPU:
		return (int32_t)in->cpu;
	case EXPR_NUMA:
		return (int32_t)in->numa;
	default:
		return in->cgroup;
	}
}

static uint64_t eval(struct run *r, int at)
{
	const struct expr_node *node = &r->x->nodes[at];

	if (r->failed)
		return 0;
	if (node->base >= 0)
		return eval_memory(r, node);
	switch (node->op) {
	case EXPR_CAST:
		return convert(eval(r, node->a), &node->is);
	case EXPR_NOT:
		return !eval(r, node->a);
	case EXPR_INVERT:
		return convert(~eval(r, node->a), &node->is);
	case EXPR_MINUS:
		return convert(-eval(r, node->a), &node->is);
	default:
		return expr_is_binary(node->op) ? eval_binary(r, node) : eval_operand(r, node);
	}
}

static void eval_part(struct run *r, uint64_t *words)
{
	const struct expr_node *text = &r->x->nodes[r->x->root];
	int pointer = expr_text_pointer(r->x, r->x->root);
	uint32_t room = expr_part_bytes(r->x) - 1, cut = expr_part_cut(r->x);
	char bytes[8 * KSTATS_BY_WORDS] = "";

	if (!r->x->is_text) {
		*words = eval(r, r->x->root);
		return;
	}
	if (text->op == EXPR_COMM)
		memcpy(bytes, r->in->comm, room);
	else if (pointer >= 0)
		read_string(r, eval(r, pointer), bytes, room);
	else
		read_string(r, eval(r, text->base) + text->offset, bytes, room);
	if (cut && bytes[cut])
		bytes[cut] = EXPR_CUT;
	memcpy(words, bytes, 8 * expr_part(r->x).words);
}

static enum kstats_outcome run_key(struct run *r, const struct expr_wanted *wanted, uint64_t *words)
{
	uint64_t *known = wanted->alone ? words++ : NULL;
	int i;

	if (known)
		*known = 0;
	for (i = 0; i < KSTATS_KEPT_WORDS && wanted->by[i] && !r->failed; i++) {
		r->x = wanted->by[i];
		eval_part(r, words);
		words += expr_part(r->x).words;
		if (!known)
			continue;
		*known |= (uint64_t)!r->failed << i;
		r->failed = 0;
	}
	return r->failed ? r->failed : KSTATS_EXPR_YES;
}

enum kstats_outcome expr_run(const struct expr_wanted *wanted, const struct expr_input *in,
			     uint64_t *value)
{
	struct run r = { .x = wanted->condition, .in = in };
	const struct expr *x = wanted->value;
	uint64_t v;

	if (r.x) {
		v = eval(&r, r.x->root);
		if (r.failed || !v)
			return r.failed;
	}
	if (!x)
		return run_key(&r, wanted, value);
	r.x = x;
	v = eval(&r, x->root);
	if (r.failed)
		return r.failed;
	if (wanted->use == EXPR_VALUE && expr_promoted(&x->nodes[x->root]).is_signed &&
	    (int64_t)v < 0)
		return KSTATS_EXPR_NEGATIVE;
	*value = v;
	return KSTATS_EXPR_YES;
}
