// SPDX-License-Identifier: GPL-2.0-only
/*
 * causes.c - what sets slow calls apart, ranked by how many of them it explains: the attributable
 * share P(f|slow) (1 - 1/RR), at the lower end of its interval. A value is named if chance lets any
 * value of any field stand out as much in at most 1 % of measurements (Westfall and Young).
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "why/priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TRIED 32 /* causes that are compared with each other */
#define MOST 6 /* causes that are told */
#define HINTS 3 /* values that slow calls have for they are long */
#define HINT_SLOW 0.5 /* share of slow calls that must have it */
#define MATTERS 0.05 /* chance that a pair is no more than one of its fields */
#define HALF_CALL 0.5 /* a share of 1 would be an endless rate */
#define NEARLY 0.75
#define TAIL ((1 - STUDY_CONFIDENCE) / 2)

/* What is known of all values. */
struct causes {
	struct study *s;
	const struct pool *p;
	const struct traits *t;
	double least[FAMILY_DRAWS];
	size_t n_draws;
	double ordinary; /* number of ordinary calls compared */
};

static bool causes_tries(const struct causes *x, const struct trait *t, const struct trait_value *v)
{
	return t->test == TRAIT_RATE ? v->k > 0 : v->k > x->p->n_bursts * v->q;
}

/* Return: the smallest p. */
static double causes_try_all(struct causes *x)
{
	struct trait_value *v;
	struct trait *t;
	double best = 1;

	for (t = x->t->rows; t < x->t->rows + x->t->n; t++) {
		x->s->n_tried += t->n;
		for (v = t->values; v < t->values + t->n; v++) {
			v->p = 1;
			if (!causes_tries(x, t, v))
				continue;
			v->p = t->test == TRAIT_RATE ? rate_p(x->p, t, v - t->values)
						     : family_alone(x->p, t, v, v->k);
			best = fmin(best, v->p);
		}
	}
	return best;
}

static double causes_p(const struct causes *x, double p)
{
	size_t as_small = 0, i;

	for (i = 0; i < x->n_draws; i++)
		as_small += x->least[i] <= p;
	return (as_small + 1.0) / (x->n_draws + 1.0);
}

/* ---- how many slow calls a value explains ---- */

static double causes_attributable(double slow, double others)
{
	return others < 1 ? fmax(0, (slow - others) / (1 - others)) : 0;
}

/* The share of all calls, of which those that are slow are known; so it is exact if they all are.
 */
static double causes_of_all(const struct causes *x, double slow, double ordinary)
{
	double n_slow = x->p->why->n_slow, n = x->p->why->n_calls;

	return n ? (slow * n_slow + ordinary * (n - n_slow)) / n : ordinary;
}

/* A value of two fields is no more frequent than either of them. */
static double causes_most_others(const struct causes *x, const struct trait *t,
				 const struct trait_value *v)
{
	double most = v->q, seen;
	const struct trait *parent;
	const struct trait_value *u;
	int i;

	if (t->test == TRAIT_COUNTED)
		return v->q;
	seen = qbeta(1 - TAIL, v->m + 1, fmax(x->ordinary - v->m, 1e-9), 1, 0);
	most = causes_of_all(x, v->k / x->p->n_bursts, fmax(most, seen));
	for (i = 0; t->n_fields == 2 && i < 2; i++) {
		parent = &x->t->rows[t->of[i]];
		for (u = parent->values; u < parent->values + parent->n; u++)
			if (u->text[0] == v->text[i])
				most = fmin(most, causes_most_others(x, parent, u));
	}
	return most;
}

static double causes_least_slow(const struct causes *x, const struct trait_value *v)
{
	return v->k > 0 ? qbeta(TAIL, v->k, x->p->n_bursts - v->k + 1, 1, 0) : 0;
}

static void causes_set_shares(const struct causes *x, const struct trait *t,
			      const struct trait_value *v, struct study_cause *c)
{
	double q = t->test == TRAIT_COUNTED ? v->known : causes_of_all(x, c->slow, v->known);

	c->others = q;
	c->ratio = q > 0 && c->slow < 1 ? c->slow * (1 - q) / (q * (1 - c->slow)) : INFINITY;
	c->share = causes_attributable(c->slow, q);
	c->share_lo = causes_attributable(causes_least_slow(x, v), causes_most_others(x, t, v));
}

/* Time of all observations of a side. */
static double causes_time(const struct causes *x, const struct trait *t, bool slow)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < x->p->n_calls; i++)
		if ((x->p->calls[i].of < x->p->n_bursts) == slow)
			sum += x->p->calls[i].weight * fmax(1, t->times[i]);
	return sum;
}

/* The rate at which a thing comes that this share of @n calls has, which last for @time together.
 */
static double causes_rate(double share, double n, double time)
{
	return -log1p(-fmin(share, 1 - HALF_CALL / n)) * n / time;
}

