// SPDX-License-Identifier: GPL-2.0-only
/* table.c - rows grouped by one thing, and sorted. */
#include "kmem/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

const char *kmem_kind_name(enum kstats_kmem_kind kind)
{
	static const char *const names[] = {
		[KSTATS_KMEM_NONE] = "",
		[KSTATS_KMEM_KMALLOC] = "kmalloc",
		[KSTATS_KMEM_CACHE] = "cache",
		[KSTATS_KMEM_PAGES] = "pages",
	};

	return names[kind];
}

bool kmem_is_seen(const struct kmem *k, enum kstats_kmem_kind kind)
{
	static const char *const events[] = {
		[KSTATS_KMEM_NONE] = "",
		[KSTATS_KMEM_KMALLOC] = "kmalloc",
		[KSTATS_KMEM_CACHE] = "kmem_cache_alloc",
		[KSTATS_KMEM_PAGES] = "mm_page_alloc",
	};
	size_t i;

	for (i = 0; i < k->n_programs; i++)
		if (!strcmp(k->programs[i].event, events[kind]) && k->programs[i].method[0])
			return true;
	return false;
}

/* ---- sums ---- */

static void table_add_row(struct kmem_sums *s, const struct kmem_row *r)
{
	s->count += r->count;
	s->req += r->req;
	s->alloc += r->alloc;
	if (r->alloc >= r->req)
		s->waste += r->alloc - r->req;
	else
		s->short_count += r->count;
	s->live += r->live;
	s->live_req += r->live_req;
	s->live_alloc += r->live_alloc;
	s->live_age_ns += r->live_age_ns;
	if (r->live_oldest_ns > s->live_oldest_ns)
		s->live_oldest_ns = r->live_oldest_ns;
}

static void add_life(struct kmem_sums *s, const struct kmem_life *l)
{
	if (l->flags & KSTATS_KMEM_UNVERIFIED) {
		s->unverified += l->count;
		return;
	}
	s->freed += l->count;
	s->life_ns += l->sum_ns;
	s->other_cpu += l->flags & KSTATS_KMEM_OTHER_CPU ? l->count : 0;
	s->other_numa += l->flags & KSTATS_KMEM_OTHER_NUMA ? l->count : 0;
	s->other_task += l->flags & KSTATS_KMEM_OTHER_TASK ? l->count : 0;
}

void kmem_sums_add(struct kmem_sums *to, const struct kmem_sums *s)
{
	to->count += s->count;
	to->req += s->req;
	to->alloc += s->alloc;
	to->waste += s->waste;
	to->short_count += s->short_count;
	to->live += s->live;
	to->live_req += s->live_req;
	to->live_alloc += s->live_alloc;
	to->live_age_ns += s->live_age_ns;
	if (s->live_oldest_ns > to->live_oldest_ns)
		to->live_oldest_ns = s->live_oldest_ns;
	to->freed += s->freed;
	to->unverified += s->unverified;
	to->life_ns += s->life_ns;
	to->other_cpu += s->other_cpu;
	to->other_numa += s->other_numa;
	to->other_task += s->other_task;
}

struct kmem_sums kmem_no_row(const struct kmem *k, enum kstats_kmem_kind kind)
{
	uint64_t req = k->counts[KSTATS_KMEM_REQ_NO_ROW + kind - 1];
	uint64_t alloc = k->counts[KSTATS_KMEM_ALLOC_NO_ROW + kind - 1];

	return (struct kmem_sums){
		.count = k->counts[KSTATS_KMEM_N_NO_ROW + kind - 1],
		.req = req,
		.alloc = alloc,
		.waste = alloc > req ? alloc - req : 0,
	};
}

struct kmem_sums kmem_total(const struct kmem *k, enum kstats_kmem_kind kind)
{
	struct kmem_sums s = kmem_no_row(k, kind);
	size_t i;

