// SPDX-License-Identifier: GPL-2.0-only
/* kmem.c - recordings of memory events: totals, the first rows, what is live, and the account. */
#include "report/kmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/account.h"
#include "kmem/pairs.h"
#include "report/about.h"

#define MUCH 0.01 /* if a larger share of the events was skipped, the report begins with that */
#define PAIRS 20
#define PAIRS_BRIEF 5
#define PAIRS_BETWEEN " -> "

const char *kmem_table_kind(const struct kmem_group *group, enum kstats_kmem_kind kind)
{
	static const char *const words[] = {
		[KSTATS_KMEM_KMALLOC] = "kmalloc: ",
		[KSTATS_KMEM_CACHE] = "cache: ",
		[KSTATS_KMEM_PAGES] = "pages: ",
	};
	unsigned int word;

	for (word = KMEM_SITE; word < KMEM_WORDS; word++)
		if (kmem_group_has(group, word))
			return "";
	return words[kind];
}

const char *kmem_table_size(const struct kmem_entry *e, char buf[2 * UNITS_TEXT])
{
	char a[UNITS_TEXT], b[UNITS_TEXT];

	if (e->size != e->last)
		snprintf(buf, 2 * UNITS_TEXT, "%s..%s", units_count(a, e->size),
			 units_count(b, e->last));
	else if (e->each == e->each_last && e->each != e->size)
		snprintf(buf, 2 * UNITS_TEXT, "%s in %s", units_count(a, e->size),
			 units_count(b, e->each));
	else
		snprintf(buf, 2 * UNITS_TEXT, "%s", units_count(a, e->size));
	return buf;
}

/* ---- head ---- */

static void kmem_add_fact(void *ctx, const char *name, const char *text)
{
	report_fact(ctx, name, text);
}

static void kmem_add_about(const struct kmem_report *x)
{
	const struct about to = { kmem_add_fact, x->r };
	const struct kmem *k = x->k;
	const struct recording_machine *m = &k->machine;
	struct report_part *p = report_part_add(x->r, REPORT_FACTS);

	if (p)
		p->tone = REPORT_SOFT;
	/* Only a report from a file needs these: somebody who is measuring knows them. */
	if (k->source) {
		about_tell_time(&to, &k->span, 1);
		if (m->cpu && *m->cpu)
			about_tell_made(&to, "machine", "%s, %u CPUs online", m->cpu,
					m->cpus_online);
		about_tell_tags(&to, &k->tags);
	}
	about_tell(&to, "measured", k->filters);
	if (k->skip)
		about_tell_made(&to, "call sites", "callers of %s", k->skip);
	about_tell_command(&to, k->command, k->status);
}

/* "raw tracepoint and fentry" */
static char *kmem_methods(const struct kmem *k)
{
	const char *last = "";
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < k->n_programs; i++) {
		if (!k->programs[i].method[0] || !strcmp(k->programs[i].method, last))
			continue;
		fprintf(f, "%s%s", *last ? " and by " : " by ", k->programs[i].method);
		last = k->programs[i].method;
	}
	return f && !fclose(f) ? text : NULL;
}

static void kmem_add_head(const struct kmem_report *x)
{
	const struct kmem_account a = kmem_account(x->k);
	uint64_t all = a.seen + a.frees + a.skipped;
	char time[UNITS_TEXT], memory[UNITS_TEXT], period[UNITS_TEXT] = "", percent[UNITS_TEXT];
	char *methods = kmem_methods(x->k);

	/* Before any figure, so that nobody reads the figures without it. */
	if (a.skipped > all * MUCH)
		report_say(x->r, REPORT_BAD,
			   "SKIPPED %s%s of the events: the figures leave them out",
			   *x->k->filters ? "up to " : "", units_percent(percent, a.skipped, all));
	if (x->o->base.period)
		snprintf(period, sizeof(period), "period %u, ", x->o->base.period);
	report_say(x->r, REPORT_SOFT, "%s%s on Linux %s;%s (tables: %s)", period,
		   units_duration(time, kmem_span_ns(x->k), "auto"), x->k->kernel,
		   methods ? methods : "", units_bytes(memory, x->k->memory));
	free(methods);
	kmem_add_about(x);
}

