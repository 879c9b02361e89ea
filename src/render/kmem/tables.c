// SPDX-License-Identifier: GPL-2.0-only
/* tables.c - the rows of the summary: by waste and the like, and by what is live. */
#include "render/kmem/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/pairs.h"

#define COLUMNS 6
#define NAME_MIN 12
#define PAIRS 5
#define PAIR_ARROW 4 /* columns of " -> " */

/* Cells of a row, right-aligned; its name comes last. */
struct line {
	char cells[COLUMNS][2 * UNITS_TEXT];
	const struct kmem_entry *entry;
};

static const char *const group_words[] = {
	[KMEM_GROUP_SITE] = "call site",   [KMEM_GROUP_CACHE] = "cache",
	[KMEM_GROUP_SIZE] = "size",        [KMEM_GROUP_ORDER] = "order of pages",
	[KMEM_GROUP_COMM] = "task's name", [KMEM_GROUP_GFP] = "GFP flags",
	[KMEM_GROUP_NUMA] = "NUMA node",   [KMEM_GROUP_CPU] = "CPU",
	[KMEM_GROUP_KIND] = "kind",
};

const char *kmem_table_kind(enum kmem_group group, enum kstats_kmem_kind kind)
{
	static const char *const words[] = {
		[KSTATS_KMEM_KMALLOC] = "kmalloc: ",
		[KSTATS_KMEM_CACHE] = "cache: ",
		[KSTATS_KMEM_PAGES] = "pages: ",
	};
	bool named = group == KMEM_GROUP_COMM || group == KMEM_GROUP_GFP ||
		     group == KMEM_GROUP_NUMA || group == KMEM_GROUP_CPU;

	return named ? words[kind] : "";
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

/* ---- any table ---- */

/* The cache and the source line follow the name if there is room for them. */
static void print_name(const struct kmem_report *r, const struct kmem_entry *e, unsigned int width)
{
	const char *cache = e->cache && r->table.group == KMEM_GROUP_SITE ? e->cache : "";
	const char *kind = kmem_table_kind(r->table.group, e->kind);
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", kind, e->name, *cache ? " " : "", cache,
		 e->line ? " (" : "", e->line ? e->line : "", e->line ? ")" : "");
	if (text_width(text) > width)
		snprintf(text, sizeof(text), "%s%s%s%s", kind, e->name, *cache ? " " : "", cache);
	if (text_width(text) > width)
		snprintf(text, sizeof(text), "%s%s", kind, e->name);
	text_last(r->out, text, width);
}

static void print_lines(const struct kmem_report *r, const char *const headings[COLUMNS],
			const struct line *lines, size_t n)
{
	unsigned int left = r->o->base.width;
	int widths[COLUMNS], c;
	size_t i;

	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	for (c = 0; c < COLUMNS && headings[c]; c++) {
		widths[c] = strlen(headings[c]);
		for (i = 0; i < n; i++)
			if ((int)strlen(lines[i].cells[c]) > widths[c])
				widths[c] = strlen(lines[i].cells[c]);
		fprintf(r->out, "%*s  ", widths[c], headings[c]);
		left -= widths[c] + 2;
	}
	if (left < NAME_MIN || left > r->o->base.width)
		left = NAME_MIN;
	fprintf(r->out, "%s%s\n", group_words[r->table.group], text_color(&r->o->base, TEXT_PLAIN));
	for (i = 0; i < n; i++) {
		for (c = 0; c < COLUMNS && headings[c]; c++)
			fprintf(r->out, "%*s  ", widths[c], lines[i].cells[c]);
		print_name(r, lines[i].entry, left);
		fputc('\n', r->out);
	}
}

static void print_title(const struct kmem_report *r, const char *what, const char *sorted,
			size_t shown, size_t n)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };

	fprintf(r->out, "\n%s", text_color(&r->o->base, TEXT_TITLE));
	text_flow_words(&f, what);
	text_flow_add(&f, "by");
	text_flow_words(&f, group_words[r->table.group]);
	text_flow_add(&f, "(sorted by %s%s", sorted, shown < n ? ";" : ")");
	if (shown < n)
		text_flow_add(&f, "first %zu of %zu)", shown, n);
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}