	for (i = 0; i < k->n_rows; i++)
		if (k->rows[i].kind == kind)
			table_add_row(&s, &k->rows[i]);
	for (i = 0; i < k->n_lifes; i++)
		if (k->lifes[i].row < k->n_rows && k->rows[k->lifes[i].row].kind == kind)
			add_life(&s, &k->lifes[i]);
	return s;
}

/* ---- groups ---- */

static int table_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int table_by_part(const struct kmem *k, const struct kmem_group_part *part,
			 const struct kmem_row *a, const struct kmem_row *b)
{
	switch (part->word) {
	case KMEM_SITE:
		return table_order(a->site, b->site);
	case KMEM_CACHE:
		return a->kind == KSTATS_KMEM_CACHE ? table_order(a->cache, b->cache)
						    : table_order(a->each, b->each);
	case KMEM_SIZE:
		return table_order(a->size, b->size) ?: table_order(a->last, b->last);
	case KMEM_ORDER:
		return a->kind == KSTATS_KMEM_PAGES ? table_order(a->order, b->order) : 0;
	case KMEM_KIND:
		return 0;
	default:
		return strcmp(kmem_row_value(k, a, part->dimension),
			      kmem_row_value(k, b, part->dimension));
	}
}

/* Rows of one entry are equal. */
static int table_by_key(const void *x, const void *y, void *table)
{
	const struct kmem_table *t = table;
	const struct kmem_row *a = &t->k->rows[*(const uint32_t *)x];
	const struct kmem_row *b = &t->k->rows[*(const uint32_t *)y];
	int order = table_order(a->kind, b->kind);
	unsigned int i;

	for (i = 0; !order && i < t->group.n; i++)
		order = table_by_part(t->k, &t->group.parts[i], a, b);
	return order;
}

static void table_print_part(FILE *f, const struct kmem *k, const struct kmem_group_part *part,
			     const struct kmem_row *r)
{
	const char *kind = kmem_kind_name(r->kind), *text = k->sites[r->site].name;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	if (part->word == KMEM_SITE && !*text)
		text = r->kind == KSTATS_KMEM_PAGES ? "(pages)" : "(unknown)";
	else if (part->word == KMEM_WORDS)
		text = kmem_row_value(k, r, part->dimension);
	else if (part->word == KMEM_CACHE && r->kind == KSTATS_KMEM_CACHE)
		text = k->caches[r->cache].name;
	else if (part->word != KMEM_SITE)
		text = "";
	if (part->word == KMEM_CACHE && r->kind == KSTATS_KMEM_KMALLOC)
		fprintf(f, "kmalloc of %s", units_count(a, r->each));
	else if (part->word == KMEM_SIZE && r->size == r->last)
		fprintf(f, "%s of %s", kind, units_count(a, r->size));
	else if (part->word == KMEM_SIZE)
		fprintf(f, "%s of %s..%s", kind, units_count(a, r->size), units_count(b, r->last));
	else if (part->word != KMEM_KIND && part->word < KMEM_WORDS && !*text &&
		 r->kind == KSTATS_KMEM_PAGES)
		fprintf(f, "pages of order %" PRIu32, r->order);
	else
		fputs(*text ? text : kind, f);
}

static char *make_name(const struct kmem_table *t, const struct kmem_row *r)
{
	char *name = NULL;
	size_t size;
	FILE *f = open_memstream(&name, &size);
	unsigned int i;

	for (i = 0; f && i < t->group.n; i++) {
		fputs(i ? ", " : "", f);
		table_print_part(f, t->k, &t->group.parts[i], r);
	}
	return f && !fclose(f) ? name : NULL;
}

static void add_to_entry(struct kmem_entry *e, const struct kmem *k, const struct kmem_row *r)
{
	const char *cache = r->kind == KSTATS_KMEM_CACHE ? k->caches[r->cache].name : NULL;
	bool first = !e->sums.count;

	if (first)
		e->cache = cache;
	else if (e->cache && strcmp(e->cache, cache))
		e->cache = NULL;
	if (first || r->size < e->size)
		e->size = r->size;
	if (r->last > e->last)
		e->last = r->last;
	if (first || r->each < e->each)
		e->each = r->each;
	if (r->each > e->each_last)
		e->each_last = r->each;
	e->n_rows++;
	table_add_row(&e->sums, r);
}

