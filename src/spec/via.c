// SPDX-License-Identifier: GPL-2.0-only
/* via.c - the words of --via: points that a pair, or a call, passes on its way. */
#include "spec/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int spec_add_vias(void *to, const char *value, struct error *e)
{
	const char *part = value;
	size_t length;
	char *text;
	int err;

	for (;;) {
		length = expr_cut(part);
		text = strndup(part, length);
		err = text ? spec_add_point(to, text, e)
			   : error_no_memory(e, "cannot read the words");
		free(text);
		if (err || !part[length])
			return err;
		part += length + 1;
	}
}

static int via_wrong(struct error *e, const char *with, const char *why)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "leave one out",
			 "cannot combine --via with %s", with);
}

/* A call is a pair whose end is the return of its start. */
static int via_take_call(struct spec *spec, struct error *e)
{
	struct spec_point *p = spec->targets;

	if (spec->start.kind != SPEC_NONE || spec->end.kind != SPEC_NONE)
		return 0; /* refused later */
	if (spec->n_targets > 1 || strpbrk(p->name, "*?["))
		return error_set(e, EXIT_USAGE, -EINVAL, "the points are on the way of one",
				 "name one function", "cannot use --via with several functions");
	if (spec_is_user(p->kind))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "the return of a program's function is no point of a pair",
				 "name two points with --start and --end",
				 "cannot use --via with '%s'", p->name);
	if (spec->by_key)
		return via_wrong(e, "--key and a target", "a call and its points are in one task");
	/* A call inside one that was left out, or the other way round, would be taken for it. */
	if (spec->who.by_cpu || *spec->who.comm || spec->who.cgroup)
		return via_wrong(e, "--cpu, --comm or --cgroup and a target",
				 "they can change between a call and one inside it");
	spec->start = *p;
	spec->end = (struct spec_point){ .kind = p->kind, .is_return = true };
	spec->end.name = strdup(p->name);
	spec->end.module = p->module ? strdup(p->module) : NULL;
	spec->n_targets = 0;
	spec->is_call = true;
	if (!spec->name)
		spec->name = strdup(p->name);
	return spec->end.name && spec->name && (!p->module || spec->end.module)
		       ? 0
		       : error_no_memory(e, "cannot read the words");
}

int spec_check_vias(struct spec *spec, struct error *e)
{
	const struct {
		bool is_used;
		const char *option, *why;
	} rows[] = {
		{ spec->value, "--value", "only a duration has stages" },
		{ spec->per_cpu, "--key cpu",
		  "an interrupt may bring another start between the time and the points" },
		{ spec->merge, "--merge", "the points are on the way of one" },
		{ spec->floor == SPEC_FLOOR_SUBTRACT, "--floor subtract",
		  "stages add up to the duration as it was measured" },
	};
	const struct spec_point *p;
	unsigned int n = 0;
	size_t i;

	if (spec->via.kind == SPEC_NONE)
		return 0;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_used)
			return via_wrong(e, rows[i].option, rows[i].why);
	for (p = &spec->via; p; p = p->next)
		n++;
	if (n > KSTATS_VIAS_MAX)
		return error_set(e, EXIT_USAGE, -E2BIG, "a pair has up to 4",
				 "name fewer, or measure twice", "cannot use %u points of --via",
				 n);
	return spec->n_targets ? via_take_call(spec, e) : 0;
}