static void causes_set_rates(const struct causes *x, const struct trait *t,
			     const struct trait_value *v, struct study_cause *c)
{
	double slow = causes_time(x, t, true), ordinary = causes_time(x, t, false),
	       n = x->p->n_bursts;
	double least = causes_least_slow(x, v), lo = causes_rate(least, n, slow), most = INFINITY;

	c->others = x->ordinary ? v->m / x->ordinary : 0;
	c->ratio = v->m > 0 ? causes_rate(c->slow, n, slow) /
				      causes_rate(c->others, x->ordinary, ordinary)
			    : INFINITY;
	c->share = c->slow * fmax(0, 1 - 1 / c->ratio);
	if (ordinary > 0)
		most = causes_rate(qbeta(1 - TAIL, v->m + 1, fmax(x->ordinary - v->m, 1e-9), 1, 0),
				   x->ordinary, ordinary);
	c->share_lo = lo > 0 ? least * fmax(0, 1 - most / lo) : 0;
}

/* @v->q: the share that chance would give slow calls; ordinary calls may have it less often. */
static void causes_set_places(const struct causes *x, const struct trait_value *v,
			      struct study_cause *c)
{
	double m = v->q * x->ordinary,
	       most = qbeta(1 - TAIL, m + 1, fmax(x->ordinary - m, 1e-9), 1, 0);

	c->others = x->ordinary ? v->m / x->ordinary : 0;
	c->ratio = v->q > 0 ? c->slow / v->q : INFINITY;
	c->share = causes_attributable(c->slow, v->q);
	c->share_lo = causes_attributable(causes_least_slow(x, v), fmax(v->q, most));
}

static void causes_count_slow(const struct causes *x, const struct trait *t,
			      const struct trait_value *v, struct study_cause *c)
{
	size_t i;

	if (c->is_counted) {
		c->slow_calls = v->slow_calls;
		c->of_slow = x->p->why->n_slow;
		return;
	}
	for (i = 0; i < x->p->n_calls; i++) {
		if (x->p->calls[i].of >= x->p->n_bursts)
			continue;
		c->of_slow++;
		c->slow_calls += t->ids[i] == v - t->values;
	}
}

static struct study_cause causes_make(const struct causes *x, const struct trait *t,
				      const struct trait_value *v)
{
	struct study_cause c = { .n = t->n_fields,
				 .by_time = t->test == TRAIT_SHARE,
				 .is_counted = t->test == TRAIT_COUNTED };
	int i;

	c.kind = trait_is_during(t) ? STUDY_DURING : c.n == 2 ? STUDY_PAIR : STUDY_ENTRY;
	for (i = 0; i < c.n; i++) {
		c.field[i] = t->name[i];
		c.value[i] = v->text[i];
	}
	c.bursts = v->k;
	c.slow = v->k / x->p->n_bursts;
	causes_count_slow(x, t, v, &c);
	if (t->test == TRAIT_SHARE)
		causes_set_places(x, v, &c);
	else if (c.kind == STUDY_DURING)
		causes_set_rates(x, t, v, &c);
	else
		causes_set_shares(x, t, v, &c);
	c.p = causes_p(x, v->p);
	c.is_named = x->n_draws == FAMILY_DRAWS && c.p <= STUDY_FALSE && c.share_lo > 0 &&
		     causes_least_slow(x, v) >= t->least;
	return c;
}

/* ---- causes that go together ---- */

/* A cause, and whose value it is. */
struct ranked {
	struct study_cause c;
	const struct trait *t;
	uint32_t id;
	bool explained;
};

static bool causes_have(const struct trait *t, uint32_t id, size_t call)
{
	return t->ids[call] == id;
}

/* Of calls that have @one, slow ones have @both as well more often. */
static bool causes_matters(const struct pool *p, const struct ranked *one,
			   const struct ranked *both)
{
	double k = 0, m = 0, k_one = 0, m_one = 0;
	size_t i;

	for (i = 0; i < p->n_calls; i++) {
		if (!causes_have(one->t, one->id, i))
			continue;
		*(p->calls[i].of < p->n_bursts ? &k_one : &m_one) += p->calls[i].weight;
		if (causes_have(both->t, both->id, i))
			*(p->calls[i].of < p->n_bursts ? &k : &m) += p->calls[i].weight;
	}
	k = floor(k + 1e-9);
	k_one = fmax(k, floor(k_one + 1e-9));
	return k > 0 && phyper(k - 1, k + m, k_one - k + m_one - m, k_one, 0, 0) <= MATTERS;
}

/*
 * Of two that do not matter beside each other, the one that ranks lower is explained; and a wider
 * one by a narrower one that explains nearly as many slow calls.
 */
static bool causes_explain(const struct pool *p, const struct ranked *by, const struct ranked *x,
			   bool by_first)
{
	if (by->c.kind == STUDY_DURING || x->c.kind == STUDY_DURING || causes_matters(p, by, x))
		return false;
	return by_first || (by->c.share >= NEARLY * x->c.share && causes_matters(p, x, by));
}

