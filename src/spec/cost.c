// SPDX-License-Identifier: GPL-2.0-only
/* cost.c - the options about the overhead: do they fit the rest. */
#include "spec/priv.h"

#include <errno.h>

int spec_check_cost(const struct spec *spec, struct error *e)
{
	if (spec->max_overhead && spec->series.runs)
		return error_set(e, EXIT_USAGE, -EINVAL, "a run that ends early cannot be compared",
				 "leave one out",
				 "cannot combine --limit overhead with --runs or a rule");
	if (spec->floor != SPEC_FLOOR_SUBTRACT || !spec->series.runs)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "rules judge samples as they were measured",
			 "leave one out", "cannot combine --floor subtract with --runs or a rule");
}
