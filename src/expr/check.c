// SPDX-License-Identifier: GPL-2.0-only
/* check.c - the types of an expression: operators and members. See names.c for names and casts. */
#include "expr/check.h"

#include <errno.h>
#include <string.h>

#include "util/near.h"

#define OFFSET_MAX (1U << 28)

static bool check_is_char(const struct expr_checker *c, uint32_t id)
{
	struct expr_type type;

	return expr_type_of(c, id, &type) && type.is_char;
}

/* Whether the node is a string: an array of characters, or a pointer to some. */
static bool is_text(const struct expr_checker *c, const struct expr_node *node)
{
	struct expr_type type;

	if (node->op == EXPR_COMM || node->op == EXPR_STR)
		return true;
	if (node->is.kind == EXPR_POINTER)
		return check_is_char(c, node->is.type);
	return node->is.kind == EXPR_ARRAY && expr_type_of(c, node->is.type, &type) &&
	       check_is_char(c, type.of);
}

uint32_t expr_part_bytes(const struct expr *x)
{
	const struct expr_node *root = &x->nodes[x->root];

	if (root->op == EXPR_COMM)
		return EXPR_COMM_LEN;
	if (root->op == EXPR_STR)
		return root->is.bytes + 2;
	if (root->is.kind == EXPR_ARRAY && root->is.bytes && root->is.bytes < EXPR_TEXT_MAX)
		return root->is.bytes + 1;
	return EXPR_TEXT_MAX + 1;
}

uint32_t expr_part_cut(const struct expr *x)
{
	const struct expr_node *root = &x->nodes[x->root];

	if (root->op == EXPR_COMM || (root->op != EXPR_STR && root->is.kind == EXPR_ARRAY &&
				      root->is.bytes && root->is.bytes < EXPR_TEXT_MAX))
		return 0;
	return expr_part_bytes(x) - 2;
}

static bool check_is_frames(const struct expr_node *node)
{
	return node->op >= EXPR_KSTACK && node->op <= EXPR_CALLER;
}

struct expr_part expr_part(const struct expr *x)
{
	const struct expr_node *root = &x->nodes[x->root];
	struct expr_part part = { .words = 1, .is_text = x->is_text };

	if (!part.is_text) {
		part.is_signed = root->is.kind == EXPR_INT && expr_promoted(root).is_signed;
		part.is_pointer = root->is.kind == EXPR_POINTER;
		part.frames = check_is_frames(root) ? EXPR_FRAMES_KERNEL + root->op - EXPR_KSTACK
						    : EXPR_NO_FRAMES;
		part.naming = root->op == EXPR_RET && part.is_signed ? NAMING_ERRNO
			      : root->op == EXPR_CGROUP              ? NAMING_CGROUP
								     : root->naming;
		return part;
	}
	part.is_comm = root->op == EXPR_COMM;
	part.words = (expr_part_bytes(x) + 7) / 8;
	part.cut = expr_part_cut(x);
	return part;
}

/* What to write in place of a string where a number is needed. */
static const char *instead_of_text(const struct expr_checker *c, const struct expr_node *node)
{
	if (c->use == EXPR_KEY)
		return "join start and end by a number, such as tid or an address; --by takes "
		       "strings";
	if (c->use == EXPR_VALUE && node == &c->x->nodes[c->x->root])
		return "record a number; --by takes strings";
	return "compare it by == or != with a string in quotes";
}

/* What an operand has to be; @pointer: it may be a pointer as well. */
static int need_number(const struct expr_checker *c, const struct expr_node *node, bool pointer)
{
	char name[128];

	if (node->is.kind == EXPR_INT || (pointer && node->is.kind == EXPR_POINTER))
		return 0;
	if (node->op == EXPR_TEXT)
		return expr_wrong(c, node, "compare it with a string, or with str(...)",
				  "a string can only be compared by == or !=");
	if (node->is.kind != EXPR_POINTER && is_text(c, node))
		return expr_wrong(c, node, instead_of_text(c, node),
				  "this is a string, and a number is needed");
	expr_is_name(c, node, name, sizeof(name));
	if (node->is.kind == EXPR_POINTER)
		return expr_wrong(c, node, "read a member by ->, or cast it, as in (u64)ptr",
				  "this is a pointer (%s), and a number is needed", name);
	return expr_wrong(c, node, "name a member of it", "this is %s, and a number is needed",
			  name);
}