/* A pair is told only where its bound beats both of its fields, and both matter in it. */
static bool causes_pair_wins(const struct causes *x, const struct ranked *pair)
{
	struct ranked alone;
	int i;

	for (i = 0; i < 2; i++) {
		alone = (struct ranked){ .t = &x->t->rows[pair->t->of[i]] };
		while (alone.t->values[alone.id].text[0] != pair->c.value[i])
			alone.id++;
		alone.c = causes_make(x, alone.t, &alone.t->values[alone.id]);
		if (pair->c.share_lo < alone.c.share_lo || !causes_matters(x->p, &alone, pair))
			return false;
	}
	return true;
}

/* ---- the ranking ---- */

static int causes_by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->c.is_named != y->c.is_named)
		return x->c.is_named ? -1 : 1;
	if ((x->c.kind == STUDY_DURING) != (y->c.kind == STUDY_DURING))
		return x->c.kind == STUDY_DURING ? 1 : -1;
	if (x->explained != y->explained)
		return x->explained ? 1 : -1;
	if (x->c.share_lo != y->c.share_lo)
		return x->c.share_lo > y->c.share_lo ? -1 : 1;
	if (x->c.n != y->c.n)
		return y->c.n - x->c.n;
	if (x->c.slow != y->c.slow)
		return x->c.slow > y->c.slow ? -1 : 1;
	return (x->c.p > y->c.p) - (x->c.p < y->c.p);
}

static void causes_sort(struct ranked *rows, size_t n)
{
	if (n)
		qsort(rows, n, sizeof(*rows), causes_by_rank);
}

static bool causes_hints(const struct study_cause *c)
{
	return c->kind == STUDY_DURING && c->slow >= HINT_SLOW && c->others <= c->slow / 2;
}

static size_t causes_count(const struct traits *t)
{
	size_t n = 0, i;

	for (i = 0; i < t->n; i++)
		n += t->rows[i].n;
	return n;
}

/* Those that are explained by another one come after all that are not. */
static void causes_order(const struct pool *p, struct ranked *rows, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n && !rows[i].explained; k++)
			rows[i].explained = k != i && causes_explain(p, &rows[k], &rows[i], k < i);
	causes_sort(rows, n);
	for (i = 0; i < n; i++)
		for (k = 0; k < i && rows[i].explained && !rows[i].c.goes_with; k++)
			if (!rows[k].explained && causes_explain(p, &rows[k], &rows[i], true))
				rows[i].c.goes_with = k + 1;
}

/* Keep the best. */
static int causes_keep(struct causes *x, struct ranked *rows, size_t n)
{
	struct study *s = x->s;
	size_t named = 0, hints = 0, i;

	causes_sort(rows, n);
	while (named < n && rows[named].c.is_named)
		named++;
	causes_order(x->p, rows, named < TRIED ? named : TRIED);
	s->causes = calloc(MOST + HINTS, sizeof(*s->causes));
	if (!s->causes)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (rows[i].c.is_named ? s->n_named >= MOST : hints >= HINTS)
			continue;
		s->n_named += rows[i].c.is_named;
		hints += !rows[i].c.is_named;
		s->causes[s->n_causes++] = rows[i].c;
	}
	return 0;
}

/* Return: how many there are. */
static size_t causes_rank(const struct causes *x, struct ranked *rows)
{
	const struct trait_value *v;
	const struct trait *t;
	struct ranked row;
	size_t n = 0;

	for (t = x->t->rows; t < x->t->rows + x->t->n; t++) {
		for (v = t->values; v < t->values + t->n; v++) {
			if (v->p > MATTERS && (t->test != TRAIT_RATE || v->k < 1))
				continue;
			row = (struct ranked){ .c = causes_make(x, t, v),
					       .t = t,
					       .id = v - t->values };
			if (row.c.is_named && row.c.n == 2 && !causes_pair_wins(x, &row))
				continue;
			if (row.c.is_named || causes_hints(&row.c))
				rows[n++] = row;
		}
	}
	return n;
}

static int causes_tell(struct causes *x)
{
	struct ranked *rows = calloc(causes_count(x->t) + 1, sizeof(*rows));
	int err = rows ? causes_keep(x, rows, causes_rank(x, rows)) : -ENOMEM;

	free(rows);
	return err;
}

int causes_find(struct study *s, const struct why *w, const struct bursts *b)
{
	struct causes *x = calloc(1, sizeof(*x));
	struct pool p = {};
	struct traits t = {};
	int err = x ? pool_make(&p, w, b, s->frames) : -ENOMEM;

	if (!err)
		err = traits_make(&t, &p);
	if (!err) {
		*x = (struct causes){ .s = s, .p = &p, .t = &t, .ordinary = p.n - p.n_bursts };
		err = family_draw(&t, &p, causes_try_all(x), x->least, &x->n_draws);
	}
	if (!err)
		err = causes_tell(x);
	traits_free(&t);
	pool_free(&p);
	free(x);
	return err;
}