/* Sums of the rows that are not shown, so that nobody takes the others for all. */
static void print_folded(const struct kmem_report *r, const struct kmem_sums *rest, size_t shown,
			 bool live)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };
	char count[UNITS_TEXT], bytes[UNITS_TEXT];

	if (shown >= r->table.n)
		return;
	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	text_flow_add(&f, "and %zu more with %s", r->table.n - shown,
		      units_count(count, live ? rest->live : rest->count));
	if (live)
		text_flow_add(&f, "live objects of %s;", units_bytes(bytes, rest->live_alloc));
	else
		text_flow_add(&f, "allocations that waste %s;", units_bytes(bytes, rest->waste));
	text_flow_add(&f, "--top %zu shows all", r->table.n);
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}

static void add_rest(struct kmem_sums *rest, const struct kmem_sums *s)
{
	rest->count += s->count;
	rest->waste += s->waste;
	rest->live += s->live;
	rest->live_alloc += s->live_alloc;
}

/* ---- bytes and waste ---- */

static void fill_site(const struct kmem_report *r, const struct kmem_entry *e, struct line *l)
{
	const struct kmem_sums *s = &e->sums;

	l->entry = e;
	units_bytes(l->cells[0], s->alloc);
	units_bytes(l->cells[1], s->waste);
	units_percent(l->cells[2], s->waste, s->alloc);
	if (r->o->sort == KMEM_SORT_RATE)
		units_rate(l->cells[3], s->count, kmem_span_ns(r->k));
	else
		units_count(l->cells[3], s->count);
	kmem_table_size(e, l->cells[4]);
	if (e->kind == KSTATS_KMEM_PAGES)
		l->cells[1][0] = l->cells[2][0] = '\0';
}

static void print_cache_note(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };

	if (r->table.group != KMEM_GROUP_CACHE)
		return;
	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	text_flow_words(&f,
			"kmalloc events do not name a cache: their rows are by the bytes given");
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}

void kmem_table_sites(const struct kmem_report *r)
{
	const char *headings[COLUMNS] = { "bytes", "waste", "", "count", "size", NULL };
	size_t n = r->table.n < r->top ? r->table.n : r->top, i;
	struct line *lines = calloc(n + 1, sizeof(*lines));
	struct kmem_sums rest = {};

	if (!lines)
		return;
	if (r->o->sort == KMEM_SORT_RATE)
		headings[3] = "rate";
	for (i = 0; i < n; i++)
		fill_site(r, &r->table.entries[i], &lines[i]);
	print_title(r, "allocated", kmem_sort_names[r->o->sort], n, r->table.n);
	print_lines(r, headings, lines, n);
	for (i = n; i < r->table.n; i++)
		add_rest(&rest, &r->table.entries[i].sums);
	print_folded(r, &rest, n, false);
	print_cache_note(r);
	free(lines);
}

/* ---- live bytes and lifetimes ---- */

static void fill_live(const struct kmem_report *r, const struct kmem_entry *e, struct line *l)
{
	const struct kmem_sums *s = &e->sums;
	const char *unit = r->o->base.unit;

	l->entry = e;
	units_bytes(l->cells[0], s->live_alloc);
	if (r->o->before)
		kmem_put_growth(l->cells[1], s->live_alloc,
				kmem_table_live(&r->before, e->kind, e->name));
	else
		units_count(l->cells[1], s->live);
	if (s->live)
		units_duration(l->cells[2], s->live_oldest_ns, unit);
	units_count(l->cells[3], s->freed);
	if (s->freed)
		units_duration(l->cells[4], kmem_life_quantile(&r->table, e, 500000).hi, unit);
	if (s->freed)
		units_percent(l->cells[5], s->other_cpu, s->freed);
}

static int by_live(const void *x, const void *y)
{
	const struct kmem_entry *a = *(const struct kmem_entry *const *)x;
	const struct kmem_entry *b = *(const struct kmem_entry *const *)y;

	if (a->sums.live_alloc != b->sums.live_alloc)
		return a->sums.live_alloc < b->sums.live_alloc ? 1 : -1;
	if (a->sums.freed != b->sums.freed)
		return a->sums.freed < b->sums.freed ? 1 : -1;
	return a < b ? -1 : a > b;
}

static void print_live_notes(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };

	fputs(text_color(&r->o->base, TEXT_FAINT), r->out);
	text_flow_words(&f, r->o->before
				    ? "p50: half of the freed objects lived at most this long;"
				    : "p50: half of the freed objects lived at most this long");
	if (r->o->before)
		text_flow_words(&f, "growth: since the last report");
	fprintf(r->out, "%s\n", text_color(&r->o->base, TEXT_PLAIN));
}