/* ---- totals ---- */

static void kmem_add_total(const struct kmem_report *x, enum kstats_kmem_kind kind)
{
	const struct kmem_sums s = kmem_total(x->k, kind);
	/* How much of a page is used is not known. */
	bool pages = kind == KSTATS_KMEM_PAGES;
	char text[UNITS_TEXT];

	report_cell(x->r, kmem_kind_name(kind), NULL);
	report_cell(x->r, units_count(text, s.count), NULL);
	report_cell(x->r, units_rate(text, s.count, kmem_span_ns(x->k)), NULL);
	report_cell(x->r, pages ? NULL : units_bytes(text, s.req), NULL);
	report_cell(x->r, units_bytes(text, s.alloc), NULL);
	report_cell(x->r, pages ? NULL : units_bytes(text, s.waste), NULL);
	report_cell(x->r, pages ? NULL : units_percent(text, s.waste, s.alloc), NULL);
}

static void kmem_add_totals(const struct kmem_report *x)
{
	static const struct report_column columns[] = {
		{ .heading = "", .kind = REPORT_WORDS },
		{ .heading = "allocations" },
		{ .heading = "rate" },
		{ .heading = "requested" },
		{ .heading = "allocated" },
		{ .heading = "waste" },
		{ .heading = "" },
		{},
	};
	int kind, n = 0;

	report_table_begin(x->r, columns);
	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		if (!kmem_is_seen(x->k, kind))
			continue;
		kmem_add_total(x, kind);
		n++;
	}
	if (n > 1 && kmem_is_seen(x->k, KSTATS_KMEM_PAGES))
		report_say(x->r, REPORT_SOFT,
			   "pages hold the slabs and the large kmallocs: do not add the kinds up");
}

/* ---- rows ---- */

static void kmem_add_rows_heading(const struct kmem_report *x, const char *what, const char *sorted,
				  size_t shown)
{
	char text[KMEM_GROUP_HEADING + 32], note[128];
	int n = snprintf(note, sizeof(note), "sorted by %s", sorted);

	if (shown < x->table->n)
		snprintf(note + n, sizeof(note) - n, "; first %zu of %zu", shown, x->table->n);
	snprintf(text, sizeof(text), "%s by %s", what, x->table->group.heading);
	report_heading(x->r, text, note);
}

static size_t kmem_shown(const struct kmem_report *x)
{
	size_t top = x->o->top ? x->o->top : REPORT_KMEM_TOP;

	return x->table->n < top ? x->table->n : top;
}

/* The cache and the source line follow the name if there is room for them. */
static void kmem_add_name(const struct kmem_report *x, const struct kmem_entry *e)
{
	const char *cache = e->cache && kmem_group_has(&x->table->group, KMEM_SITE) ? e->cache : "";
	char *name = NULL, *note = NULL;
	size_t index = e - x->table->entries;

	if (asprintf(&name, "%s%s", kmem_table_kind(&x->table->group, e->kind), e->name) < 0)
		name = NULL;
	if ((*cache || e->line) &&
	    asprintf(&note, "%s%s%s%s%s", cache, *cache && e->line ? " " : "", e->line ? "(" : "",
		     e->line ? e->line : "", e->line ? ")" : "") < 0)
		note = NULL;
	report_cell(x->r, name, note);
	if (x->first_id && index < KMEM_CHARTED && index < kmem_shown(x))
		report_cell_to(x->r, x->first_id + index);
	free(name);
	free(note);
}

/* Sums of the rows that are not shown, so that nobody takes the others for all. */
static void kmem_add_rest(const struct kmem_report *x, const struct kmem_sums *rest, size_t shown,
			  bool live)
{
	char count[UNITS_TEXT], bytes[UNITS_TEXT];
	uint64_t n = live ? rest->live : rest->count;
	const char *what = n == 1 ? (live ? "live object of" : "allocation that wastes")
			   : live ? "live objects of"
				  : "allocations that waste";

	if (shown < x->table->n)
		report_say(x->r, REPORT_SOFT, "and %zu more with %s %s %s; --top %zu shows all",
			   x->table->n - shown, units_count(count, n), what,
			   units_bytes(bytes, live ? rest->live_alloc : rest->waste), x->table->n);
}

