// SPDX-License-Identifier: GPL-2.0-only
/* names.c - what the names in an expression stand for: operands, constants and types. */
#include "expr/check.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/near.h"

static const struct builtin {
	const char *name;
	enum expr_op op;
	uint8_t bytes;
	bool is_signed;
} builtins[] = {
	{ "pid", EXPR_PID, 4, true },
	{ "tid", EXPR_TID, 4, true },
	{ "uid", EXPR_UID, 4, false },
	{ "cpu", EXPR_CPU, 4, true },
	{ "numa", EXPR_NUMA, 4, true },
	{ "cgroup", EXPR_CGROUP, 8, false },
	{ "comm", EXPR_COMM, 0, false },
	{ "kstack", EXPR_KSTACK, 8, false },
	{ "ustack", EXPR_USTACK, 8, false },
	{ "caller", EXPR_CALLER, 8, false },
	{ "ret", EXPR_RET, 0, false },
	{ "duration", EXPR_DURATION, 8, false },
	{ "switches", EXPR_SWITCHES, 8, false },
};

#define N_BUILTINS (sizeof(builtins) / sizeof(*builtins))

/* ---- numbers ---- */

int expr_check_number(struct expr_checker *c, struct expr_node *node)
{
	bool hex = node->length > 1 && (c->x->text[node->text + 1] | 0x20) == 'x';
	int64_t n = node->number;

	if (node->is_unsigned)
		expr_set_int(node, 8, false);
	else if (n == (int32_t)n)
		expr_set_int(node, 4, true);
	else if (hex && n == (uint32_t)n)
		expr_set_int(node, 4, false);
	else
		expr_set_int(node, 8, true);
	return 0;
}

/* Enumerators are int where they fit. */
static bool is_constant(struct expr_checker *c, struct expr_node *node, const char *name)
{
	const struct expr_types *types = c->point->types;
	bool is_signed = true;
	int64_t n = error_number(name);

	if (!n && !(types && types->constant(types->of, name, &n, &is_signed)))
		return false;
	node->op = EXPR_NUMBER;
	node->number = n;
	node->length = 0;
	node->is_unsigned = !is_signed && n < 0;
	expr_check_number(c, node);
	if (!is_signed && n == (uint32_t)n && node->is.bytes == 8)
		expr_set_int(node, 4, false);
	return true;
}

/* ---- operands ---- */

static int names_check_ret(struct expr_checker *c, struct expr_node *node)
{
	struct expr_type type;

	if (!c->point->has_ret)
		return expr_wrong(c, node,
				  c->point->see
					  ?: "leave it out, or measure a function to its return",
				  "there is no return value at this point");
	node->op = EXPR_RET;
	if (!c->point->types && c->point->no_ret)
		return expr_wrong(c, node, NULL, "%s returns %s", c->point->name, c->point->no_ret);
	if (!c->point->types) {
		expr_set_int(node, c->point->ret_bytes ?: 8,
			     !c->point->ret_bytes || c->point->ret_signed);
		return 0;
	}
	if (!c->point->ret || (expr_type_of(c, c->point->ret, &type) && type.kind == EXPR_VOID))
		return expr_wrong(c, node, NULL, "%s returns nothing", c->point->name);
	if (expr_set_type(c, node, c->point->ret, &type))
		return -EINVAL;
	if (type.kind == EXPR_STRUCT)
		return expr_wrong(c, node, NULL, "%s returns a structure", c->point->name);
	return 0;
}

/* A parameter as the compiler left it at a static probe. */
static int names_check_place(struct expr_checker *c, struct expr_node *node,
			     const struct expr_place *place)
{
	if (place->where == EXPR_NOWHERE)
		return expr_wrong(c, node, "see 'kstats-bpf list usdt:BINARY'",
				  "it is not an integer in a register or in memory at one");
	expr_set_int(node, place->bytes, place->is_signed);
	if (place->where == EXPR_IS_NUMBER) {
		node->op = EXPR_NUMBER;
		node->number = place->number;
	} else {
		node->place = *place;
	}
	return 0;
}

static int check_param(struct expr_checker *c, struct expr_node *node, uint32_t index)
{
	const struct expr_point *point = c->point;
	struct expr_type type;
	uint32_t i;

	if (point->no_params)
		return expr_wrong(c, node, NULL, "parameters cannot be read at this point");
	node->op = EXPR_PARAM;
	node->number = index;
	if (point->has_places)
		return names_check_place(c, node, &point->params[index].place);
	if (!point->types) {
		expr_set_int(node, 8, false);
		return 0;
	}
	for (i = 0; i <= index; i++)
		if (expr_type_of(c, point->params[i].type, &type) && type.kind == EXPR_STRUCT)
			return expr_wrong(c, node, NULL,
					  i < index ? "a structure that is passed by value stands "
						      "before it"
						    : "it is a structure that is passed by value");
	if (expr_set_type(c, node, point->params[index].type, &type))
		return -EINVAL;
	node->is_object = type.kind == EXPR_POINTER && expr_type_of(c, type.of, &type) &&
			  type.kind == EXPR_STRUCT;
	return 0;
}