static int expr_check_text(struct expr_checker *c, struct expr_node *node)
{
	struct expr_node *text, *literal;
	uint32_t most;
	char name[128];
	int16_t a = node->a;

	if (c->x->nodes[a].op == c->x->nodes[node->b].op)
		return expr_wrong(c, &c->x->nodes[a], NULL, "two strings in quotes are compared");
	if (c->x->nodes[a].op == EXPR_TEXT) {
		node->a = node->b;
		node->b = a;
	}
	text = &c->x->nodes[node->a];
	literal = &c->x->nodes[node->b];
	if (!is_text(c, text))
		return expr_wrong(
			c, text, "read it as a string, as in str(arg0), or leave out the quotes",
			"this is %s, not a string", expr_is_name(c, text, name, sizeof(name)));
	most = text->op == EXPR_COMM ? EXPR_COMM_LEN - 1 : text->is.bytes;
	if (text->is.kind == EXPR_ARRAY && literal->length > most)
		return expr_wrong(c, literal, NULL,
				  "the string in quotes has %u bytes, and what it is compared with "
				  "at most %u",
				  literal->length, most);
	return 0;
}

/* ---- parts of a key ---- */

static int join_add(struct expr *x, struct expr_node node)
{
	node.base = -1;
	x->nodes[x->n] = node;
	return x->n++;
}

/* A part as a number without sign, of the width that it has. */
static int join_part(struct expr *x, int at, unsigned int bytes)
{
	struct expr_node cast = { .op = EXPR_CAST, .a = at, .b = -1, .is.kind = EXPR_INT };

	cast.column = x->nodes[at].column;
	cast.is.bytes = bytes;
	return join_add(x, cast);
}

/* Its parts become one number: those before a comma are shifted by the bytes of the one behind. */
static int check_join(struct expr_checker *c, struct expr_node *node)
{
	struct expr *x = c->x;
	const struct expr_node *a = &x->nodes[node->a], *b = &x->nodes[node->b];
	unsigned int bytes_a = x->parts ? a->number : a->is.bytes, bytes = b->is.bytes;
	struct expr_node shift = { .op = EXPR_SHL, .is = { EXPR_INT, 8, false, 0 } };
	struct expr_node by = {
		.op = EXPR_NUMBER, .a = -1, .b = -1, .is = { EXPR_INT, 4, true, 0 }
	};

	if (need_number(c, a, true) || need_number(c, b, true))
		return -EINVAL;
	if (bytes_a + bytes > 8)
		return expr_wrong(c, b, "cast a value to what tells calls apart, as in (u32)nr",
				  "the values have %u bytes together, and a key has 8",
				  bytes_a + bytes);
	x->parts = (x->parts ? x->parts : bytes_a) << 4 | bytes;
	by.number = 8 * bytes;
	shift.a = join_part(x, node->a, bytes_a);
	shift.b = join_add(x, by);
	node->b = join_part(x, node->b, bytes);
	node->a = join_add(x, shift);
	node->op = EXPR_OR;
	node->number = bytes_a + bytes;
	node->is = shift.is;
	return 0;
}

static int check_binary(struct expr_checker *c, struct expr_node *node)
{
	const struct expr_node *a = &c->x->nodes[node->a], *b = &c->x->nodes[node->b];
	bool equal = node->op == EXPR_EQ || node->op == EXPR_NE;
	bool pointers = expr_is_comparison(node->op) || node->op >= EXPR_ANDAND;

	expr_set_int(node, 4, true);
	if (equal && (a->op == EXPR_TEXT || b->op == EXPR_TEXT))
		return expr_check_text(c, node);
	if (need_number(c, a, pointers) || need_number(c, b, pointers))
		return -EINVAL;
	if (node->op == EXPR_SHL || node->op == EXPR_SHR)
		node->is = expr_promoted(a);
	else if (!pointers)
		node->is = expr_common(a, b);
	return 0;
}

