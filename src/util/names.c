// SPDX-License-Identifier: GPL-2.0-only
/* names.c - a hash table of names. */
#include "util/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h ^ h >> 32;
}

/* The place of a name, or the free one where it would be. */
static uint32_t *place_of(const struct names *t, const char *name)
{
	size_t i = hash_of(name) & t->mask;

	while (t->table[i] && strcmp(t->get(t->array, t->table[i] - 1), name))
		i = (i + 1) & t->mask;
	return &t->table[i];
}

int names_make(struct names *t, const void *array, size_t n,
	       const char *(*get)(const void *array, size_t i))
{
	size_t size = 16, i;
	uint32_t *place;

	while (size < 2 * n)
		size *= 2;
	*t = (struct names){ array, get, calloc(size, sizeof(*t->table)), size - 1 };
	if (!t->table)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		place = place_of(t, get(array, i));
		if (!*place)
			*place = i + 1;
	}
	return 0;
}

long names_find(const struct names *t, const char *name)
{
	return (long)*place_of(t, name) - 1;
}

void names_free(struct names *t)
{
	free(t->table);
	*t = (struct names){};
}