/* Bytes as a bar; what of them is waste, in the other colour at its end. */
static struct report_span kmem_bar(const struct kmem_sums *s, uint64_t most)
{
	double at = most ? (double)s->alloc / most : 0;

	return (struct report_span){
		.at = at, .lo = s->alloc ? at - at * s->waste / s->alloc : 0, .hi = at, .scale = 1
	};
}

static void kmem_add_site(const struct kmem_report *x, const struct kmem_entry *e, uint64_t most)
{
	bool pages = e->kind == KSTATS_KMEM_PAGES;
	const struct kmem_sums *s = &e->sums;
	char text[2 * UNITS_TEXT];

	report_cell_span(x->r, kmem_bar(s, most));
	report_cell(x->r, units_bytes(text, s->alloc), NULL);
	report_cell(x->r, pages ? NULL : units_bytes(text, s->waste), NULL);
	report_cell(x->r, pages ? NULL : units_percent(text, s->waste, s->alloc), NULL);
	report_cell(x->r,
		    x->o->sort == KMEM_SORT_RATE ? units_rate(text, s->count, kmem_span_ns(x->k))
						 : units_count(text, s->count),
		    NULL);
	report_cell(x->r, kmem_table_size(e, text), NULL);
	kmem_add_name(x, e);
}

static void kmem_add_sites(const struct kmem_report *x)
{
	const struct report_column columns[] = {
		{ .heading = "bytes, and waste at the end", .kind = REPORT_BAR, .page = true },
		{ .heading = "bytes" },
		{ .heading = "waste" },
		{ .heading = "" },
		{ .heading = x->o->sort == KMEM_SORT_RATE ? "rate" : "count" },
		{ .heading = "size" },
		{ .heading = x->table->group.heading, .kind = REPORT_NAME },
		{},
	};
	const struct kmem_entry *entries = x->table->entries;
	size_t n = kmem_shown(x), i;
	struct kmem_sums rest = {};
	uint64_t most = 0;

	kmem_add_rows_heading(x, "allocated", kmem_sort_names[x->o->sort], n);
	report_table_begin(x->r, columns);
	for (i = 0; i < n; i++)
		most = entries[i].sums.alloc > most ? entries[i].sums.alloc : most;
	for (i = 0; i < n; i++)
		kmem_add_site(x, &entries[i], most);
	for (i = n; i < x->table->n; i++)
		kmem_sums_add(&rest, &entries[i].sums);
	kmem_add_rest(x, &rest, n, false);
	if (kmem_group_has(&x->table->group, KMEM_CACHE))
		report_say(x->r, REPORT_SOFT,
			   "kmalloc events do not name a cache: their rows are by the bytes given");
}

/* ---- live bytes and lifetimes ---- */

static void kmem_add_live(const struct kmem_report *x, const struct kmem_entry *e)
{
	const struct kmem_sums *s = &e->sums;
	const char *unit = x->o->base.unit;
	char text[UNITS_TEXT];

	report_cell(x->r, units_bytes(text, s->live_alloc), NULL);
	if (x->o->before)
		kmem_put_growth(text, s->live_alloc, kmem_table_live(&x->before, e->kind, e->name));
	else
		units_count(text, s->live);
	report_cell(x->r, text, NULL);
	report_cell(x->r, s->live ? units_duration(text, s->live_oldest_ns, unit) : NULL, NULL);
	report_cell(x->r, units_count(text, s->freed), NULL);
	if (s->freed)
		units_duration(text, kmem_life_quantile(x->table, e, 500000).hi, unit);
	report_cell(x->r, s->freed ? text : NULL, NULL);
	report_cell(x->r, s->freed ? units_percent(text, s->other_cpu, s->freed) : NULL, NULL);
	kmem_add_name(x, e);
}

static int kmem_by_live(const void *x, const void *y)
{
	const struct kmem_entry *a = *(const struct kmem_entry *const *)x;
	const struct kmem_entry *b = *(const struct kmem_entry *const *)y;

	if (a->sums.live_alloc != b->sums.live_alloc)
		return a->sums.live_alloc < b->sums.live_alloc ? 1 : -1;
	if (a->sums.freed != b->sums.freed)
		return a->sums.freed < b->sums.freed ? 1 : -1;
	return a < b ? -1 : a > b;
}

