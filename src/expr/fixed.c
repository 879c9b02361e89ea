// SPDX-License-Identifier: GPL-2.0-only
/* fixed.c - whether a condition has the same value wherever in a call it is asked. */
#include "expr/priv.h"

static bool is_fixed(const struct expr *x, int at)
{
	const struct expr_node *node = &x->nodes[at], *b = &x->nodes[node->b < 0 ? at : node->b];

	if (node->base >= 0)
		return false;
	if (node->op == EXPR_NUMBER || node->op == EXPR_PARAM)
		return true;
	if (node->op < EXPR_CAST || expr_is_of_text(x, node))
		return false;
	if ((node->op == EXPR_DIV || node->op == EXPR_MOD) && (b->op != EXPR_NUMBER || !b->number))
		return false;
	return is_fixed(x, node->a) && (!expr_is_binary(node->op) || is_fixed(x, node->b));
}

bool expr_is_fixed(const struct expr *x)
{
	return is_fixed(x, x->root);
}