/* @keys: all rows, those of an entry behind each other. */
static int make_entries(struct kmem_table *t, const uint32_t *keys)
{
	const struct kmem *k = t->k;
	const struct kmem_row *r;
	struct kmem_entry *e = NULL;
	size_t i;

	for (i = 0; i < k->n_rows; i++) {
		r = &k->rows[keys[i]];
		if (!i || table_by_key(&keys[i - 1], &keys[i], t)) {
			e = &t->entries[t->n++];
			e->kind = r->kind;
			e->name = make_name(t, r);
			if (!e->name)
				return -ENOMEM;
			if (kmem_group_has(&t->group, KMEM_SITE))
				e->line = k->sites[r->site].line;
		}
		add_to_entry(e, k, r);
		t->entry_of[keys[i]] = t->n - 1;
	}
	return 0;
}

/* ---- order ---- */

static uint64_t weight(const struct kmem_entry *e, enum kmem_sort sort)
{
	switch (sort) {
	case KMEM_SORT_WASTE:
		return e->sums.waste;
	case KMEM_SORT_BYTES:
		return e->sums.alloc;
	case KMEM_SORT_LIVE:
		return e->sums.live_alloc;
	default:
		return e->sums.count;
	}
}

struct place {
	uint64_t weight;
	const struct kmem_entry *entry;
	uint32_t index;
};

static int by_weight(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->entry->sums.alloc != b->entry->sums.alloc)
		return a->entry->sums.alloc < b->entry->sums.alloc ? 1 : -1;
	if (strcmp(a->entry->name, b->entry->name))
		return strcmp(a->entry->name, b->entry->name);
	return a->index < b->index ? -1 : a->index > b->index;
}

static int sort_entries(struct kmem_table *t, enum kmem_sort sort)
{
	struct kmem_entry *sorted = calloc(t->n + 1, sizeof(*sorted));
	struct place *places = calloc(t->n + 1, sizeof(*places));
	uint32_t *now_at = calloc(t->n + 1, sizeof(*now_at));
	int err = sorted && places && now_at ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < t->n; i++)
		places[i] = (struct place){ weight(&t->entries[i], sort), &t->entries[i], i };
	if (!err)
		qsort(places, t->n, sizeof(*places), by_weight);
	for (i = 0; !err && i < t->n; i++) {
		sorted[i] = *places[i].entry;
		now_at[places[i].index] = i;
	}
	for (i = 0; !err && i < t->k->n_rows; i++)
		t->entry_of[i] = now_at[t->entry_of[i]];
	if (!err) {
		free(t->entries);
		t->entries = sorted;
	} else {
		free(sorted);
	}
	free(places);
	free(now_at);
	return err;
}

/* ---- lifetimes ---- */

