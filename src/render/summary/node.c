// SPDX-License-Identifier: GPL-2.0-only
/* node.c - one node of the summary in full. */
#include "render/summary/summary.h"

#include <errno.h>
#include <string.h>

#include "result/ledger.h"
#include "render/bars.h"
#include "report/costs.h"
#include "report/ranges.h"

#define LEFT_COLUMN 34 /* width of the left half of the figures */
#define FIGURES 5

void report_title(const struct report *r, uint32_t node)
{
	const struct snapshot_node *n = &r->s->nodes[node];
	struct text_flow f = { r->out, r->o->width, 0, 0, false };
	char reason[512];

	fputs(text_color(r->o->color, TEXT_TITLE), r->out);
	text_flow_add(&f, "%s:", n->name ? n->name : "");
	fputs(text_color(r->o->color, TEXT_PLAIN), r->out);
	f.indent = 2;
	text_flow_words(&f, n->what);
	if (ledger_is_owner(r->s, node)) {
		text_flow_add(&f, "by");
		text_flow_words(&f, n->method);
		snprintf(reason, sizeof(reason), "(%s)", n->reason ? n->reason : "");
		text_flow_words(&f, reason);
	}
	fputc('\n', r->out);
}

/* ---- figures ---- */

static void figures_figure(char *buf, size_t size, const char *name, const char *value,
			   const char *more)
{
	snprintf(buf, size, "%-6s %s%s%s", name, value, *more ? "  " : "", more);
}

/* The left half: count, mean, total and extremes. */
static void left_figure(const struct report *r, uint32_t node, int row, char *buf, size_t size)
{
	const struct dist *d = &r->dists[node];
	uint64_t time_ns = r->s->span.end_ns - r->s->span.begin_ns;
	char a[UNITS_TEXT], b[UNITS_TEXT], range[FIGURES_RANGE];

	switch (row) {
	case 0:
		figures_figure(buf, size, "count", units_count(a, d->samples),
			       units_rate(b, d->samples, time_ns));
		break;
	case 1:
		figures_figure(buf, size, "mean", units_duration(a, dist_mean(d), r->o->unit), "");
		break;
	case 2:
		figures_figure(buf, size, "total", units_duration(a, dist_total(d), r->o->unit),
			       "");
		break;
	case 3:
		figures_figure(buf, size, "min",
			       figures_range(range, dist_quantile(d, 0), r->o->unit), "");
		break;
	default:
		figures_figure(buf, size, "max",
			       figures_range(range, dist_quantile(d, DIST_ONE), r->o->unit), "");
	}
}

void report_figures(const struct report *r, uint32_t node)
{
	char left[2 * FIGURES_RANGE], range[FIGURES_RANGE];
	int i;

	fputc('\n', r->out);
	for (i = 0; i < FIGURES; i++) {
		left_figure(r, node, i, left, sizeof(left));
		figures_range(range,
			      dist_quantile(&r->dists[node], figures_quantiles[i].millionths),
			      r->o->unit);
		fprintf(r->out, "  %-*s  %s%-6s%s %s\n", LEFT_COLUMN, left,
			text_color(r->o->color, TEXT_FAINT), figures_quantiles[i].name,
			text_color(r->o->color, TEXT_PLAIN), range);
	}
	fputc('\n', r->out);
}

static void print_with(const struct report *r, const struct dist *d, uint64_t unverified)
{
	struct text_flow f = { r->out, r->o->width, 2, 4, false };
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], p[UNITS_TEXT];

	fprintf(r->out, "\n  ");
	text_flow_add(&f, "With the %s unverified samples the mean would be %s,",
		      units_count(a, unverified), units_duration(b, dist_mean(d), r->o->unit));
	text_flow_add(&f, "p50 up to %s,",
		      units_duration(p, dist_quantile(d, 500000).hi, r->o->unit));
	text_flow_add(&f, "p99 up to %s,",
		      units_duration(c, dist_quantile(d, 990000).hi, r->o->unit));
	text_flow_add(&f, "max up to %s.",
		      units_duration(b, dist_quantile(d, DIST_ONE).hi, r->o->unit));
	fputc('\n', r->out);
}

