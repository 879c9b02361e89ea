// SPDX-License-Identifier: GPL-2.0-only
/* parts.c - where the time of calls went, as a table. */
#include "render/summary/summary.h"

#include "result/ledger.h"
#include "result/parts.h"

#define NAME_WIDTH 12

static const char *const part_names[] = {
	[KSTATS_PART_RUNNING] = "running",         [KSTATS_PART_RUNNABLE] = "runnable",
	[KSTATS_PART_SLEEPING] = "sleeping",       [KSTATS_PART_BLOCKED] = "blocked",
	[KSTATS_PART_INTERRUPTED] = "interrupted",
};

static char *parts_share(char buf[UNITS_TEXT], const struct dist *d, double total)
{
	return units_percent(buf, (uint64_t)dist_total(d), (uint64_t)total);
}

static void parts_print_part(const struct report *r, const struct parts *p, int part)
{
	char mean[UNITS_TEXT], share[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
	const struct dist *d = &p->of[part];
	char max[UNITS_TEXT];

	fprintf(r->out, "  %-*s %10s %8s %11s %11s %11s\n", NAME_WIDTH, part_names[part],
		units_duration(mean, dist_mean(d), r->o->unit),
		parts_share(share, d, parts_total(p)),
		units_duration(p50, dist_quantile(d, 500000).hi, r->o->unit),
		units_duration(p99, dist_quantile(d, 990000).hi, r->o->unit),
		units_duration(max, dist_quantile(d, DIST_ONE).hi, r->o->unit));
}

static void parts_print_stayed(const struct report *r, const struct parts *p,
			       const struct dist *stayed)
{
	struct text_flow f = { r->out, r->o->width, 2, 4, false };
	const struct dist *left = &p->of[KSTATS_PART_LEFT];
	char a[UNITS_TEXT], b[UNITS_TEXT];

	fprintf(r->out, "\n  ");
	if (!stayed->samples || !left->samples) {
		text_flow_words(&f, left->samples ? "Every call left the processor."
						  : "No call left the processor.");
		fputc('\n', r->out);
		return;
	}
	text_flow_add(&f, "%s of the calls",
		      units_percent(a, stayed->samples, stayed->samples + left->samples));
	text_flow_words(&f, "never left the processor, p99 up to");
	text_flow_add(&f, "%s;", units_duration(b, dist_quantile(stayed, 990000).hi, r->o->unit));
	text_flow_words(&f, "the others: p99 up to");
	text_flow_add(&f, "%s", units_duration(b, dist_quantile(left, 990000).hi, r->o->unit));
	fputc('\n', r->out);
}

static void parts_print_unsplit(const struct report *r, const struct parts *p)
{
	struct text_flow f = { r->out, r->o->width, 2, 4, false };
	uint64_t n = p->of[KSTATS_PART_UNSPLIT].samples;
	char a[UNITS_TEXT];

	if (!n)
		return;
	fprintf(r->out, "  ");
	text_flow_add(&f, "%s call%s", units_count(a, n), n == 1 ? " is" : "s are");
	text_flow_words(&f, "left out here: their parts are not known (unsplit)");
	fputc('\n', r->out);
}

int report_parts(const struct report *r, uint32_t node)
{
	struct dist stayed = {};
	struct parts p;
	int part, err;

	if (!r->all)
		return 0;
	err = parts_open(&p, r->all, node);
	if (!err)
		err = parts_stayed(&p, r->all, node, &stayed);
	if (!err) {
		fprintf(r->out, "\n  %s%-*s %10s %8s %11s %11s %11s%s\n",
			text_color(r->o->color, TEXT_FAINT), NAME_WIDTH, "time spent", "mean",
			"share", "p50 up to", "p99 up to", "max up to",
			text_color(r->o->color, TEXT_PLAIN));
		for (part = 0; part <= KSTATS_PART_INTERRUPTED; part++)
			parts_print_part(r, &p, part);
		fprintf(r->out, "  %sinterrupted is a part of running, and a lower bound%s\n",
			text_color(r->o->color, TEXT_FAINT), text_color(r->o->color, TEXT_PLAIN));
		parts_print_stayed(r, &p, &stayed);
		parts_print_unsplit(r, &p);
	}
	dist_close(&stayed);
	parts_close(&p);
	return err == -ENOENT ? 0 : err;
}

static int parts_print_shares(const struct report *r, uint32_t node, unsigned int width)
{
	struct parts p;
	char share[UNITS_TEXT];
	int part, err = parts_open(&p, r->all, node);

	if (!err && parts_total(&p) > 0) {
		text_safe(r->out, r->s->nodes[node].name, width);
		for (part = 0; part <= KSTATS_PART_INTERRUPTED; part++)
			fprintf(r->out, " %11s", parts_share(share, &p.of[part], parts_total(&p)));
		fputc('\n', r->out);
	}
	parts_close(&p);
	return err == -ENOENT ? 0 : err;
}

int report_parts_table(const struct report *r)
{
	unsigned int width = r->o->width > 60 + NAME_WIDTH ? r->o->width - 60 : NAME_WIDTH;
	int part, err = 0;
	uint32_t i;

	for (i = 0; r->all && i < r->s->n_nodes && snapshot_part(r->all, i, SNAPSHOT_RUNNING) < 0;)
		i++;
	if (!r->all || i == r->s->n_nodes)
		return 0;
	fprintf(r->out, "\n%s%-*s", text_color(r->o->color, TEXT_FAINT), (int)width, "time spent");
	for (part = 0; part <= KSTATS_PART_INTERRUPTED; part++)
		fprintf(r->out, " %11s", part_names[part]);
	fprintf(r->out, "%s\n", text_color(r->o->color, TEXT_PLAIN));
	for (i = 0; !err && i < r->s->n_nodes; i++)
		if (ledger_is_owner(r->s, i))
			err = parts_print_shares(r, i, width);
	return err;
}
