// SPDX-License-Identifier: GPL-2.0-only
/* parse.c - from words to a tree. */
#include "expr/priv.h"

#include <errno.h>
#include <string.h>

/* Words that begin the name of a type. Another name begins one if a star and a bracket follow. */
static const char *const type_words[] = { "struct", "union", "enum", "unsigned", "signed", "char",
					  "short",  "int",   "long", "const",    "_Bool" };

/* The operators of two parts, by precedence: the higher, the closer it binds. */
static const struct binary {
	const char *text;
	enum expr_op op;
	int precedence;
} binaries[] = {
	{ ",", EXPR_JOIN, 0 }, { "||", EXPR_OROR, 1 }, { "&&", EXPR_ANDAND, 2 },
	{ "|", EXPR_OR, 3 },   { "^", EXPR_XOR, 4 },   { "&", EXPR_AND, 5 },
	{ "==", EXPR_EQ, 6 },  { "!=", EXPR_NE, 6 },   { "<", EXPR_LT, 7 },
	{ "<=", EXPR_LE, 7 },  { ">", EXPR_GT, 7 },    { ">=", EXPR_GE, 7 },
	{ "<<", EXPR_SHL, 8 }, { ">>", EXPR_SHR, 8 },  { "+", EXPR_ADD, 9 },
	{ "-", EXPR_SUB, 9 },  { "*", EXPR_MUL, 10 },  { "/", EXPR_DIV, 10 },
	{ "%", EXPR_MOD, 10 },
};

static int parse_binary(struct expr_reader *r, int least);

static bool is_op(const struct expr_reader *r, const char *op)
{
	return r->token.kind == TOKEN_OP && !strcmp(r->token.op, op);
}

/* What stands at the next token, for a message. */
static int unexpected(struct expr_reader *r, const char *wanted)
{
	const struct expr_token *t = &r->token;

	if (t->kind == TOKEN_BAD)
		return -EINVAL;
	if (t->kind == TOKEN_END)
		return expr_bad(r->e, r->option, r->x, t->at, NULL, "%s is missing at the end",
				wanted);
	return expr_bad(r->e, r->option, r->x, t->at, NULL, "%s is missing before '%.*s'", wanted,
			(int)t->length, r->x->text + t->at);
}

static int expect(struct expr_reader *r, const char *op, const char *wanted)
{
	return is_op(r, op) ? expr_next_token(r) : unexpected(r, wanted);
}

/* Return: the number of the node, or -EINVAL. */
static int parse_add(struct expr_reader *r, const struct expr_node *node)
{
	struct expr *x = r->x;

	if (x->n == EXPR_NODES_MAX)
		return expr_bad(r->e, r->option, x, node->column, "write a shorter one",
				"it has more than %d operands and operators", EXPR_NODES_MAX);
	x->nodes[x->n] = *node;
	return x->n++;
}

static int enter(struct expr_reader *r)
{
	if (r->depth++ < EXPR_DEPTH_MAX)
		return 0;
	return expr_bad(r->e, r->option, r->x, r->token.at, "write a shorter one",
			"more than %d brackets and operators are inside each other",
			EXPR_DEPTH_MAX);
}

/* A node of the next token, which is then passed. */
static int add_token(struct expr_reader *r, enum expr_op op)
{
	const struct expr_token *t = &r->token;
	bool quoted = op == EXPR_TEXT;
	struct expr_node node = {
		.op = op,
		.column = t->at,
		.text = t->at + quoted,
		.length = t->length - 2 * quoted,
		.a = -1,
		.b = -1,
		.number = t->number,
		.is_unsigned = t->number > INT64_MAX,
	};
	int made = parse_add(r, &node);

	return made < 0 || !expr_next_token(r) ? made : -EINVAL;
}

/* ---- casts ---- */

static bool is_type_word(const struct expr_reader *r)
{
	const struct expr_token *t = &r->token;
	size_t i;

	for (i = 0; i < sizeof(type_words) / sizeof(*type_words); i++)
		if (t->kind == TOKEN_NAME && t->length == strlen(type_words[i]) &&
		    !strncmp(r->x->text + t->at, type_words[i], t->length))
			return true;
	return false;
}

