// SPDX-License-Identifier: GPL-2.0-only
/* compare.c - rows of two sides, matched by name. */
#include "kmem/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/account.h"

/* ---- how figures become comparable ---- */

static bool same_kernels(const struct kmem_side *a, const struct kmem_side *b)
{
	const struct kmem *first = a->recs[0];
	size_t i;

	for (i = 0; i < a->n + b->n; i++) {
		const struct kmem *k = i < a->n ? a->recs[i] : b->recs[i - a->n];

		if (strcmp(k->kernel, first->kernel) ||
		    strcmp(k->machine.build_id, first->machine.build_id))
			return false;
	}
	return true;
}

static bool all_commands(const struct kmem_side *side)
{
	size_t i;

	for (i = 0; i < side->n; i++)
		if (!side->recs[i]->command[0])
			return false;
	return true;
}

static double compare_unit_of(const struct kmem_side *side, bool per_second)
{
	double seconds = 0;
	size_t i;

	if (!per_second)
		return side->n;
	for (i = 0; i < side->n; i++)
		seconds += (side->recs[i]->span.end_ns - side->recs[i]->span.begin_ns) / 1e9;
	return seconds > 0 ? seconds : 1;
}

/* ---- rows ---- */

/* Without the offset in a function, which differs between kernels. */
static char *compare_name_of(const struct kmem_compare *c, const char *name)
{
	char *copy = strdup(name), *offset = copy && c->functions ? strstr(copy, "+0x") : NULL;
	const char *end;

	if (offset) {
		end = offset + 3 + strspn(offset + 3, "0123456789abcdef");
		memmove(offset, end, strlen(end) + 1);
	}
	return copy;
}

static int add_side(struct kmem_compare *c, const struct kmem *k, bool second)
{
	struct kmem_change *grown;
	struct kmem_table t;
	struct kmem_sums *to;
	size_t i;
	int err = kmem_table_make(&t, k, c->group.by, KMEM_SORT_BYTES);

	grown = err ? NULL : realloc(c->rows, (c->n + t.n + 1) * sizeof(*grown));
	c->rows = grown ? grown : c->rows;
	err = grown ? 0 : -ENOMEM;
	for (i = 0; !err && i < t.n; i++) {
		grown[c->n] = (struct kmem_change){ .kind = t.entries[i].kind,
						    .name = compare_name_of(c, t.entries[i].name) };
		to = second ? &grown[c->n].b : &grown[c->n].a;
		kmem_sums_add(to, &t.entries[i].sums);
		err = grown[c->n++].name ? 0 : -ENOMEM;
	}
	kmem_table_free(&t);
	return err;
}

static void compare_add_totals(struct kmem_compare *c, const struct kmem *k, bool second)
{
	const struct kmem_account account = kmem_account(k);
	struct kmem_sums s;
	int kind;

	*(second ? &c->lost_b : &c->lost_a) += kmem_account_lost(&account);
	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		s = kmem_total(k, kind);
		c->totals[kind].kind = kind;
		kmem_sums_add(second ? &c->totals[kind].b : &c->totals[kind].a, &s);
	}
}

static int compare_by_name(const void *x, const void *y)
{
	const struct kmem_change *a = x, *b = y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void compare_join(struct kmem_compare *c)
{
	struct kmem_change *last = NULL;
	size_t i, n = 0;

	if (!c->n)
		return;
	qsort(c->rows, c->n, sizeof(*c->rows), compare_by_name);
	for (i = 0; i < c->n; i++) {
		if (last && !compare_by_name(last, &c->rows[i])) {
			kmem_sums_add(&last->a, &c->rows[i].a);
			kmem_sums_add(&last->b, &c->rows[i].b);
			free(c->rows[i].name);
			continue;
		}
		last = &c->rows[n++];
		*last = c->rows[i];
	}
	c->n = n;
}

/* ---- order ---- */

uint64_t kmem_compare_value(const struct kmem_sums *s, enum kmem_sort sort)
{
	switch (sort) {
	case KMEM_SORT_WASTE:
		return s->waste;
	case KMEM_SORT_BYTES:
		return s->alloc;
	case KMEM_SORT_LIVE:
		return s->live_alloc;
	default:
		return s->count;
	}
}

static double change_of(const struct kmem_compare *c, const struct kmem_change *row)
{
	return fabs(kmem_compare_value(&row->b, c->sort) / c->unit_b -
		    kmem_compare_value(&row->a, c->sort) / c->unit_a);
}

static int by_change(const void *x, const void *y, void *compare)
{
	double a = change_of(compare, x), b = change_of(compare, y);

	if (a != b)
		return a < b ? 1 : -1;
	return compare_by_name(x, y);
}

int kmem_compare_make(struct kmem_compare *c, const struct kmem_side *a, const struct kmem_side *b,
		      const char *by, enum kmem_sort sort)
{
	size_t i;
	int err = 0;

	*c = (struct kmem_compare){ .sort = sort,
				    .filters_a = a->recs[0]->filters,
				    .filters_b = b->recs[0]->filters };
	kmem_group_find(&c->group, a->recs[0], by);
	c->functions = kmem_group_has(&c->group, KMEM_SITE) && !same_kernels(a, b);
	/* Live bytes are a level, not a rate. */
	c->per_second = sort != KMEM_SORT_LIVE && !(all_commands(a) && all_commands(b));
	c->unit_a = compare_unit_of(a, c->per_second);
	c->unit_b = compare_unit_of(b, c->per_second);
	for (i = 0; !err && i < a->n; i++) {
		err = add_side(c, a->recs[i], false);
		compare_add_totals(c, a->recs[i], false);
	}
	for (i = 0; !err && i < b->n; i++) {
		err = add_side(c, b->recs[i], true);
		compare_add_totals(c, b->recs[i], true);
	}
	if (!err)
		compare_join(c);
	if (!err && c->n)
		qsort_r(c->rows, c->n, sizeof(*c->rows), by_change, c);
	return err;
}

void kmem_compare_free(struct kmem_compare *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		free(c->rows[i].name);
	free(c->rows);
	*c = (struct kmem_compare){};
}
