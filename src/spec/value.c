// SPDX-License-Identifier: GPL-2.0-only
/* value.c - the words of --value: what is recorded in place of durations, and where. */
#include "spec/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int spec_set_value(void *to, const char *value, struct error *e)
{
	struct expr **x = to;

	if (*x)
		return spec_bad(e, "--value", value, "it is there twice", "measure twice");
	*x = malloc(sizeof(**x));
	if (!*x)
		return error_no_memory(e, "cannot read the words");
	return expr_parse(*x, "--value", value, e);
}

int spec_set_unit(void *to, const char *value, struct error *e)
{
	const char **unit = to;

	*unit = value;
	if (units_is_time(value) || units_is_word(value))
		return 0;
	return spec_bad(e, "--unit", value, "it is auto, ns, us, ms or s",
			"of --value it is bytes, none, ns, or a word of up to 15 letters");
}

int spec_check_unit(struct spec *spec, struct error *e)
{
	const char *unit = spec->unit;

	bool is_value = spec->value || (spec_has_markers(spec) && !units_is_time(unit));

	if (!is_value && !units_is_time(unit))
		return spec_bad(e, "--unit", unit, "it is auto, ns, us, ms or s",
				"other units are for --value and m:NAME");
	if (!is_value)
		return 0;
	if (strcmp(unit, "auto") && strcmp(unit, "ns") && units_is_time(unit))
		return spec_bad(e, "--unit", unit, "of the times, a value can only be in ns",
				"write --unit ns, which is shown as us, ms or s where it is long");
	if (strcmp(unit, "ns"))
		strcpy(spec->value_unit, units_is_time(unit) ? UNITS_NONE : unit);
	spec->unit = "auto";
	return 0;
}

/* Options about durations, which are not recorded. */
static int check_durations(const struct spec *spec, struct error *e)
{
	const struct {
		const char *option, *next;
		bool is_set;
	} rows[] = {
		{ "--gap", "leave out --gap", spec->gap && !spec->classic },
		{ "--floor", "leave out --floor", spec->floor != SPEC_FLOOR_KEEP },
		{ "--limit overhead", "leave out --limit overhead", spec->max_overhead > 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_set)
			return error_set(e, EXIT_USAGE, -EINVAL, "that is about durations",
					 rows[i].next, "cannot combine --value with %s",
					 rows[i].option);
	if (!spec->classic)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "they are for durations",
			 "name a function or a tracepoint",
			 "cannot combine --value with the classic words");
}

static int check_at(const struct spec *spec, struct error *e)
{
	const char *other = spec->n_targets                 ? "a function"
			    : spec->start.kind != SPEC_NONE ? "--start"
			    : spec->end.kind != SPEC_NONE   ? "--end"
			    : spec->cancel.kind             ? "--cancel"
			    : spec->first                   ? "--first"
			    : spec->per_cpu                 ? "--key cpu"
			    : spec->by_key                  ? "--key"
			    : spec->merge                   ? "--merge"
							    : NULL;

	if (!other)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "the point of --value is the only one",
			 "leave one out", "cannot combine '%s' with %s", spec->at.name, other);
}

int spec_check_value(const struct spec *spec, struct error *e)
{
	int err = spec->at.kind != SPEC_NONE ? check_at(spec, e) : 0;

	return err || !spec->value ? err : check_durations(spec, e);
}

void spec_choose_point(struct spec *spec)
{
	unsigned int needs;

	if (!spec->value || (spec->at.kind == SPEC_NONE && !spec->n_targets))
		return;
	needs = expr_when(spec->value) | spec_by_when(spec) |
		(spec->condition ? expr_when(spec->condition) : 0);
	if (spec->at.kind == SPEC_NONE &&
	    (needs & EXPR_AT_BOTH || needs == (EXPR_AT_ENTRY | EXPR_AT_END)))
		return;
	spec->pairing = KSTATS_BY_POINT;
	spec->at_return = spec->at.kind == SPEC_NONE && needs & EXPR_AT_END;
}