static int check_unary(struct expr_checker *c, struct expr_node *node)
{
	struct expr_node *a = &c->x->nodes[node->a];

	if (need_number(c, a, node->op == EXPR_NOT))
		return -EINVAL;
	node->is = expr_promoted(a);
	if (node->op == EXPR_NOT)
		expr_set_int(node, 4, true);
	if (node->op != EXPR_MINUS || a->op != EXPR_NUMBER)
		return 0;
	/* A negative number is one operand. */
	node->op = EXPR_NUMBER;
	node->number = -(uint64_t)a->number;
	if (node->is.bytes == 4 && node->is.is_signed)
		node->number = (int32_t)node->number;
	else if (node->is.bytes == 4)
		node->number = (uint32_t)node->number;
	return 0;
}

static int check_str(struct expr_checker *c, struct expr_node *node)
{
	const struct expr_node *a = &c->x->nodes[node->a];

	if (a->op == EXPR_TEXT || (a->is.kind != EXPR_POINTER && is_text(c, a)))
		return expr_wrong(c, a, "leave out str()", "this is a string already");
	node->is = (struct expr_is){ EXPR_ARRAY, node->number, false, 0 };
	node->is_program = c->point->is_program;
	return need_number(c, a, true);
}

/* ---- members ---- */

/* What lies at an offset behind the pointer @base. */
static int lies_at(struct expr_checker *c, struct expr_node *node, int base, uint64_t offset,
		   uint32_t id)
{
	struct expr_type type;

	if (offset >= OFFSET_MAX)
		return expr_wrong(c, node, NULL, "this is too far away from its pointer");
	node->base = base;
	node->offset = offset;
	return expr_set_type(c, node, id, &type);
}

static void consider(void *ctx, const char *name)
{
	near_consider(ctx, name);
}

static int no_member(struct expr_checker *c, const struct expr_node *node, uint32_t id,
		     const char *name)
{
	const struct expr_types *types = c->point->types;
	struct nearest near = { .wanted = name };
	char text[128], next[384];

	types->name(types->of, id, text, sizeof(text));
	types->each_member(types->of, id, consider, &near);
	return expr_bad(c->e, c->option, c->x, node->text, near_words(&near, next, sizeof(next)),
			"%s has no %s", text, name);
}

static int check_member(struct expr_checker *c, struct expr_node *node)
{
	const struct expr_node *a = &c->x->nodes[node->a];
	const struct expr_types *types = c->point->types;
	bool arrow = node->op == EXPR_ARROW;
	struct expr_member member;
	struct expr_type type;
	char name[EXPR_NAME_MAX], is[128];
	uint64_t bit;

	expr_text(c->x, node, name, sizeof(name));
	expr_is_name(c, a, is, sizeof(is));
	if (a->is.kind != (arrow ? EXPR_POINTER : EXPR_STRUCT))
		return expr_wrong(c, a,
				  a->is.kind == EXPR_POINTER  ? "write -> in place of ."
				  : a->is.kind == EXPR_STRUCT ? "write . in place of ->"
							      : NULL,
				  "this is %s, which has no member %s", is, name);
	if (!expr_type_of(c, a->is.type, &type) || type.kind != EXPR_STRUCT)
		return expr_wrong(c, a, "cast it first, as in ((struct file *)arg0)->f_flags",
				  "this is %s, whose members are not known", is);
	if (!types->member(types->of, type.id, name, &member))
		return no_member(c, node, type.id, name);
	bit = arrow ? member.bit : (uint64_t)a->offset * 8 + member.bit;
	if (lies_at(c, node, arrow ? node->a : a->base, bit / 8, member.type))
		return -EINVAL;
	node->bit = bit % 8;
	node->bits = member.bits;
	if (node->bit + node->bits > 64)
		return expr_wrong(c, node, NULL, "this bitfield spreads over more than 8 bytes");
	return 0;
}

