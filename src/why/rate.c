// SPDX-License-Identifier: GPL-2.0-only
/*
 * rate.c - what comes about in calls, compared by time: a call that takes 40 times as long meets 40
 * times as much, so that more slow calls than others have it does not say that it makes them slow.
 *
 * If a thing comes at a rate L for each nanosecond in the call, a call of d ns has it with the
 * probability 1 - exp(-L d). The likelihood of one rate for all calls is compared with that of one
 * rate for each side. Half a burst counts against a difference, since counts are no fractions.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "why/priv.h"

#include <math.h>

#define LEAST 3 /* bursts, below which nothing is compared */
#define STEPS 50 /* of halving the logarithm of the rate */
#define HALF 0.5

/* A value of a trait, and what each side lacks or has beside its calls. */
struct rate_of {
	const struct pool *p;
	const struct trait *t;
	uint32_t id;
	double k; /* bursts that have it */
	double mean[2]; /* time of ordinary calls, of slow ones */
};

static bool rate_has(const struct rate_of *r, size_t call)
{
	return r->t->ids[call] == r->id;
}

static bool rate_is_slow(const struct rate_of *r, size_t call)
{
	return r->p->calls[call].of < r->p->n_bursts;
}

static double rate_time(const struct rate_of *r, size_t call)
{
	return fmax(1, r->t->times[call]);
}

static double rate_log_has(double x)
{
	return x > 0 ? log(-expm1(-x)) : -INFINITY;
}

/* Logarithm of the likelihood of a rate, and its derivative, of the sides asked for. */
static double rate_likelihood(const struct rate_of *r, int sides, double rate, double *slope)
{
	double sum = 0, d, weight, x;
	bool slow;
	size_t i;

	*slope = 0;
	for (i = 0; i < r->p->n_calls; i++) {
		slow = rate_is_slow(r, i);
		if (!(sides & 1 << slow))
			continue;
		d = rate_time(r, i);
		x = rate * d;
		weight = r->p->calls[i].weight;
		if (rate_has(r, i)) {
			weight *= slow ? (r->k - HALF) / r->k : 1;
			sum += weight * rate_log_has(x);
			*slope += weight * d / expm1(x);
		} else {
			sum -= weight * x;
			*slope -= weight * d;
		}
	}
	if (sides & 1) {
		sum += HALF * rate_log_has(rate * r->mean[0]);
		*slope += HALF * r->mean[0] / expm1(rate * r->mean[0]);
	}
	if (sides & 2) {
		sum -= HALF * rate * r->mean[1];
		*slope -= HALF * r->mean[1];
	}
	return sum;
}

/* The rate that is most likely. The slope falls as the rate rises. */
static double rate_fit(const struct rate_of *r, int sides, double *likelihood)
{
	double lo = log(1e-18), hi = log(1e3), mid = 0, slope;
	int i;

	for (i = 0; i < STEPS; i++) {
		mid = (lo + hi) / 2;
		*likelihood = rate_likelihood(r, sides, exp(mid), &slope);
		if (slope > 0)
			lo = mid;
		else
			hi = mid;
	}
	return exp(mid);
}

static void rate_means(struct rate_of *r)
{
	double n[2] = {};
	bool slow;
	size_t i;

	for (i = 0; i < r->p->n_calls; i++) {
		slow = rate_is_slow(r, i);
		n[slow] += r->p->calls[i].weight;
		r->mean[slow] += r->p->calls[i].weight * rate_time(r, i);
	}
	r->mean[0] /= n[0];
	r->mean[1] /= n[1];
}

double rate_p(const struct pool *p, const struct trait *t, uint32_t id)
{
	const struct trait_value *v = &t->values[id];
	struct rate_of r = { .p = p, .t = t, .id = id, .k = v->k };
	double ordinary = p->n - p->n_bursts, one, slow, usual, gain;

	if (v->k < LEAST || !ordinary || v->k / p->n_bursts <= v->m / ordinary)
		return 1;
	rate_means(&r);
	rate_fit(&r, 3, &one);
	if (rate_fit(&r, 2, &slow) <= rate_fit(&r, 1, &usual))
		return 1;
	gain = slow + usual - one;
	return gain > 0 ? pnorm5(sqrt(2 * gain), 0, 1, 0, 0) : 1;
}
