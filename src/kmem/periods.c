// SPDX-License-Identifier: GPL-2.0-only
/* periods.c - see periods.h. */
#include "kmem/periods.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/priv.h"
#include "kmem/table.h"

#define SITES 10 /* of those with the most bytes, with the most waste, and so on */
#define NO_SERIES SIZE_MAX

/* Sums since the begin up to the end of an interval, by number of the series. */
struct moment {
	uint64_t end_ns;
	size_t n;
	struct kmem_part *sums; /* their period and site are not used */
};

/* A kind of allocations at a call site, or everywhere. */
struct series {
	enum kstats_kmem_kind kind;
	char *name; /* of the site; "" for all */
	size_t number;
};

struct kmem_periods {
	size_t n;
	struct moment moments[KMEM_PERIODS_MOST + 1];
	unsigned int joined; /* intervals that one moment stands for */
	unsigned int waiting; /* intervals that ended since the last moment */
	void *tree; /* of struct series */
	size_t n_series;
};

/* ---- series ---- */

static int periods_by_name(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->name, y->name);
}

static size_t series_number(struct kmem_periods *p, enum kstats_kmem_kind kind, const char *name)
{
	const struct series key = { .kind = kind, .name = (char *)name };
	struct series **hit = tfind(&key, &p->tree, periods_by_name), *s;

	if (hit)
		return (*hit)->number;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NO_SERIES;
	*s = (struct series){ kind, strdup(name), p->n_series };
	if (s->name && tsearch(s, &p->tree, periods_by_name)) {
		p->n_series++;
		return s->number;
	}
	free(s->name);
	free(s);
	return NO_SERIES;
}

static void free_series(void *node)
{
	struct series *s = node;

	free(s->name);
	free(s);
}

/* ---- moments ---- */

static int add_sums(struct kmem_periods *p, struct moment *m, enum kstats_kmem_kind kind,
		    const char *name, const struct kmem_sums *s)
{
	size_t number = series_number(p, kind, name);
	struct kmem_part *sums;

	if (number == NO_SERIES)
		return -ENOMEM;
	sums = &m->sums[number];
	m->n = number >= m->n ? number + 1 : m->n;
	sums->kind = kind;
	sums->count += s->count;
	sums->req += s->req;
	sums->alloc += s->alloc;
	sums->live += s->live;
	sums->live_alloc += s->live_alloc;
	return 0;
}

static int fill_moment(struct kmem_periods *p, struct moment *m, const struct kmem *k)
{
	struct kmem_table t;
	struct kmem_sums sums;
	int err = kmem_table_make(&t, k, NULL, KMEM_SORT_BYTES), kind;
	size_t i;

	*m = (struct moment){ .end_ns = k->span.end_ns };
	m->sums = calloc(p->n_series + t.n + KMEM_KINDS, sizeof(*m->sums));
	if (!m->sums)
		err = -ENOMEM;
	for (kind = 1; !err && kind <= KMEM_KINDS; kind++) {
		sums = kmem_total(k, kind);
		err = add_sums(p, m, kind, "", &sums);
	}
	for (i = 0; !err && i < t.n; i++)
		err = add_sums(p, m, t.entries[i].kind, t.entries[i].name, &t.entries[i].sums);
	kmem_table_free(&t);
	if (err)
		free(m->sums);
	return err;
}

/* Join pairs of intervals: as sums count from the begin, the moment between them is dropped. */
static void periods_join(struct kmem_periods *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->n; i++)
		if (i % 2)
			p->moments[n++] = p->moments[i];
		else
			free(p->moments[i].sums);
	p->n = n;
	p->joined *= 2;
}

int kmem_periods_add(struct kmem_periods **to, const struct kmem *k)
{
	struct kmem_periods *p = *to ? *to : calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	if (!*to)
		p->joined = 1;
	*to = p;
	if (++p->waiting < p->joined)
		return 0;
	p->waiting = 0;
	err = fill_moment(p, &p->moments[p->n], k);
	if (err)
		return err;
	if (++p->n == KMEM_PERIODS_MOST)
		periods_join(p);
	return 0;
}

void kmem_periods_free(struct kmem_periods *p)
{
	if (!p)
		return;
	while (p->n)
		free(p->moments[--p->n].sums);
	tdestroy(p->tree, free_series);
	free(p);
}

/* ---- what goes into the value ---- */

