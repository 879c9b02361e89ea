// SPDX-License-Identifier: GPL-2.0-only
/*
 * read.c - the tables as a value: copies added up, rows with names. See heap.h.
 */
#include "heap/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "plan/plan.h"
#include "util/clock.h"

#define PAGE 4096ULL

/**
 * struct reading - a value being made
 * @k: it
 * @at: what it covers
 * @site_addresses: lower halves of the addresses of its sites, sorted; the first is 0
 * @cache_addresses: addresses of its caches, sorted
 * @row_of: index in its rows by the index in the table; KSTATS_KMEM_NO_ROW: not in use
 * @raw: the table, sorted so that equal keys follow each other
 * @first: of each of its rows, the first of @raw
 */
struct reading {
	const struct heap *h;
	const struct heap_moment *at;
	struct kmem *k;
	uint32_t *site_addresses;
	uint64_t *cache_addresses;
	uint32_t *row_of;
	const struct kstats_kmem_row **raw;
	size_t n_raw;
	const struct kstats_kmem_row **first;
};

/* ---- small things ---- */

static int by_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int by_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static size_t unique(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *at = base;
	size_t i, kept = 0;

	qsort(base, n, size, compare);
	for (i = 0; i < n; i++)
		if (!kept || compare(at + (kept - 1) * size, at + i * size))
			memmove(at + kept++ * size, at + i * size, size);
	return kept;
}

static uint32_t index_of(const void *key, const void *base, size_t n, size_t size,
			 int (*compare)(const void *, const void *))
{
	const char *hit = bsearch(key, base, n, size, compare);

	return hit ? (hit - (const char *)base) / size : 0;
}

/* Times of many objects over many hours may exceed 64 bits. */
static void add_ns(uint64_t *sum, uint64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = UINT64_MAX;
}

static size_t places(const struct heap *h, enum heap_table t, size_t size)
{
	return h->tables[t].size / size;
}

static enum kstats_kmem_kind kind_of(const struct kstats_kmem_row *row)
{
	return KSTATS_KMEM_KIND_OF(row->site);
}

/* ---- counters ---- */

static void read_counts(const struct heap *h, struct kmem *k)
{
	const struct kstats_kmem_counts *c = h->tables[HEAP_COUNTS].at;
	size_t cpu, i;

	for (cpu = 0; cpu < places(h, HEAP_COUNTS, sizeof(*c)); cpu++)
		for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
			k->counts[i] += c[cpu].n[i];
}

static int read_programs(const struct reading *r)
{
	const struct heap_hook *hook, *first = r->h->hooks;
	struct kmem *k = r->k;
	struct kmem_program *p;

	k->programs = calloc(HEAP_HOOKS, sizeof(*k->programs));
	if (!k->programs)
		return -ENOMEM;
	for (hook = first; hook < first + HEAP_HOOKS; hook++) {
		if (hook->fd < 0 && !*hook->why)
			continue;
		p = &k->programs[k->n_programs++];
		p->event = strdup(hook->event);
		p->method = strdup(hook->fd >= 0 ? hook->method : "");
		p->why = strdup(hook->why);
		p->skipped = r->at->skipped[hook - first];
		if (!p->event || !p->method || !p->why)
			return -ENOMEM;
	}
	return 0;
}

/* ---- caches ---- */