static int check_index(struct expr_checker *c, struct expr_node *node)
{
	const struct expr_node *a = &c->x->nodes[node->a];
	struct expr_type type, element;
	char is[128];

	expr_is_name(c, a, is, sizeof(is));
	if (a->is.kind != EXPR_ARRAY && a->is.kind != EXPR_POINTER)
		return expr_wrong(c, a, NULL, "this is %s, not an array", is);
	if (!expr_type_of(c, a->is.type, &type))
		return expr_wrong(c, a, "cast it to a pointer first",
				  "this is %s, whose elements are not known", is);
	if (a->is.kind == EXPR_ARRAY && type.n && (uint64_t)node->number >= type.n)
		return expr_wrong(c, node, NULL, "the array has %u elements", type.n);
	if (!expr_type_of(c, a->is.kind == EXPR_ARRAY ? type.of : a->is.type, &element) ||
	    !element.bytes)
		return expr_wrong(c, a, "cast it to a pointer first",
				  "this is %s, whose elements have no size", is);
	if ((uint64_t)node->number >= OFFSET_MAX / element.bytes)
		return expr_wrong(c, node, NULL, "the index is too large");
	if (a->is.kind == EXPR_POINTER)
		return lies_at(c, node, node->a, node->number * element.bytes, element.id);
	return lies_at(c, node, a->base, a->offset + node->number * element.bytes, element.id);
}

/* ---- the tree ---- */

static int check_tree(struct expr_checker *c, int at);

/* A name can be compared, which the parser has done, or be all of an expression. */
static int check_part(struct expr_checker *c, int at)
{
	const struct expr_node *node = &c->x->nodes[at];

	if (!node->naming)
		return check_tree(c, at);
	return expr_wrong(c, node, "compare it with a name in quotes, or leave its name out",
			  "%s() has a name, which can only be compared by == or !=",
			  naming_word(node->naming));
}

static int check_parts(struct expr_checker *c, const struct expr_node *node)
{
	int err = node->a >= 0 && node->op > EXPR_COMM ? check_part(c, node->a) : 0;

	return err || !expr_is_binary(node->op) ? err : check_part(c, node->b);
}

/* Programs find them by themselves, behind all that the expressions compute. */
static int check_frames(struct expr_checker *c, int at, enum expr_use use)
{
	int i;

	for (i = 0; i < c->x->n; i++)
		if (check_is_frames(&c->x->nodes[i]) && (i != at || use != EXPR_BY))
			return expr_wrong(c, &c->x->nodes[i], "write --by kstack, ustack or caller",
					  "it is no number: it can only be all of a part of --by");
	return 0;
}

static int check_tree(struct expr_checker *c, int at)
{
	struct expr_node *node = &c->x->nodes[at];

	node->base = -1;
	if (check_parts(c, node))
		return -EINVAL;
	switch (node->op) {
	case EXPR_TEXT:
		return 0;
	case EXPR_NUMBER:
		return expr_check_number(c, node);
	case EXPR_NAME:
		return expr_check_name(c, node);
	case EXPR_DOT:
	case EXPR_ARROW:
		return check_member(c, node);
	case EXPR_INDEX:
		return check_index(c, node);
	case EXPR_CAST:
		return expr_check_cast(c, node);
	case EXPR_NOT:
	case EXPR_INVERT:
	case EXPR_MINUS:
		return check_unary(c, node);
	case EXPR_STR:
		return check_str(c, node);
	case EXPR_JOIN:
		return check_join(c, node);
	default:
		return expr_is_binary(node->op) ? check_binary(c, node) : 0;
	}
}

int expr_check_any(struct expr *x, const struct expr_point *point, struct error *e)
{
	struct expr_checker c = { .x = x, .option = "", .point = point, .e = e };

	return check_tree(&c, x->root);
}

int expr_check(struct expr *x, const char *option, const struct expr_point *point,
	       enum expr_use use, struct error *e)
{
	struct expr_checker c = { .x = x, .option = option, .point = point, .use = use, .e = e };

	if (check_tree(&c, x->root) || check_frames(&c, x->root, use))
		return -EINVAL;
	x->is_text = use == EXPR_BY && is_text(&c, &x->nodes[x->root]);
	if (x->is_text)
		return 0;
	return need_number(&c, &x->nodes[x->root], use != EXPR_VALUE);
}
