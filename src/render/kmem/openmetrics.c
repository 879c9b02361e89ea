// SPDX-License-Identifier: GPL-2.0-only
/*
 * openmetrics.c - an exposition for Prometheus and similar systems: totals, the first rows, and
 * all other rows as one row of each kind, so that the number of series stays small and sums
 * over rows are right. It is also valid in the older text format.
 */
#include "render/kmem/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/labels.h"

#define OTHERS "(others)"

/* What is being written. */
struct exposition {
	FILE *out;
	const struct render_kmem_set *recs;
	const struct kmem_table *tables; /* of each recording */
	size_t top;
};

/* A metric that has a sample for each row; @of gives its number. */
struct family {
	const char *name;
	const char *unit;
	const char *help;
	bool lifetimes;
	uint64_t (*of)(const struct kmem_sums *s);
};

static uint64_t count_of(const struct kmem_sums *s)
{
	return s->count;
}

static uint64_t req_of(const struct kmem_sums *s)
{
	return s->req;
}

static uint64_t alloc_of(const struct kmem_sums *s)
{
	return s->alloc;
}

static uint64_t waste_of(const struct kmem_sums *s)
{
	return s->waste;
}

static uint64_t live_of(const struct kmem_sums *s)
{
	return s->live;
}

static uint64_t live_bytes_of(const struct kmem_sums *s)
{
	return s->live_alloc;
}

static uint64_t freed_of(const struct kmem_sums *s)
{
	return s->freed;
}

static uint64_t unverified_of(const struct kmem_sums *s)
{
	return s->unverified;
}

static uint64_t other_cpu_of(const struct kmem_sums *s)
{
	return s->other_cpu;
}

static uint64_t other_task_of(const struct kmem_sums *s)
{
	return s->other_task;
}

static const struct family families[] = {
	{ "kstats_kmem_allocations", NULL, "Allocations.", false, count_of },
	{ "kstats_kmem_requested_bytes", "bytes", "Bytes asked for.", false, req_of },
	{ "kstats_kmem_allocated_bytes", "bytes", "Bytes given.", false, alloc_of },
	{ "kstats_kmem_wasted_bytes", "bytes", "Bytes given and not asked for.", false, waste_of },
	{ "kstats_kmem_live_objects", NULL, "Objects not freed at the end.", true, live_of },
	{ "kstats_kmem_live_bytes", "bytes", "Their bytes given.", true, live_bytes_of },
	{ "kstats_kmem_freed_objects", NULL, "Objects freed while measured.", true, freed_of },
	{ "kstats_kmem_unverified_objects", NULL,
	  "Freed objects beside them, whose lifetime is not sure.", true, unverified_of },
	{ "kstats_kmem_freed_on_other_cpu", NULL, "Of them, on another CPU than allocated.", true,
	  other_cpu_of },
	{ "kstats_kmem_freed_by_other_task", NULL, "Of them, by another task than allocated.", true,
	  other_task_of },
	{},
};

static void kmem_metrics_print_family(FILE *out, const char *name, const char *unit,
				      const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}

static const char *source_of(const struct exposition *x, size_t i)
{
	return x->recs->recs[i]->source ? x->recs->recs[i]->source : "";
}

/* Number of a recording among those of the same file name, from 1. */
static size_t file_nth(const struct exposition *x, size_t i)
{
	size_t k, nth = 1;

	for (k = 0; k < i; k++)
		nth += !strcmp(source_of(x, k), source_of(x, i));
	return nth;
}

static void kmem_metrics_begin(const struct exposition *x, size_t i, const char *name)
{
	size_t nth = file_nth(x, i);

	fprintf(x->out, "%s{nth=\"%zu\"", name, nth);
	labels_print(x->out, "recording", source_of(x, i));
}

/* ---- rows ---- */

static void kmem_metrics_print_row(const struct exposition *x, size_t i, const struct family *f,
				   size_t index)
{
	const struct kmem_entry *e = &x->tables[i].entries[index];

	kmem_metrics_begin(x, i, f->name);
	labels_print(x->out, "kind", kmem_kind_name(e->kind));
	labels_print(x->out, "by", kmem_group_names[x->tables[i].group]);
	labels_print(x->out, "name", e->name);
	if (e->cache && x->tables[i].group != KMEM_GROUP_CACHE)
		labels_print(x->out, "cache", e->cache);
	if (e->nth > 1)
		fprintf(x->out, ",name_nth=\"%zu\"", e->nth);
	fprintf(x->out, "} %" PRIu64 "\n", f->of(&e->sums));
}

/* The sum of the rows that are not shown, and of allocations that found no row. */
static void print_others(const struct exposition *x, size_t i, const struct family *f)
{
	const struct kmem_table *t = &x->tables[i];
	struct kmem_sums all;
	uint64_t n;
	int kind;
	size_t k;

	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		all = kmem_total(t->k, kind);
		n = f->of(&all);
		for (k = 0; k < t->n && k < x->top; k++)
			n -= t->entries[k].kind == (enum kstats_kmem_kind)kind
				     ? f->of(&t->entries[k].sums)
				     : 0;
		if (!kmem_is_seen(t->k, kind))
			continue;
		kmem_metrics_begin(x, i, f->name);
		labels_print(x->out, "kind", kmem_kind_name(kind));
		labels_print(x->out, "by", kmem_group_names[t->group]);
		labels_print(x->out, "name", OTHERS);
		fprintf(x->out, "} %" PRIu64 "\n", n);
	}
}

