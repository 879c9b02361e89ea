// SPDX-License-Identifier: GPL-2.0-only
/* stages.c - the time between the points that calls passed (--via), as a table. */
#include "render/summary/summary.h"

#include <string.h>

#include "result/ledger.h"
#include "result/parts.h"

#define NAME_WIDTH 24
#define NAME_BEGIN "to-"

/* The name of a stage without that of its owner: "block_rq_issue". */
static const char *stages_name(const struct report *r, uint32_t owner, uint32_t node)
{
	const char *name = r->all->nodes[node].name, *of = r->all->nodes[owner].name;
	size_t length = strlen(of);

	if (!strncmp(name, of, length) && name[length] == ':')
		name += length + 1;
	return strncmp(name, NAME_BEGIN, strlen(NAME_BEGIN)) ? name : name + strlen(NAME_BEGIN);
}

static bool stages_is_one(const struct report *r, uint32_t owner, uint32_t node)
{
	return r->all->nodes[node].kind == SNAPSHOT_STAGE && r->all->nodes[node].owner == owner;
}

static int stages_total(const struct report *r, uint32_t owner, double *total, uint64_t *calls)
{
	struct dist d = {};
	uint32_t i;
	int err = 0;

	*total = 0;
	for (i = 0; !err && i < r->all->n_nodes; i++) {
		if (!stages_is_one(r, owner, i))
			continue;
		err = dist_open(&d, r->all, i, DIST_ALL_CPUS);
		*total += err ? 0 : dist_total(&d);
		/* All calls are in the last stage. */
		*calls = d.samples;
		dist_close(&d);
	}
	return err;
}

void report_share(const struct report *r, const struct dist *d, double total)
{
	char mean[UNITS_TEXT], share[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
	char count[UNITS_TEXT];

	fprintf(r->out, " %9s", units_count(count, d->samples));
	if (d->samples)
		fprintf(r->out, " %10s %8s %11s %11s",
			units_duration(mean, dist_mean(d), r->o->unit),
			units_percent(share, (uint64_t)dist_total(d), (uint64_t)total),
			units_duration(p50, dist_quantile(d, 500000).hi, r->o->unit),
			units_duration(p99, dist_quantile(d, 990000).hi, r->o->unit));
	fputc('\n', r->out);
}

static int stages_print(const struct report *r, uint32_t owner, uint32_t node, double total)
{
	struct dist d = {};
	int err = dist_open(&d, r->all, node, DIST_ALL_CPUS);

	if (!err) {
		fprintf(r->out, "  to ");
		text_safe(r->out, stages_name(r, owner, node), NAME_WIDTH - strlen(NAME_BEGIN));
		report_share(r, &d, total);
	}
	dist_close(&d);
	return err;
}

static void stages_say_passed(const struct report *r, uint32_t owner, uint64_t calls)
{
	struct text_flow f = { r->out, r->o->width, 2, 4, false };
	char a[UNITS_TEXT], b[UNITS_TEXT];
	uint64_t n, again = 0;
	uint32_t i;

	for (i = 0; i < r->all->n_nodes; i++) {
		n = counts_samples(r->all->nodes[i].counts);
		if (r->all->nodes[i].owner == owner && r->all->nodes[i].kind == SNAPSHOT_AGAIN)
			again = n;
		if (!stages_is_one(r, owner, i) || n >= calls)
			continue;
		fprintf(r->out, "  ");
		text_flow_add(&f, "%s of %s calls", units_count(a, calls - n),
			      units_count(b, calls));
		text_flow_words(&f, "did not pass");
		text_flow_add(&f, "%s,", stages_name(r, owner, i));
		text_flow_words(&f, "or not in this order: their time is in the next stage");
		fputc('\n', r->out);
		f = (struct text_flow){ r->out, r->o->width, 2, 4, false };
	}
	if (!again)
		return;
	fprintf(r->out, "  ");
	text_flow_add(&f, "%s call%s", units_count(a, again), again == 1 ? "" : "s");
	text_flow_words(&f, strstr(r->all->nodes[owner].what, " via the first ")
				    ? "passed a point again: the first time counts"
				    : "passed a point again: the last time counts");
	fputc('\n', r->out);
}

int report_stages(const struct report *r, uint32_t owner)
{
	uint64_t calls = 0;
	double total;
	uint32_t i;
	int err;

	if (!r->all)
		return 0;
	err = stages_total(r, owner, &total, &calls);
	if (err || !calls)
		return err;
	fprintf(r->out, "\n  %s%-*s %9s %10s %8s %11s %11s%s\n",
		text_color(r->o->color, TEXT_FAINT), NAME_WIDTH, "stage", "calls", "mean", "share",
		"p50 up to", "p99 up to", text_color(r->o->color, TEXT_PLAIN));
	for (i = 0; !err && i < r->all->n_nodes; i++)
		if (stages_is_one(r, owner, i))
			err = stages_print(r, owner, i, total);
	stages_say_passed(r, owner, calls);
	return err;
}
