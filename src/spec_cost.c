// SPDX-License-Identifier: GPL-2.0-only
/* spec_cost.c - what measuring itself takes: the options about it. See spec_priv.h. */
#include "spec_priv.h"

int spec_set_calibrate(void *to, const char *value, struct error *e)
{
	((struct spec *)to)->calibrate = true;
	return 0;
}