static uint64_t periods_less(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* What an interval added to a series; live objects are those at its end. */
static struct kmem_part difference(const struct kmem_periods *p, size_t period, size_t number)
{
	static const struct moment none;
	const struct moment *now = &p->moments[period];
	const struct moment *then = period ? &p->moments[period - 1] : &none;
	struct kmem_part part = {}, before = {};

	if (number < now->n)
		part = now->sums[number];
	if (number < then->n)
		before = then->sums[number];
	part.period = period;
	part.count = periods_less(part.count, before.count);
	part.req = periods_less(part.req, before.req);
	part.alloc = periods_less(part.alloc, before.alloc);
	return part;
}

static void put_series(struct kmem_periods *p, struct kmem *k, enum kstats_kmem_kind kind,
		       uint32_t site, const char *name)
{
	size_t number = series_number(p, kind, name), i;
	struct kmem_part *part;

	for (i = 0; number != NO_SERIES && i < p->n; i++) {
		part = &k->parts[k->n_parts];
		*part = difference(p, i, number);
		part->kind = kind;
		part->site = site;
		k->n_parts += part->count || part->live;
	}
}

static int put_sites(struct kmem_periods *p, struct kmem *k, enum kmem_sort sort, bool *taken)
{
	const struct kmem_entry *e;
	struct kmem_table t;
	int err = kmem_table_make(&t, k, NULL, sort);
	size_t i, n = 0;
	uint32_t row;

	for (i = 0; !err && i < t.n && n < SITES; i++) {
		e = &t.entries[i];
		row = t.rows[e->first_row];
		if (!*k->sites[k->rows[row].site].name)
			continue; /* pages, unless their sites were asked for */
		n++;
		if (taken[row])
			continue;
		taken[row] = true;
		put_series(p, k, e->kind, k->rows[row].site, e->name);
	}
	kmem_table_free(&t);
	return err;
}

int kmem_part_compare(const void *a, const void *b)
{
	const struct kmem_part *x = a, *y = b;

	if (x->period != y->period)
		return x->period < y->period ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static int put_parts(struct kmem_periods *p, struct kmem *k)
{
	bool *taken = calloc(k->n_rows + 1, sizeof(*taken));
	int err = taken ? 0 : -ENOMEM, kind;

	k->parts = calloc(p->n * (3 * SITES + KMEM_KINDS) + 1, sizeof(*k->parts));
	if (!k->parts)
		err = -ENOMEM;
	for (kind = 1; !err && kind <= KMEM_KINDS; kind++)
		put_series(p, k, kind, KMEM_ALL_SITES, "");
	if (!err)
		err = put_sites(p, k, KMEM_SORT_BYTES, taken);
	if (!err)
		err = put_sites(p, k, KMEM_SORT_WASTE, taken);
	if (!err && k->lifetimes)
		err = put_sites(p, k, KMEM_SORT_LIVE, taken);
	if (!err)
		qsort(k->parts, k->n_parts, sizeof(*k->parts), kmem_part_compare);
	free(taken);
	return err;
}

int kmem_periods_put(struct kmem_periods *p, struct kmem *k)
{
	size_t i;
	int err;

	if (!p || !p->n)
		return 0;
	/* The end of the whole may already be the end of the last interval. */
	if (p->moments[p->n - 1].end_ns >= k->span.end_ns)
		free(p->moments[--p->n].sums);
	err = fill_moment(p, &p->moments[p->n], k);
	if (err)
		return err;
	p->n++;
	k->periods = calloc(p->n, sizeof(*k->periods));
	if (!k->periods)
		return -ENOMEM;
	for (i = 0; i < p->n; i++)
		k->periods[i].end_ns = p->moments[i].end_ns;
	k->n_periods = p->n;
	return put_parts(p, k);
}

/* ---- reading them ---- */

struct kmem_part kmem_part_find(const struct kmem *k, size_t period, enum kstats_kmem_kind kind,
				uint32_t site)
{
	const struct kmem_part key = { .period = period, .kind = kind, .site = site }, *hit;

	hit = k->n_parts ? bsearch(&key, k->parts, k->n_parts, sizeof(key), kmem_part_compare)
			 : NULL;
	return hit ? *hit : key;
}

uint64_t kmem_period_begin(const struct kmem *k, size_t period)
{
	return period ? k->periods[period - 1].end_ns : k->span.begin_ns;
}
