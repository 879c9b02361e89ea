// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - the most important figures on one screen. A few nodes are shown in full; many
 * nodes are shown as a table first.
 */
#include "render/summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/ledger.h"
#include "result/parts.h"
#include "report/about.h"
#include "report/account.h"
#include "report/costs.h"
#include "render/render.h"
#include "report/ranges.h"

/* More nodes than this are shown as a table. */
#define FULL_MAX 4

#define ABOUT_COLUMN 10

int report_open(struct report *r, FILE *out, const struct recording *rec,
		const struct report_look *o)
{
	const struct snapshot *s = rec->whole;
	uint32_t i;

	*r = (struct report){ .out = out, .rec = rec, .s = s, .o = o };
	r->dists = calloc(s->n_nodes, sizeof(*r->dists));
	for (i = 0; r->dists && i < s->n_nodes; i++)
		if (s->nodes[i].kind >= SNAPSHOT_KEY)
			r->dists[i].samples = counts_samples(s->nodes[i].counts);
		else if (dist_open(&r->dists[i], s, i, DIST_ALL_CPUS))
			return -ENOMEM;
	return r->dists ? 0 : -ENOMEM;
}

void report_close(struct report *r)
{
	uint32_t i;

	for (i = 0; r->dists && i < r->s->n_nodes; i++)
		dist_close(&r->dists[i]);
	free(r->dists);
	r->dists = NULL;
}

static void print_backend(struct text_flow *f, const struct snapshot *s)
{
	bool plain = !s->backend_reason || !*s->backend_reason;
	char text[512];

	snprintf(text, sizeof(text), plain ? "%s backend%s;" : "%s backend (%s);",
		 s->backend ? s->backend : "", plain ? "" : s->backend_reason);
	text_flow_words(f, text);
}

/* Name the recording if there are several. */
static void print_source(const struct report *r)
{
	if (!r->o->titled)
		return;
	if (r->o->continued)
		fputc('\n', r->out);
	fputs(text_color(r->o->color, TEXT_TITLE), r->out);
	fputs("== ", r->out);
	text_safe(r->out, r->rec->source, 0);
	fprintf(r->out, " ==%s\n", text_color(r->o->color, TEXT_PLAIN));
}

/* Printed before any figure, so that nobody reads the figures without it. */
static void summary_print_warning(const struct report *r)
{
	struct text_flow f = { r->out, r->o->width, 2, 0, false };
	char text[ACCOUNT_TEXT], stepped[COSTS_WARNING];

	if (account_warning(r->s, text)) {
		fputs(text_color(r->o->color, TEXT_WARN), r->out);
		text_flow_words(&f, text);
		fprintf(r->out, "%s\n", text_color(r->o->color, TEXT_PLAIN));
	}
	if (costs_warning(r->rec, stepped)) {
		f = (struct text_flow){ r->out, r->o->width, 2, 0, false };
		text_flow_words(&f, stepped);
		fputc('\n', r->out);
	}
}

/* Print "name: text", wrapped. */
static void summary_print_about(void *ctx, const char *name, const char *text)
{
	const struct report *r = ctx;
	struct text_flow f = { r->out, r->o->width, ABOUT_COLUMN, ABOUT_COLUMN, false };

	fprintf(r->out, "%s:%*s", name, ABOUT_COLUMN - 1 - (int)strlen(name), "");
	text_flow_words(&f, text);
	fputc('\n', r->out);
}

void report_head(const struct report *r)
{
	struct text_flow f = { r->out, r->o->width, 2, 2, false };
	const struct snapshot *s = r->s;
	char time[UNITS_TEXT];

	print_source(r);
	summary_print_warning(r);
	fputs(text_color(r->o->color, TEXT_FAINT), r->out);
	if (r->o->period)
		text_flow_add(&f, "period %u,", r->o->period);
	text_flow_add(&f, "%s", units_duration(time, s->span.end_ns - s->span.begin_ns, "auto"));
	text_flow_add(&f, "on Linux %s;", s->kernel ? s->kernel : "");
	print_backend(&f, s);
	text_flow_add(&f, "%s%s;", about_paired(s), s->pairing ? s->pairing : "");
	text_flow_add(&f, "bits %u (slots %.3g%% wide)", s->bits, 100.0 / (1U << s->bits));
	fputc('\n', r->out);
	about_each(r->rec, r->rec->source && !r->o->period,
		   &(struct about){ summary_print_about, (void *)r });
	fputs(text_color(r->o->color, TEXT_PLAIN), r->out);
}

