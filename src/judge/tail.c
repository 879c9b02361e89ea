// SPDX-License-Identifier: GPL-2.0-only
/*
 * tail.c - whether samples tell the mean, and how well; see priv.h.
 *
 * Of times whose tail is heavy, one sample in thousands can be as large as all others together.
 * Then the mean of the samples is usually below the true one, and no interval around it holds.
 * The tail is judged by the estimate of Hill from the largest samples, its index less its
 * standard errors: below 2, the variance is infinite as far as the samples tell.
 */
#include "judge/priv.h"

#include <math.h>

#define LEAST 100 /* samples, below which a mean is not told */
#define LARGEST 10 /* samples that show the tail, at least; of many, the square root */
#define INDEX 2 /* of a tail, below which the variance is infinite */
#define ERRORS 1.3 /* standard errors of the index; by simulation, see docs/verdicts.md */

/* Index of the tail by Hill, less ERRORS standard errors. */
static double tail_index(const struct dist *d)
{
	double want = fmax(LARGEST, sqrt(d->samples)), n = 0, sum = 0, lo = 0;
	uint32_t i = kstats_n_slots(d->bits);
	struct dist_bounds b;
	double avg;

	while (i-- && n < want) {
		if (!d->slots[i].samples)
			continue;
		b = dist_slot_value(d, i);
		avg = fmax(1, dist_slot_avg(&d->slots[i], i, d->bits));
		lo = fmax(1, b.lo);
		n += d->slots[i].samples;
		sum += d->slots[i].samples * log(avg);
	}
	sum -= n * log(lo);
	return sum > 0 ? n / sum * (1 - ERRORS / sqrt(n)) : INFINITY;
}

void tail_of(struct tail *t, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	double mean = dist_mean(d), squares = 0, cubes = 0, x, width, v, n = d->samples;

	while (dist_next(d, &row)) {
		x = row.avg - mean;
		width = (double)(row.value.hi - row.value.lo) + 1;
		v = width > 1 ? width * width / 12 : 0;
		squares += (x * x + v) * row.samples;
		cubes += (x * x * x + 3 * x * v) * row.samples;
	}
	*t = (struct tail){ .error = mean, .heavy = true };
	if (n < 2)
		return;
	v = squares / (n - 1);
	t->error = sqrt(v / n);
	t->skew = v > 0 ? cubes / n / pow(v, 1.5) : 0;
	t->few = n < LEAST;
	t->heavy = v > 0 && tail_index(d) < INDEX;
}

double tail_reach(const struct tail *t, uint64_t samples, double z)
{
	return t->error * (z + fmax(0, t->skew) * (2 * z * z + 1) / (6 * sqrt(samples)));
}
