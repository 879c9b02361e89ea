// SPDX-License-Identifier: GPL-2.0-only
/*
 * page_keys.c - the keys of one distribution, each as a small drawing, so that they can be
 * compared: the axes are the same in all. Those after the first 20 are folded.
 */
#include "render/page.h"

#include <errno.h>
#include <stdlib.h>

#include "render/draw/chart.h"
#include "render/html.h"
#include "render/keys.h"
#include "util/units.h"

/*
 * Only those of the first drawings that have at least this many samples set the scale: with fewer,
 * a bar may be high by chance and would flatten all others.
 */
#define ENOUGH 50

struct row {
	uint32_t node;
	double figure; /* the rows are sorted by it */
	uint64_t samples;
};

struct grid {
	const struct page *p;
	struct row *rows; /* owned */
	size_t n;
	struct chart_scale scale;
};

static int grid_by_figure(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->figure != y->figure)
		return x->figure < y->figure ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* One distribution is open at a time: there may be thousands of large ones. */
static int grid_add_row(struct grid *g, uint32_t node)
{
	struct dist d;
	int err = dist_open(&d, g->p->keys, node, DIST_ALL_CPUS);

	if (!err && d.samples)
		g->rows[g->n++] = (struct row){ node, keys_figure(&d, g->p->o->sort), d.samples };
	dist_close(&d);
	return err;
}

static int fit_rows(struct grid *g, size_t n, uint64_t least)
{
	struct dist d;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		err = dist_open(&d, g->p->keys, g->rows[i].node, DIST_ALL_CPUS);
		if (!err && d.samples >= least)
			chart_scale_fit(&g->scale, &d);
		dist_close(&d);
	}
	return err;
}

static int open_grid(struct grid *g, uint32_t owner, const struct dist *all)
{
	const struct snapshot *s = g->p->keys;
	uint32_t i;
	int err = 0;

	g->rows = calloc(s->n_nodes, sizeof(*g->rows));
	if (!g->rows)
		return -ENOMEM;
	for (i = 0; !err && i < s->n_nodes; i++)
		if (keys_belong(s, i, owner))
			err = grid_add_row(g, i);
	if (err || !g->n)
		return err;
	qsort(g->rows, g->n, sizeof(*g->rows), grid_by_figure);
	g->scale = chart_scale_begin(all);
	err = fit_rows(g, g->n < KEYS_SHOWN ? g->n : KEYS_SHOWN, ENOUGH);
	return err || g->scale.most > 0 ? err : fit_rows(g, g->n, 1);
}

static int grid_print_row(const struct grid *g, const struct row *row)
{
	const struct chart c = { .out = g->p->out, .unit = g->p->o->unit };
	char count[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
	char *name = keys_name(&g->p->keys->nodes[row->node]);
	struct dist d;
	int err = dist_open(&d, g->p->keys, row->node, DIST_ALL_CPUS);

	if (!err && name) {
		fputs("<div><b>", c.out);
		html_text(c.out, name);
		fprintf(c.out,
			"</b>\n<p class=\"soft\"><span>%s samples,</span> <span>p50 %s,</span> "
			"<span>p99 %s</span></p>\n",
			units_count(count, d.samples),
			units_duration(p50, dist_quantile(&d, 500000).hi, c.unit),
			units_duration(p99, dist_quantile(&d, 990000).hi, c.unit));
		chart_small(&c, &g->scale, &d, name);
		fputs("</div>\n", c.out);
	}
	dist_close(&d);
	free(name);
	return name ? err : -ENOMEM;
}

static int grid_print_rows(const struct grid *g, size_t first, size_t end)
{
	size_t i;
	int err = 0;

	fputs("<div class=\"keys\">\n", g->p->out);
	for (i = first; !err && i < end; i++)
		err = grid_print_row(g, &g->rows[i]);
	fputs("</div>\n", g->p->out);
	return err;
}

static int grid_print_rest(const struct grid *g)
{
	char n[UNITS_TEXT], count[UNITS_TEXT];
	uint64_t samples = 0;
	size_t i;
	int err;

	for (i = KEYS_SHOWN; i < g->n; i++)
		samples += g->rows[i].samples;
	fprintf(g->p->out, "<details><summary>%s more, with %s samples</summary>\n",
		units_count(n, g->n - KEYS_SHOWN), units_count(count, samples));
	err = grid_print_rows(g, KEYS_SHOWN, g->n);
	fputs("</details>\n", g->p->out);
	return err;
}

static bool has_rest(const struct grid *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->p->keys->nodes[g->rows[i].node].kind == SNAPSHOT_OTHER)
			return true;
	return false;
}

static int print_grid(const struct grid *g, uint32_t owner)
{
	char heading[KEYS_HEADING];
	int err;

	fputs("<h3>B", g->p->out);
	html_text(g->p->out, keys_heading(g->p->keys, owner, heading) + 1);
	fprintf(g->p->out,
		", sorted by %s</h3>\n<p class=\"soft\">All have the same axis and the same scale, "
		"and equal areas are equal shares of the samples of a key. The lines are p50 and "
		"p99; bars that are higher than the scale have a stroke on top.%s</p>\n",
		sort_names[g->p->o->sort],
		has_rest(g) ? " Other: the keys beyond --limit keys." : "");
	err = grid_print_rows(g, 0, g->n < KEYS_SHOWN ? g->n : KEYS_SHOWN);
	return err || g->n <= KEYS_SHOWN ? err : grid_print_rest(g);
}

int page_keys(const struct page *p, uint32_t owner, const struct dist *all)
{
	struct grid g = { .p = p };
	int err = open_grid(&g, owner, all);

	if (!err && g.n)
		err = print_grid(&g, owner);
	free(g.rows);
	return err;
}
