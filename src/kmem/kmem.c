// SPDX-License-Identifier: GPL-2.0-only
/* kmem.c - the life of the value, and its members as rows of the file. */
#include "kmem/priv.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER(type, member, most)                                                                \
	{                                                                                         \
		#member, offsetof(struct type, member), sizeof(((struct type *)0)->member), most, \
			false                                                                     \
	}
#define COUNT(type, member) NUMBER(type, member, KMEM_COUNT_MAX)
#define TEXT(type, member, may_miss)                                   \
	{                                                              \
		#member, offsetof(struct type, member), 0, 0, may_miss \
	}

const struct kmem_column kmem_members[] = {
	TEXT(kmem, program, false),
	TEXT(kmem, kernel, false),
	TEXT(kmem, command, false),
	TEXT(kmem, filters, false),
	TEXT(kmem, skip, true),
	NUMBER(kmem, status, KMEM_STATUS_MAX),
	NUMBER(kmem, bits, KSTATS_BITS_MAX),
	COUNT(kmem, live_max),
	COUNT(kmem, rows_max),
	COUNT(kmem, memory),
	COUNT(kmem, live_no_row),
	COUNT(kmem, live_no_row_bytes),
	{},
};

static const struct kmem_column site_columns[] = {
	TEXT(kmem_site, name, false),
	TEXT(kmem_site, line, true),
	{},
};

static const struct kmem_column cache_columns[] = {
	TEXT(kmem_cache, name, false),
	NUMBER(kmem_cache, object_size, UINT32_MAX),
	NUMBER(kmem_cache, size, UINT32_MAX),
	COUNT(kmem_cache, frees),
	{},
};

static const struct kmem_column row_columns[] = {
	NUMBER(kmem_row, kind, KSTATS_KMEM_PAGES),
	NUMBER(kmem_row, site, UINT32_MAX),
	NUMBER(kmem_row, cache, UINT32_MAX),
	NUMBER(kmem_row, order, 63),
	COUNT(kmem_row, size),
	COUNT(kmem_row, last),
	COUNT(kmem_row, each),
	COUNT(kmem_row, count),
	COUNT(kmem_row, req),
	COUNT(kmem_row, alloc),
	COUNT(kmem_row, live),
	COUNT(kmem_row, live_req),
	COUNT(kmem_row, live_alloc),
	NUMBER(kmem_row, live_age_ns, UINT64_MAX),
	NUMBER(kmem_row, live_oldest_ns, UINT64_MAX),
	{},
};

static const struct kmem_column value_columns[] = {
	TEXT(kmem_value, text, false),
	{},
};

static const struct kmem_column life_columns[] = {
	NUMBER(kmem_life, row, UINT32_MAX),    NUMBER(kmem_life, slot, UINT32_MAX),
	NUMBER(kmem_life, flags, 15),          NUMBER(kmem_life, how, KSTATS_KMEM_BULK_FREE),
	NUMBER(kmem_life, site, UINT32_MAX),   COUNT(kmem_life, count),
	NUMBER(kmem_life, sum_ns, UINT64_MAX), {},
};

static const struct kmem_column program_columns[] = {
	TEXT(kmem_program, event, false),
	TEXT(kmem_program, method, false),
	TEXT(kmem_program, why, false),
	COUNT(kmem_program, skipped),
	{},
};

static const struct kmem_column period_columns[] = {
	NUMBER(kmem_period, end_ns, UINT64_MAX),
	{},
};

static const struct kmem_column part_columns[] = {
	NUMBER(kmem_part, period, UINT32_MAX),
	NUMBER(kmem_part, kind, KSTATS_KMEM_PAGES),
	NUMBER(kmem_part, site, UINT32_MAX),
	COUNT(kmem_part, count),
	COUNT(kmem_part, req),
	COUNT(kmem_part, alloc),
	COUNT(kmem_part, live),
	COUNT(kmem_part, live_alloc),
	{},
};

