/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this folder share. */
#ifndef KSTATS_EXPR_PRIV_H
#define KSTATS_EXPR_PRIV_H

#include "expr/expr.h"

/** enum expr_token_kind - what a token is */
enum expr_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_TEXT, /* a string; its place is what stands between the quotes */
	TOKEN_OP, /* an operator or a bracket */
	TOKEN_BAD, /* nothing of these; the error is filled in */
};

/** struct expr_token - a word of an expression */
struct expr_token {
	enum expr_token_kind kind; /* what it is */
	uint16_t at; /* where it begins */
	uint16_t length; /* its bytes */
	uint64_t number; /* of a number: its value */
	char op[4]; /* of an operator: its text */
};

/** struct expr_reader - an expression while it is read */
struct expr_reader {
	struct expr *x; /* being filled in */
	const char *option; /* the option it belongs to */
	struct expr_token token; /* the next one */
	struct error *e;
	unsigned int depth; /* of what is open */
};

/** expr_bad() - say what is wrong at a place; @why: printf format. Return: -EINVAL */
int expr_bad(struct error *e, const char *option, const struct expr *x, unsigned int at,
	     const char *next, const char *why, ...) __attribute__((format(printf, 6, 7)));

/** expr_next_token() - go to the next token. Return: 0 or -EINVAL */
int expr_next_token(struct expr_reader *r);

/** expr_text() - text of a node, cut to the room. Return: @buf */
const char *expr_text(const struct expr *x, const struct expr_node *node, char *buf, size_t size);

/** expr_promoted() - the type of a node as an operand: an int at least; a pointer is 64 bits */
struct expr_is expr_promoted(const struct expr_node *node);

/** expr_common() - the type that both operands are converted to, as C has it */
struct expr_is expr_common(const struct expr_node *a, const struct expr_node *b);

/** expr_is_of_text() - whether a checked comparison is one of strings; the literal is its part b */
static inline bool expr_is_of_text(const struct expr *x, const struct expr_node *node)
{
	return (node->op == EXPR_EQ || node->op == EXPR_NE) && x->nodes[node->b].op == EXPR_TEXT;
}

/** expr_text_room() - bytes of a string that are compared with a literal of @length bytes */
static inline uint32_t expr_text_room(const struct expr_node *text, uint32_t length)
{
	/* One byte more shows that it does not end there, two that it is no array. */
	if (text->is.kind == EXPR_POINTER || (text->op == EXPR_STR && length < text->is.bytes))
		return length + 2;
	/* All that str() reads. */
	if (text->op == EXPR_STR)
		return length + 1;
	return length < text->is.bytes ? length + 1 : length;
}

/** expr_part_bytes() - room of a string in a key, with its NUL */
uint32_t expr_part_bytes(const struct expr *x);

/** expr_part_cut() - the byte of a string in a key that it has if it is cut; 0: it never is */
uint32_t expr_part_cut(const struct expr *x);

/** expr_text_pointer() - the node of the address that a string is at; -1: it lies in memory */
static inline int expr_text_pointer(const struct expr *x, int at)
{
	const struct expr_node *text = &x->nodes[at];

	return text->op == EXPR_STR ? text->a : text->is.kind == EXPR_POINTER ? at : -1;
}

/** expr_is_binary() - whether an operation has two parts */
static inline bool expr_is_binary(enum expr_op op)
{
	return op >= EXPR_MUL;
}

/** expr_is_comparison() - whether it is <, ==, and so on */
static inline bool expr_is_comparison(enum expr_op op)
{
	return op >= EXPR_LT && op <= EXPR_NE;
}

/** expr_jump() - the jump of a comparison, or of its opposite if not @sense. Return: BPF_JEQ, ...
 */
int expr_jump(enum expr_op op, bool sense, bool is_signed);

#endif /* KSTATS_EXPR_PRIV_H */
