// SPDX-License-Identifier: GPL-2.0-only
/* compare.c - rows and their intervals; see compare.h. */
#include "judge/priv.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct compare_metric compare_metrics[] = {
	{ .name = "mean", .millionths = COMPARE_MEAN }, { .name = "p50", .millionths = 500000 },
	{ .name = "p90", .millionths = 900000 },        { .name = "p99", .millionths = 990000 },
	{ .name = "p99.9", .millionths = 999000 },      {},
};

/* A name of C++ may look like a pattern. */
bool compare_is_target(const char *target, const char *name)
{
	return !target || !*target || !strcmp(target, name) || !fnmatch(target, name, 0);
}

/* ---- one side ---- */

bool compare_is_empty_rest(const struct compare_set *set, const char *name)
{
	bool rest = false;
	int node;
	size_t i;

	for (i = 0; i < set->n; i++) {
		node = snapshot_find(set->runs[i], name);
		if (node < 0)
			continue;
		if (counts_samples(set->runs[i]->nodes[node].counts))
			return false;
		rest |= snapshot_is_rest(set->runs[i], node);
	}
	return rest;
}

static void take_bounds(struct dist_bounds *all, const struct dist_bounds *one, bool first)
{
	if (first || one->lo < all->lo)
		all->lo = one->lo;
	if (first || one->hi > all->hi)
		all->hi = one->hi;
}

int compare_take(struct compare_logs *l, struct compare_figure *f, const struct snapshot *s,
		 const char *name, uint32_t millionths)
{
	int node = snapshot_find(s, name);
	int err = node < 0 ? -ENODATA : compare_figure(f, s, node, millionths);
	double delta;

	if (err)
		return err;
	l->last = compare_log(f);
	delta = l->last - l->mean;
	l->mean += delta / ++l->runs;
	l->squares += delta * (l->last - l->mean);
	return 0;
}

static int side_make(struct compare_row *row, struct compare_side *side,
		     const struct compare_set *set)
{
	struct compare_logs logs = {};
	struct compare_figure f;
	size_t i;
	int err;

	for (i = 0; i < set->n; i++) {
		err = compare_take(&logs, &f, set->runs[i], row->name, row->metric->millionths);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		take_bounds(&side->bounds, &f.bounds, !side->runs);
		side->runs++;
		side->few += f.beyond < COMPARE_BEYOND;
		side->heavy += f.heavy;
		side->samples += f.samples;
		side->above_0 |= f.value > 0;
		side->noise += (f.noise - side->noise) / side->runs;
		side->slack += (f.slack - side->slack) / side->runs;
		row->runs[row->n_runs++] = (struct compare_run){
			.log = logs.last,
			.slack = f.slack,
			.noise = f.noise,
			.place = i,
			.when_ns = set->runs[i]->span.wall_ns,
			.after = side == &row->b,
			.set = set->set_of ? set->set_of[i] : 0,
		};
	}
	side->empty = set->n - side->runs;
	side->value = side->runs ? exp(logs.mean) : 0;
	side->spread = side->runs > 1 ? sqrt(logs.squares / (side->runs - 1)) : 0;
	return 0;
}

static int row_make(struct compare_row *row, const char *name, const struct compare_metric *metric,
		    const struct compare_set *a, const struct compare_set *b)
{
	int err;

	*row = (struct compare_row){
		.name = name, .metric = metric, .lo = -1, .hi = INFINITY, .p = 1
	};
	row->alone.lo = -1;
	row->alone.hi = INFINITY;
	row->runs = calloc(a->n + b->n, sizeof(*row->runs));
	if (!row->runs)
		return -ENOMEM;
	err = side_make(row, &row->a, a);
	if (!err)
		err = side_make(row, &row->b, b);
	if (err || !row->a.runs || !row->b.runs)
		return err;
	row->change = expm1(compare_log_change(row));
	/* Short runs have fewer of the large samples that decide such a mean, and a smaller one. */
	row->tail = row->a.heavy + row->b.heavy && compare_has_unlike_lengths(row);
	row->known = row->a.runs > 1 && row->b.runs > 1 && !row->a.few && !row->b.few && !row->tail;
	if (a->costs && b->costs)
		row->known &= compare_floors(row, a, b);
	row->last_sets = a->last_sets;
	if (a->set_of)
		err = history_view(row);
	else
		compare_view(row);
	if (row->known)
		row->p = compare_p(row);
	return err;
}

/* ---- all rows ---- */

static int by_p(const void *a, const void *b)
{
	double pa = (*(struct compare_row *const *)a)->p, pb = (*(struct compare_row *const *)b)->p;

	return pa < pb ? -1 : pa > pb;
}

static void set_level(struct compare_row *row, double confidence, double alpha)
{
	row->confidence = 1 - alpha;
	compare_interval(row, 1 - alpha, &row->lo, &row->hi);
	rank_show(row);
	row->alone.confidence = confidence;
	compare_interval(row, confidence, &row->alone.lo, &row->alone.hi);
}

/*
 * Holm's step-down: the smallest p is compared with alpha / m, the next with alpha / (m - 1),
 * until one is not significant. That row and all after it get its level.
 */