/* Of a function without types, arg0 is a register, and a name is a parameter of some width. */
static int check_named(struct expr_checker *c, struct expr_node *node, uint32_t index)
{
	const struct expr_point *point = c->point;

	if (point->types || point->has_places || point->no_params)
		return check_param(c, node, index);
	if (point->params[index].place.where == EXPR_NOWHERE)
		return expr_wrong(c, node, "arg0 to arg5 are the registers for numbers",
				  "it is no number or pointer whose register is known");
	node->op = EXPR_PARAM;
	node->number = index;
	return names_check_place(c, node, &point->params[index].place);
}

static int check_arg(struct expr_checker *c, struct expr_node *node, const char *name)
{
	uint32_t index = name[3] - '0', n = 6;

	if (c->point->types || c->point->has_places)
		n = c->point->n_params;
	if (index < n)
		return check_param(c, node, index);
	return expr_wrong(c, node, n ? "parameters count from arg0" : NULL, "%s has %u parameter%s",
			  c->point->name, n, n == 1 ? "" : "s");
}

/* Where the name of a task is in it; 0 if that is not known. */
static uint32_t comm_offset(const struct expr_checker *c)
{
	const struct expr_types *types = c->point->types;
	uint32_t task = types ? types->find(types->of, "struct task_struct") : 0;
	struct expr_member comm;
	struct expr_type type;

	if (!task || !types->member(types->of, task, "comm", &comm) ||
	    !expr_type_of(c, comm.type, &type) || type.bytes != EXPR_COMM_LEN)
		return 0;
	return comm.bit / 8;
}

static int check_builtin(struct expr_checker *c, struct expr_node *node, const struct builtin *b)
{
	if (b->op == EXPR_RET)
		return names_check_ret(c, node);
	if (b->op == EXPR_DURATION && !c->point->is_end)
		return expr_wrong(c, node,
				  c->point->see ?: "name a function, or use --start and --end",
				  "there is no duration at this point");
	if (b->op == EXPR_SWITCHES && !c->point->has_switches)
		return expr_wrong(c, node, c->point->see ?: "name a function, or leave out --key",
				  "switches are only known at the end of a call, or of a pair "
				  "joined by its task");
	node->op = b->op;
	expr_set_int(node, b->bytes, b->is_signed);
	if (b->op == EXPR_COMM) {
		node->is = (struct expr_is){ EXPR_ARRAY, EXPR_COMM_LEN, false, 0 };
		node->offset = comm_offset(c);
	}
	return 0;
}

static int unknown(struct expr_checker *c, const struct expr_node *node, const char *name)
{
	const struct expr_point *point = c->point;
	struct nearest near = { .wanted = name };
	char next[384];
	uint32_t i;

	if (!point->types && !point->has_places && !point->n_params)
		return expr_wrong(c, node, "use arg0 to arg5, the registers for numbers",
				  "the names of the parameters of %s are not known%s%s",
				  point->name, point->no_names ? ": " : "",
				  point->no_names ? point->no_names : "");
	for (i = 0; i < point->n_params; i++)
		if (point->params[i].name[0])
			near_consider(&near, point->params[i].name);
	for (i = 0; i < N_BUILTINS; i++)
		near_consider(&near, builtins[i].name);
	near_words(&near, next, sizeof(next));
	if (!next[0])
		snprintf(next, sizeof(next), "see 'kstats-bpf list -l %s'", point->name);
	return expr_wrong(c, node, point->see ?: next,
			  "%s has no parameter %s, and there is no constant of that name",
			  point->name, name);
}

int expr_check_name(struct expr_checker *c, struct expr_node *node)
{
	const struct expr_point *point = c->point;
	const struct builtin *builtin = NULL;
	char name[EXPR_NAME_MAX];
	uint32_t i;

	expr_text(c->x, node, name, sizeof(name));
	for (i = 0; i < N_BUILTINS; i++)
		if (!strcmp(name, builtins[i].name))
			builtin = &builtins[i];
	/* Parameters come before built-in names, except duration, and ret where there is one. */
	if (builtin &&
	    ((builtin->op == EXPR_RET && point->has_ret) || builtin->op == EXPR_DURATION))
		return check_builtin(c, node, builtin);
	for (i = 0; i < point->n_params; i++)
		if (!strcmp(name, point->params[i].name))
			return check_named(c, node, i);
	if (!point->see && !strncmp(name, "arg", 3) && isdigit((unsigned char)name[3]) && !name[4])
		return check_arg(c, node, name);
	if (builtin)
		return check_builtin(c, node, builtin);
	return is_constant(c, node, name) ? 0 : unknown(c, node, name);
}

