// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool.c - what is compared: each burst of slow calls is one observation, in which every call has
 * its share; and so is each ordinary call. Of very many, as many are taken as can be permuted in a
 * second, evenly by time.
 */
#include "why/priv.h"

#include <errno.h>
#include <stdlib.h>

#define OBSERVATIONS_MAX 2000 /* of a side */
#define OF_BURST_MAX 8 /* calls of one */

static void pool_add_burst(struct pool *p, const struct burst *b)
{
	size_t n = b->n < OF_BURST_MAX ? b->n : OF_BURST_MAX, i;

	for (i = 0; i < n; i++)
		p->calls[p->n_calls++] =
			(struct pool_call){ .call = &p->why->calls[b->calls[i * b->n / n]],
					    .of = p->n,
					    .weight = 1.0 / n };
	p->shared += b->n_threads > 1;
	p->n++;
}

static void pool_add_ordinary(struct pool *p, size_t n)
{
	size_t most = n < OBSERVATIONS_MAX ? n : OBSERVATIONS_MAX, at = 0, taken = 0, i;

	for (i = 0; i < p->why->n_calls_kept; i++) {
		if (p->why->calls[i].is_slow)
			continue;
		if (at++ * most / n == taken && taken < most) {
			p->calls[p->n_calls++] = (struct pool_call){ .call = &p->why->calls[i],
								     .of = p->n++,
								     .weight = 1 };
			taken++;
		}
	}
}

/* ---- threads ---- */

struct pool_thread {
	uint32_t tid;
	uint32_t at; /* in the calls */
};

static int pool_by_thread(const void *a, const void *b)
{
	const struct pool_thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid > y->tid ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The calls of one thread, of which there are @threads. */
static void pool_share_thread(struct pool *p, const struct pool_thread *x, size_t n, size_t threads)
{
	size_t ordinary = 0, i;
	bool counts;

	for (i = 0; i < n; i++)
		ordinary += !p->calls[x[i].at].call->is_slow;
	for (i = 0; i < n; i++) {
		counts = !ordinary || !p->calls[x[i].at].call->is_slow;
		if (counts)
			p->calls[x[i].at].of_thread = 1.0 / threads / (ordinary ? ordinary : n);
	}
}

static int pool_share_threads(struct pool *p)
{
	struct pool_thread *x = calloc(p->n_calls + 1, sizeof(*x));
	size_t threads = 0, i, first = 0;

	if (!x)
		return -ENOMEM;
	for (i = 0; i < p->n_calls; i++)
		x[i] = (struct pool_thread){ p->calls[i].call->tid, i };
	if (p->n_calls)
		qsort(x, p->n_calls, sizeof(*x), pool_by_thread);
	for (i = 0; i < p->n_calls; i++)
		threads += !i || x[i].tid != x[i - 1].tid;
	for (i = 1; i <= p->n_calls; i++) {
		if (i < p->n_calls && x[i].tid == x[first].tid)
			continue;
		pool_share_thread(p, &x[first], i - first, threads);
		first = i;
	}
	free(x);
	return 0;
}

int pool_make(struct pool *p, const struct why *w, const struct bursts *b, char *const *frames)
{
	size_t n = b->n < OBSERVATIONS_MAX ? b->n : OBSERVATIONS_MAX, i;

	*p = (struct pool){ .why = w, .frames = frames };
	p->calls = calloc(w->n_calls_kept + 1, sizeof(*p->calls));
	if (!p->calls)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		pool_add_burst(p, &b->rows[i * b->n / n]);
	p->n_bursts = n;
	p->shared = n ? p->shared / n : 0;
	pool_add_ordinary(p, w->n_calls_kept - b->n_calls);
	return pool_share_threads(p);
}

void pool_free(struct pool *p)
{
	free(p->calls);
	*p = (struct pool){};
}
