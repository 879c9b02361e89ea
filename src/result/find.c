// SPDX-License-Identifier: GPL-2.0-only
/* find.c - distributions by their names. */
#include "result/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "util/names.h"

#define FEW 16 /* to look at each of so many is as fast */

static const char *name_at(const void *nodes, size_t i)
{
	const char *name = ((const struct snapshot_node *)nodes)[i].name;

	return name ? name : "";
}

/* NULL if memory is short. */
static const struct names *names_of(struct snapshot *s)
{
	struct names *names = s->names ? NULL : calloc(1, sizeof(*names));

	if (names && names_make(names, s->nodes, s->n_nodes, name_at))
		free(names);
	else if (names)
		s->names = names;
	return s->names;
}

static int look_at_each(const struct snapshot *s, const char *name)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (!strcmp(name_at(s->nodes, i), name))
			return i;
	return -1;
}

int snapshot_find(const struct snapshot *s, const char *name)
{
	const struct names *names = NULL;

	/* The table is no part of the value: it is made when it is needed first. */
	if (s->n_nodes > FEW)
		names = names_of((struct snapshot *)s);
	return names ? names_find(names, name) : look_at_each(s, name);
}

void snapshot_forget_names(struct snapshot *s)
{
	if (s->names)
		names_free(s->names);
	free(s->names);
	s->names = NULL;
}