/* @keys: the report with its keys, or NULL. */
static int summary_print_node(const struct report *r, const struct report *keys, uint32_t node)
{
	int err = 0;

	fputc('\n', r->out);
	report_title(r, node);
	if (keys && ledger_is_owner(r->s, node))
		err = report_keys(keys, node);
	if (!r->dists[node].samples) {
		report_empty(r, node);
	} else {
		report_figures(r, node);
		report_shape(r, node);
		if (!err && r->o->per_cpu_rows)
			err = report_cpus(r, node);
	}
	if (!err && ledger_is_owner(r->s, node) && r->dists[node].samples)
		err = report_parts(r, node);
	if (!err && ledger_is_owner(r->s, node))
		err = report_stages(r, node);
	if (!err && ledger_is_owner(r->s, node))
		err = report_callees(r, node);
	if (!err && ledger_is_owner(r->s, node)) {
		err = report_unverified(r, node);
		report_cost(r, node);
		report_ledger(r, node);
	}
	return err;
}

static int summary_print_nodes(const struct report *r, const struct report *keys)
{
	const struct snapshot *s = r->s;
	uint32_t i;
	int err = 0;

	report_head(r);
	if (s->n_nodes > FULL_MAX) {
		err = keys ? report_keys(keys, -1) : report_table(r);
		if (!err)
			err = report_parts_table(r);
		for (i = 0; !err && i < s->n_nodes; i++)
			if (ledger_is_owner(s, i))
				err = report_stages(r, i);
		report_costs(r);
		report_ledgers(r);
	}
	for (i = 0; !err && s->n_nodes <= FULL_MAX && i < s->n_nodes; i++)
		err = summary_print_node(r, keys, i);
	if (r->o->period)
		fputc('\n', r->out);
	return err;
}

/* All keys together, without distributions that are hidden. */
static int summary_print_keys(const struct report *keys)
{
	struct recording rec = *keys->rec;
	struct snapshot plain = *keys->s;
	struct report r = {};
	int err = 0;

	rec.whole = &plain;
	plain.n_nodes = snapshot_plain(keys->s);
	while (plain.n_nodes > 1 && snapshot_is_hidden(keys->s, plain.n_nodes - 1))
		plain.n_nodes--;
	err = report_open(&r, keys->out, &rec, keys->o);
	r.all = keys->all;
	if (!err)
		err = summary_print_nodes(&r, keys);
	report_close(&r);
	return err;
}

/* @rec: without parts; @all: with them, or NULL. */
static int summary_write_all(FILE *out, const struct recording *rec, const struct snapshot *all,
			     const struct report_look *o)
{
	struct report r;
	int err = report_open(&r, out, rec, o);

	r.all = all;
	if (!err)
		err = snapshot_has_keys(rec->whole) ? summary_print_keys(&r)
						    : summary_print_nodes(&r, NULL);
	report_close(&r);
	return err || ferror(out) ? -EIO : 0;
}

static int summary_write(FILE *out, const struct recording *rec, const struct report_look *o)
{
	struct recording plain = *rec;
	int err = -EIO;

	if (!snapshot_has_parts(rec->whole))
		return summary_write_all(out, rec, NULL, o);
	plain.whole = snapshot_without_parts(rec->whole);
	if (plain.whole)
		err = summary_write_all(out, &plain, rec->whole, o);
	snapshot_free(plain.whole);
	return err;
}

/* Lines of a report, or 0. */
static unsigned int summary_height(const struct recording *rec, const struct report_look *o)
{
	unsigned int lines = 0;
	char *text = NULL, *p;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || summary_write(out, rec, o) | fclose(out)) {
		free(text);
		return 0;
	}
	for (p = text; (p = strchr(p, '\n')); p++)
		lines++;
	free(text);
	return lines;
}

/*
 * On a small screen the ranges of a distribution are merged further, so that its figures and its
 * ledger are seen together. A line stays for the prompt. What is longer all the same stays as it
 * is.
 */
static unsigned int summary_ranges(const struct recording *rec, const struct report_look *o)
{
	struct report_look small = *o;
	unsigned int lines, most = o->height - 1;

	small.ranges = RANGES_MAX;
	lines = summary_height(rec, &small);
	while (lines > most && small.ranges > RANGES_LEAST) {
		small.ranges--;
		lines = summary_height(rec, &small);
	}
	return lines > most ? RANGES_MAX : small.ranges;
}

/* Whether there are so many distributions that they are rows of a table. */
static bool summary_is_table(const struct snapshot *s)
{
	uint32_t i, n = 0;

	for (i = 0; i < s->n_nodes; i++)
		n += !snapshot_is_part(s->nodes[i].kind);
	return n > FULL_MAX;
}

int render_summary(FILE *out, const struct recording *rec, const struct report_look *o)
{
	struct report_look fits = *o;

	if (o->height > 1 && !summary_is_table(rec->whole))
		fits.ranges = summary_ranges(rec, o);
	return summary_write(out, rec, &fits);
}
