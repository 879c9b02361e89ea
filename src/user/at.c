// SPDX-License-Identifier: GPL-2.0-only
/* at.c - the functions of a file by their places, for the names of addresses. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/priv.h"

struct user_names {
	struct user_binary file; /* its symbols are sorted by place; those without one are gone */
};

/* Of several names of one place, programs are linked with the default version; "read" is told
 * rather than "__read".
 */
static int at_by_place(const void *a, const void *b)
{
	const struct user_symbol *x = a, *y = b;
	size_t under;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->is_default != y->is_default)
		return x->is_default ? -1 : 1;
	under = strspn(x->name, "_");
	if (under != strspn(y->name, "_"))
		return under < strspn(y->name, "_") ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Keeps one name for each place. */
static void sort_places(struct user_binary *b)
{
	size_t n = 0, i;

	if (b->n_symbols)
		qsort(b->symbols, b->n_symbols, sizeof(*b->symbols), at_by_place);
	for (i = 0; i < b->n_symbols; i++) {
		if (!b->symbols[i].offset ||
		    (n && b->symbols[n - 1].offset == b->symbols[i].offset))
			user_symbol_free(&b->symbols[i]);
		else
			b->symbols[n++] = b->symbols[i];
	}
	b->n_symbols = n;
}

struct user_names *user_names_open(const char *path, const struct user_file *file)
{
	struct user_names *names = calloc(1, sizeof(*names));
	static const struct user_file any;
	Elf *elf = NULL;
	int err = -1;

	if (!names)
		return NULL;
	names->file.names_only = true;
	names->file.fd = user_file_hold(path, file ? file : &any);
	if (names->file.fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(names->file.fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		user_read_segments(&names->file, elf);
		user_read_build_id(elf, names->file.build_id);
		err = user_read_symbols(&names->file, elf);
	}
	elf_end(elf);
	if (err) {
		user_names_close(names);
		return NULL;
	}
	sort_places(&names->file);
	return names;
}

static struct user_symbol *at_or_before(const struct user_binary *b, uint64_t offset)
{
	size_t low = 0, high = b->n_symbols, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (b->symbols[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &b->symbols[low - 1] : NULL;
}

const char *user_names_find(struct user_names *names, uint64_t offset, uint64_t *into)
{
	struct user_symbol *s = at_or_before(&names->file, offset);
	char *shown;

	/* What assembler wrote may have no size. */
	if (!s || (s->size && offset - s->offset >= s->size))
		return NULL;
	*into = offset - s->offset;
	if (s->shown == s->name) {
		shown = user_demangle(s->name);
		s->shown = shown ? shown : s->shown;
	}
	return s->shown;
}

void user_names_close(struct user_names *names)
{
	struct user_binary *b = names ? &names->file : NULL;
	size_t i;

	for (i = 0; b && i < b->n_symbols; i++)
		user_symbol_free(&b->symbols[i]);
	if (b && b->fd >= 0)
		close(b->fd);
	if (b)
		free(b->symbols);
	free(names);
}
