// SPDX-License-Identifier: GPL-2.0-only
/*
 * quick.c - parts of a condition like ret < 0 and duration > 10us. The programs compare both
 * without code for an expression, which takes fewer instructions.
 */
#include "plan/priv.h"

static enum kstats_ret_op quick_ret_op(enum expr_op op)
{
	switch (op) {
	case EXPR_LT:
		return KSTATS_RET_LT;
	case EXPR_LE:
		return KSTATS_RET_LE;
	case EXPR_EQ:
		return KSTATS_RET_EQ;
	case EXPR_NE:
		return KSTATS_RET_NE;
	case EXPR_GE:
		return KSTATS_RET_GE;
	case EXPR_GT:
		return KSTATS_RET_GT;
	default:
		return KSTATS_RET_ANY;
	}
}

/* The programs compare 64 bits; C, and so an expression, converts a negative number to 32. */
static bool quick_fits(const struct facts_value *ret, int64_t number)
{
	switch (ret->type) {
	case FACTS_SIGNED:
		return ret->bytes <= 8;
	case FACTS_BOOL:
	case FACTS_UNSIGNED:
		return ret->bytes <= 8 && (number >= 0 || ret->bytes == 8);
	default:
		return false;
	}
}

struct quick {
	const struct plan_list *l; /* NULL: a pair of points */
	struct plan_quick to;
};

static bool quick_ret(struct quick *q, const struct expr_simple *part)
{
	size_t i;

	if (!q->l || q->l->users || q->to.ret_op != KSTATS_RET_ANY)
		return false;
	for (i = 0; i < q->l->n; i++)
		if (!quick_fits(&q->l->fns[i].ret, part->number))
			return false;
	q->to.ret_op = quick_ret_op(part->op);
	q->to.ret_value = part->number;
	return true;
}

static bool quick_wants(void *ctx, const struct expr_simple *part)
{
	uint64_t least = part->number + (part->op == EXPR_GT);
	struct quick *q = ctx;

	if (part->name == EXPR_RET)
		return quick_ret(q, part);
	if ((part->op != EXPR_GT && part->op != EXPR_GE) || part->number < 0)
		return false;
	if (least > q->to.min_ns)
		q->to.min_ns = least;
	return true;
}

void plan_quick_find(struct plan *plan, const struct plan_list *l)
{
	struct quick q = { .l = l };
	struct expr x;

	/* A value is recorded in place of the duration, and there may be one point only. */
	if (!plan->spec->condition || plan->spec->value)
		return;
	x = *plan->spec->condition;
	expr_take(&x, quick_wants, &q);
	plan->quick = q.to;
}

/* The same parts as were found for all: each is one that is in plan->quick. */
static bool quick_has(void *ctx, const struct expr_simple *part)
{
	const struct plan_quick *quick = ctx;

	if (part->name == EXPR_RET)
		return quick->ret_op == quick_ret_op(part->op) && quick->ret_value == part->number;
	return (part->op == EXPR_GT || part->op == EXPR_GE) && part->number >= 0 &&
	       part->number + (part->op == EXPR_GT) <= quick->min_ns;
}

void plan_quick_take(const struct plan *plan, struct expr *x)
{
	if (!plan->spec->value)
		expr_take(x, quick_has, (void *)&plan->quick);
}
