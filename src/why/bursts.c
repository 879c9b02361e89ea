// SPDX-License-Identifier: GPL-2.0-only
/*
 * bursts.c - slow calls that may have one reason, as one stall of the machine makes many calls
 * slow.
 *
 * They end one soon after the other. What is soon depends on the calls: a fifth of the mean time
 * between bursts, which is found by going from single calls to ever larger bursts until nothing
 * changes. Of calls that are independent, that joins less than a quarter by chance.
 */
#include "why/priv.h"

#include <errno.h>
#include <stdlib.h>

#define SOON 0.2 /* of the mean time between bursts */

struct ended {
	uint64_t end_ns;
	size_t call;
};

static int bursts_by_end(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? 1 : -1;
	return (x->call > y->call) - (x->call < y->call);
}

static size_t bursts_count(const struct ended *x, size_t n, double gap)
{
	size_t bursts = 1, i;

	for (i = 1; i < n; i++)
		bursts += x[i].end_ns - x[i - 1].end_ns > gap;
	return bursts;
}

/* The gap below which calls are of one burst. */
static double bursts_gap(const struct ended *x, size_t n)
{
	double span = x[n - 1].end_ns - x[0].end_ns, gap = 0;
	size_t before = n + 1, now = n;

	while (now < before && now > 1) {
		gap = SOON * span / (now - 1);
		before = now;
		now = bursts_count(x, n, gap);
	}
	return gap;
}

static void bursts_add(struct bursts *b, const struct why *w, const struct ended *x, bool first)
{
	const struct why_call *call = &w->calls[x->call];
	struct burst *row;

	if (first)
		b->rows[b->n++] = (struct burst){ .calls = &b->calls[b->n_calls],
						  .end_ns = x->end_ns,
						  .n_threads = 1 };
	row = &b->rows[b->n - 1];
	b->calls[b->n_calls++] = x->call;
	if (w->calls[row->calls[0]].tid != call->tid)
		row->n_threads = 2;
	row->n++;
}

int bursts_make(struct bursts *b, const struct why *w)
{
	struct ended *x = calloc(w->n_calls_kept + 1, sizeof(*x));
	size_t n = 0, i;
	double gap;

	*b = (struct bursts){ .rows = calloc(w->n_calls_kept + 1, sizeof(*b->rows)),
			      .calls = calloc(w->n_calls_kept + 1, sizeof(*b->calls)) };
	if (!x || !b->rows || !b->calls) {
		free(x);
		return -ENOMEM;
	}
	for (i = 0; i < w->n_calls_kept; i++)
		if (w->calls[i].is_slow)
			x[n++] =
				(struct ended){ w->calls[i].start_ns + w->calls[i].duration_ns, i };
	if (n)
		qsort(x, n, sizeof(*x), bursts_by_end);
	gap = n ? bursts_gap(x, n) : 0;
	for (i = 0; i < n; i++)
		bursts_add(b, w, &x[i], !i || x[i].end_ns - x[i - 1].end_ns > gap);
	free(x);
	return 0;
}

void bursts_free(struct bursts *b)
{
	free(b->rows);
	free(b->calls);
	*b = (struct bursts){};
}
