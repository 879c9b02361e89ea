// SPDX-License-Identifier: GPL-2.0-only
/* axis.c - axes and tick marks. */
#include "format/draw/axis.h"

#include <math.h>
#include <string.h>

#include "util/units.h"

#define ZERO 0.5 /* the value 0 is drawn here on a logarithmic axis */
#define LEAST_RATIO 4 /* between the ends, so that a single slot does not fill the chart */

double axis_at(const struct axis *a, double value)
{
	double along;

	if (a->log)
		along = log(fmax(value, fmin(ZERO, a->lo)) / a->lo) / log(a->hi / a->lo);
	else
		along = (value - a->lo) / (a->hi - a->lo);
	return a->begin + along * (a->end - a->begin);
}

struct axis axis_values(const struct dist *d, double begin, double end)
{
	struct axis a = { .begin = begin, .end = end, .log = true };
	double widen;

	a.lo = dist_quantile(d, 0).lo;
	a.hi = dist_quantile(d, DIST_ONE).hi + 1.0;
	if (a.lo < ZERO)
		a.lo = ZERO;
	widen = a.hi / a.lo < LEAST_RATIO ? sqrt(LEAST_RATIO * a.lo / a.hi) : 1;
	a.lo /= widen;
	a.hi *= widen;
	return a;
}

void axis_widen(struct axis *a)
{
	double margin = fmax((a->hi - a->lo) / 8, a->hi / 1000);

	margin = margin > 0 ? margin : 1;
	a->lo -= margin;
	a->hi += margin;
}

/* ---- ticks ---- */

/* Choose a unit that makes the number short, unless the user chose one. */
static const char *unit_for(double ns, const char *unit)
{
	if (strcmp(unit, "auto"))
		return unit;
	return ns < 1e3 ? "ns" : ns < 1e6 ? "us" : ns < 1e9 ? "ms" : "s";
}

/* As units_bytes() writes sizes, but without digits that say nothing. */
static void label_bytes(double bytes, char *label, size_t size)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t i = 0;

	for (; bytes >= 1024 && i + 1 < sizeof(names) / sizeof(*names); i++)
		bytes /= 1024;
	snprintf(label, size, "%g %s", bytes, names[i]);
}

/* Without the unit, which may be a long word: the figures beside the drawing have it. */
static void label_number(double v, char *label, size_t size)
{
	const char *prefix = v < 1e3 ? "" : v < 1e6 ? "k" : v < 1e9 ? "M" : v < 1e12 ? "G" : "T";

	snprintf(label, size, "%g%s%s",
		 v / (v < 1e3    ? 1
		      : v < 1e6  ? 1e3
		      : v < 1e9  ? 1e6
		      : v < 1e12 ? 1e9
				 : 1e12),
		 *prefix ? " " : "", prefix);
}

static void add_tick(const struct axis *a, double ns, const char *unit, struct axis_tick *tick)
{
	unit = unit_for(a->log ? ns : a->hi, unit);
	tick->at = axis_at(a, ns);
	if (!strcmp(unit, UNITS_BYTES)) {
		label_bytes(ns, tick->label, sizeof(tick->label));
		return;
	}
	if (!strcmp(unit, "%")) {
		/* A label must not become long: 1 ppm is 0.0001%. */
		snprintf(tick->label, sizeof(tick->label),
			 fabs(ns) < 0.005 && ns != 0 ? "%.3g ppm" : "%.3g%%",
			 fabs(ns) < 0.005 ? ns * 1e4 : ns);
		return;
	}
	if (!units_is_time(unit)) {
		label_number(ns, tick->label, sizeof(tick->label));
		return;
	}
	snprintf(tick->label, sizeof(tick->label), "%g %s", ns / units_ns(unit), unit);
}

/* The labels within a power of ten, by the number of powers that the axis covers. */
static const struct digits {
	double powers; /* at most */
	int n;
	double digits[8];
} digits[] = {
	{ 0.8, 8, { 1, 1.5, 2, 3, 4, 5, 6, 8 } },
	{ 2, 3, { 1, 2, 5 } },
	{ INFINITY, 1, { 1 } },
};

static unsigned int log_ticks(const struct axis *a, const char *unit, struct axis_tick *ticks)
{
	int first = floor(log10(a->lo)), last = ceil(log10(a->hi)), power, step, i;
	const struct digits *set = digits;
	unsigned int n = 0;
	double ns;

	while (log10(a->hi / a->lo) > set->powers)
		set++;
	step = set->n > 1 ? 1 : (last - first) / AXIS_TICKS + 1;
	for (power = first; power <= last; power += step) {
		for (i = 0; i < set->n; i++) {
			ns = set->digits[i] * pow(10, power);
			if (ns >= a->lo && ns <= a->hi && n < AXIS_TICKS)
				add_tick(a, ns, unit, &ticks[n++]);
		}
	}
	return n;
}

/* Sizes have ticks at powers of two: all of them, or each second, fifth or tenth. */
static unsigned int log_size_ticks(const struct axis *a, struct axis_tick *ticks)
{
	static const int steps[] = { 1, 2, 5, 10 };
	const int *step = steps;
	unsigned int n = 0;
	int power;

	while (log2(a->hi / a->lo) / *step > AXIS_TICKS - 1 && *step < 10)
		step++;
	for (power = ceil(fmax(log2(a->lo), 0) / *step) * *step; n < AXIS_TICKS; power += *step) {
		if (exp2(power) > a->hi)
			break;
		add_tick(a, exp2(power), UNITS_BYTES, &ticks[n++]);
	}
	return n;
}

/* Of powers of ten, or for sizes of two. */
static double linear_step(double range, bool bytes)
{
	double step = bytes ? exp2(floor(log2(range)) - 2) : pow(10, floor(log10(range)));

	if (bytes)
		return range / step > AXIS_TICKS - 1 ? 2 * step : step;
	if (range / step < 2)
		step /= 5;
	else if (range / step < 5)
		step /= 2;
	while (range / step > AXIS_TICKS - 1)
		step *= 2;
	return step;
}

static unsigned int linear_ticks(const struct axis *a, const char *unit, struct axis_tick *ticks)
{
	double step = linear_step(a->hi - a->lo, !strcmp(unit, UNITS_BYTES)), ns;
	unsigned int n = 0;

	for (ns = ceil(a->lo / step) * step; ns <= a->hi && n < AXIS_TICKS; ns += step)
		add_tick(a, ns, unit, &ticks[n++]);
	return n;
}

unsigned int axis_ticks(const struct axis *a, const char *unit, struct axis_tick ticks[AXIS_TICKS])
{
	if (!(a->hi > a->lo))
		return 0;
	if (!a->log)
		return linear_ticks(a, unit, ticks);
	return strcmp(unit, UNITS_BYTES) ? log_ticks(a, unit, ticks) : log_size_ticks(a, ticks);
}