/* Whether the bracket that was just passed begins a cast. Tries tokens and steps back. */
static bool is_cast(const struct expr_reader *r)
{
	struct error unused = {};
	struct expr_reader try = *r;

	try.e = &unused;
	if (is_type_word(&try))
		return true;
	if (try.token.kind != TOKEN_NAME || expr_next_token(&try))
		return false;
	if (is_op(&try, "*"))
		return !expr_next_token(&try) && is_op(&try, ")");
	if (!is_op(&try, ")") || expr_next_token(&try))
		return false;
	return try.token.kind == TOKEN_NAME || try.token.kind == TOKEN_NUMBER || is_op(&try, "(") ||
	       is_op(&try, "~") || is_op(&try, "!");
}

static int parse_unary(struct expr_reader *r);

static int parse_cast(struct expr_reader *r, unsigned int column)
{
	struct expr_node node = { .op = EXPR_CAST, .column = column, .text = r->token.at, .b = -1 };
	int a;

	while (r->token.kind == TOKEN_NAME) {
		node.length = r->token.at + r->token.length - node.text;
		if (expr_next_token(r))
			return -EINVAL;
	}
	if (is_op(r, "*")) {
		node.number = 1;
		if (expr_next_token(r))
			return -EINVAL;
	}
	if (expect(r, ")", "the bracket ')' after a type"))
		return -EINVAL;
	a = parse_unary(r);
	if (a < 0)
		return a;
	node.a = a;
	return parse_add(r, &node);
}

/* ---- names of numbers ---- */

/* What "syscall(id)" is: the number itself, with a note that it has a name. */
static int parse_naming(struct expr_reader *r, enum naming naming)
{
	struct expr_node mask = {
		.op = EXPR_NUMBER, .a = -1, .b = -1, .number = NAMING_BLOCKOP_MASK
	};
	struct expr_node flags = { .op = EXPR_AND };
	int a;

	if (expr_next_token(r) || enter(r) || expr_next_token(r))
		return -EINVAL;
	a = parse_binary(r, 1);
	if (a >= 0 && expect(r, ")", "the bracket ')'"))
		return -EINVAL;
	r->depth--;
	if (a >= 0 && naming == NAMING_BLOCKOP) {
		mask.column = flags.column = r->x->nodes[a].column;
		flags.a = a;
		flags.b = parse_add(r, &mask);
		a = flags.b < 0 ? -EINVAL : parse_add(r, &flags);
	}
	if (a >= 0)
		r->x->nodes[a].naming = naming;
	return a;
}

/* The naming that the next token begins. */
static enum naming parse_is_naming(const struct expr_reader *r)
{
	struct error unused = {};
	struct expr_reader try = *r;

	try.e = &unused;
	if (expr_next_token(&try) || !is_op(&try, "("))
		return NAMING_NONE;
	return naming_find(r->x->text + r->token.at, r->token.length);
}

/* A name in quotes, or a port, becomes its number. @value: what it is compared with */
static int parse_named_number(struct expr_reader *r, struct expr_node *value,
			      struct expr_node *name)
{
	char text[EXPR_TEXT_MAX + 1], near[200], next[300];
	bool is_port = value->naming == NAMING_PORT;
	const char *word = naming_word(value->naming);

	if (name->op != EXPR_TEXT && !(is_port && name->op == EXPR_NUMBER))
		return expr_bad(r->e, r->option, r->x, name->column,
				"compare it with a name in quotes, or leave out its name",
				"%s() has a name, and this is none", word);
	snprintf(text, sizeof(text), "%.*s", name->length, r->x->text + name->text);
	if (!naming_number(value->naming, text, &name->number, near, sizeof(near))) {
		snprintf(next, sizeof(next), "%s",
			 naming_compares(value->naming) ? near
							: "compare the number, without its name");
		return expr_bad(r->e, r->option, r->x, name->column, next,
				naming_compares(value->naming)
					? "%s() is never '%s'"
					: "%s() cannot be compared with '%s'",
				word, text);
	}
	name->op = EXPR_NUMBER;
	name->is_unsigned = false;
	value->naming = NAMING_NONE;
	return 0;
}

/* "syscall(id) == "read"" compares two numbers. What else has a name is left to expr_check(). */
static int parse_compared(struct expr_reader *r, const struct expr_node *node)
{
	struct expr_node *a = &r->x->nodes[node->a], *b = &r->x->nodes[node->b];

	if ((node->op != EXPR_EQ && node->op != EXPR_NE) || !a->naming == !b->naming)
		return 0;
	return a->naming ? parse_named_number(r, a, b) : parse_named_number(r, b, a);
}

/* ---- strings ---- */

static bool parse_is_str(const struct expr_reader *r)
{
	const struct expr_token *t = &r->token;
	struct error unused = {};
	struct expr_reader try = *r;

	try.e = &unused;
	return t->length == 3 && !strncmp(r->x->text + t->at, "str", 3) && !expr_next_token(&try) &&
	       is_op(&try, "(");
}