int kmem_table_lives(const struct kmem_report *r)
{
	const char *const headings[COLUMNS] = { "live",   r->o->before ? "growth" : "objects",
						"oldest", "freed",
						"p50",    "other CPU" };
	size_t n = r->table.n < r->top ? r->table.n : r->top, i;
	const struct kmem_entry **sorted = calloc(r->table.n + 1, sizeof(*sorted));
	struct line *lines = calloc(n + 1, sizeof(*lines));
	struct kmem_sums rest = {};
	int err = sorted && lines ? 0 : -ENOMEM;

	for (i = 0; !err && i < r->table.n; i++)
		sorted[i] = &r->table.entries[i];
	if (!err)
		qsort(sorted, r->table.n, sizeof(*sorted), by_live);
	for (i = 0; !err && i < n; i++)
		fill_live(r, sorted[i], &lines[i]);
	for (i = n; !err && i < r->table.n; i++)
		add_rest(&rest, &sorted[i]->sums);
	if (!err) {
		print_title(r,
			    r->k->span.final ? "live at the end, and lifetimes"
					     : "live now, and lifetimes",
			    "live bytes", n, r->table.n);
		print_lines(r, headings, lines, n);
		print_folded(r, &rest, n, true);
		print_live_notes(r);
	}
	free(sorted);
	free(lines);
	return err;
}

/* ---- who frees what others allocated ---- */

static void print_share(struct text_flow *f, uint64_t n, uint64_t all, const char *where)
{
	char count[UNITS_TEXT], percent[UNITS_TEXT];

	text_flow_add(f, "%s (%s)", units_count(count, n), units_percent(percent, n, all));
	text_flow_words(f, where);
}

static void print_pair(const struct kmem_report *r, const struct kmem_pair *p, int width)
{
	char count[UNITS_TEXT], percent[UNITS_TEXT];
	int left = (int)r->o->base.width - width - 12 - PAIR_ARROW;
	const char *to = r->k->sites[p->to].name;

	left = left < 2 * NAME_MIN ? NAME_MIN : left / 2;
	fprintf(r->out, "  %*s  %6s  ", width, units_count(count, p->other_cpu),
		units_percent(percent, p->other_cpu, p->count));
	text_safe(r->out,
		  p->from == KSTATS_KMEM_NO_ROW  ? "(no row)"
		  : r->k->sites[p->from].name[0] ? r->k->sites[p->from].name
						 : "(pages)",
		  left);
	fputs(" -> ", r->out);
	text_last(r->out, *to ? to : kmem_free_name(p->how), left);
	fputc('\n', r->out);
}

static void print_first(const struct kmem_report *r, const struct kmem_pair *pairs, size_t n)
{
	char text[UNITS_TEXT];
	size_t shown = 0, others = 0, i;
	int width = 0;

	for (i = 0; i < n; i++)
		others += pairs[i].other_cpu > 0;
	if (!others)
		return;
	width = strlen(units_count(text, pairs[0].other_cpu));
	fprintf(r->out,
		"%s  allocated in -> freed on another CPU in (the first %zu of %zu pairs)%s\n",
		text_color(&r->o->base, TEXT_FAINT), others < PAIRS ? others : PAIRS, others,
		text_color(&r->o->base, TEXT_PLAIN));
	for (shown = 0; shown < others && shown < PAIRS; shown++)
		print_pair(r, &pairs[shown], width);
}

int kmem_print_pairs(const struct kmem_report *r)
{
	struct text_flow f = { r->out, r->o->base.width, 2, 0, false };
	uint64_t all = 0, cpu = 0, numa = 0, task = 0;
	struct kmem_pair *pairs;
	char count[UNITS_TEXT];
	size_t n, i;
	int err = kmem_pairs(r->k, &pairs, &n);

	for (i = 0; !err && i < n; i++) {
		all += pairs[i].count;
		cpu += pairs[i].other_cpu;
		numa += pairs[i].other_numa;
		task += pairs[i].other_task;
	}
	if (!err && all) {
		fputc('\n', r->out);
		text_flow_add(&f, "freed elsewhere, of %s:", units_count(count, all));
		print_share(&f, cpu, all, "on another CPU,");
		print_share(&f, numa, all, "on another NUMA node,");
		print_share(&f, task, all, "by another task");
		fputc('\n', r->out);
		print_first(r, pairs, n);
	}
	free(pairs);
	return err;
}