static void kmem_metrics_print_rows(const struct exposition *x, const struct family *f)
{
	size_t i, k;

	kmem_metrics_print_family(x->out, f->name, f->unit, f->help);
	for (i = 0; i < x->recs->n; i++) {
		if (f->lifetimes && !x->recs->recs[i]->lifetimes)
			continue;
		for (k = 0; k < x->tables[i].n && k < x->top; k++)
			kmem_metrics_print_row(x, i, f, k);
		print_others(x, i, f);
	}
}

/* ---- the account, and about ---- */

static void kmem_metrics_print_events(const struct exposition *x)
{
	const struct kmem *k;
	size_t i;
	int id;

	kmem_metrics_print_family(x->out, "kstats_kmem_events", NULL,
				  "Events by what became of them.");
	for (i = 0; i < x->recs->n; i++) {
		k = x->recs->recs[i];
		for (id = 0; id < KSTATS_KMEM_COUNT_N; id++) {
			kmem_metrics_begin(x, i, "kstats_kmem_events");
			fprintf(x->out, ",event=\"%s\"} %" PRIu64 "\n", kmem_count_key(id),
				k->counts[id]);
		}
	}
}

static void kmem_metrics_print_programs(const struct exposition *x)
{
	const struct kmem_program *p;
	size_t i, k;

	kmem_metrics_print_family(x->out, "kstats_kmem_skipped", NULL,
				  "Events for which the kernel did not run the program.");
	for (i = 0; i < x->recs->n; i++)
		for (k = 0; k < x->recs->recs[i]->n_programs; k++) {
			p = &x->recs->recs[i]->programs[k];
			kmem_metrics_begin(x, i, "kstats_kmem_skipped");
			fprintf(x->out, ",program=\"%zu\"", k + 1);
			labels_print(x->out, "event", p->event);
			labels_print(x->out, "method", *p->method ? p->method : "unseen");
			fprintf(x->out, "} %" PRIu64 "\n", p->skipped);
		}
}

static void print_infos(const struct exposition *x)
{
	char key[TAGS_KEY_MAX + sizeof("tag_")];
	const struct kmem *k;
	size_t i, tag;

	kmem_metrics_print_family(x->out, "kstats_kmem_recording_info", NULL,
				  "What was measured, on what, and how.");
	for (i = 0; i < x->recs->n; i++) {
		k = x->recs->recs[i];
		kmem_metrics_begin(x, i, "kstats_kmem_recording_info");
		labels_print(x->out, "program", k->program);
		labels_print(x->out, "kernel", k->kernel);
		labels_print(x->out, "build_id", k->machine.build_id);
		labels_print(x->out, "cpu", k->machine.cpu);
		labels_print(x->out, "filters", k->filters);
		labels_print(x->out, "command", k->command);
		for (tag = 0; tag < k->tags.n; tag++) {
			snprintf(key, sizeof(key), "tag_%s", k->tags.rows[tag].key);
			labels_print(x->out, key, k->tags.rows[tag].value);
		}
		fputs("} 1\n", x->out);
	}
}

static void kmem_metrics_print_figures(const struct exposition *x)
{
	struct kmem_account a;
	size_t i;

	kmem_metrics_print_family(x->out, "kstats_kmem_measured_seconds", "seconds",
				  "Time that the figures cover.");
	for (i = 0; i < x->recs->n; i++) {
		kmem_metrics_begin(x, i, "kstats_kmem_measured_seconds");
		fprintf(x->out, "} %.9f\n", kmem_span_ns(x->recs->recs[i]) / 1e9);
	}
	kmem_metrics_print_family(x->out, "kstats_kmem_account_closes", NULL,
				  "1: every event is accounted for; 0: please report it.");
	for (i = 0; i < x->recs->n; i++) {
		a = kmem_account(x->recs->recs[i]);
		kmem_metrics_begin(x, i, "kstats_kmem_account_closes");
		fprintf(x->out, "} %d\n", kmem_account_closes(&a));
	}
}

static bool any_lifetimes(const struct render_kmem_set *recs)
{
	size_t i;

	for (i = 0; i < recs->n; i++)
		if (recs->recs[i]->lifetimes)
			return true;
	return false;
}

int render_kmem_openmetrics(FILE *out, const struct render_kmem_set *recs,
			    const struct render_kmem_options *o)
{
	struct kmem_table *tables = calloc(recs->n, sizeof(*tables));
	const struct exposition x = { out, recs, tables, o->top ? o->top : RENDER_KMEM_TOP };
	const struct family *f;
	int err = tables ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < recs->n; i++)
		err = kmem_table_make(&tables[i], recs->recs[i], o->group, o->sort);
	for (f = families; !err && f->name; f++)
		if (!f->lifetimes || any_lifetimes(recs))
			kmem_metrics_print_rows(&x, f);
	if (!err) {
		kmem_metrics_print_events(&x);
		kmem_metrics_print_programs(&x);
		print_infos(&x);
		kmem_metrics_print_figures(&x);
		fputs("# EOF\n", out);
	}
	for (i = 0; tables && i < recs->n; i++)
		kmem_table_free(&tables[i]);
	free(tables);
	return err || ferror(out) ? -EIO : 0;
}
