// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep.c - what an expression at the end of a pair needs of its start. Such parts are evaluated at
 * the start, and their values kept with the stamp.
 */
#include "expr/check.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define OF_START 1
#define OF_END 2

static bool is_param_of(const struct expr_point *point, const char *name)
{
	uint32_t i;

	for (i = 0; i < point->n_params; i++)
		if (!strcmp(name, point->params[i].name))
			return true;
	return false;
}

static void keep_note_builtin(void *ctx, const char *name)
{
	const char **wanted = ctx;

	if (*wanted && !strcmp(*wanted, name))
		*wanted = NULL;
}

static bool keep_is_builtin(const char *name)
{
	const char *wanted = name;

	expr_each_builtin(keep_note_builtin, &wanted);
	return !wanted;
}

/* Whether a node is "start.X" or "end.X": whose, or 0. */
static int prefix_of(const struct expr *x, const struct expr_node *node)
{
	char name[EXPR_NAME_MAX];

	if (node->op != EXPR_DOT || x->nodes[node->a].op != EXPR_NAME)
		return 0;
	expr_text(x, &x->nodes[node->a], name, sizeof(name));
	return !strcmp(name, "start") ? OF_START : !strcmp(name, "end") ? OF_END : 0;
}

/* A name without a prefix is that of the end, unless only the start has it. */
static int owner_of(const struct expr *x, const struct expr_node *node,
		    const struct expr_point *start, const struct expr_point *end)
{
	char name[EXPR_NAME_MAX];

	expr_text(x, node, name, sizeof(name));
	if (is_param_of(end, name) || keep_is_builtin(name) ||
	    (!strncmp(name, "arg", 3) && isdigit((unsigned char)name[3])))
		return OF_END;
	return is_param_of(start, name) ? OF_START : 0;
}

/* Whose values a part needs, as bits. */
static int keep_needs(const struct expr *x, int at, const struct expr_point *start,
		      const struct expr_point *end)
{
	const struct expr_node *node = &x->nodes[at];
	int prefix = prefix_of(x, node);

	if (prefix)
		return prefix;
	if (node->op == EXPR_NAME)
		return owner_of(x, node, start, end);
	if (node->op == EXPR_NUMBER)
		return 0;
	if (node->op == EXPR_TEXT)
		return OF_END;
	return keep_needs(x, node->a, start, end) |
	       (expr_is_binary(node->op) ? keep_needs(x, node->b, start, end) : 0);
}

static bool keep_has_prefix(const struct expr *x, int at)
{
	const struct expr_node *node = &x->nodes[at];

	if (prefix_of(x, node))
		return true;
	if (node->op == EXPR_NAME || node->op == EXPR_NUMBER || node->op == EXPR_TEXT)
		return false;
	return keep_has_prefix(x, node->a) ||
	       (expr_is_binary(node->op) && keep_has_prefix(x, node->b));
}

bool expr_names_point(const struct expr *x)
{
	return x->n && keep_has_prefix(x, x->root);
}

bool expr_needs_start(const struct expr *x, const struct expr_point *start,
		      const struct expr_point *end)
{
	return x->n && keep_needs(x, x->root, start, end) & OF_START;
}

/* "start.X" becomes X. */
static void keep_strip(struct expr *x, int at)
{
	struct expr_node *node = &x->nodes[at];

	if (prefix_of(x, node)) {
		node->op = EXPR_NAME;
		node->a = -1;
	} else if (node->op != EXPR_NAME && node->op != EXPR_NUMBER && node->op != EXPR_TEXT) {
		keep_strip(x, node->a);
		if (expr_is_binary(node->op))
			keep_strip(x, node->b);
	}
}

void expr_strip(struct expr *x)
{
	if (x->n)
		keep_strip(x, x->root);
}

static int keep_part(struct expr *x, int at, const char *option, const struct expr_point *start,
		     struct expr_kept *kept, struct error *e)
{
	struct expr_node *node = &x->nodes[at];
	struct expr *part, checked;

	if (kept->n == KSTATS_KEPT_WORDS)
		return expr_bad(e, option, x, node->column, "use fewer of them",
				"more than %d values of the start are needed", KSTATS_KEPT_WORDS);
	part = &kept->parts[kept->n];
	*part = *x;
	part->root = at;
	keep_strip(part, at);
	checked = *part;
	if (!expr_check(&checked, option, start, EXPR_BY, e) && checked.is_text)
		return expr_bad(e, option, x, node->column, "take a number, or a string of the end",
				"a string of the start is not kept for the end");
	checked = *part;
	if (expr_check(&checked, option, start, EXPR_KEY, e))
		return -EINVAL;
	node->op = EXPR_KEPT;
	node->number = kept->n++;
	node->a = node->b = -1;
	node->is = checked.nodes[at].is;
	if (node->is.kind == EXPR_INT && node->is.bytes < 4)
		node->is = (struct expr_is){ EXPR_INT, 4, true, 0 };
	return 0;
}

static int keep_parts(struct expr *x, int at, const char *option, const struct expr_point *start,
		      const struct expr_point *end, struct expr_kept *kept, struct error *e)
{
	struct expr_node *node = &x->nodes[at];
	int who = keep_needs(x, at, start, end), err;

	if (who == OF_START)
		return keep_part(x, at, option, start, kept, e);
	if (!(who & OF_START)) {
		keep_strip(x, at);
		return 0;
	}
	err = keep_parts(x, node->a, option, start, end, kept, e);
	return err || !expr_is_binary(node->op)
		       ? err
		       : keep_parts(x, node->b, option, start, end, kept, e);
}

int expr_keep(struct expr *x, const char *option, const struct expr_point *start,
	      const struct expr_point *end, struct expr_kept *kept, struct error *e)
{
	return x->n ? keep_parts(x, x->root, option, start, end, kept, e) : 0;
}
