/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_fixture.h - recordings of memory events made for tests, without a kernel. In: values.
 * Out: recordings whose account closes.
 */
#ifndef KSTATS_KMEM_FIXTURE_H
#define KSTATS_KMEM_FIXTURE_H

#include "fixture.h"

#include "kmem/kmem.h"

#define KMEM_FIXTURE_ROWS 256
#define KMEM_FIXTURE_LIFES 64

static inline struct kmem *kmem_fixture_empty(void)
{
	static const char *const events[] = {
		"kmalloc",         "kmem_cache_alloc", "kfree",
		"kmem_cache_free", "mm_page_alloc",    "mm_page_free"
	};
	struct kmem *k = calloc(1, sizeof(*k));
	size_t i;

	assert_non_null(k);
	fixture_text(&k->program, "0.1.0");
	fixture_text(&k->kernel, "6.12.0-amd64");
	fixture_text(&k->machine.cpu, "A processor");
	fixture_text(&k->machine.clock, "tsc");
	fixture_text(&k->machine.build_id, "00ff");
	k->machine.cpus_online = 4;
	fixture_text(&k->command, "");
	fixture_text(&k->filters, "");
	k->span = (struct snapshot_span){ 1767225600000000000, 1000000007, 11000000007, true };
	k->bits = 3;
	k->live_max = 1048576;
	k->rows_max = 16384;
	k->memory = 50331648;
	k->rows = calloc(KMEM_FIXTURE_ROWS, sizeof(*k->rows));
	k->lifes = calloc(KMEM_FIXTURE_LIFES, sizeof(*k->lifes));
	k->sites = calloc(KMEM_FIXTURE_ROWS, sizeof(*k->sites));
	k->caches = calloc(KMEM_FIXTURE_ROWS, sizeof(*k->caches));
	k->programs = calloc(16, sizeof(*k->programs));
	assert_true(k->rows && k->lifes && k->sites && k->caches && k->programs);
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		fixture_text(&k->programs[i].event, events[i]);
		fixture_text(&k->programs[i].method, "raw tracepoint");
		fixture_text(&k->programs[i].why, "");
	}
	k->n_programs = i;
	return k;
}

static inline void kmem_fixture_unseen(struct kmem *k, const char *event, const char *why)
{
	struct kmem_program *p = &k->programs[k->n_programs++];

	fixture_text(&p->event, event);
	fixture_text(&p->method, "");
	fixture_text(&p->why, why);
}

static inline uint32_t kmem_fixture_site(struct kmem *k, const char *name, const char *line)
{
	fixture_text(&k->sites[k->n_sites].name, name);
	if (line)
		fixture_text(&k->sites[k->n_sites].line, line);
	return k->n_sites++;
}

static inline uint32_t kmem_fixture_cache(struct kmem *k, const char *name, uint32_t object_size,
					  uint32_t size)
{
	fixture_text(&k->caches[k->n_caches].name, name);
	k->caches[k->n_caches].object_size = object_size;
	k->caches[k->n_caches].size = size;
	return k->n_caches++;
}

static inline struct kmem_row *kmem_fixture_row(struct kmem *k, enum kstats_kmem_kind kind,
						uint32_t site, uint64_t size, uint64_t each,
						uint64_t count)
{
	struct kmem_row *r = &k->rows[k->n_rows++];

	assert_true(k->n_rows <= KMEM_FIXTURE_ROWS);
	*r = (struct kmem_row){ .kind = kind,
				.site = site,
				.size = size,
				.last = size,
				.each = each,
				.count = count,
				.req = count * size,
				.alloc = count * each };
	return r;
}

