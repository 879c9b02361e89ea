// SPDX-License-Identifier: GPL-2.0-only
/* figure.c - one metric of one run; see compare.h. */
#include "judge/priv.h"

#include <errno.h>
#include <math.h>

#define NOISY 0.05 /* relative error of a mean that few samples decide */
#define SMOOTH_BITS 3 /* from which on a distribution is taken to be straight in a slot */
#define BENT 0.03 /* share of the widest such slots by which it may bend nevertheless */

/* A distribution, and whether its samples are integers as they are: sizes, not durations. */
struct counted {
	const struct dist *d;
	bool whole;
};

/* The part of a slot in which samples with that mean can lie, if spread evenly. */
struct range {
	double mid;
	double half;
};

/* A slot may hold a single integer. */
static bool is_one_number(const struct counted *c, uint32_t i)
{
	return c->whole && kstats_slot_first(i, c->d->bits) == kstats_slot_last(i, c->d->bits);
}

static struct range slot_range(const struct counted *c, uint32_t i)
{
	const struct dist *d = c->d;
	const struct kstats_slot *slot = &d->slots[i];
	double lo = kstats_slot_first(i, d->bits), hi = (double)kstats_slot_last(i, d->bits) + 1;
	double scale = ldexp(1, kstats_slot_shift(i, d->bits));
	struct range r = { .mid = lo };

	if (is_one_number(c, i))
		return r;

	/* The sums leave out the low bits of large samples: add half of them. */
	r.mid = (double)slot->sum / slot->samples * scale + (scale - 1) / 2 + 0.5;
	r.mid = fmin(fmax(r.mid, lo), hi);
	r.half = fmin(r.mid - lo, hi - r.mid);
	return r;
}

static uint64_t samples_at(const struct dist *d, int64_t i)
{
	return i < 0 || i >= kstats_n_slots(d->bits) ? 0 : d->slots[i].samples;
}

/*
 * How uneven the distribution is near a slot: 0 if both neighbours hold at least half as
 * many samples, 1 if one of them is empty.
 */
static double roughness(const struct dist *d, uint32_t i)
{
	uint64_t left = samples_at(d, (int64_t)i - 1), right = samples_at(d, (int64_t)i + 1);
	double least = left < right ? left : right;

	return fmax(0, 1 - 2 * least / d->slots[i].samples);
}

static uint64_t below(const struct dist *d, uint32_t i)
{
	uint64_t n = 0;

	while (i--)
		n += d->slots[i].samples;
	return n;
}

/* Interpolated value of a rank, from 0 to the number of samples. */
static double value_at(const struct counted *c, double rank, uint32_t *slot)
{
	const struct dist *d = c->d;
	uint32_t i, n = kstats_n_slots(d->bits);
	struct range r;
	double seen = 0;

	for (i = 0; i < n - 1 && (!d->slots[i].samples || seen + d->slots[i].samples < rank); i++)
		seen += d->slots[i].samples;
	while (i && !d->slots[i].samples)
		i--;
	*slot = i;
	r = slot_range(c, i);
	return r.mid + r.half * (2 * (rank - below(d, i)) / d->slots[i].samples - 1);
}

/*
 * Relative error of the interpolation. With few bits a slot is so wide that the distribution
 * bends within it, whatever the neighbours hold: then the whole slot.
 */
static double slack_at(const struct counted *c, uint32_t i, double value)
{
	const struct dist *d = c->d;
	double lo = kstats_slot_first(i, d->bits), hi = (double)kstats_slot_last(i, d->bits) + 1;

	if (is_one_number(c, i))
		return 0;
	value = fmax(value, 1);
	if (d->bits >= SMOOTH_BITS)
		return fmax(roughness(d, i), d->bits == SMOOTH_BITS ? BENT : 0) *
		       slot_range(c, i).half / value;
	return lo > 0 ? log(fmax(hi / value, value / lo)) : log(hi / value);
}

/* Half the distance between the values one standard error of the rank below and above. */
static double rank_noise(const struct counted *c, double q, double value)
{
	double n = c->d->samples, step = sqrt(n * q * (1 - q));
	double hi, lo;
	uint32_t slot;

	hi = value_at(c, fmin(n, n * q + step), &slot);
	lo = value_at(c, fmax(0, n * q - step), &slot);
	return value > 0 ? (hi - lo) / 2 / value : 0;
}

static void quantile(struct compare_figure *f, const struct counted *c, uint32_t millionths)
{
	const struct dist *d = c->d;
	double q = (double)millionths / DIST_ONE;
	uint32_t slot;

	f->value = value_at(c, q * d->samples, &slot);
	f->slack = slack_at(c, slot, f->value);
	f->noise = rank_noise(c, q, f->value);
	f->least = c->whole ? 0.5 : 1;
	f->beyond = fmin(q, 1 - q) * d->samples;
	f->bounds = dist_quantile(d, millionths);
}

/* One sample has no spread: its error is taken to be as large as the mean. */
static void mean(struct compare_figure *f, const struct dist *d)
{
	struct tail t;

	f->value = dist_mean(d);
	f->slack = f->value > 0 ? (double)(d->sum_hi - d->sum_lo) / 2 / d->samples / f->value : 0;
	tail_of(&t, d);
	f->noise = f->value > 0 && d->samples > 1 ? t.error / f->value : 1;
	f->heavy = t.heavy || f->noise > NOISY;
	f->least = 0.5 / d->samples;
	f->beyond = INFINITY;
	f->bounds.lo = dist_u64(d->sum_lo / d->samples);
	f->bounds.hi = dist_u64(d->sum_hi / d->samples);
}

int compare_figure(struct compare_figure *f, const struct snapshot *s, uint32_t node,
		   uint32_t millionths)
{
	struct dist d;
	int err = dist_open(&d, s, node, DIST_ALL_CPUS);

	if (!err && !d.samples)
		err = -ENODATA;
	if (!err) {
		*f = (struct compare_figure){ .samples = d.samples };
		if (millionths == COMPARE_MEAN)
			mean(f, &d);
		else
			quantile(f,
				 &(struct counted){ &d, !units_is_time(snapshot_unit(s, "auto")) },
				 millionths);
	}
	dist_close(&d);
	return err;
}

double compare_log(const struct compare_figure *f)
{
	return log(fmax(f->value, f->least));
}

uint64_t compare_samples_needed(uint32_t millionths)
{
	uint64_t beyond = millionths;

	if (millionths == COMPARE_MEAN)
		return 1;
	if (millionths > DIST_ONE / 2)
		beyond = DIST_ONE - millionths;
	return beyond ? (COMPARE_BEYOND * (uint64_t)DIST_ONE + beyond - 1) / beyond : 0;
}
