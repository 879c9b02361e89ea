// SPDX-License-Identifier: GPL-2.0-only
/*
 * family.c - what chance does to all values of all fields at once: the smallest p of any of them,
 * of many draws in which being slow has nothing to do with any value.
 *
 * - Fields that are counted: each burst draws a value by the exact shares of all calls, each field
 *   for itself.
 * - Other fields, and pairs: bursts and ordinary calls change places, with all that they have, so
 *   that fields that go together do so in each draw as well.
 * - Rates, and shares of the time: their p are uniform, so the smallest of them is drawn from its
 *   distribution.
 *
 * Nothing can be named any more once ten of them are as small as what was found.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "why/priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/chance.h"

#define SURE 1.0 /* standard deviation, below which p is never small */
#define ENOUGH ((size_t)(STUDY_FALSE * (FAMILY_DRAWS + 1)))

/* Real numbers of bursts are allowed: the tail of the binomial is an incomplete beta function. */
static double family_binomial(double k, double n, double q)
{
	if (k <= 0 || q >= 1)
		return 1;
	return pbeta(q, k, n - k + 1, 1, 0);
}

/* Fisher's exact test. What is allowed for threads stands beside the ordinary calls. */
static double family_fisher(const struct pool *p, const struct trait_value *v, double k)
{
	double ordinary = p->n - p->n_bursts;
	double all = ceil(v->k + v->m - 1e-9) + floor(ordinary * (v->q - v->known) + 0.5);
	double white = fmin(all, p->n);

	k = floor(k + 1e-9);
	return k > 0 ? phyper(k - 1, white, p->n - white, p->n_bursts, 0, 0) : 1;
}

double family_alone(const struct pool *p, const struct trait *t, const struct trait_value *v,
		    double k)
{
	if (t->test == TRAIT_COUNTED)
		return family_binomial(k, p->n_bursts, v->q);
	return family_fisher(p, v, k);
}

/* ---- draws ---- */

struct family_trait {
	const struct trait *t;
	double *upto; /* owned; of a counted field, the sum of the shares up to each value */
	double *k; /* owned; bursts of each value in this draw */
	double *known; /* owned; p of each value at some numbers of bursts; -1: not known yet */
};

#define KNOWN 16 /* numbers of bursts */

struct family {
	const struct pool *p;
	uint64_t state;
	size_t n;
	struct family_trait *rows; /* owned */
	size_t n_rates; /* values that are compared by rates */
	uint32_t *order; /* owned; observations; the first ones are bursts in this draw */
	bool *slow; /* owned; of each observation */
};

static double family_uniform(uint64_t *state)
{
	return (chance_number(state) >> 11) * 0x1p-53;
}

static void family_shuffle(struct family *f)
{
	uint32_t i, to, x;

	memset(f->slow, 0, f->p->n * sizeof(*f->slow));
	for (i = 0; i < f->p->n_bursts; i++) {
		to = i + chance_below(&f->state, f->p->n - i);
		x = f->order[to];
		f->order[to] = f->order[i];
		f->order[i] = x;
		f->slow[x] = true;
	}
}

/* The value whose share a number falls into; that of no value is the last. */
static size_t family_pick(const struct family_trait *x, double at)
{
	size_t lo = 0, hi = x->t->n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (x->upto[mid] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void family_draw_counts(struct family *f, struct family_trait *x)
{
	double all = x->t->n ? fmax(1, x->upto[x->t->n - 1]) : 1;
	size_t i;

	for (i = 0; i < f->p->n_bursts; i++)
		x->k[family_pick(x, all * family_uniform(&f->state))]++;
}

static void family_draw_calls(const struct family *f, struct family_trait *x)
{
	const struct pool *p = f->p;
	size_t i;

	for (i = 0; i < p->n_calls; i++)
		if (f->slow[p->calls[i].of] && x->t->ids[i] != TRAIT_NONE)
			x->k[x->t->ids[i]] += p->calls[i].weight;
}

static double family_look_up(const struct family *f, struct family_trait *x, size_t i)
{
	const struct trait_value *v = &x->t->values[i];
	double k = x->k[i], n = f->p->n_bursts, *known;
	double share = x->t->test == TRAIT_COUNTED ? v->q : (v->k + v->m) / f->p->n;

	if (k < 1 || k - n * share < SURE * sqrt(n * share * (1 - share)))
		return 1;
	if (k >= KNOWN || k != floor(k))
		return family_alone(f->p, x->t, v, k);
	known = &x->known[i * KNOWN + (size_t)k];
	if (*known < 0)
		*known = family_alone(f->p, x->t, v, k);
	return *known;
}

static double family_least(struct family *f)
{
	double least = 1, p;
	struct family_trait *x;
	size_t i;

	family_shuffle(f);
	for (x = f->rows; x < f->rows + f->n; x++) {
		memset(x->k, 0, (x->t->n + 1) * sizeof(*x->k));
		if (x->t->test == TRAIT_COUNTED)
			family_draw_counts(f, x);
		else
			family_draw_calls(f, x);
		for (i = 0; i < x->t->n; i++) {
			p = x->k[i] > 0 ? family_look_up(f, x, i) : 1;
			least = fmin(least, p);
		}
	}
	if (f->n_rates)
		least = fmin(least, -expm1(log1p(-family_uniform(&f->state)) / f->n_rates));
	return least;
}

/* ---- to begin and to end ---- */

static int family_add(struct family *f, const struct trait *t)
{
	struct family_trait *x = &f->rows[f->n++];
	size_t i;

	*x = (struct family_trait){ .t = t,
				    .upto = calloc(t->n + 1, sizeof(*x->upto)),
				    .k = calloc(t->n + 1, sizeof(*x->k)),
				    .known = calloc((t->n + 1) * KNOWN, sizeof(*x->known)) };
	if (!x->upto || !x->k || !x->known)
		return -ENOMEM;
	for (i = 0; i < t->n; i++)
		x->upto[i] = (i ? x->upto[i - 1] : 0) + t->values[i].q;
	for (i = 0; i < t->n * KNOWN; i++)
		x->known[i] = -1;
	return 0;
}

static int family_begin(struct family *f, const struct traits *t)
{
	size_t i;
	int err;

	f->rows = calloc(t->n + 1, sizeof(*f->rows));
	f->order = calloc(f->p->n + 1, sizeof(*f->order));
	f->slow = calloc(f->p->n + 1, sizeof(*f->slow));
	err = f->rows && f->order && f->slow ? 0 : -ENOMEM;
	for (i = 0; !err && i < f->p->n; i++)
		f->order[i] = i;
	for (i = 0; !err && i < t->n; i++) {
		if (trait_is_during(&t->rows[i]))
			f->n_rates += t->rows[i].n;
		else
			err = family_add(f, &t->rows[i]);
	}
	return err;
}

static void family_end(struct family *f)
{
	size_t i;

	for (i = 0; f->rows && i < f->n; i++) {
		free(f->rows[i].upto);
		free(f->rows[i].k);
		free(f->rows[i].known);
	}
	free(f->rows);
	free(f->order);
	free(f->slow);
}

int family_draw(const struct traits *t, const struct pool *p, double best, double *least, size_t *n)
{
	struct family f = { .p = p, .state = 1 };
	int err = family_begin(&f, t);
	size_t as_small = 0;

	for (*n = 0; !err && *n < FAMILY_DRAWS && as_small < ENOUGH; ++*n) {
		least[*n] = family_least(&f);
		as_small += least[*n] <= best;
	}
	family_end(&f);
	return err;
}
