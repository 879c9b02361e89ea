// SPDX-License-Identifier: GPL-2.0-only
/* offer.c - what may come next in an expression that is being typed. */
#include "expr/check.h"

#include <ctype.h>
#include <string.h>

/* Offers that begin with a part of a name. */
struct offers {
	const char *begin; /* all that was typed */
	size_t kept; /* bytes of it before the name */
	void (*each)(void *ctx, const char *word);
	void *ctx;
};

static void offer(void *offers, const char *name)
{
	const struct offers *o = offers;
	char word[EXPR_LENGTH_MAX + EXPR_NAME_MAX];

	if (strncmp(name, o->begin + o->kept, strlen(o->begin + o->kept)))
		return;
	snprintf(word, sizeof(word), "%.*s%s", (int)o->kept, o->begin, name);
	o->each(o->ctx, word);
}

/* Where the name begins that ends at @end: a member and those before it, or one name alone. */
static size_t begin_of(const char *text, size_t end, bool members)
{
	while (end > 0) {
		if (isalnum((unsigned char)text[end - 1]) || text[end - 1] == '_' ||
		    (members && strchr(".[]", text[end - 1])))
			end--;
		else if (members && end > 1 && text[end - 1] == '>' && text[end - 2] == '-')
			end -= 2;
		else
			break;
	}
	return end;
}

static void offer_names(const struct expr_point *point, struct offers *o)
{
	uint32_t i;

	for (i = 0; i < point->n_params; i++)
		if (point->params[i].name[0])
			offer(o, point->params[i].name);
	expr_each_builtin(offer, o);
}

/* @from, @to: the structure, or the pointer to one, in front of the member. */
static void offer_members(const struct expr_point *point, struct offers *o, size_t from, size_t to)
{
	char text[EXPR_LENGTH_MAX + 1];
	struct expr_type type;
	struct error unused;
	struct expr x;

	snprintf(text, sizeof(text), "%.*s", (int)(to - from), o->begin + from);
	if (!point->types || expr_parse(&x, "", text, &unused) ||
	    expr_check_any(&x, point, &unused) || !x.nodes[x.root].is.type ||
	    !point->types->type(point->types->of, x.nodes[x.root].is.type, &type))
		return;
	if (type.kind == EXPR_STRUCT)
		point->types->each_member(point->types->of, type.id, offer, o);
}

void expr_offer(const struct expr_point *point, const char *begin,
		void (*each)(void *ctx, const char *word), void *ctx)
{
	size_t length = strlen(begin), name, from;
	struct offers o = { begin, 0, each, ctx };

	if (length > EXPR_LENGTH_MAX)
		return;
	o.kept = name = begin_of(begin, length, false);
	from = begin_of(begin, length, true);
	if (name >= 2 && !strncmp(begin + name - 2, "->", 2))
		offer_members(point, &o, from, name - 2);
	else if (name >= 1 && begin[name - 1] == '.')
		offer_members(point, &o, from, name - 1);
	else
		offer_names(point, &o);
}
