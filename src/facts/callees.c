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

/** struct callees_text - where a function is */
struct callees_text {
	const struct facts_function *fn;
	uint64_t begin[PARTS]; /* 0: there is no such part */
	uint64_t end[PARTS]; /* where the next symbol is */
	unsigned int n; /* functions of that name in that module */
	unsigned char *bytes[PARTS]; /* owned */
};

static int callees_take_begin(void *ctx, const struct facts_symbol *symbol)
{
	struct callees_text *t = ctx;
	size_t length = strlen(t->fn->name);

	if (!facts_is_text(symbol) || strcmp(symbol->module, t->fn->module) ||
	    strncmp(symbol->name, t->fn->name, length))
		return 0;
	if (!symbol->name[length]) {
		t->begin[0] = symbol->address;
		t->n++;
	} else if (!strcmp(symbol->name + length, COLD)) {
		t->begin[1] = symbol->address;
	}
	return 0;
}

static int callees_take_end(void *ctx, const struct facts_symbol *symbol)
{
	struct callees_text *t = ctx;
	unsigned int i;

	for (i = 0; i < PARTS; i++)
		if (symbol->address > t->begin[i] && symbol->address < t->end[i])
			t->end[i] = symbol->address;
	return 0;
}

static int callees_no(const struct callees_text *t, int err, const char *why, const char *next,
		      struct error *e)
{
	return error_set(e, EXIT_KERNEL, err, why, next, "cannot find what '%s' calls",
			 t->fn->name);
}

static int callees_find(struct callees_text *t, struct error *e)
{
	int err = facts_symbols("", callees_take_begin, t), i;
	struct facts_address a = { .address = t->begin[0], .n = t->n };

	if (!err)
		err = facts_address_check(&a);
	if (err)
		return callees_no(t, err, facts_address_refusal(err),
				  "name callees: --callees=NAME", e);
	for (i = 0; i < PARTS; i++)
		t->end[i] = t->begin[i] ? t->begin[i] + LENGTH_MAX : 0;
	err = facts_symbols("", callees_take_end, t);
	return err ? callees_no(t, err, facts_address_refusal(err), NULL, e) : 0;
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
	return err ? error_no_memory(e, "cannot read instructions") : 0;
}

/** struct callees_naming - addresses that get names */
struct callees_naming {
	const struct facts_calls *calls;
	struct facts_callees *out;
};

static int callees_take_name(void *ctx, const struct facts_symbol *symbol)
{
	struct callees_naming *naming = ctx;
	struct facts_callees *out = naming->out;
	struct facts_callee *grown;
	size_t i;

	for (i = 0; i < naming->calls->n && naming->calls->to[i] != symbol->address; i++)
		;
	if (i == naming->calls->n || !facts_is_text(symbol))
		return 0;
	grown = realloc(out->callees, (out->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	out->callees = grown;
	grown[out->n] = (struct facts_callee){ .address = symbol->address,
					       .name = strdup(symbol->name),
					       .module = strdup(symbol->module) };
	out->n++;
	return grown[out->n - 1].name && grown[out->n - 1].module ? 0 : -ENOMEM;
}

static size_t callees_place(const struct facts_calls *calls, const struct facts_callee *c)
{
	size_t i;

	for (i = 0; i < calls->n && calls->to[i] != c->address; i++)
		;
	return i;
}

/* They come in the order of the kernel's symbols. */
static void callees_sort(const struct facts_calls *calls, struct facts_callees *out)
{
	struct facts_callee one;
	size_t i, k;

	for (i = 1; i < out->n; i++) {
		one = out->callees[i];
		for (k = i;
		     k && callees_place(calls, &out->callees[k - 1]) > callees_place(calls, &one);
		     k--)
			out->callees[k] = out->callees[k - 1];
		out->callees[k] = one;
	}
}

int facts_callees(const struct facts_function *fn, struct facts_callees *out, struct error *e)
{
	struct callees_text text = { .fn = fn };
	struct facts_calls calls = {};
	struct callees_naming naming = { &calls, out };
	size_t i;
	int err = callees_find(&text, e);

	*out = (struct facts_callees){};
	if (!err)
		err = callees_read(&text, &calls, e);
	if (!err) {
		err = facts_symbols("", callees_take_name, &naming);
		if (err)
			error_set(e, EXIT_KERNEL, err, NULL, NULL,
				  "cannot read the kernel's symbols");
	}
	if (!err)
		callees_sort(&calls, out);
	out->indirect = calls.indirect;
	out->is_cut = calls.is_cut;
	out->nameless = calls.n;
	for (i = 0; i < out->n; i++)
		out->nameless -= !i || out->callees[i].address != out->callees[i - 1].address;
	free(calls.to);
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