/* A further dimension, with a value for each row. All rows must be there. */
static inline void kmem_fixture_by(struct kmem *k, const char *by, const char *const *texts)
{
	struct kmem_value *old = k->values;
	size_t n = k->n_by, row, i;

	fixture_text(&k->by[k->n_by++], by);
	k->n_values = k->n_rows * k->n_by;
	k->values = calloc(k->n_values + 1, sizeof(*k->values));
	assert_non_null(k->values);
	for (row = 0; row < k->n_rows; row++) {
		for (i = 0; i < n; i++)
			k->values[row * k->n_by + i] = old[row * n + i];
		fixture_text(&k->values[row * k->n_by + n].text, texts[row]);
	}
	free(old);
}

/* The last @live objects of the row stay; the oldest is @oldest_ns old, each other one half. */
static inline void kmem_fixture_live(struct kmem_row *r, uint64_t live, uint64_t oldest_ns)
{
	r->live = live;
	r->live_req = live * r->size;
	r->live_alloc = live * r->each;
	r->live_oldest_ns = oldest_ns;
	r->live_age_ns = oldest_ns + (live - 1) * (oldest_ns / 2);
}

static inline void kmem_fixture_life(struct kmem *k, uint32_t row, uint64_t ns, uint32_t flags,
				     enum kstats_kmem_free how, uint32_t site, uint64_t count)
{
	struct kmem_life *l = &k->lifes[k->n_lifes++];

	assert_true(k->n_lifes <= KMEM_FIXTURE_LIFES);
	*l = (struct kmem_life){ .row = row,
				 .slot = kstats_slot_index(ns, k->bits),
				 .flags = flags,
				 .how = how,
				 .site = site,
				 .count = count,
				 .sum_ns = count * ns };
	k->counts[KSTATS_KMEM_N_FREES + how] += count;
}

/* The lives of the rows made by kmem_fixture(). */
static inline void kmem_fixture_lives(struct kmem *k, uint32_t kfree, uint32_t put)
{
	const uint32_t away = KSTATS_KMEM_OTHER_CPU | KSTATS_KMEM_OTHER_TASK;

	k->lifetimes = true;
	kmem_fixture_life(k, 0, 900, 0, KSTATS_KMEM_KFREE, kfree, 700);
	kmem_fixture_life(k, 0, 12345, away, KSTATS_KMEM_KFREE, kfree, 200);
	kmem_fixture_live(&k->rows[0], 97, 9876543210);
	k->counts[KSTATS_KMEM_N_REUSED] = 3;
	kmem_fixture_life(k, 1, 2000000, KSTATS_KMEM_OTHER_TASK, KSTATS_KMEM_RCU_FREE, put, 313);
	kmem_fixture_life(k, 2, 150, 0, KSTATS_KMEM_KFREE, kfree, 60);
	kmem_fixture_live(&k->rows[2], 1, 5000000000);
	kmem_fixture_life(k, 3, 40000, away | KSTATS_KMEM_OTHER_NUMA, KSTATS_KMEM_CACHE_FREE, put,
			  4000);
	kmem_fixture_live(&k->rows[3], 1000, 9999999999);
	k->counts[KSTATS_KMEM_N_NO_LIVE] = 11;
	kmem_fixture_life(k, 4, 70, 0, KSTATS_KMEM_PAGE_FREE, 0, 127);
	kmem_fixture_life(k, KSTATS_KMEM_NO_ROW, 70, 0, KSTATS_KMEM_KFREE, kfree, 2);
	k->counts[KSTATS_KMEM_N_UNKNOWN] = 29;
	k->counts[KSTATS_KMEM_N_AGAIN] = 1;
	k->counts[KSTATS_KMEM_N_FREES + KSTATS_KMEM_KFREE] += 29 + 17;
}

