// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem_metrics.c - memory events as metrics: totals, the first rows, and all other rows as one
 * row of each kind, so that the number of series stays small and sums over rows are right.
 */
#include <stddef.h>
#include <string.h>

#include "kmem/account.h"
#include "report/kmem.h"

#define OTHERS "(others)"

/* What is being told, and to whom. */
struct kmem_metrics {
	const struct kmem_tables *tables;
	struct report_metrics *to;
	size_t top;
};

/* A metric that has a sample for each row; @at is the offset of its number in the sums. */
struct kmem_row_metric {
	const char *name, *unit, *help;
	bool lifetimes;
	size_t at;
};

#define SUM(member) offsetof(struct kmem_sums, member)

static const struct kmem_row_metric kmem_row_metrics[] = {
	{ "kstats_kmem_allocations", NULL, "Allocations that were recorded.", false, SUM(count) },
	{ "kstats_kmem_requested_bytes", "bytes", "Bytes that allocations asked for.", false,
	  SUM(req) },
	{ "kstats_kmem_allocated_bytes", "bytes", "Bytes that allocations were given.", false,
	  SUM(alloc) },
	{ "kstats_kmem_wasted_bytes", "bytes",
	  "Bytes that allocations were given beyond what they asked for.", false, SUM(waste) },
	{ "kstats_kmem_live_objects", NULL,
	  "Objects that were allocated while measured and not freed by the end.", true, SUM(live) },
	{ "kstats_kmem_live_bytes", "bytes",
	  "Bytes given to objects that were not freed by the end.", true, SUM(live_alloc) },
	{ "kstats_kmem_freed_objects", NULL,
	  "Objects that were allocated and freed while measured.", true, SUM(freed) },
	{ "kstats_kmem_unverified_objects", NULL,
	  "Objects that were freed while measured, of uncertain lifetime.", true, SUM(unverified) },
	{ "kstats_kmem_freed_on_other_cpu", NULL,
	  "Objects that were freed on another CPU than they were allocated on.", true,
	  SUM(other_cpu) },
	{ "kstats_kmem_freed_by_other_task", NULL,
	  "Objects that were freed by another task than allocated them.", true, SUM(other_task) },
	{},
};

static void kmem_metrics_begin(const struct kmem_metrics *x, const char *name, const char *unit,
			       const char *help)
{
	x->to->metric(x->to, &(struct report_metric){ name, "gauge", unit, help });
}

static void kmem_metrics_label(const struct kmem_metrics *x, const char *name, const char *text)
{
	x->to->label(x->to, name, text);
}

static void kmem_metrics_label_nth(const struct kmem_metrics *x, const char *name, size_t nth)
{
	char text[UNITS_TEXT];

	snprintf(text, sizeof(text), "%zu", nth);
	x->to->label(x->to, name, text);
}

static const char *kmem_metrics_source(const struct kmem_table *t)
{
	return t->k->source ? t->k->source : "";
}

/* Of which recording the next sample is: its number among those of the same file name, and that. */
static void kmem_metrics_of(const struct kmem_metrics *x, const struct kmem_table *t)
{
	const struct kmem_table *other;
	size_t nth = 1;

	for (other = x->tables->tables; other < t; other++)
		nth += !strcmp(kmem_metrics_source(other), kmem_metrics_source(t));
	kmem_metrics_label_nth(x, "nth", nth);
	kmem_metrics_label(x, "recording", kmem_metrics_source(t));
}

/* ---- rows ---- */

static uint64_t kmem_metrics_sum(const struct kmem_sums *s, const struct kmem_row_metric *m)
{
	uint64_t n;

	memcpy(&n, (const char *)s + m->at, sizeof(n));
	return n;
}

static void kmem_metrics_row(const struct kmem_metrics *x, const struct kmem_table *t,
			     const struct kmem_entry *e, uint64_t n)
{
	kmem_metrics_of(x, t);
	kmem_metrics_label(x, "kind", kmem_kind_name(e->kind));
	kmem_metrics_label(x, "by", t->group.by);
	kmem_metrics_label(x, "name", e->name);
	if (e->cache && !kmem_group_is(&t->group, KMEM_CACHE))
		kmem_metrics_label(x, "cache", e->cache);
	if (e->nth > 1)
		kmem_metrics_label_nth(x, "name_nth", e->nth);
	x->to->sample(x->to, n);
}

/* The sum of the rows that are not shown, and of allocations that found no row. */
static void kmem_metrics_others(const struct kmem_metrics *x, const struct kmem_table *t,
				const struct kmem_row_metric *m)
{
	struct kmem_entry others = { .name = OTHERS };
	struct kmem_sums all;
	uint64_t n;
	int kind;
	size_t i;

	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		if (!kmem_is_seen(t->k, kind))
			continue;
		all = kmem_total(t->k, kind);
		n = kmem_metrics_sum(&all, m);
		for (i = 0; i < t->n && i < x->top; i++)
			if (t->entries[i].kind == (enum kstats_kmem_kind)kind)
				n -= kmem_metrics_sum(&t->entries[i].sums, m);
		others.kind = kind;
		kmem_metrics_row(x, t, &others, n);
	}
}

