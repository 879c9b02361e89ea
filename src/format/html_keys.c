// SPDX-License-Identifier: GPL-2.0-only
/*
 * html_keys.c - the keys of one distribution, each as a small drawing, so that they can be
 * compared: the axes are the same in all. Those after the first 20 are folded.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/draw/chart.h"
#include "format/frame.h"
#include "format/priv.h"
#include "report/keys.h"
#include "util/units.h"

/*
 * Only those of the first drawings that have at least this many samples set the scale: with fewer,
 * a bar may be high by chance and would flatten all others.
 */
#define ENOUGH 50

struct grid {
	FILE *out;
	const struct report_keys *keys;
	struct chart_scale scale;
};

static int grid_fit(struct grid *g, size_t n, uint64_t least)
{
	struct dist d;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		if (g->keys->rows[i].samples < least)
			continue;
		err = dist_open(&d, g->keys->of, g->keys->rows[i].node, DIST_ALL_CPUS);
		if (!err)
			chart_scale_fit(&g->scale, &d);
		dist_close(&d);
	}
	return err;
}

static int grid_open(struct grid *g)
{
	size_t n = g->keys->n;
	struct dist all;
	int err = dist_open(&all, g->keys->all, g->keys->owner, DIST_ALL_CPUS);

	if (!err) {
		g->scale = chart_scale_begin(&all);
		err = grid_fit(g, n < KEYS_SHOWN ? n : KEYS_SHOWN, ENOUGH);
	}
	dist_close(&all);
	return err || g->scale.most > 0 ? err : grid_fit(g, n, 1);
}

static int grid_print_row(const struct grid *g, const struct report_key *row)
{
	const struct chart c = { .out = g->out, .unit = g->keys->unit };
	char count[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
	char *name = keys_name(&g->keys->of->nodes[row->node]);
	struct dist d;
	int err = dist_open(&d, g->keys->of, row->node, DIST_ALL_CPUS);

	if (!err && name) {
		fputs("<div><b title=\"", c.out);
		html_text(c.out, name);
		fputs("\">", c.out);
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

	fputs("<div class=\"keys\">\n", g->out);
	for (i = first; !err && i < end; i++)
		err = grid_print_row(g, &g->keys->rows[i]);
	fputs("</div>\n", g->out);
	return err;
}

static int grid_print_rest(const struct grid *g)
{
	char n[UNITS_TEXT], count[UNITS_TEXT];
	uint64_t samples = 0;
	size_t i;
	int err;

	for (i = KEYS_SHOWN; i < g->keys->n; i++)
		samples += g->keys->rows[i].samples;
	fprintf(g->out, "<details><summary>%s more, with %s samples</summary>\n",
		units_count(n, g->keys->n - KEYS_SHOWN), units_count(count, samples));
	err = grid_print_rows(g, KEYS_SHOWN, g->keys->n);
	fputs("</details>\n", g->out);
	return err;
}

int html_keys(FILE *out, const struct report_keys *keys)
{
	struct grid g = { .out = out, .keys = keys };
	int err = grid_open(&g);

	if (!err)
		err = grid_print_rows(&g, 0, keys->n < KEYS_SHOWN ? keys->n : KEYS_SHOWN);
	return err || keys->n <= KEYS_SHOWN ? err : grid_print_rest(&g);
}
