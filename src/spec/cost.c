// SPDX-License-Identifier: GPL-2.0-only
/* cost.c - what measuring itself takes: the options about it. See priv.h. */
#include "spec/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int spec_set_max_overhead(void *to, const char *value, struct error *e)
{
	size_t digits = strspn(value, "0123456789.");
	char *end;
	double percent = strtod(value, &end);

	if (!digits || end != value + digits || (*end && strcmp(end, "%")) || !(percent > 0) ||
	    percent > 100)
		return spec_bad(e, "--max-overhead", value,
				"it is percent of the processors' time, like 1 or 0.5", NULL);
	((struct spec *)to)->max_overhead = percent;
	return 0;
}

int spec_set_subtract(void *to, const char *value, struct error *e)
{
	((struct spec *)to)->subtract_floor = true;
	return 0;
}

int spec_check_cost(const struct spec *spec, struct error *e)
{
	if (spec->max_overhead && spec->series.runs)
		return error_set(e, EXIT_USAGE, -EINVAL, "a run that is measured in part is none",
				 "leave one out",
				 "cannot combine --max-overhead with --runs or a rule");
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
