// SPDX-License-Identifier: GPL-2.0-only
/* symbols.c - the kernel's symbols, one after the other. */
#include "facts/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "ffffffffc0123450 t kt_empty<tab>[kstats_target]" */
static bool parse(char *line, struct facts_symbol *symbol)
{
	char *end = line + strcspn(line, "\n"), *bracket;

	*end = '\0';
	symbol->address = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	symbol->type = end[1];
	symbol->name = end + 3;
	symbol->module = (char *)"";
	bracket = strchr(symbol->name, '\t');
	if (bracket) {
		*bracket++ = '\0';
		bracket[strcspn(bracket, "]")] = '\0';
		symbol->module = *bracket == '[' ? bracket + 1 : bracket;
	}
	return true;
}

int facts_symbols(const char *root, int (*each)(void *ctx, const struct facts_symbol *symbol),
		  void *ctx)
{
	struct facts_symbol symbol;
	char path[4300], line[1024];
	int end = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	while (!end && fgets(line, sizeof(line), in))
		if (parse(line, &symbol))
			end = each(ctx, &symbol);
	fclose(in);
	return end;
}

bool facts_is_text(const struct facts_symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

/* ---- what the compiler made of a name ---- */

struct variant {
	const char *name;
	size_t len; /* of @name */
	char *buf;
	size_t size;
	int found; /* as facts_variant() returns it */
};

static int take_variant(void *ctx, const struct facts_symbol *symbol)
{
	struct variant *v = ctx;
	const char *name = symbol->name;

	if (!facts_is_text(symbol) || strncmp(name, v->name, v->len))
		return 0;
	if (!name[v->len])
		v->found = 2;
	else if (name[v->len] == '.' && !strstr(name, ".cold"))
		v->found = snprintf(v->buf, v->size, "%s", name) > 0;
	return v->found == 2;
}

int facts_variant(const struct facts *f, const char *name, char *buf, size_t size)
{
	struct variant v = { name, strlen(name), buf, size, 0 };

	facts_symbols(f->root, take_variant, &v);
	return v.found;
}
