// SPDX-License-Identifier: GPL-2.0-only
/* costs.c - see costs.h. */
#include "render/costs.h"

#include "util/units.h"

const char *costs_text(const struct cost *c, const char *unit, char buf[COSTS_TEXT])
{
	char floor[COST_STATES][UNITS_TEXT], added[COST_STATES][UNITS_TEXT];
	int i;

	for (i = 0; i < COST_STATES; i++) {
		units_duration(floor[i], c->floor_ns[i].median, unit);
		units_duration(added[i], c->added_ns[i].median, unit);
	}
	snprintf(buf, COSTS_TEXT, "%s hot, %s cold; added per call %s hot, %s cold",
		 floor[COST_HOT], floor[COST_COLD], added[COST_HOT], added[COST_COLD]);
	return buf;
}

bool costs_below(const struct cost *c, uint64_t most)
{
	return c && most <= c->floor_ns[COST_HOT].median;
}
