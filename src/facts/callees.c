// SPDX-License-Identifier: GPL-2.0-only
/*
 * callees.c - what a function of the running kernel calls. Its instructions are read where they
 * are, so that what the kernel has patched in them is seen as it is.
 */
#include "facts/callees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/refusal.h"

#define PARTS 2 /* of a function: that at its entry, and what the compiler put apart as cold */
#define COLD ".cold"
#define LENGTH_MAX 65536 /* bytes of a part that are read */

/** struct callees_symbol - a symbol as it is kept */
struct callees_symbol {
	uint64_t address;
	size_t name; /* where it is in the names; the module follows it */
	bool is_text;
};

/** struct callees_symbols - the kernel's symbols; to read them takes most of the time */
struct callees_symbols {
	size_t n; /* number of @rows */
	size_t room; /* of @rows */
	struct callees_symbol *rows; /* owned */
	size_t size; /* of @names */
	size_t names_room;
	char *names; /* owned */
};

/** struct callees_text - where a function is */
struct callees_text {
	const struct facts_types *types;
	const struct facts_function *fn;
	struct callees_symbols symbols;
	uint64_t begin[PARTS]; /* 0: there is no such part */
	uint64_t end[PARTS]; /* where the next symbol is */
	unsigned int n; /* functions of that name in that module */
	unsigned char *bytes[PARTS]; /* owned */
};

static int callees_put_name(struct callees_symbols *s, const char *name)
{
	size_t size = strlen(name) + 1;
	char *grown;

	if (s->size + size > s->names_room) {
		grown = realloc(s->names, 2 * s->names_room + size);
		if (!grown)
			return -ENOMEM;
		s->names = grown;
		s->names_room = 2 * s->names_room + size;
	}
	memcpy(s->names + s->size, name, size);
	s->size += size;
	return 0;
}

static int callees_keep_symbol(void *ctx, const struct facts_symbol *symbol)
{
	struct callees_symbols *s = ctx;
	size_t room = s->room ? 2 * s->room : 1024;
	struct callees_symbol *grown;
	int err;

	if (s->n == s->room) {
		grown = realloc(s->rows, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->rows = grown;
		s->room = room;
	}
	s->rows[s->n++] =
		(struct callees_symbol){ symbol->address, s->size, facts_is_text(symbol) };
	if (!facts_is_text(symbol))
		return 0;
	err = callees_put_name(s, symbol->name);
	return err ? err : callees_put_name(s, symbol->module);
}

static const char *callees_symbol_name(const struct callees_symbols *s,
				       const struct callees_symbol *row)
{
	return s->names + row->name;
}

static const char *callees_symbol_module(const struct callees_symbols *s,
					 const struct callees_symbol *row)
{
	const char *name = callees_symbol_name(s, row);

	return name + strlen(name) + 1;
}

static void callees_find_begin(struct callees_text *t)
{
	const struct callees_symbols *s = &t->symbols;
	size_t length = strlen(t->fn->name), i;
	const char *rest;

	for (i = 0; i < s->n; i++) {
		if (!s->rows[i].is_text ||
		    strncmp(callees_symbol_name(s, &s->rows[i]), t->fn->name, length) ||
		    strcmp(callees_symbol_module(s, &s->rows[i]), t->fn->module))
			continue;
		rest = callees_symbol_name(s, &s->rows[i]) + length;
		if (!*rest) {
			t->begin[0] = s->rows[i].address;
			t->n++;
		} else if (!strcmp(rest, COLD)) {
			t->begin[1] = s->rows[i].address;
		}
	}
}

static void callees_find_end(struct callees_text *t)
{
	const struct callees_symbols *s = &t->symbols;
	unsigned int part;
	size_t i;

	for (part = 0; part < PARTS; part++) {
		t->end[part] = t->begin[part] ? t->begin[part] + LENGTH_MAX : 0;
		for (i = 0; i < s->n; i++)
			if (s->rows[i].address > t->begin[part] &&
			    s->rows[i].address < t->end[part])
				t->end[part] = s->rows[i].address;
	}
}

static int callees_no(const struct callees_text *t, int err, const char *why, const char *next,
		      struct error *e)
{
	return error_set(e, EXIT_KERNEL, err, why, next, "cannot find what '%s' calls",
			 t->fn->name);
}

static int callees_find(struct callees_text *t, struct error *e)
{
	int err = facts_symbols("", t->types, callees_keep_symbol, &t->symbols);
	struct facts_address a;

	if (err == -ENOMEM)
		return error_no_memory(e, "cannot read the kernel's symbols");
	if (!err) {
		callees_find_begin(t);
		a = (struct facts_address){ .address = t->begin[0], .n = t->n };
		err = facts_address_check(&a);
	}
	if (err)
		return callees_no(t, err, facts_address_refusal(err),
				  "name callees: --callees=NAME", e);
	callees_find_end(t);
	return 0;
}

static int callees_read(struct callees_text *t, struct facts_calls *calls, struct error *e)
{
	struct facts_code parts[PARTS];
	unsigned int i, n = t->begin[1] ? PARTS : 1;
	char why[256];
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		parts[i] =
			(struct facts_code){ .address = t->begin[i], .n = t->end[i] - t->begin[i] };
		t->bytes[i] = malloc(parts[i].n);
		parts[i].bytes = t->bytes[i];
		err = t->bytes[i] ? facts_text(t->begin[i], t->bytes[i], parts[i].n) : -ENOMEM;
	}
	if (err) {
		refusal_blame(err, why, sizeof(why));
		return callees_no(t, err, why, "name callees: --callees=NAME", e);
	}
	err = facts_decode(parts, n, calls);
	if (err == -EOPNOTSUPP)
		return callees_no(t, err, "this program was built without a decoder",
				  "name callees: --callees=NAME", e);
	if (err == -ELIBACC) {
		snprintf(why, sizeof(why), "%s, which decodes instructions, cannot be loaded",
			 calls->library);
		return callees_no(t, err, why,
				  "install the library capstone, or name callees: --callees=NAME",
				  e);
	}
	return err ? error_no_memory(e, "cannot read instructions") : 0;
}

