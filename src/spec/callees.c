// SPDX-License-Identifier: GPL-2.0-only
/* callees.c - the words of --callees: functions that are traced within calls of a target. */
#include "spec/priv.h"

#include <errno.h>
#include <string.h>

int spec_set_callees(void *to, const char *value, struct error *e)
{
	size_t length = strlen(value);

	if (length && (value[0] == ',' || value[length - 1] == ',' || strstr(value, ",,")))
		return error_set(e, EXIT_USAGE, -EINVAL, "a name is missing",
				 "it is like --callees=rw_verify_area,ext4_file_read_iter",
				 "cannot use --callees=%s", value);
	*(const char **)to = value;
	return 0;
}

static int callees_clash(struct error *e, const char *with, const char *why)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "leave one out",
			 "cannot combine --callees with %s", with);
}

/* The time in a callee is a part of a call's duration, and kept where its parts are. */
int spec_check_callees(struct spec *spec, struct error *e)
{
	const struct {
		bool is_used;
		const char *option, *why;
	} rows[] = {
		{ spec->via.kind != SPEC_NONE, "--via", "stages and callees divide one duration" },
		{ spec->start.kind != SPEC_NONE || spec->at.kind != SPEC_NONE ||
			  spec->end.kind != SPEC_NONE || spec->cancel.kind != SPEC_NONE,
		  "points", "only a function has callees" },
		{ spec->value, "--value", "only a duration is divided" },
		{ spec->by_key, "--key",
		  "start and end may be in two tasks then, and callees are of one" },
		{ spec->per_cpu, "--key cpu",
		  "start and end may be in two tasks then, and callees are of one" },
		{ spec->merge, "--merge", "the callees are those of one function" },
		{ spec->method == SPEC_METHOD_DIRECT, "--method direct",
		  "this method keeps no account of tasks" },
		{ spec->method == SPEC_METHOD_TRACE_EVENT, "--method trace-event",
		  "this method is for tracepoints" },
		{ spec->max_overhead, "--limit overhead",
		  "the estimate does not know the programs on callees" },
		{ spec->floor == SPEC_FLOOR_SUBTRACT, "--floor subtract",
		  "callees add up to the duration as it was measured" },
	};
	size_t i;

	if (!spec->callees)
		return 0;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_used)
			return callees_clash(e, rows[i].option, rows[i].why);
	if (spec->n_targets != 1 || strpbrk(spec->targets->name, "*?["))
		return error_set(e, EXIT_USAGE, -EINVAL, "the callees are those of one function",
				 "name one function; names of callees follow '=': --callees=NAME",
				 "cannot use --callees with this target");
	if (spec_is_user(spec->targets->kind) || spec->targets->kind == SPEC_MARKER)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "only the kernel's own instructions are read",
				 "name a function of the kernel", "cannot find what '%s' calls",
				 spec->targets->name);
	spec->parts = true;
	return 0;
}