static int read_caches(struct reading *r)
{
	const struct kstats_kmem_cache *table = r->h->tables[HEAP_CACHES].at;
	size_t n = places(r->h, HEAP_CACHES, sizeof(*table)), i, used = 0;
	const uint64_t *hit;
	struct kmem *k = r->k;
	struct kmem_cache *c;

	r->cache_addresses = calloc(n, sizeof(*r->cache_addresses));
	k->caches = calloc(n, sizeof(*k->caches));
	if (!r->cache_addresses || !k->caches)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (table[i].cache)
			r->cache_addresses[used++] = table[i].cache;
	k->n_caches = unique(r->cache_addresses, used, sizeof(uint64_t), by_u64);
	for (i = 0; i < n; i++) {
		/* One that came while this runs has no rows yet. */
		hit = bsearch(&table[i].cache, r->cache_addresses, k->n_caches, sizeof(*hit),
			      by_u64);
		if (!hit)
			continue;
		c = &k->caches[hit - r->cache_addresses];
		c->frees += table[i].frees;
		if (!c->name && table[i].size) {
			c->object_size = table[i].object_size;
			c->size = table[i].size;
			c->name = strndup(table[i].name, sizeof(table[i].name));
			if (!c->name)
				return -ENOMEM;
		}
	}
	for (i = 0; i < k->n_caches; i++)
		if (!k->caches[i].name && !(k->caches[i].name = strdup("?")))
			return -ENOMEM;
	return 0;
}

/* ---- sites ---- */

/* The module that was there at the begin and is not any more. Return: its name, or NULL. */
static const char *gone_module(const struct heap *h, uint64_t address)
{
	size_t i;

	for (i = 0; i < h->n_gone; i++)
		if (address > h->gone[i].first && address <= h->gone[i].end)
			return h->gone[i].name;
	return NULL;
}

static char *name_gone(uint64_t address, const char *module)
{
	char *text;

	return asprintf(&text, "0x%" PRIx64 " [%s, unloaded]", address, module) < 0 ? NULL : text;
}

/* Source lines are looked up once for each site; without them the site has its name alone. */
static int name_site(struct reading *r, const struct symbols *now, size_t i)
{
	const struct symbols *begin = &r->h->symbols;
	uint64_t address = symbols_address(begin, r->site_addresses[i]);
	struct kmem_site *site = &r->k->sites[i];
	struct lines_place place;
	const char *line, *gone;

	if (!r->site_addresses[i] || r->site_addresses[i] == KSTATS_KMEM_NO_CALLER) {
		site->name = strdup(r->site_addresses[i] ? "(no caller)" : "");
		return site->name ? 0 : -ENOMEM;
	}
	gone = gone_module(r->h, address);
	site->name = gone ? name_gone(address, gone) : symbols_site(now, begin, address);
	if (!site->name || gone || !r->h->lines || !symbols_place(now, begin, address, &place))
		return site->name ? 0 : -ENOMEM;
	line = lines_text(r->h->lines, &place);
	site->line = line ? strdup(line) : NULL;
	return line && !site->line ? -ENOMEM : 0;
}

/* Whether all sites keep their names as long as no module comes or goes. */
static bool sites_stay(const struct reading *r)
{
	uint32_t address;
	size_t i;

	for (i = 0; i < r->k->n_sites; i++) {
		address = r->site_addresses[i];
		if (address && address != KSTATS_KMEM_NO_CALLER &&
		    !symbols_stays(&r->h->symbols, symbols_address(&r->h->symbols, address)))
			return false;
	}
	return true;
}

/*
 * The present symbols, or none if those of the start still apply: if the modules are the same, and
 * no BPF program is among the sites, or this is only an interval. Reading them takes hundreds of
 * millions of instructions.
 */
static int read_symbols_now(const struct reading *r, struct symbols *now)
{
	const struct heap *h = r->h;
	int err;

	if (h->modules && h->modules == facts_mark("") && (!h->stopped || sites_stay(r)))
		return 0;
	err = symbols_read(now, "", heap_types(h));
	return err == -EACCES ? 0 : err; /* hidden meanwhile: those of the begin are known */
}

static int name_sites(struct reading *r)
{
	struct symbols symbols = {};
	struct kmem *k = r->k;
	int err = read_symbols_now(r, &symbols);
	size_t i;

	k->sites = err ? NULL : calloc(k->n_sites, sizeof(*k->sites));
	if (!k->sites)
		err = err ? err : -ENOMEM;
	for (i = 0; !err && i < k->n_sites; i++)
		err = name_site(r, &symbols, i);
	symbols_free(&symbols);
	return err;
}

