// SPDX-License-Identifier: GPL-2.0-only
/* markers.c - m:NAME, the markers of kstats_user.h of that name. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/priv.h"

#define MARKER_PREFIX "m:"

bool spec_has_markers(const struct spec *spec)
{
	return spec->n_targets && spec->targets[0].kind == SPEC_MARKER;
}

bool spec_is_marker(const char *name)
{
	size_t n;

	for (n = 0; isalnum((unsigned char)name[n]) || name[n] == '_'; n++)
		;
	return n && !name[n] && n <= KSTATS_NAME_MAX && !isdigit((unsigned char)*name);
}

int spec_set_marker(struct spec_point *p, const char *text, struct error *e)
{
	const char *name = text + strlen(MARKER_PREFIX);

	if (strncmp(text, MARKER_PREFIX, strlen(MARKER_PREFIX)))
		return 0;
	if (!spec_is_marker(name))
		return error_set(e, EXIT_USAGE, -EINVAL, SPEC_MARKER_NAME,
				 "write m:NAME, see kstats_user(3)", "cannot use '%s'", text);
	p->kind = SPEC_MARKER;
	p->name = strdup(name);
	return p->name ? 1 : error_no_memory(e, "cannot read the words");
}

#define PROGRAMS_COUNT "programs record by themselves"
#define HAVE_ALL "programs record every sample, without its task or arguments"

/* What does not fit: an option, and why. */
static const char *markers_amiss(const struct spec *spec, const char **why)
{
	const struct spec_who *who = &spec->who;
	const struct {
		bool is_set;
		const char *option, *why;
	} rows[] = {
		{ spec->parts, "--parts", "programs record no single calls" },
		{ spec->value, "--value", "the marker KSTATS_SAMPLE() has the value" },
		{ spec->condition, "--if", HAVE_ALL },
		{ spec->n_by || spec->split_ret, "--by", HAVE_ALL },
		{ spec->gap, "gaps", PROGRAMS_COUNT },
		{ spec->per_cpu, "--key cpu", PROGRAMS_COUNT },
		{ spec->merge, "--merge", "each has its own distribution" },
		{ spec->method != SPEC_METHOD_AUTO || spec->fast, "--method", PROGRAMS_COUNT },
		{ spec->backend != SPEC_BACKEND_AUTO, "--backend", PROGRAMS_COUNT },
		{ spec->throws, "--throws", "nothing is probed" },
		{ spec->floor != SPEC_FLOOR_KEEP, "--floor",
		  "it is measured for probes, and markers have none" },
		{ spec->max_overhead, "--limit overhead", PROGRAMS_COUNT },
		{ spec->max_functions || spec->slot_memory, "--limit", PROGRAMS_COUNT },
		{ who->n_pids || who->n_tids || who->comm[0] || who->by_cpu || who->cgroup,
		  "filters of tasks", "it is not known which task a sample came from" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		*why = rows[i].why;
		if (rows[i].is_set)
			return rows[i].option;
	}
	return NULL;
}

static int markers_check_twice(const struct spec *spec, struct error *e)
{
	size_t i, j;

	for (i = 0; i < spec->n_targets; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(spec->targets[i].name, spec->targets[j].name))
				return error_set(e, EXIT_USAGE, -EINVAL, "it is there twice",
						 "name it once", "cannot use m:%s",
						 spec->targets[i].name);
	return 0;
}

int spec_check_markers(const struct spec *spec, struct error *e)
{
	const char *why, *option;
	size_t i, n = 0;

	for (i = 0; i < spec->n_targets; i++)
		n += spec->targets[i].kind == SPEC_MARKER;
	if (n && n < spec->n_targets)
		return error_set(
			e, EXIT_USAGE, -EINVAL, "one run measures markers or functions, not both",
			"measure them in two runs", "cannot combine m:NAME with a function");
	if (!n && spec_has_kind(spec, SPEC_MARKER))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "programs tell the duration between their markers",
				 "write 'kstats-bpf trace m:NAME'", "cannot use m:NAME as a point");
	option = n ? markers_amiss(spec, &why) : NULL;
	if (!option)
		return n ? markers_check_twice(spec, e) : 0;
	return error_set(e, EXIT_USAGE, -EINVAL, why, "leave it out", "cannot use %s with markers",
			 option);
}