static int parse_str_bytes(struct expr_reader *r, int64_t *bytes)
{
	const struct expr_token *t = &r->token;

	*bytes = EXPR_STR_DEFAULT;
	if (!is_op(r, ","))
		return 0;
	if (expr_next_token(r))
		return -EINVAL;
	if (t->kind != TOKEN_NUMBER)
		return unexpected(r, "the number of bytes");
	if (!t->number || t->number > EXPR_STR_MAX)
		return expr_bad(r->e, r->option, r->x, t->at, NULL, "str() reads 1 to %d bytes",
				EXPR_STR_MAX);
	*bytes = t->number;
	return expr_next_token(r);
}

/* str(EXPR) or str(EXPR, BYTES) */
static int parse_str(struct expr_reader *r)
{
	struct expr_node node = { .op = EXPR_STR, .column = r->token.at, .b = -1 };
	int a;

	if (expr_next_token(r) || enter(r) || expr_next_token(r))
		return -EINVAL;
	a = parse_binary(r, 1);
	if (a < 0 || parse_str_bytes(r, &node.number) || expect(r, ")", "the bracket ')'"))
		return -EINVAL;
	r->depth--;
	node.a = a;
	return parse_add(r, &node);
}

/* ---- operands ---- */

static int parse_operand(struct expr_reader *r)
{
	unsigned int column = r->token.at;
	int a;

	switch (r->token.kind) {
	case TOKEN_NUMBER:
		return add_token(r, EXPR_NUMBER);
	case TOKEN_TEXT:
		return add_token(r, EXPR_TEXT);
	case TOKEN_NAME:
		if (parse_is_str(r))
			return parse_str(r);
		return parse_is_naming(r) ? parse_naming(r, parse_is_naming(r))
					  : add_token(r, EXPR_NAME);
	default:
		break;
	}
	if (!is_op(r, "("))
		return unexpected(r, "an operand");
	if (enter(r) || expr_next_token(r))
		return -EINVAL;
	if (is_cast(r)) {
		a = parse_cast(r, column);
	} else {
		a = parse_binary(r, 1);
		if (a >= 0 && expect(r, ")", "the bracket ')'"))
			return -EINVAL;
	}
	r->depth--;
	return a;
}

static int parse_member(struct expr_reader *r, int a, enum expr_op op)
{
	int member;

	if (expr_next_token(r))
		return -EINVAL;
	if (r->token.kind != TOKEN_NAME)
		return unexpected(r, "the name of a member");
	member = add_token(r, op);
	if (member >= 0)
		r->x->nodes[member].a = a;
	return member;
}

static int parse_index(struct expr_reader *r, int a)
{
	int index;

	if (expr_next_token(r))
		return -EINVAL;
	if (r->token.kind != TOKEN_NUMBER)
		return unexpected(r, "an index, which is a number,");
	index = add_token(r, EXPR_INDEX);
	if (index < 0 || expect(r, "]", "the bracket ']'"))
		return -EINVAL;
	r->x->nodes[index].a = a;
	return index;
}

static int parse_postfix(struct expr_reader *r)
{
	int a = parse_operand(r);

	while (a >= 0) {
		if (is_op(r, "->"))
			a = parse_member(r, a, EXPR_ARROW);
		else if (is_op(r, "."))
			a = parse_member(r, a, EXPR_DOT);
		else if (is_op(r, "["))
			a = parse_index(r, a);
		else
			break;
	}
	return a;
}

static int parse_unary(struct expr_reader *r)
{
	struct expr_node node = { .column = r->token.at, .b = -1 };
	int a;

	if (is_op(r, "!"))
		node.op = EXPR_NOT;
	else if (is_op(r, "~"))
		node.op = EXPR_INVERT;
	else if (is_op(r, "-"))
		node.op = EXPR_MINUS;
	else
		return parse_postfix(r);
	if (enter(r) || expr_next_token(r))
		return -EINVAL;
	a = parse_unary(r);
	r->depth--;
	if (a < 0)
		return a;
	node.a = a;
	return parse_add(r, &node);
}

static const struct binary *next_binary(const struct expr_reader *r)
{
	size_t i;

	for (i = 0; i < sizeof(binaries) / sizeof(*binaries); i++)
		if (is_op(r, binaries[i].text))
			return &binaries[i];
	return NULL;
}