static int intervals(struct compare *c, double confidence)
{
	struct compare_row **order = calloc(c->n + 1, sizeof(*order));
	size_t i, m = 0, left;
	double alpha = 1 - confidence;
	bool stands = false;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < c->n; i++)
		if (c->rows[i].known)
			order[m++] = &c->rows[i];
	qsort(order, m, sizeof(*order), by_p);
	for (i = 0, left = m; i < m; i++) {
		set_level(order[i], confidence, alpha / left);
		if (order[i]->p > alpha / left)
			stands = true;
		else if (left > 1 && !stands)
			left--;
	}
	free(order);
	return 0;
}

bool compare_measures(const struct compare_set *set, const char *name)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (snapshot_find(set->runs[i], name) >= 0)
			return true;
	return false;
}

bool compare_seen(const struct compare_set *set, size_t run, const char *name)
{
	const struct compare_set before = { .n = run, .runs = set->runs };

	return compare_measures(&before, name);
}

size_t compare_count(const struct compare_set *set)
{
	size_t i, n = 0;

	for (i = 0; set && i < set->n; i++)
		n += set->runs[i]->n_nodes;
	return n;
}

/* Rows for the names of one side that the other has too; the others are missing. */
static int add_names(struct compare *c, const struct compare_set *from, const struct compare_set *a,
		     const struct compare_set *b, const struct compare_metric *metrics)
{
	const struct compare_set *other = from == a ? b : a;
	const struct compare_metric *m;
	const char *name;
	uint32_t node;
	size_t run;
	int err;

	for (run = 0; run < from->n; run++) {
		for (node = 0; node < from->runs[run]->n_nodes; node++) {
			name = from->runs[run]->nodes[node].name;
			if (compare_seen(from, run, name) ||
			    from->runs[run]->nodes[node].kind == SNAPSHOT_UNVERIFIED ||
			    from->runs[run]->nodes[node].kind == SNAPSHOT_UNSPLIT ||
			    from->runs[run]->nodes[node].kind == SNAPSHOT_AGAIN ||
			    from->runs[run]->nodes[node].kind == SNAPSHOT_UNDIVIDED ||
			    compare_is_empty_rest(from, name) ||
			    (from->no_gaps && from->runs[run]->nodes[node].kind == SNAPSHOT_GAP))
				continue;
			if (!compare_measures(other, name))
				c->missing[c->n_missing++] = name;
			for (m = metrics; from == a && compare_measures(b, name) && m->name; m++) {
				if (!compare_is_target(m->target, name))
					continue;
				err = row_make(&c->rows[c->n++], name, m, a, b);
				if (err)
					return err;
			}
		}
	}
	return 0;
}

static const char *unit_name(const char *unit)
{
	if (units_is_time(unit))
		return "ns";
	return strcmp(unit, UNITS_NONE) ? unit : "no unit";
}

static int compare_find_unit(const struct compare_set *set, const char **unit, struct error *e)
{
	const char *other;
	char why[96];
	size_t i;

	for (i = 0; set && i < set->n; i++) {
		other = snapshot_unit(set->runs[i], "auto");
		if (*unit && strcmp(*unit, other)) {
			snprintf(why, sizeof(why), "some are in %s and some in %s",
				 unit_name(*unit), unit_name(other));
			return error_set(e, EXIT_USAGE, -EINVAL, why, "name recordings of one unit",
					 "cannot compare these runs");
		}
		*unit = other;
	}
	return 0;
}

int compare_unit(const struct compare_set *a, const struct compare_set *b, const char **unit,
		 struct error *e)
{
	int err;

	*unit = NULL;
	err = compare_find_unit(a, unit, e);
	if (!err)
		err = compare_find_unit(b, unit, e);
	if (!*unit)
		*unit = "auto";
	return err;
}

static const char *name_of_row(const void *rows, size_t i)
{
	return ((const struct compare_row *)rows)[i].name;
}

const struct compare_row *compare_row(const struct compare *c, const char *name)
{
	long i = c->names.table ? names_find(&c->names, name) : -1;

	return i < 0 ? NULL : &c->rows[i];
}

int compare_make(struct compare *c, const struct compare_set *a, const struct compare_set *b,
		 const struct compare_metric *metrics, double confidence, struct error *e)
{
	size_t n_metrics = 0, i;
	const char *unit;
	int err = -ENOMEM;

	*c = (struct compare){};
	if (compare_unit(a, b, &unit, e))
		return -EINVAL;
	while (metrics[n_metrics].name)
		n_metrics++;
	c->rows = calloc(compare_count(a) * n_metrics + 1, sizeof(*c->rows));
	c->missing = calloc(compare_count(a) + compare_count(b) + 1, sizeof(*c->missing));
	if (c->rows && c->missing)
		err = add_names(c, a, a, b, metrics);
	if (!err)
		err = add_names(c, b, a, b, metrics);
	if (!err)
		err = intervals(c, confidence);
	if (!err)
		err = names_make(&c->names, c->rows, c->n, name_of_row);
	if (err) {
		compare_free(c);
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot compare");
	}
	for (i = 0; i < c->n; i++)
		c->rows[i].a.unit = c->rows[i].b.unit = unit;
	return 0;
}

void compare_free(struct compare *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		free(c->rows[i].runs);
	names_free(&c->names);
	free(c->rows);
	free(c->missing);
	*c = (struct compare){};
}
