// SPDX-License-Identifier: GPL-2.0-only
/* simple.c - the parts of a condition that only compare ret or duration with a number. */
#include "expr/priv.h"

#include <string.h>

/* A number, an error name, or one of them behind a minus. */
static bool simple_number(const struct expr *x, const struct expr_node *node, int64_t *number)
{
	char name[EXPR_NAME_MAX];

	if (node->op == EXPR_MINUS) {
		if (!simple_number(x, &x->nodes[node->a], number) || *number < 0)
			return false;
		*number = -*number;
		return true;
	}
	*number = node->number;
	if (node->op == EXPR_NUMBER)
		return !node->is_unsigned;
	*number = node->op == EXPR_NAME ? error_number(expr_text(x, node, name, sizeof(name))) : 0;
	return *number;
}

static bool simple_name(const struct expr *x, const struct expr_node *node, enum expr_op *op)
{
	char name[EXPR_NAME_MAX];

	if (node->op != EXPR_NAME)
		return false;
	expr_text(x, node, name, sizeof(name));
	*op = !strcmp(name, "ret") ? EXPR_RET : EXPR_DURATION;
	return *op == EXPR_RET || !strcmp(name, "duration");
}

/* The same comparison with its parts exchanged. */
static enum expr_op simple_turned(enum expr_op op)
{
	switch (op) {
	case EXPR_LT:
		return EXPR_GT;
	case EXPR_LE:
		return EXPR_GE;
	case EXPR_GT:
		return EXPR_LT;
	case EXPR_GE:
		return EXPR_LE;
	default:
		return op;
	}
}

static bool simple_at(const struct expr *x, int at, struct expr_simple *out)
{
	const struct expr_node *node = &x->nodes[at];

	if (!expr_is_comparison(node->op))
		return false;
	out->op = node->op;
	if (simple_name(x, &x->nodes[node->a], &out->name))
		return simple_number(x, &x->nodes[node->b], &out->number);
	out->op = simple_turned(node->op);
	return simple_name(x, &x->nodes[node->b], &out->name) &&
	       simple_number(x, &x->nodes[node->a], &out->number);
}

bool expr_is_simple(const struct expr *x, struct expr_simple *out)
{
	return x->n && simple_at(x, x->root, out);
}

/* Return: the node of what is left of a part, or -1. */
static int simple_take(struct expr *x, int at, expr_take_fn *wants, void *ctx)
{
	struct expr_node *node = &x->nodes[at];
	struct expr_simple part;
	int a, b;

	if (node->op != EXPR_ANDAND)
		return simple_at(x, at, &part) && wants(ctx, &part) ? -1 : at;
	a = simple_take(x, node->a, wants, ctx);
	b = simple_take(x, node->b, wants, ctx);
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	node->a = a;
	node->b = b;
	return at;
}

void expr_take(struct expr *x, expr_take_fn *wants, void *ctx)
{
	int root = x->n ? simple_take(x, x->root, wants, ctx) : -1;

	if (root < 0)
		*x = (struct expr){};
	else
		x->root = root;
}