static void kmem_add_lives(const struct kmem_report *x)
{
	const struct report_column columns[] = {
		{ .heading = "live" },
		{ .heading = x->o->before ? "growth" : "objects" },
		{ .heading = "oldest" },
		{ .heading = "freed" },
		{ .heading = "p50" },
		{ .heading = "other CPU" },
		{ .heading = x->table->group.heading, .kind = REPORT_NAME },
		{},
	};
	const struct kmem_entry **sorted = calloc(x->table->n + 1, sizeof(*sorted));
	size_t n = kmem_shown(x), i;
	struct kmem_sums rest = {};

	if (!sorted) {
		x->r->err = -ENOMEM;
		return;
	}
	for (i = 0; i < x->table->n; i++)
		sorted[i] = &x->table->entries[i];
	qsort(sorted, x->table->n, sizeof(*sorted), kmem_by_live);
	kmem_add_rows_heading(
		x, x->k->span.final ? "live at the end, and lifetimes" : "live now, and lifetimes",
		"live bytes", n);
	report_table_begin(x->r, columns);
	for (i = 0; i < n; i++)
		kmem_add_live(x, sorted[i]);
	for (i = n; i < x->table->n; i++)
		kmem_sums_add(&rest, &sorted[i]->sums);
	kmem_add_rest(x, &rest, n, true);
	report_say(x->r, REPORT_SOFT, "p50: half of the freed objects lived at most this long%s",
		   x->o->before ? "; growth: since the last report" : "");
	free(sorted);
}

/* ---- who frees what others allocated ---- */

static void kmem_add_pair(const struct kmem_report *x, const struct kmem_pair *p)
{
	const struct kmem_site *sites = x->k->sites;
	const char *from = p->from == KSTATS_KMEM_NO_ROW ? "(no row)" : sites[p->from].name;
	char text[UNITS_TEXT], *name = NULL;
	const char *to = sites[p->to].name;

	report_cell(x->r, units_count(text, p->other_cpu), NULL);
	report_cell(x->r, units_percent(text, p->other_cpu, p->count), NULL);
	report_cell(x->r, units_count(text, p->count), NULL);
	report_cell(x->r, units_percent(text, p->other_numa, p->count), NULL);
	report_cell(x->r, units_percent(text, p->other_task, p->count), NULL);
	report_cell(x->r, kmem_free_name(p->how), NULL);
	if (asprintf(&name, "%s" PAIRS_BETWEEN "%s", *from ? from : "(pages)",
		     *to ? to : kmem_free_name(p->how)) < 0)
		name = NULL;
	report_cell(x->r, name, NULL);
	free(name);
}

static void kmem_add_pair_rows(const struct kmem_report *x, const struct kmem_pair *pairs, size_t n)
{
	static const struct report_column columns[] = {
		{ .heading = "other CPU" },
		{ .heading = "" },
		{ .heading = "objects", .page = true },
		{ .heading = "NUMA node", .page = true },
		{ .heading = "task", .page = true },
		{ .heading = "by", .kind = REPORT_WORDS, .page = true },
		{ .heading = "allocated in -> freed in",
		  .kind = REPORT_NAME,
		  .parts = PAIRS_BETWEEN },
		{},
	};
	size_t others = 0, shown, i;

	for (i = 0; i < n; i++)
		others += pairs[i].other_cpu > 0;
	shown = x->first_id ? n : others;
	if (!shown)
		return;
	report_table_begin(x->r, columns);
	for (i = 0; i < shown && i < PAIRS; i++)
		kmem_add_pair(x, &pairs[i]);
	report_brief(x->r, PAIRS_BRIEF);
	if (shown > (x->first_id ? PAIRS : PAIRS_BRIEF))
		report_say(x->r, REPORT_SOFT, "the first of %zu pairs", shown);
}