static int by_slot(const void *x, const void *y, void *table)
{
	const struct kmem_life *a = *(const struct kmem_life *const *)x;
	const struct kmem_life *b = *(const struct kmem_life *const *)y;
	const struct kmem_table *t = table;

	uint32_t later = a->flags & KSTATS_KMEM_UNVERIFIED;

	if (t->entry_of[a->row] != t->entry_of[b->row])
		return t->entry_of[a->row] < t->entry_of[b->row] ? -1 : 1;
	if (later != (b->flags & KSTATS_KMEM_UNVERIFIED))
		return later ? 1 : -1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static int take_lifes(struct kmem_table *t)
{
	const struct kmem *k = t->k;
	struct kmem_entry *e;
	size_t n = 0, i;

	t->lifes = calloc(k->n_lifes + 1, sizeof(*t->lifes));
	if (!t->lifes)
		return -ENOMEM;
	for (i = 0; i < k->n_lifes; i++)
		if (k->lifes[i].row < k->n_rows)
			t->lifes[n++] = &k->lifes[i];
	qsort_r(t->lifes, n, sizeof(*t->lifes), by_slot, t);
	for (i = 0; i < n; i++) {
		e = &t->entries[t->entry_of[t->lifes[i]->row]];
		add_life(&e->sums, t->lifes[i]);
		if (t->lifes[i]->flags & KSTATS_KMEM_UNVERIFIED)
			continue;
		if (!e->n_lifes++)
			e->first_life = i;
	}
	return 0;
}

/* ---- names ---- */

static int name_order(const struct kmem_entry *a, enum kstats_kmem_kind kind, const char *name)
{
	if (a->kind != kind)
		return a->kind < kind ? -1 : 1;
	return strcmp(a->name, name);
}

static int table_by_name(const void *x, const void *y, void *table)
{
	const struct kmem_table *t = table;
	const uint32_t *a = x, *b = y;
	int order = name_order(&t->entries[*a], t->entries[*b].kind, t->entries[*b].name);

	return order ? order : *a < *b ? -1 : *a > *b;
}

/* Number the sites of one name: a module that was loaded twice has such sites. */
static int order_names(struct kmem_table *t)
{
	struct kmem_entry *e, *before = NULL;
	size_t i;

	t->by_name = calloc(t->n + 1, sizeof(*t->by_name));
	if (!t->by_name)
		return -ENOMEM;
	for (i = 0; i < t->n; i++)
		t->by_name[i] = i;
	qsort_r(t->by_name, t->n, sizeof(*t->by_name), table_by_name, t);
	for (i = 0; i < t->n; i++, before = e) {
		e = &t->entries[t->by_name[i]];
		e->nth = before && !name_order(before, e->kind, e->name) ? before->nth + 1 : 1;
	}
	return 0;
}

uint64_t kmem_table_live(const struct kmem_table *t, enum kstats_kmem_kind kind, const char *name)
{
	size_t low = 0, high = t->n, mid;
	const struct kmem_entry *e;
	uint64_t live = 0;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (name_order(&t->entries[t->by_name[mid]], kind, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < t->n; low++) {
		e = &t->entries[t->by_name[low]];
		if (name_order(e, kind, name))
			break;
		live += e->sums.live_alloc;
	}
	return live;
}

static void order_rows(struct kmem_table *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		t->entries[i].first_row = n;
		n += t->entries[i].n_rows;
		t->entries[i].n_rows = 0;
	}
	for (i = 0; i < t->k->n_rows; i++) {
		struct kmem_entry *e = &t->entries[t->entry_of[i]];

		t->rows[e->first_row + e->n_rows++] = i;
	}
}

int kmem_table_make(struct kmem_table *t, const struct kmem *k, const char *by, enum kmem_sort sort)
{
	uint32_t *keys = calloc(k->n_rows + 1, sizeof(*keys));
	uint32_t i;
	int err;

	*t = (struct kmem_table){ .k = k };
	kmem_group_find(&t->group, k, by);
	t->entries = calloc(k->n_rows + 1, sizeof(*t->entries));
	t->entry_of = calloc(k->n_rows + 1, sizeof(*t->entry_of));
	t->rows = calloc(k->n_rows + 1, sizeof(*t->rows));
	err = keys && t->entries && t->entry_of && t->rows ? 0 : -ENOMEM;
	for (i = 0; !err && i < k->n_rows; i++)
		keys[i] = i;
	if (!err) {
		qsort_r(keys, k->n_rows, sizeof(*keys), table_by_key, t);
		err = make_entries(t, keys);
	}
	if (!err)
		err = sort_entries(t, sort);
	if (!err)
		err = order_names(t);
	if (!err) {
		order_rows(t);
		err = take_lifes(t);
	}
	free(keys);
	return err;
}

void kmem_table_free(struct kmem_table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->entries[i].name);
	free(t->entries);
	free(t->entry_of);
	free(t->rows);
	free(t->by_name);
	free(t->lifes);
	*t = (struct kmem_table){};
}