static int read_sites(struct reading *r)
{
	const struct kstats_kmem_life *lifes = r->h->tables[HEAP_LIFES].at;
	size_t n_lifes = places(r->h, HEAP_LIFES, sizeof(*lifes)), i, used = 1;

	r->site_addresses = calloc(1 + r->n_raw + n_lifes, sizeof(uint32_t));
	if (!r->site_addresses)
		return -ENOMEM;
	for (i = 0; i < r->n_raw; i++)
		r->site_addresses[used++] = r->raw[i]->site;
	for (i = 0; i < n_lifes; i++)
		if (lifes[i].count)
			r->site_addresses[used++] = lifes[i].site;
	r->k->n_sites = unique(r->site_addresses, used, sizeof(uint32_t), by_u32);
	return name_sites(r);
}

static uint32_t site_of(const struct reading *r, uint32_t address)
{
	return index_of(&address, r->site_addresses, r->k->n_sites, sizeof(address), by_u32);
}

/* ---- rows ---- */

static int by_key(const void *a, const void *b)
{
	const struct kstats_kmem_row *x = *(const struct kstats_kmem_row *const *)a;
	const struct kstats_kmem_row *y = *(const struct kstats_kmem_row *const *)b;

	return memcmp(x, y, offsetof(struct kstats_kmem_row, count));
}

static int collect(struct reading *r)
{
	const struct kstats_kmem_row *table = r->h->tables[HEAP_ROWS].at;
	size_t n = places(r->h, HEAP_ROWS, sizeof(*table)), i;

	r->raw = calloc(n, sizeof(*r->raw));
	r->row_of = malloc(n * sizeof(*r->row_of));
	if (!r->raw || !r->row_of)
		return -ENOMEM;
	memset(r->row_of, 0xff, n * sizeof(*r->row_of));
	for (i = 0; i < n; i++)
		if (table[i].count)
			r->raw[r->n_raw++] = &table[i];
	qsort(r->raw, r->n_raw, sizeof(*r->raw), by_key);
	return 0;
}

static void set_size(struct kmem_row *row, uint64_t size)
{
	uint32_t slot;

	row->size = row->last = size;
	if (size <= KSTATS_KMEM_EXACT)
		return;
	slot = kstats_slot_index(size, KSTATS_KMEM_BITS);
	row->last = kstats_slot_last(slot, KSTATS_KMEM_BITS);
}

static void describe_row(const struct reading *r, struct kmem_row *to,
			 const struct kstats_kmem_row *from)
{
	const struct kmem_cache *c;

	to->kind = kind_of(from);
	to->site = site_of(r, from->site);
	switch (to->kind) {
	case KSTATS_KMEM_CACHE:
		to->cache = index_of(&from->what, r->cache_addresses, r->k->n_caches,
				     sizeof(uint64_t), by_u64);
		c = &r->k->caches[to->cache];
		to->size = to->last = c->object_size;
		to->each = c->size;
		break;
	case KSTATS_KMEM_PAGES:
		to->order = from->what - 1;
		to->size = to->last = to->each = PAGE << (to->order & 31);
		break;
	default:
		set_size(to, from->site >> 32 & ((1U << 30) - 1));
		to->each = from->what;
	}
}

static void add_row(struct kmem_row *to, const struct kstats_kmem_row *from)
{
	bool exact = to->kind != KSTATS_KMEM_KMALLOC || to->size <= KSTATS_KMEM_EXACT;

	to->count += from->count;
	to->req += exact ? from->count * to->size : from->req;
	to->alloc += from->count * to->each;
}

static int read_rows(struct reading *r)
{
	const struct kstats_kmem_row *table = r->h->tables[HEAP_ROWS].at;
	struct kmem *k = r->k;
	size_t i;

	k->rows = calloc(r->n_raw + 1, sizeof(*k->rows));
	r->first = calloc(r->n_raw + 1, sizeof(*r->first));
	if (!k->rows || !r->first)
		return -ENOMEM;
	for (i = 0; i < r->n_raw; i++) {
		if (!i || by_key(&r->raw[i - 1], &r->raw[i])) {
			r->first[k->n_rows] = r->raw[i];
			describe_row(r, &k->rows[k->n_rows++], r->raw[i]);
		}
		add_row(&k->rows[k->n_rows - 1], r->raw[i]);
		r->row_of[r->raw[i] - table] = k->n_rows - 1;
	}
	return 0;
}

