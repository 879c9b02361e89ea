// SPDX-License-Identifier: GPL-2.0-only
/* bad.c - how values of options are refused. */
#include "spec/priv.h"

#include <errno.h>

int spec_bad(struct error *e, const char *option, const char *value, const char *why,
	     const char *next)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s' for %s", value,
			 option);
}