int report_unverified(const struct report *r, uint32_t node)
{
	struct dist with;
	uint32_t i;
	int err;

	for (i = node + 1; i < r->s->n_nodes; i++)
		if (r->s->nodes[i].kind == SNAPSHOT_UNVERIFIED && r->s->nodes[i].owner == node)
			break;
	if (i >= r->s->n_nodes || !r->dists[i].samples)
		return 0;
	err = dist_open(&with, r->s, node, DIST_ALL_CPUS);
	if (!err && !dist_add(&with, &r->dists[i]))
		print_with(r, &with, r->dists[i].samples);
	dist_close(&with);
	return err;
}

/* ---- shape ---- */

/* The quantiles in a range: "p50", "p50 p90" or "p50..p99.9". */
static void note_quantiles(char note[BAR_NOTE], const struct dist *d, const struct range *range)
{
	int first = -1, last = -1, i;
	uint32_t slot;

	for (i = 0; i < FIGURES_QUANTILES; i++) {
		slot = dist_quantile_slot(d, figures_quantiles[i].millionths);
		if (slot < range->first || slot > range->last)
			continue;
		first = first < 0 ? i : first;
		last = i;
	}
	if (first < 0)
		return;
	snprintf(note, BAR_NOTE, "%s", figures_quantiles[first].name);
	if (last > first)
		snprintf(note + strlen(note), BAR_NOTE - strlen(note), "%s%s",
			 last > first + 1 ? ".." : " ", figures_quantiles[last].name);
}

void report_shape(const struct report *r, uint32_t node)
{
	const struct cost *cost = recording_cost(r->rec, node);
	const struct dist *d = &r->dists[node];
	struct range ranges[RANGES_MAX];
	struct bar rows[RANGES_MAX] = {};
	unsigned int n = ranges_make(d, r->o->ranges ? r->o->ranges : RANGES_MAX, ranges), i;

	for (i = 0; i < n; i++) {
		rows[i].value = ranges[i].value;
		rows[i].samples = ranges[i].samples;
		rows[i].skipped = ranges[i].skipped;
		rows[i].below = costs_below(cost, d, ranges[i].value.hi);
		note_quantiles(rows[i].note, d, &ranges[i]);
	}
	bars_draw(r->out, r->o, rows, n);
}

/* ---- CPUs ---- */

static void print_cpu(const struct report *r, uint32_t cpu, const struct dist *d)
{
	char count[UNITS_TEXT], mean[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
	char max[UNITS_TEXT];

	fprintf(r->out, "  %5u %15s %12s %12s %12s %12s\n", cpu, units_count(count, d->samples),
		units_duration(mean, dist_mean(d), r->o->unit),
		units_duration(p50, dist_quantile(d, 500000).hi, r->o->unit),
		units_duration(p99, dist_quantile(d, 990000).hi, r->o->unit),
		units_duration(max, dist_quantile(d, DIST_ONE).hi, r->o->unit));
}

int report_cpus(const struct report *r, uint32_t node)
{
	struct dist d;
	uint32_t cpu;
	int err = 0;

	fprintf(r->out, "\n  %s%5s %15s %12s %12s %12s %12s%s\n",
		text_color(r->o->color, TEXT_FAINT), "CPU", "count", "mean", "p50 up to",
		"p99 up to", "max up to", text_color(r->o->color, TEXT_PLAIN));
	for (cpu = 0; !err && counts_next_cpu(r->s->nodes[node].counts, &cpu); cpu++) {
		err = dist_open(&d, r->s, node, cpu);
		if (!err && d.samples)
			print_cpu(r, cpu, &d);
		dist_close(&d);
	}
	return err;
}
