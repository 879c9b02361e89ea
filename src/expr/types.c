// SPDX-License-Identifier: GPL-2.0-only
/* types.c - types of nodes: found, set, written and converted as in C; and what is wrong with one.
 */
#include "expr/check.h"

#include <string.h>

int expr_wrong(const struct expr_checker *c, const struct expr_node *node, const char *next,
	       const char *why, ...)
{
	char text[320];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	return expr_bad(c->e, c->option, c->x, node->column, next, "%s", text);
}

bool expr_type_of(const struct expr_checker *c, uint32_t id, struct expr_type *type)
{
	*type = (struct expr_type){ .kind = EXPR_VOID };
	return id && c->point->types && c->point->types->type(c->point->types->of, id, type);
}

static void expr_write_type(const struct expr_point *point, const struct expr_is *is, char *buf,
			    size_t size)
{
	const struct expr_types *types = point->types;
	size_t length;

	if (is->kind == EXPR_INT) {
		snprintf(buf, size, "%s%s", is->is_signed ? "" : "unsigned ",
			 is->bytes == 1   ? "char"
			 : is->bytes == 2 ? "short"
			 : is->bytes == 4 ? "int"
					  : "long");
		return;
	}
	snprintf(buf, size, "void");
	if (types && is->type)
		types->name(types->of, is->type, buf, size);
	length = strlen(buf);
	if (is->kind == EXPR_POINTER && length && length + 3 < size)
		strcat(buf, buf[length - 1] == '*' ? "*" : " *");
}

const char *expr_is_name(const struct expr_checker *c, const struct expr_node *node, char *buf,
			 size_t size)
{
	expr_write_type(c->point, &node->is, buf, size);
	return buf;
}

const char *expr_type_name(const struct expr *x, const struct expr_point *point, char *buf,
			   size_t size)
{
	const struct expr_node *node = &x->nodes[x->root];
	struct expr_is is = node->is.kind == EXPR_INT ? expr_promoted(node) : node->is;

	expr_write_type(point, &is, buf, size);
	return buf;
}

/* ---- of a node ---- */

void expr_set_int(struct expr_node *node, unsigned int bytes, bool is_signed)
{
	node->is = (struct expr_is){ EXPR_INT, bytes, is_signed, 0 };
}

int expr_set_type(struct expr_checker *c, struct expr_node *node, uint32_t id,
		  struct expr_type *type)
{
	char name[128] = "of an unknown type";

	if (!expr_type_of(c, id, type))
		return expr_wrong(c, node, NULL, "the type of this is not known");
	node->is = (struct expr_is){ .kind = type->kind, .is_signed = type->is_signed };
	switch (type->kind) {
	case EXPR_INT:
		if (type->bytes > 8)
			break;
		node->is.bytes = type->bytes;
		return 0;
	case EXPR_POINTER:
		node->is.bytes = 8;
		node->is.type = type->of;
		return 0;
	case EXPR_STRUCT:
		node->is.type = id;
		return 0;
	case EXPR_ARRAY:
		node->is.type = id;
		/* Strings in quotes are shorter, so that more bytes never matter. */
		node->is.bytes = type->bytes < 255 ? type->bytes : 255;
		return 0;
	default:
		break;
	}
	c->point->types->name(c->point->types->of, id, name, sizeof(name));
	return expr_wrong(c, node, NULL, "this is %s, which has no value here", name);
}

/* ---- of an operation ---- */

static const struct expr_is is_int = { EXPR_INT, 4, true, 0 };

struct expr_is expr_promoted(const struct expr_node *node)
{
	struct expr_is is = node->is;

	if (is.kind == EXPR_POINTER)
		return (struct expr_is){ EXPR_INT, 8, false, 0 };
	if (node->bits && (node->bits < 32 || (node->bits == 32 && is.is_signed)))
		return is_int;
	if (node->bits)
		is.bytes = node->bits == 32 ? 4 : 8;
	return is.bytes < 4 ? is_int : is;
}

struct expr_is expr_common(const struct expr_node *a, const struct expr_node *b)
{
	struct expr_is l = expr_promoted(a), r = expr_promoted(b);

	if (l.bytes != r.bytes)
		return l.bytes > r.bytes ? l : r;
	l.is_signed = l.is_signed && r.is_signed;
	return l;
}