static int callees_add(struct facts_callees *out, const struct callees_symbols *s,
		       const struct callees_symbol *row)
{
	struct facts_callee *grown = realloc(out->callees, (out->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	out->callees = grown;
	grown[out->n] = (struct facts_callee){ .address = row->address,
					       .name = strdup(callees_symbol_name(s, row)),
					       .module = strdup(callees_symbol_module(s, row)) };
	out->n++;
	return grown[out->n - 1].name && grown[out->n - 1].module ? 0 : -ENOMEM;
}

/* In the order of the calls; those that have one address follow each other. */
static int callees_give_names(const struct callees_symbols *s, const struct facts_calls *calls,
			      struct facts_callees *out)
{
	size_t i, k;
	int err = 0;

	for (k = 0; k < calls->n; k++)
		for (i = 0; !err && i < s->n; i++)
			if (s->rows[i].address == calls->to[k] && s->rows[i].is_text)
				err = callees_add(out, s, &s->rows[i]);
	return err;
}

int facts_callees(const struct facts_types *types, const struct facts_function *fn,
		  struct facts_callees *out, struct error *e)
{
	struct callees_text text = { .types = types, .fn = fn };
	struct facts_calls calls = {};
	size_t i;
	int err = callees_find(&text, e);

	*out = (struct facts_callees){};
	if (!err)
		err = callees_read(&text, &calls, e);
	if (!err && callees_give_names(&text.symbols, &calls, out))
		err = error_no_memory(e, "cannot read the kernel's symbols");
	out->indirect = calls.indirect;
	out->is_cut = calls.is_cut;
	out->nameless = calls.n;
	for (i = 0; i < out->n; i++)
		out->nameless -= !i || out->callees[i].address != out->callees[i - 1].address;
	free(calls.to);
	free(text.symbols.rows);
	free(text.symbols.names);
	for (i = 0; i < PARTS; i++)
		free(text.bytes[i]);
	return err;
}

void facts_callees_free(struct facts_callees *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->callees[i].name);
		free(c->callees[i].module);
	}
	free(c->callees);
	*c = (struct facts_callees){};
}
