// SPDX-License-Identifier: GPL-2.0-only
/* spec_cost.c - what measuring itself takes: the options about it. See spec_priv.h. */
#include "spec_priv.h"

#include <errno.h>

int spec_set_subtract(void *to, const char *value, struct error *e)
{
	((struct spec *)to)->subtract_floor = true;
	return 0;
}

int spec_check_cost(const struct spec *spec, struct error *e)
{
	if (!spec->subtract_floor || !spec->series.runs)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "a gate judges what was measured", "leave one out",
			 "cannot combine --subtract-floor with --runs or a rule");
}

int spec_set_calibrate(void *to, const char *value, struct error *e)
{
	((struct spec *)to)->calibrate = true;
	return 0;
}