static void kmem_add_pairs(const struct kmem_report *x)
{
	uint64_t all = 0, cpu = 0, numa = 0, task = 0;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];
	char pb[UNITS_TEXT], pc[UNITS_TEXT], pd[UNITS_TEXT];
	struct kmem_pair *pairs;
	size_t n = 0, i;

	if (kmem_pairs(x->k, &pairs, &n))
		x->r->err = -ENOMEM;
	for (i = 0; i < n; i++) {
		all += pairs[i].count;
		cpu += pairs[i].other_cpu;
		numa += pairs[i].other_numa;
		task += pairs[i].other_task;
	}
	if (!x->r->err && all) {
		report_heading(x->r, "freed elsewhere", NULL);
		report_say(x->r, REPORT_PLAIN,
			   "of %s: %s (%s) on another CPU, %s (%s) on another NUMA node, %s (%s) "
			   "by another task",
			   units_count(a, all), units_count(b, cpu), units_percent(pb, cpu, all),
			   units_count(c, numa), units_percent(pc, numa, all), units_count(d, task),
			   units_percent(pd, task, all));
		kmem_add_pair_rows(x, pairs, n);
	}
	free(pairs);
}

/* ---- the whole ---- */

static void kmem_add_recording(struct kmem_report *x, enum report_detail detail)
{
	bool page = detail == REPORT_PAGE;
	struct report_part *p;

	if (x->o->base.titled) {
		p = report_part_add(x->r, REPORT_TITLE);
		if (p)
			p->name = strdup(x->k->source ? x->k->source : "");
	}
	kmem_add_head(x);
	if (x->table->n) {
		kmem_add_totals(x);
		if (page)
			kmem_add_boxes(x);
		if (page || x->o->sort != KMEM_SORT_LIVE || !x->k->lifetimes)
			kmem_add_sites(x);
		if (x->k->lifetimes)
			kmem_add_lives(x);
		if (page)
			kmem_add_kinds(x);
		if (x->k->lifetimes)
			kmem_add_pairs(x);
		kmem_add_periods(x);
	} else {
		report_say(x->r, REPORT_PLAIN, "No allocations: %s.",
			   kmem_account(x->k).no_value
				   ? "an expression of --if or --by had no value for any"
			   : *x->k->filters || *x->k->command
				   ? "check the filters, and that the work was running"
				   : "measure for longer");
	}
	kmem_add_account(x);
	if (x->first_id)
		kmem_add_entries(x, kmem_shown(x));
}

static void kmem_report_one(struct report *r, const struct kmem *k,
			    const struct report_kmem_look *o, enum report_detail detail,
			    struct kmem_table *table)
{
	struct kmem_report x = { .r = r, .k = k, .o = o, .table = table };

	x.first_id = detail == REPORT_PAGE && !o->base.titled ? 1 : 0;
	if (kmem_table_make(table, k, o->by, o->sort) ||
	    (o->before && kmem_table_make(&x.before, o->before, o->by, o->sort)))
		r->err = -ENOMEM;
	else if (detail != REPORT_VALUES)
		kmem_add_recording(&x, detail);
	kmem_table_free(&x.before);
}

static void kmem_release_tables(void *own)
{
	struct kmem_tables *t = own;

	while (t && t->n)
		kmem_table_free(&t->tables[--t->n]);
	if (t)
		free(t->tables);
	free(t);
}

void report_kmem(struct report *r, const struct report_kmem_set *recs,
		 const struct report_kmem_look *o, enum report_detail detail)
{
	struct kmem_tables *t = calloc(1, sizeof(*t));
	size_t i;

	*r = (struct report){ .kind = REPORT_KMEM,
			      .title = "Kernel memory",
			      .width = o->base.width,
			      .look = &o->base,
			      .values = report_kmem_values,
			      .rows = report_kmem_rows,
			      .metrics = report_kmem_metrics,
			      .how = o,
			      .own = t,
			      .release = kmem_release_tables };
	if (t)
		t->tables = calloc(recs->n, sizeof(*t->tables));
	if (!t || !t->tables)
		r->err = -ENOMEM;
	for (i = 0; !r->err && i < recs->n; i++, t->n++)
		kmem_report_one(r, recs->recs[i], o, detail, &t->tables[i]);
}
