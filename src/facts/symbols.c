// SPDX-License-Identifier: GPL-2.0-only
/* symbols.c - the kernel's symbols, one after the other. See iterator.c for the faster way. */
#include "facts/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kstats_symbol.h"

/* What a read of the iterator delivers at most where a page has 4 KiB; longer than any line. */
#define BLOCK_SIZE 32768

/* The list has hundreds of thousands of lines: strtoull() would take half the time. */
static char *parse_address(char *line, uint64_t *address)
{
	unsigned int digit;

	for (*address = 0;; line++) {
		if (*line >= '0' && *line <= '9')
			digit = *line - '0';
		else if (*line >= 'a' && *line <= 'f')
			digit = *line - 'a' + 10;
		else
			return line;
		*address = *address << 4 | digit;
	}
}

/* "ffffffffc0123450 t kt_empty<tab>[kstats_target]", without its end of line */
static bool symbols_parse(char *line, struct facts_symbol *symbol)
{
	char *end = parse_address(line, &symbol->address), *bracket;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
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

static size_t visit_lines(struct facts_visitor *v, char *text, size_t size)
{
	struct facts_symbol symbol;
	char *line = text, *end;

	while (!v->end && (end = memchr(line, '\n', text + size - line))) {
		*end = '\0';
		if (symbols_parse(line, &symbol))
			v->end = v->each(v->ctx, &symbol);
		line = end + 1;
	}
	size -= line - text;
	memmove(text, line, size);
	return size;
}

int facts_visit(int fd, struct facts_visitor *v, facts_visit_block *visit)
{
	_Alignas(struct kstats_symbol) char block[BLOCK_SIZE];
	ssize_t n = read(fd, block, sizeof(block));
	int err = n > 0 ? 0 : n ? -errno : -ENODATA;
	size_t rest = 0;

	while (!v->end && n > 0) {
		rest = visit(v, block, rest + n);
		if (!v->end)
			n = read(fd, block + rest, sizeof(block) - rest);
	}
	if (!err && n < 0)
		v->end = -errno;
	close(fd);
	return err;
}

static void symbols_read_text(struct facts_visitor *v, const char *root)
{
	char path[4300];
	int fd, err;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : facts_visit(fd, v, visit_lines);
	if (err && err != -ENODATA)
		v->end = err;
}

int facts_symbols(const char *root, const struct facts_types *types,
		  int (*each)(void *ctx, const struct facts_symbol *symbol), void *ctx)
{
	struct facts_visitor v = { each, ctx, 0 };

	if (*root || facts_iterate(types, &v))
		symbols_read_text(&v, root);
	return v.end;
}

bool facts_is_text(const struct facts_symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

/* ---- addresses ---- */

struct lookup {
	struct facts_address **sorted;
	size_t n;
};

static int symbols_by_name(const void *a, const void *b)
{
	const struct facts_address *const *x = a, *const *y = b;
	int diff = strcmp((*x)->name, (*y)->name);

	return diff ? diff : strcmp((*x)->module, (*y)->module);
}

static int take_address(void *ctx, const struct facts_symbol *symbol)
{
	const struct facts_address wanted = { .name = symbol->name, .module = symbol->module };
	const struct facts_address *key = &wanted;
	struct facts_address **hit = NULL;
	const struct lookup *l = ctx;

	if (facts_is_text(symbol))
		hit = bsearch(&key, l->sorted, l->n, sizeof(*l->sorted), symbols_by_name);
	if (hit) {
		(*hit)->address = symbol->address;
		(*hit)->n++;
	}
	return 0;
}

int facts_addresses(const char *root, const struct facts_types *types,
		    struct facts_address *addresses, size_t n)
{
	struct lookup l = { calloc(n, sizeof(*l.sorted)), n };
	size_t i;
	int err;

	if (!l.sorted)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		l.sorted[i] = &addresses[i];
	qsort(l.sorted, n, sizeof(*l.sorted), symbols_by_name);
	err = facts_symbols(root, types, take_address, &l);
	free(l.sorted);
	return err;
}

int facts_address_check(const struct facts_address *a)
{
	if (!a->n)
		return -ENOENT;
	if (!a->address)
		return -EACCES;
	return a->n > 1 ? -ENOTUNIQ : 0;
}

const char *facts_address_refusal(int err)
{
	return err == -ENOTUNIQ ? "the kernel has several functions of this name"
	       : err == -ENOENT ? "the kernel has no symbol of this name"
	       : err == -EACCES ? "the kernel hides the addresses of its functions"
				: strerror(-err);
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
	struct facts_visitor visitor = { take_variant, &v, 0 };

	symbols_read_text(&visitor, f->root);
	return v.found;
}