void expr_each_builtin(void (*each)(void *ctx, const char *name), void *ctx)
{
	size_t i;

	for (i = 0; i < N_BUILTINS; i++)
		each(ctx, builtins[i].name);
}

/* ---- casts ---- */

/* The name of a type with single blanks, and without const. */
static void tidy(const struct expr *x, const struct expr_node *node, char *buf, size_t size)
{
	char text[EXPR_LENGTH_MAX + 1], *word, *save = NULL;
	size_t at = 0;

	expr_text(x, node, text, sizeof(text));
	buf[0] = '\0';
	for (word = strtok_r(text, " \t", &save); word && at + strlen(word) + 2 < size;
	     word = strtok_r(NULL, " \t", &save))
		if (strcmp(word, "const"))
			at += snprintf(buf + at, size - at, "%s%s", at ? " " : "", word);
}

/* An integer type in words that C knows by itself: "unsigned long", "char". */
static bool is_c_integer(const char *name, struct expr_is *is)
{
	char text[128], *word, *save = NULL;
	unsigned int bytes = 4;
	bool is_signed = true;

	snprintf(text, sizeof(text), "%s", name);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strcmp(word, "unsigned"))
			is_signed = false;
		else if (!strcmp(word, "char"))
			bytes = 1;
		else if (!strcmp(word, "short"))
			bytes = 2;
		else if (!strcmp(word, "long"))
			bytes = 8;
		else if (strcmp(word, "int") && strcmp(word, "signed"))
			return false;
	}
	*is = (struct expr_is){ EXPR_INT, bytes, is_signed, 0 };
	return name[0];
}

/* Names of integers whose width is always the same: where no types are known, they still are. */
static bool is_sized_integer(const char *name, struct expr_is *is)
{
	static const char *const names[2][4] = { { "u8", "u16", "u32", "u64" },
						 { "s8", "s16", "s32", "s64" } };
	unsigned int i;

	for (i = 0; i < 8; i++)
		if (!strcmp(name, names[i / 4][i % 4])) {
			*is = (struct expr_is){ EXPR_INT, 1U << i % 4, i / 4, 0 };
			return true;
		}
	return false;
}

static uint32_t expr_names_find(const struct expr_checker *c, const char *name)
{
	const struct expr_types *types = c->point->types;

	return types ? types->find(types->of, name) : 0;
}

/* BTF has the compiler's names: "long unsigned int" of gcc, "unsigned long" of clang. */
uint32_t expr_integer(const struct expr_types *types, unsigned int bytes, bool is_signed)
{
	static const char *const names[2][2][4] = {
		{ { "unsigned char", "short unsigned int", "unsigned int", "long unsigned int" },
		  { "char", "short int", "int", "long int" } },
		{ { "unsigned char", "unsigned short", "unsigned int", "unsigned long" },
		  { "char", "short", "int", "long" } },
	};
	unsigned int width = bytes / 2 - bytes / 8;
	uint32_t id = types->find(types->of, names[0][is_signed][width]);

	return id ?: types->find(types->of, names[1][is_signed][width]);
}

int expr_check_cast(struct expr_checker *c, struct expr_node *node)
{
	const struct expr_node *a = &c->x->nodes[node->a];
	const struct expr_types *types = c->point->types;
	struct expr_type type = {};
	char name[128], is[128];
	bool integer;
	uint32_t id;

	if (a->op == EXPR_TEXT || (a->is.kind != EXPR_INT && a->is.kind != EXPR_POINTER))
		return expr_wrong(c, node, NULL, "only numbers and pointers can be cast");
	tidy(c->x, node, name, sizeof(name));
	integer = is_c_integer(name, &node->is) ||
		  (!c->point->types && is_sized_integer(name, &node->is));
	if (integer && !node->number)
		return 0;
	if (!integer)
		id = expr_names_find(c, name);
	else
		id = types ? expr_integer(types, node->is.bytes, node->is.is_signed) : 0;
	if (!id || !expr_type_of(c, id, &type))
		return expr_wrong(c, node, NULL, "the kernel has no type %s", name);
	if (node->number) {
		node->is = (struct expr_is){ EXPR_POINTER, 8, false, id };
		return 0;
	}
	if (expr_set_type(c, node, id, &type))
		return -EINVAL;
	if (node->is.kind == EXPR_INT || node->is.kind == EXPR_POINTER)
		return 0;
	return expr_wrong(c, node, "cast it to a pointer, and use ->", "%s is not a number",
			  expr_is_name(c, node, is, sizeof(is)));
}
