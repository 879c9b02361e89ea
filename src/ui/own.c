// SPDX-License-Identifier: GPL-2.0-only
#include "ui/own.h"

#include <stdlib.h>
#include <string.h>

#include "user/user.h"

/* NULL where it is not known. */
static char *own_path(const struct spec *spec)
{
	struct error ignored;
	char *program = spec->command ? spec_program(spec, &ignored) : NULL;
	char *path = program ? user_program(program, &ignored) : NULL;

	free(program);
	return path;
}

bool own_differs(const struct spec *a, const struct spec *b)
{
	char *in_a = own_path(a), *in_b = own_path(b);
	bool differs = in_a && in_b && strcmp(in_a, in_b);

	free(in_a);
	free(in_b);
	return differs;
}

/* Return: whether the point is in the file @path, and is now one in the program of the command. */
static bool own_replace(struct spec_point *p, const char *path)
{
	struct error ignored;
	char *file = spec_is_user(p->kind) ? user_program(p->module, &ignored) : NULL;
	bool same = file && !strcmp(file, path);

	free(file);
	if (same)
		p->module = (char *)SPEC_OWN;
	return same;
}

bool own_points(struct spec *base, const struct spec *run, struct spec_point **targets)
{
	struct spec_point *const points[] = { &base->start, &base->end, &base->at };
	char *path = own_differs(base, run) ? own_path(run) : NULL;
	bool any = false;
	size_t i;

	*targets = path ? calloc(base->n_targets + 1, sizeof(**targets)) : NULL;
	for (i = 0; *targets && i < base->n_targets; i++) {
		(*targets)[i] = base->targets[i];
		any |= own_replace(&(*targets)[i], path);
	}
	for (i = 0; *targets && i < 3; i++)
		any |= own_replace(points[i], path);
	if (any)
		base->targets = *targets;
	free(path);
	return any;
}
