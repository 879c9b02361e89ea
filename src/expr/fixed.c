// SPDX-License-Identifier: GPL-2.0-only
/* fixed.c - what is known of the value of an expression before it is evaluated. */
#include "expr/priv.h"

static bool may_divide_by_zero(const struct expr *x, const struct expr_node *node)
{
	const struct expr_node *b;

	if (node->op != EXPR_DIV && node->op != EXPR_MOD)
		return false;
	b = &x->nodes[node->b];
	return b->op != EXPR_NUMBER || !b->number;
}

static bool is_fixed(const struct expr *x, int at)
{
	const struct expr_node *node = &x->nodes[at];

	if (node->base >= 0)
		return false;
	/* A task keeps its tgid; its pid changes if it calls exec() and is not the first thread. */
	if (node->op == EXPR_NUMBER || node->op == EXPR_PARAM || node->op == EXPR_PID)
		return true;
	if (node->op < EXPR_CAST || expr_is_of_text(x, node))
		return false;
	if (may_divide_by_zero(x, node))
		return false;
	return is_fixed(x, node->a) && (!expr_is_binary(node->op) || is_fixed(x, node->b));
}

bool expr_is_fixed(const struct expr *x)
{
	return is_fixed(x, x->root);
}

static bool answers(const struct expr *x, int at)
{
	const struct expr_node *node = &x->nodes[at];

	if (node->base >= 0 || node->place.where == EXPR_IN_MEMORY)
		return false;
	if (expr_is_of_text(x, node))
		return x->nodes[node->a].op == EXPR_COMM;
	if (may_divide_by_zero(x, node))
		return false;
	return node->op < EXPR_DOT ||
	       (answers(x, node->a) && (!expr_is_binary(node->op) || answers(x, node->b)));
}

bool expr_always_answers(const struct expr *x)
{
	/* A string is read where a pointer leads to, unless it is the name of the task. */
	return answers(x, x->root) && (!x->is_text || x->nodes[x->root].op == EXPR_COMM);
}