/* Operators of at least this precedence; those of the same group from left to right. */
static int parse_binary(struct expr_reader *r, int least)
{
	int a = parse_unary(r), b;
	const struct binary *found;
	struct expr_node node;

	for (found = next_binary(r); a >= 0 && found && found->precedence >= least;
	     found = next_binary(r)) {
		node = (struct expr_node){ .op = found->op, .column = r->token.at, .a = a };
		if (expr_next_token(r))
			return -EINVAL;
		b = parse_binary(r, found->precedence + 1);
		if (b < 0)
			return b;
		node.b = b;
		a = parse_compared(r, &node) ? -EINVAL : parse_add(r, &node);
	}
	return a;
}

static int parse_whole(struct expr *x, const char *option, const char *text, int least,
		       struct error *e)
{
	struct expr_reader r = { .x = x, .option = option, .e = e };
	int root;

	*x = (struct expr){};
	snprintf(x->text, sizeof(x->text), "%s", text);
	if (strlen(text) > EXPR_LENGTH_MAX)
		return expr_bad(e, option, x, EXPR_LENGTH_MAX, "write a shorter one",
				"it is longer than %d bytes", EXPR_LENGTH_MAX);
	if (expr_next_token(&r))
		goto bad;
	root = parse_binary(&r, least);
	if (root < 0)
		goto bad;
	if (r.token.kind != TOKEN_END) {
		unexpected(&r, "an operator");
		goto bad;
	}
	x->root = root;
	return 0;
bad:
	x->n = 0;
	return -EINVAL;
}

int expr_parse(struct expr *x, const char *option, const char *text, struct error *e)
{
	return parse_whole(x, option, text, 1, e);
}

int expr_parse_key(struct expr *x, const char *option, const char *text, struct error *e)
{
	return parse_whole(x, option, text, 0, e);
}

/* ---- what an expression needs ---- */

static unsigned int when_name(const struct expr *x, const struct expr_node *node)
{
	static const struct {
		const char *name;
		unsigned int when;
	} names[] = { { "ret", EXPR_AT_END }, { "duration", EXPR_AT_END | EXPR_AT_BOTH },
		      { "pid", 0 },           { "tid", 0 },
		      { "uid", 0 },           { "cpu", 0 },
		      { "numa", 0 },          { "cgroup", 0 },
		      { "comm", 0 } };
	char text[EXPR_NAME_MAX];
	size_t i;

	expr_text(x, node, text, sizeof(text));
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i].name))
			return names[i].when;
	/* Constants are in capitals. */
	return strpbrk(text, "abcdefghijklmnopqrstuvwxyz") ? EXPR_AT_ENTRY : 0;
}

static unsigned int when(const struct expr *x, int at)
{
	const struct expr_node *node = &x->nodes[at];
	char name[EXPR_NAME_MAX];

	if (node->op == EXPR_NAME)
		return when_name(x, node);
	if (node->op == EXPR_NUMBER || node->op == EXPR_TEXT)
		return 0;
	/* In a pair: a parameter of its end. */
	if (node->op == EXPR_DOT && x->nodes[node->a].op == EXPR_NAME &&
	    !strcmp(expr_text(x, &x->nodes[node->a], name, sizeof(name)), "end"))
		return EXPR_AT_END;
	return when(x, node->a) | (expr_is_binary(node->op) ? when(x, node->b) : 0);
}

unsigned int expr_when(const struct expr *x)
{
	return x->n ? when(x, x->root) : 0;
}

/* Joins the part with what @to already holds. */
static void parse_join(struct expr *to, int part)
{
	struct expr_node both = { .op = EXPR_ANDAND, .a = to->root, .b = part };

	if (to->root < 0) {
		to->root = part;
	} else {
		both.column = to->nodes[part].column;
		to->nodes[to->n] = both;
		to->root = to->n++;
	}
}

static void parse_split(const struct expr *x, int at, struct expr *entry, struct expr *end)
{
	const struct expr_node *node = &x->nodes[at];

	if (node->op == EXPR_ANDAND) {
		parse_split(x, node->a, entry, end);
		parse_split(x, node->b, entry, end);
	} else {
		parse_join(when(x, at) & EXPR_AT_END ? end : entry, at);
	}
}

/* The parts keep their numbers; each && between them is made anew. */
void expr_split(const struct expr *x, struct expr *entry, struct expr *end)
{
	*entry = *end = *x;
	if (!x->n)
		return;
	entry->root = end->root = -1;
	parse_split(x, x->root, entry, end);
	if (entry->root < 0)
		*entry = (struct expr){};
	if (end->root < 0)
		*end = (struct expr){};
}