/* All kinds, with lifetimes if asked for. */
static inline struct kmem *kmem_fixture(bool lifetimes)
{
	struct kmem *k = kmem_fixture_empty();
	uint32_t none = kmem_fixture_site(k, "", NULL);
	uint32_t dup = kmem_fixture_site(k, "kmemdup+0x1e", "mm/util.c:124");
	uint32_t open = kmem_fixture_site(k, "seq_open+0x2b", NULL);
	uint32_t inode = kmem_fixture_site(k, "ext4_alloc_inode+0x1f [ext4]", NULL);
	uint32_t kfree = kmem_fixture_site(k, "single_release+0x2c", NULL);
	uint32_t put = kmem_fixture_site(k, "i_callback+0x11", NULL);
	uint32_t cache = kmem_fixture_cache(k, "ext4_inode_cache", 1096, 1104);

	fixture_text(&k->command, "make -j4");
	kmem_fixture_row(k, KSTATS_KMEM_KMALLOC, dup, 33, 64, 1000);
	kmem_fixture_row(k, KSTATS_KMEM_KMALLOC, open, 24, 32, 313);
	kmem_fixture_row(k, KSTATS_KMEM_KMALLOC, dup, 1024, 2048, 61)->last = 1055;
	k->rows[2].req += 61 * 13;
	kmem_fixture_row(k, KSTATS_KMEM_CACHE, inode, 1096, 1104, 5011)->cache = cache;
	kmem_fixture_row(k, KSTATS_KMEM_PAGES, none, 8192, 8192, 127)->order = 1;
	k->counts[KSTATS_KMEM_N_NO_ROW] = 2;
	k->counts[KSTATS_KMEM_REQ_NO_ROW] = 20;
	k->counts[KSTATS_KMEM_ALLOC_NO_ROW] = 32;
	k->counts[KSTATS_KMEM_N_NULL] = 17;
	k->counts[KSTATS_KMEM_N_TWICE] = 5;
	k->counts[KSTATS_KMEM_N_FAILED] = 1;
	k->programs[0].skipped = 7;
	kmem_fixture_unseen(k, "kmem_cache_alloc_bulk", "this kernel refuses fentry");
	if (lifetimes) {
		kmem_fixture_lives(k, kfree, put);
	} else {
		k->counts[KSTATS_KMEM_N_FREES + KSTATS_KMEM_KFREE] = 1008;
		k->counts[KSTATS_KMEM_N_FREES + KSTATS_KMEM_CACHE_FREE] = 4000;
		k->counts[KSTATS_KMEM_N_FREES + KSTATS_KMEM_PAGE_FREE] = 127;
	}
	k->caches[cache].frees = 4000;
	return k;
}

/* So many sites, which differ in name and number. */
static inline struct kmem *kmem_fixture_many(unsigned int sites)
{
	struct kmem *k = kmem_fixture_empty();
	char name[64];
	unsigned int i;

	for (i = 0; i < sites; i++) {
		snprintf(name, sizeof(name), "a_function_with_a_name_of_some_length_%u+0x%x", i, i);
		kmem_fixture_row(k, KSTATS_KMEM_KMALLOC, kmem_fixture_site(k, name, NULL),
				 24 + i % 9, 32, 100 + i * 7919ULL);
	}
	return k;
}

/* Texts that are dangerous to terminals, pages and tables. */
static inline struct kmem *kmem_fixture_hostile(void)
{
	struct kmem *k = kmem_fixture(true);

	fixture_text(&k->sites[1].name, "\033[31m<script>alert(1)</script>\"=1|`,\\\n");
	fixture_text(&k->sites[3].name, "=cmd()\xff\u202e");
	fixture_text(&k->caches[0].name, "a<b>&\"'\r\n{}");
	fixture_text(&k->command, "rm -rf \033]0;x\a <b>");
	fixture_text(&k->kernel, "6.12<i>\n");
	fixture_text(&k->programs[6].why, "\033[2J</td>");
	return k;
}

static inline char *kmem_fixture_text(const struct kmem *k)
{
	struct error e = {};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	if (kmem_save(k, f, &e))
		fail_msg("%s: %s", e.what, e.why);
	fclose(f);
	return text;
}

static inline struct kmem *kmem_fixture_load(const char *text, struct error *e)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct kmem *k;

	assert_non_null(f);
	k = kmem_load(f, e);
	fclose(f);
	return k;
}

#endif /* KSTATS_KMEM_FIXTURE_H */