/* ---- lifetimes ---- */

static int by_life(const void *a, const void *b)
{
	const struct kmem_life *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->flags != y->flags)
		return x->flags < y->flags ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* Rows of different copies may be one row of ours. */
static void join_lifes(struct kmem *k)
{
	struct kmem_life *last = NULL;
	size_t i, n = 0;

	qsort(k->lifes, k->n_lifes, sizeof(*k->lifes), by_life);
	for (i = 0; i < k->n_lifes; i++) {
		if (last && !by_life(last, &k->lifes[i])) {
			last->count += k->lifes[i].count;
			add_ns(&last->sum_ns, k->lifes[i].sum_ns);
			continue;
		}
		last = &k->lifes[n++];
		*last = k->lifes[i];
	}
	k->n_lifes = n;
}

static uint32_t row_of(const struct reading *r, uint32_t index)
{
	size_t n = places(r->h, HEAP_ROWS, sizeof(struct kstats_kmem_row));

	return index < n ? r->row_of[index] : KSTATS_KMEM_NO_ROW;
}

/*
 * The flags of lifetimes of objects that are sure after all, if no allocation was skipped while
 * frees were. It is known at the end, where all were watched. Pages are also allocated without an
 * event: in bulk, as for vmalloc(), and by compaction.
 */
static uint32_t flags_to_drop(const struct reading *r)
{
	const struct kmem *k = r->k;

	if (!k->span.final || *k->filters || heap_doubt_allocations(r->h, r->at))
		return 0;
	return KSTATS_KMEM_UNVERIFIED;
}

static int read_lifes(struct reading *r)
{
	const uint32_t drop = flags_to_drop(r);
	const struct kstats_kmem_life *table = r->h->tables[HEAP_LIFES].at, *l;
	size_t n = places(r->h, HEAP_LIFES, sizeof(*table)), used = 0, i;
	struct kmem *k = r->k;

	for (l = table; l < table + n; l++)
		used += l->count > 0;
	k->lifes = calloc(used + 1, sizeof(*k->lifes));
	if (!k->lifes)
		return -ENOMEM;
	for (l = table; l < table + n && k->n_lifes < used; l++)
		if (l->count)
			k->lifes[k->n_lifes++] = (struct kmem_life){
				.row = row_of(r, l->key >> 32),
				.slot = l->key >> 8 & 0xffffff,
				.flags = l->key & 0x7f,
				.how = l->site >> 32 & 0xff,
				.site = site_of(r, l->site),
				.count = l->count,
				.sum_ns = l->sum_ns,
			};
	/* The programs count only those frees by their event that are not in this table. */
	for (i = 0; i < k->n_lifes; i++)
		k->counts[KSTATS_KMEM_N_FREES + k->lifes[i].how] += k->lifes[i].count;
	for (i = 0; i < k->n_lifes; i++)
		if (k->lifes[i].how != KSTATS_KMEM_PAGE_FREE)
			k->lifes[i].flags &= ~drop;
	join_lifes(k);
	return 0;
}

static void add_live(struct kmem_row *row, const struct kstats_kmem_live *l, uint64_t now)
{
	uint64_t age = now > l->ns ? now - l->ns : 0;

	row->live++;
	row->live_req += row->kind == KSTATS_KMEM_KMALLOC ? l->req : row->size;
	row->live_alloc += row->each;
	add_ns(&row->live_age_ns, age);
	if (age > row->live_oldest_ns)
		row->live_oldest_ns = age;
}