static void kmem_metrics_rows(const struct kmem_metrics *x, const struct kmem_row_metric *m)
{
	const struct kmem_table *t = x->tables->tables, *end = t + x->tables->n;
	size_t i;

	kmem_metrics_begin(x, m->name, m->unit, m->help);
	for (; t < end; t++) {
		if (m->lifetimes && !t->k->lifetimes)
			continue;
		for (i = 0; i < t->n && i < x->top; i++)
			kmem_metrics_row(x, t, &t->entries[i],
					 kmem_metrics_sum(&t->entries[i].sums, m));
		kmem_metrics_others(x, t, m);
	}
}

/* ---- the account, and about ---- */

static void kmem_metrics_events(const struct kmem_metrics *x, const struct kmem_table *t)
{
	int id;

	for (id = 0; id < KSTATS_KMEM_COUNT_N; id++) {
		kmem_metrics_of(x, t);
		kmem_metrics_label(x, "event", kmem_count_key(id));
		x->to->sample(x->to, t->k->counts[id]);
	}
}

static void kmem_metrics_programs(const struct kmem_metrics *x, const struct kmem_table *t)
{
	const struct kmem_program *p;
	size_t i;

	for (i = 0; i < t->k->n_programs; i++) {
		p = &t->k->programs[i];
		kmem_metrics_of(x, t);
		kmem_metrics_label_nth(x, "program", i + 1);
		kmem_metrics_label(x, "event", p->event);
		kmem_metrics_label(x, "method", *p->method ? p->method : "unseen");
		x->to->sample(x->to, p->skipped);
	}
}

static void kmem_metrics_info(const struct kmem_metrics *x, const struct kmem_table *t)
{
	char key[TAGS_KEY_MAX + sizeof("tag_")];
	const struct kmem *k = t->k;
	size_t i;

	kmem_metrics_of(x, t);
	kmem_metrics_label(x, "program", k->program);
	kmem_metrics_label(x, "kernel", k->kernel);
	kmem_metrics_label(x, "build_id", k->machine.build_id);
	kmem_metrics_label(x, "cpu", k->machine.cpu);
	kmem_metrics_label(x, "filters", k->filters);
	kmem_metrics_label(x, "command", k->command);
	for (i = 0; i < k->tags.n; i++) {
		snprintf(key, sizeof(key), "tag_%s", k->tags.rows[i].key);
		kmem_metrics_label(x, key, k->tags.rows[i].value);
	}
	x->to->sample(x->to, 1);
}

static void kmem_metrics_time(const struct kmem_metrics *x, const struct kmem_table *t)
{
	kmem_metrics_of(x, t);
	x->to->seconds(x->to, kmem_span_ns(t->k), 9);
}

static void kmem_metrics_closes(const struct kmem_metrics *x, const struct kmem_table *t)
{
	const struct kmem_account a = kmem_account(t->k);

	kmem_metrics_of(x, t);
	x->to->sample(x->to, kmem_account_closes(&a));
}

/* Metrics that have samples of each recording. */
static const struct kmem_metric {
	const char *name, *unit, *help;
	void (*tell)(const struct kmem_metrics *x, const struct kmem_table *t);
} kmem_metrics[] = {
	{ "kstats_kmem_events", NULL, "Events by what became of them.", kmem_metrics_events },
	{ "kstats_kmem_skipped", NULL, "Events for which the kernel did not run the program.",
	  kmem_metrics_programs },
	{ "kstats_kmem_recording_info", NULL, "What was measured, on what, and how.",
	  kmem_metrics_info },
	{ "kstats_kmem_measured_seconds", "seconds", "Time that the figures cover.",
	  kmem_metrics_time },
	{ "kstats_kmem_account_closes", NULL,
	  "1: every event is accounted for; 0: please report it.", kmem_metrics_closes },
	{},
};

int report_kmem_metrics(const struct report *r, struct report_metrics *to)
{
	const struct report_kmem_look *o = r->how;
	const struct kmem_metrics x = { r->own, to, o->top ? o->top : REPORT_KMEM_TOP };
	const struct kmem_row_metric *row;
	const struct kmem_metric *m;
	bool lifetimes = false;
	size_t i;

	for (i = 0; i < x.tables->n; i++)
		lifetimes |= x.tables->tables[i].k->lifetimes;
	for (row = kmem_row_metrics; row->name; row++)
		if (!row->lifetimes || lifetimes)
			kmem_metrics_rows(&x, row);
	for (m = kmem_metrics; m->name; m++) {
		kmem_metrics_begin(&x, m->name, m->unit, m->help);
		for (i = 0; i < x.tables->n; i++)
			m->tell(&x, &x.tables->tables[i]);
	}
	return 0;
}
