// SPDX-License-Identifier: GPL-2.0-only
/* methods.c - see methods.h. */
#include "report/methods.h"

#include <math.h>
#include <stdio.h>

#include "report/costs.h"
#include "util/units.h"

const char *methods_side(const struct compare_side *side, char buf[METHODS_TEXT])
{
	char cost[COSTS_TEXT];

	if (side->cost)
		snprintf(buf, METHODS_TEXT, "%.150s, floor %s", side->method,
			 costs_text(side->cost, "auto", cost));
	else
		snprintf(buf, METHODS_TEXT, "%.150s, floor not known", side->method);
	return buf;
}

/* "-3 ns", "+1.2 us" */
static const char *signed_ns(char buf[UNITS_TEXT + 1], double ns)
{
	buf[0] = ns < 0 ? '-' : '+';
	units_duration(buf + 1, fabs(ns), "auto");
	return buf;
}

const char *methods_floors(const struct compare_row *row, char buf[METHODS_TEXT])
{
	double ns = fmax(row->a.value, 1);
	char lo[UNITS_TEXT + 1], hi[UNITS_TEXT + 1];

	if (!row->a.cost || !row->b.cost)
		snprintf(buf, METHODS_TEXT,
			 "without both floors, the methods cannot be told from a change");
	else
		snprintf(buf, METHODS_TEXT,
			 "the floors alone may cause %s to %s, so the interval is wider by that",
			 signed_ns(lo, row->shift_lo * ns), signed_ns(hi, row->shift_hi * ns));
	return buf;
}

const char *methods_all(const struct compare_row *row, char buf[3 * METHODS_TEXT])
{
	char a[METHODS_TEXT], b[METHODS_TEXT], floors[METHODS_TEXT];

	snprintf(buf, 3 * METHODS_TEXT, "base by %s; judged by %s; %s", methods_side(&row->a, a),
		 methods_side(&row->b, b), methods_floors(row, floors));
	return buf;
}