#define TABLE(name, max, may_miss)                                                         \
	{                                                                                  \
		#name "s", sizeof(struct kmem_##name), offsetof(struct kmem, n_##name##s), \
			offsetof(struct kmem, name##s), max, may_miss, name##_columns      \
	}

const struct kmem_file_table kmem_file_tables[] = {
	TABLE(site, KMEM_ROWS_MAX, false),
	TABLE(cache, KMEM_ROWS_MAX, false),
	TABLE(row, KMEM_ROWS_MAX, false),
	TABLE(value, KMEM_VALUES_MAX, true),
	TABLE(life, KMEM_LIFES_MAX, false),
	TABLE(program, KMEM_ROWS_MAX, false),
	TABLE(period, KMEM_ROWS_MAX, true),
	TABLE(part, KMEM_ROWS_MAX, true),
	{},
};

const char *const kmem_count_keys[KSTATS_KMEM_COUNT_N] = {
	[KSTATS_KMEM_N_FREES + KSTATS_KMEM_KFREE] = "frees_kfree",
	[KSTATS_KMEM_N_FREES + KSTATS_KMEM_CACHE_FREE] = "frees_cache",
	[KSTATS_KMEM_N_FREES + KSTATS_KMEM_PAGE_FREE] = "frees_pages",
	[KSTATS_KMEM_N_FREES + KSTATS_KMEM_RCU_FREE] = "frees_rcu",
	[KSTATS_KMEM_N_FREES + KSTATS_KMEM_BULK_FREE] = "frees_bulk",
	[KSTATS_KMEM_N_NULL] = "frees_null",
	[KSTATS_KMEM_N_FAILED] = "failed",
	[KSTATS_KMEM_N_TWICE] = "twice",
	[KSTATS_KMEM_N_BULK] = "bulk",
	[KSTATS_KMEM_N_IN_PLACE] = "in_place",
	[KSTATS_KMEM_N_NO_ROW] = "no_row_kmalloc",
	[KSTATS_KMEM_N_NO_ROW + 1] = "no_row_cache",
	[KSTATS_KMEM_N_NO_ROW + 2] = "no_row_pages",
	[KSTATS_KMEM_REQ_NO_ROW] = "no_row_kmalloc_requested",
	[KSTATS_KMEM_REQ_NO_ROW + 1] = "no_row_cache_requested",
	[KSTATS_KMEM_REQ_NO_ROW + 2] = "no_row_pages_requested",
	[KSTATS_KMEM_ALLOC_NO_ROW] = "no_row_kmalloc_allocated",
	[KSTATS_KMEM_ALLOC_NO_ROW + 1] = "no_row_cache_allocated",
	[KSTATS_KMEM_ALLOC_NO_ROW + 2] = "no_row_pages_allocated",
	[KSTATS_KMEM_N_NO_LIVE] = "no_live",
	[KSTATS_KMEM_N_REUSED] = "reused",
	[KSTATS_KMEM_N_NO_LIFE] = "no_life",
	[KSTATS_KMEM_N_UNKNOWN] = "unknown",
	[KSTATS_KMEM_N_AGAIN] = "again",
	[KSTATS_KMEM_N_CACHE] = "other_cache",
	[KSTATS_KMEM_N_RCU_DONE] = "rcu_done",
	[KSTATS_KMEM_N_NO_CALLER] = "no_caller",
	[KSTATS_KMEM_N_NO_CACHE] = "no_cache",
	[KSTATS_KMEM_N_RACED] = "raced",
	[KSTATS_KMEM_N_IF] = "left_out",
	[KSTATS_KMEM_N_DIVISION] = "division",
	[KSTATS_KMEM_N_UNREADABLE] = "unreadable",
};

static void kmem_free_texts(void *of, const struct kmem_column *c)
{
	for (; c->key; c++)
		if (!c->size)
			free(*(char **)((char *)of + c->offset));
}

void kmem_free(struct kmem *k)
{
	const struct kmem_file_table *t;
	char *rows;
	size_t i;

	if (!k)
		return;
	for (t = kmem_file_tables; t->key; t++) {
		rows = *(void **)((char *)k + t->rows);
		for (i = 0; rows && i < *(size_t *)((char *)k + t->n); i++)
			kmem_free_texts(rows + i * t->size, t->columns);
		free(rows);
	}
	kmem_free_texts(k, kmem_members);
	for (i = 0; i < KSTATS_BY_PARTS; i++)
		free(k->by[i]);
	recording_free_machine(&k->machine);
	tags_free(&k->tags);
	free(k->source);
	free(k);
}