static void read_live(const struct reading *r)
{
	const struct kstats_kmem_live *table = r->h->tables[HEAP_LIVE].at, *l;
	size_t n = places(r->h, HEAP_LIVE, sizeof(*table));
	uint32_t row;

	for (l = table; l < table + n; l++) {
		if (!l->ptr || l->ptr & 3)
			continue;
		row = row_of(r, l->row);
		if (row != KSTATS_KMEM_NO_ROW) {
			add_live(&r->k->rows[row], l, r->k->span.end_ns);
		} else {
			r->k->live_no_row++;
			r->k->live_no_row_bytes += l->req;
		}
	}
}

/* ---- the whole ---- */

char *heap_filters(const struct heap *h)
{
	const struct spec_kmem *want = h->want;
	char *who = plan_filters(&want->spec), *text = NULL;
	size_t size = 0;
	FILE *f;

	f = who ? open_memstream(&text, &size) : NULL;
	if (!f)
		goto out;
	fputs(who, f);
	if (want->gfp)
		fprintf(f, "%sgfp %s", ftell(f) > 0 ? "; " : "", want->gfp);
	if (want->numa)
		fprintf(f, "%snuma %s", ftell(f) > 0 ? "; " : "", want->numa);
	if (fclose(f)) {
		free(text);
		text = NULL;
	}
out:
	free(who);
	return text;
}

static int describe_kmem(const struct reading *r)
{
	const struct heap *h = r->h;
	struct kmem *k = r->k;
	struct utsname uts;
	enum heap_table t;

	uname(&uts);
	k->program = strdup(KSTATS_VERSION);
	k->kernel = strdup(uts.release);
	k->command = spec_command_text(&h->want->spec);
	k->filters = strdup(h->filters);
	k->skip = h->want->skip ? strdup(h->want->skip) : NULL;
	k->lifetimes = h->want->lifetimes;
	k->bits = KSTATS_KMEM_LIFE_BITS;
	k->rows_max = h->want->max_sites;
	k->live_max = h->want->lifetimes ? h->want->max_live : 0;
	for (t = 0; t < HEAP_TABLES; t++)
		k->memory += h->tables[t].size;
	k->span = r->at->span;
	if (!k->program || !k->kernel || !k->command || !k->filters || (h->want->skip && !k->skip))
		return -ENOMEM;
	if (tags_copy(&k->tags, &h->want->spec.tags, NULL))
		return -ENOMEM;
	return recording_copy_machine(&k->machine, &h->machine);
}

static int read_tables(struct reading *r)
{
	int err = collect(r);

	if (!err)
		err = read_caches(r);
	if (!err)
		err = read_sites(r);
	if (!err)
		err = read_rows(r);
	if (!err)
		err = heap_read_parts(r->h, r->k, r->first);
	if (!err && r->k->lifetimes)
		err = read_lifes(r);
	if (!err && r->k->lifetimes)
		read_live(r);
	read_counts(r->h, r->k);
	return err ? err : read_programs(r);
}

struct kmem *heap_read_at(struct heap *h, const struct heap_moment *at, struct error *e)
{
	struct reading r = { .h = h, .at = at, .k = calloc(1, sizeof(*r.k)) };
	int err = r.k ? describe_kmem(&r) : -ENOMEM;

	if (!err)
		err = read_tables(&r);
	free(r.site_addresses);
	free(r.cache_addresses);
	free(r.row_of);
	free(r.raw);
	free(r.first);
	if (!err)
		return r.k;
	kmem_free(r.k);
	error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read what was counted");
	return NULL;
}

struct kmem *heap_read(struct heap *h, struct error *e)
{
	uint64_t now = h->stopped ? h->end_ns : clock_ns(CLOCK_MONOTONIC);
	struct heap_moment at = { .span = { h->wall_ns, h->begin_ns, now, h->stopped } };
	const struct heap_hook *hook = h->hooks;
	int i;

	for (i = 0; i < HEAP_HOOKS; i++, hook++)
		at.skipped[i] = h->stopped ? hook->skipped : heap_skipped(hook) - hook->begin;
	return heap_read_at(h, &at, e);
}
