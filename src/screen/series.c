// SPDX-License-Identifier: GPL-2.0-only
/* series.c - the rows, and what was counted of each in the last intervals. */
#include "screen/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static void series_free_row(struct screen_row *row)
{
	unsigned int i;

	for (i = 0; i < SCREEN_TICKS; i++)
		counts_drop(row->ticks[i].counts);
	counts_drop(row->all);
	free(row->name);
	free(row->label);
	free(row->what);
	free(row->method);
	free(row->why);
	free(row);
}

/* The row is not used if it cannot be added: it is freed. */
static int series_add_row(struct screen *s, struct screen_row *row)
{
	struct screen_row **rows = NULL, **shown = NULL;

	if (row->name && row->label && row->what && row->method)
		rows = realloc(s->rows, (s->n_rows + 1) * sizeof(*rows));
	if (rows) {
		s->rows = rows;
		shown = realloc(s->shown, (s->n_rows + 1) * sizeof(*shown));
	}
	if (!shown) {
		series_free_row(row);
		return -ENOMEM;
	}
	s->shown = shown;
	row->number = s->n_rows;
	row->owner = row->owner ?: row;
	s->rows[s->n_rows++] = row;
	return 0;
}

static struct screen_row *series_find(const struct screen *s, unsigned int source, const char *name)
{
	unsigned int i;

	for (i = 0; i < s->n_rows; i++)
		if (s->rows[i]->source == source && !strcmp(s->rows[i]->name, name))
			return s->rows[i];
	return NULL;
}

/* "  vda, 1": below the row of all keys there is no need to repeat its name. */
static char *series_label(const struct snapshot_node *n)
{
	char *text = NULL;
	size_t size, i;
	FILE *out;

	if (n->kind == SNAPSHOT_OTHER)
		return strdup("  other");
	if (n->kind != SNAPSHOT_KEY || !n->by.n)
		return strdup(n->name);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (i = 0; i < n->by.n; i++)
		fprintf(out, "%s%s", i ? ", " : "  ", n->by.rows[i].value);
	return fclose(out) ? NULL : text;
}

static struct screen_row *series_row(struct screen *s, unsigned int source,
				     const struct snapshot *of, const struct snapshot_node *n)
{
	struct screen_row *row = series_find(s, source, n->name);

	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->source = source;
	row->owner = series_find(s, source, of->nodes[n->owner].name);
	row->name = strdup(n->name);
	row->label = series_label(n);
	row->what = strdup(n->what ? n->what : "");
	row->method = strdup(n->method ? n->method : "");
	row->kind = n->kind;
	row->bits = of->bits;
	row->n_cpus = of->n_cpus;
	strcpy(row->unit, of->unit);
	return series_add_row(s, row) ? NULL : row;
}

int screen_refuse(struct screen *s, const struct screen_refused *r)
{
	struct screen_row *row = calloc(1, sizeof(*row));

	if (!row)
		return -ENOMEM;
	row->source = r->source;
	row->name = strdup(r->name);
	row->label = strdup(r->name);
	row->what = strdup(r->what);
	row->method = strdup("");
	row->why = strdup(r->why);
	return series_add_row(s, row);
}

void screen_close(struct screen *s)
{
	while (s->n_rows)
		series_free_row(s->rows[--s->n_rows]);
	free(s->rows);
	free(s->shown);
	s->rows = s->shown = NULL;
	s->n_shown = 0;
}

/* ---- intervals ---- */

int screen_dist(struct dist *d, const struct screen_row *row, struct counts *counts, int cpu)
{
	struct snapshot_node node = { .counts = counts, .kind = row->kind };
	struct snapshot s = {
		.bits = row->bits, .n_cpus = row->n_cpus, .n_nodes = 1, .nodes = &node
	};

	strcpy(s.unit, row->unit);
	return dist_open(d, &s, 0, cpu);
}

static int series_figures(const struct screen_row *row, struct counts *counts,
			  struct screen_figures *f)
{
	struct dist d;
	int err;

	if (!counts)
		return 0;
	err = screen_dist(&d, row, counts, DIST_ALL_CPUS);
	if (err)
		return err;
	f->samples = d.samples;
	f->p50 = dist_quantile(&d, 500000).hi;
	f->p99 = dist_quantile(&d, 990000).hi;
	f->max = dist_quantile(&d, DIST_ONE).hi;
	f->total = dist_total(&d);
	dist_close(&d);
	return 0;
}

static int series_feed_row(struct screen *s, struct screen_row *row, struct counts *counts,
			   uint64_t ns)
{
	struct screen_tick *tick = &row->ticks[s->tick % SCREEN_TICKS];
	int err = counts ? counts_sum(row->all, counts, &row->all) : 0;

	counts_drop(tick->counts);
	*tick = (struct screen_tick){ .at = s->tick, .figures.ns = ns };
	row->sum.ns += ns;
	if (err)
		return err;
	tick->counts = counts ? counts_share(counts) : NULL;
	return series_figures(row, counts, &tick->figures);
}

int screen_feed(struct screen *s, unsigned int source, const struct snapshot *period)
{
	uint64_t ns = period->span.end_ns - period->span.begin_ns;
	const struct snapshot_node *n;
	struct screen_row *row;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < period->n_nodes; i++) {
		n = &period->nodes[i];
		/* Its row appears with its first sample. */
		if (!n->name || (snapshot_is_hidden(period, i) && !series_find(s, source, n->name)))
			continue;
		row = series_row(s, source, period, n);
		err = row ? series_feed_row(s, row, n->counts, ns) : -ENOMEM;
	}
	return err;
}

void screen_reset(struct screen *s)
{
	struct screen_row *row;
	unsigned int i, t;

	for (i = 0; i < s->n_rows; i++) {
		row = s->rows[i];
		for (t = 0; t < SCREEN_TICKS; t++) {
			counts_drop(row->ticks[t].counts);
			row->ticks[t] = (struct screen_tick){};
		}
		counts_drop(row->all);
		row->all = NULL;
		row->sum = (struct screen_figures){};
	}
	s->begin_tick = s->tick;
	s->begin_wall_ns = s->wall_ns;
}

const struct screen_tick *screen_tick_of(const struct screen *s, const struct screen_row *row,
					 uint64_t at)
{
	const struct screen_tick *tick = &row->ticks[at % SCREEN_TICKS];

	return at && tick->at == at ? tick : NULL;
}

struct screen_figures screen_figures(const struct screen *s, const struct screen_row *row)
{
	const struct screen_tick *tick = screen_tick_of(s, row, s->tick);
	struct screen_figures f = row->sum;

	if (s->all)
		return series_figures(row, row->all, &f) ? row->sum : f;
	return tick ? tick->figures : (struct screen_figures){};
}

/* ---- time ---- */

unsigned int screen_step(unsigned int columns)
{
	return columns ? (SCREEN_TICKS + columns - 1) / columns : 1;
}

int64_t screen_column(const struct screen *s, unsigned int columns, unsigned int column)
{
	unsigned int step = screen_step(columns);

	return ((int64_t)(s->tick / step) - (columns - 1 - column)) * step;
}
