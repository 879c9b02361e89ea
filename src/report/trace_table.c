// SPDX-License-Identifier: GPL-2.0-only
/* trace_table.c - distributions, or the keys of one, as rows of a table that is sorted by a figure.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/keys.h"
#include "report/trace.h"

#define NAMES_MAX 40 /* distributions without samples that are named */

/* A distribution. */
struct row {
	uint32_t node;
	bool gap;
	double figure; /* the rows are sorted by it */
	uint64_t samples;
};

/* Those of a table. */
struct rows {
	const struct trace_of *x;
	const char *heading; /* of the names */
	size_t n;
	struct row *of; /* owned */
};

/* Gaps come last: their total is not time spent in a function. */
static int rows_by_figure(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->gap != y->gap)
		return x->gap - y->gap;
	if (x->figure != y->figure)
		return x->figure < y->figure ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* One distribution is open at a time: there may be thousands of large ones. */
static int rows_take(struct rows *rows, uint32_t node)
{
	const struct trace_of *x = rows->x;
	const struct snapshot *s = x->rec->whole;
	struct dist d;
	int err = dist_open(&d, s, node, DIST_ALL_CPUS);

	if (!err && d.samples)
		rows->of[rows->n++] = (struct row){
			.node = node,
			.gap = !snapshot_is_recorded(s->nodes[node].kind),
			.figure = keys_figure(&d, x->r->look->sort),
			.samples = d.samples,
		};
	dist_close(&d);
	return err;
}

static void rows_add_figures(const struct trace_of *x, const struct dist *d)
{
	char text[UNITS_TEXT];

	report_cell(x->r, units_count(text, d->samples), NULL);
	report_cell(x->r, units_duration(text, dist_mean(d), x->unit), NULL);
	report_cell(x->r, units_duration(text, dist_quantile(d, 500000).hi, x->unit), NULL);
	report_cell(x->r, units_duration(text, dist_quantile(d, 990000).hi, x->unit), NULL);
	report_cell(x->r, units_duration(text, dist_quantile(d, DIST_ONE).hi, x->unit), NULL);
}

/* @name: taken over */
static int rows_add(const struct rows *rows, const struct row *row, char *name)
{
	const struct trace_of *x = rows->x;
	char total[UNITS_TEXT];
	struct dist d;
	int err = dist_open(&d, x->rec->whole, row->node, DIST_ALL_CPUS);

	report_cell(x->r, name, NULL);
	rows_add_figures(x, &d);
	report_cell(x->r, units_duration(total, dist_total(&d), x->unit), NULL);
	dist_close(&d);
	err = name ? err : -ENOMEM;
	free(name);
	return err;
}

static void rows_say_bounds(const struct trace_of *x)
{
	report_say(x->r, REPORT_SOFT, "p50, p99 and max are the upper bounds of their slots");
}

/* ---- all distributions ---- */

static void rows_say_unseen(const struct trace_of *x)
{
	const struct snapshot *s = x->rec->whole;
	uint32_t i, n = 0, shown = 0;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < s->n_nodes; i++) {
		if (counts_samples(s->nodes[i].counts))
			continue;
		if (n++ < NAMES_MAX && ++shown)
			fprintf(f, " %s", s->nodes[i].name ? s->nodes[i].name : "");
	}
	if (f && shown < n)
		fprintf(f, " and %u more", n - shown);
	if (!f || fclose(f) || !text)
		x->r->err = -ENOMEM;
	else if (n)
		report_say(x->r, REPORT_SOFT, "without samples (%u of %u):%s", n, s->n_nodes, text);
	free(text);
}

int trace_rows(const struct trace_of *x, const char *heading)
{
	const struct report_column columns[] = {
		{ .heading = heading, .kind = REPORT_NAME, .lead = true },
		{ .heading = "count" },
		{ .heading = "mean" },
		{ .heading = "p50" },
		{ .heading = "p99" },
		{ .heading = "max" },
		{ .heading = "total" },
		{},
	};
	const struct snapshot *s = x->rec->whole;
	struct rows rows = { .x = x, .of = calloc(s->n_nodes + 1, sizeof(*rows.of)) };
	const char *name;
	uint32_t i;
	int err = rows.of ? 0 : -ENOMEM;

	for (i = 0; !err && i < s->n_nodes; i++)
		err = rows_take(&rows, i);
	if (!err && rows.n) {
		qsort(rows.of, rows.n, sizeof(*rows.of), rows_by_figure);
		report_table_begin(x->r, columns);
	}
	for (i = 0; !err && i < rows.n; i++) {
		name = s->nodes[rows.of[i].node].name;
		err = rows_add(&rows, &rows.of[i], strdup(name ? name : ""));
	}
	if (!err && rows.n)
		rows_say_bounds(x);
	if (!err)
		rows_say_unseen(x);
	free(rows.of);
	return err;
}

/* ---- keys ---- */

static bool rows_have_stacks(const struct rows *rows, size_t shown)
{
	const struct tags *by;
	size_t i, part;

	for (i = 0; i < shown; i++) {
		by = &rows->x->rec->whole->nodes[rows->of[i].node].by;
		for (part = 0; part < by->n; part++)
			if (keys_is_stack(&by->rows[part]) && strchr(by->rows[part].value, ';'))
				return true;
	}
	return false;
}

/* What is not shown, and what had no distribution left. */
static void rows_say_rest(const struct rows *rows, size_t shown)
{
	const struct trace_of *x = rows->x;
	char a[UNITS_TEXT], b[UNITS_TEXT];
	uint64_t folded = 0, other = 0;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		folded += i < shown ? 0 : rows->of[i].samples;
		if (x->rec->whole->nodes[rows->of[i].node].kind == SNAPSHOT_OTHER)
			other += rows->of[i].samples;
	}
	if (shown < rows->n)
		report_say(x->r, REPORT_SOFT, "sorted by %s; %s more with %s samples are not shown",
			   sort_names[x->r->look->sort], units_count(a, rows->n - shown),
			   units_count(b, folded));
	if (other)
		report_say(x->r, REPORT_SOFT, "other: %s samples of keys beyond --limit keys",
			   units_count(a, other));
}

static int rows_add_keys(const struct rows *rows, int owner, size_t shown)
{
	const struct report_column columns[] = {
		{ .heading = rows->heading,
		  .kind = REPORT_NAME,
		  .lead = true,
		  .parts = owner >= 0 ? ", " : NULL,
		  .apart = rows_have_stacks(rows, shown) },
		{ .heading = "count" },
		{ .heading = "mean" },
		{ .heading = "p50" },
		{ .heading = "p99" },
		{ .heading = "max" },
		{ .heading = "total" },
		{ .heading = "", .kind = REPORT_BAR },
		{},
	};
	const struct trace_of *x = rows->x;
	double most = rows->of[0].figure;
	const struct snapshot_node *n;
	size_t i;
	int err = 0;

	report_table_begin(x->r, columns);
	for (i = 0; !err && i < shown; i++) {
		n = &x->rec->whole->nodes[rows->of[i].node];
		err = rows_add(rows, &rows->of[i], owner >= 0 ? keys_name(n) : strdup(n->name));
		report_cell_span(x->r, (struct report_span){
					       .at = most > 0 ? rows->of[i].figure / most : 0,
				       });
	}
	rows_say_bounds(x);
	rows_say_rest(rows, shown);
	return err;
}

int trace_key_rows(const struct trace_of *x, int owner, const char *heading)
{
	const struct snapshot *s = x->rec->whole;
	struct rows rows = { .x = x,
			     .heading = heading,
			     .of = calloc(s->n_nodes + 1, sizeof(*rows.of)) };
	uint32_t i;
	int err = rows.of ? 0 : -ENOMEM;

	for (i = 0; !err && i < s->n_nodes; i++)
		if (keys_belong(s, i, owner < 0 ? s->nodes[i].owner : (uint32_t)owner))
			err = rows_take(&rows, i);
	if (!err && rows.n) {
		qsort(rows.of, rows.n, sizeof(*rows.of), rows_by_figure);
		err = rows_add_keys(&rows, owner, rows.n < KEYS_SHOWN ? rows.n : KEYS_SHOWN);
	}
	free(rows.of);
	return err;
}

/* ---- CPUs ---- */

int trace_cpu_rows(const struct trace_of *x, uint32_t node)
{
	static const struct report_column columns[] = {
		{ .heading = "CPU" },
		{ .heading = "count" },
		{ .heading = "mean" },
		{ .heading = "p50 up to" },
		{ .heading = "p99 up to" },
		{ .heading = "max up to" },
		{},
	};
	const struct snapshot *s = x->rec->whole;
	char text[UNITS_TEXT];
	struct dist d;
	uint32_t cpu;
	int err = 0;

	report_table_begin(x->r, columns);
	for (cpu = 0; !err && counts_next_cpu(s->nodes[node].counts, &cpu); cpu++) {
		err = dist_open(&d, s, node, cpu);
		if (!err && d.samples) {
			snprintf(text, sizeof(text), "%u", cpu);
			report_cell(x->r, text, NULL);
			rows_add_figures(x, &d);
		}
		dist_close(&d);
	}
	return err;
}
