/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - the names and bounds in the file, which save.c and load.c share. Called by nobody
 * else.
 */
#ifndef KSTATS_KMEM_PRIV_H
#define KSTATS_KMEM_PRIV_H

#include "kmem/kmem.h"

#define KMEM_FORMAT "kstats-bpf kmem recording"
#define KMEM_VERSION 1
#define KMEM_STATUS_MAX 255
#define KMEM_COUNT_MAX (1ULL << 56) /* of one counter: sums over all rows stay within 64 bits */

/* Rows of a table; all tables together stay within what json_read() takes. */
#define KMEM_ROWS_MAX 262144
#define KMEM_VALUES_MAX (KSTATS_BY_PARTS * KMEM_ROWS_MAX)
#define KMEM_LIFES_MAX 1048576 /* as many as the kernel's tables hold if nobody asks for more */

/* A member of the rows of a table, kept as an array of its own. */
struct kmem_column {
	const char *key; /* its name in the file; NULL ends the columns */
	size_t offset; /* where it lies in a row */
	size_t size; /* of the number in bytes: 4 or 8; 0: text */
	uint64_t max; /* of a number */
	bool optional; /* of a text: "" in the file is NULL; of struct kmem: may be missing */
};

/* A table of the file. */
struct kmem_file_table {
	const char *key; /* its name in the file; NULL ends the tables */
	size_t size; /* of a row */
	size_t n; /* offset of the number of rows in struct kmem */
	size_t rows; /* offset of the pointer to the rows */
	size_t max; /* rows that are possible */
	bool optional; /* not in the file if it is empty */
	const struct kmem_column *columns;
};

/* The texts and numbers of struct kmem itself, described in the same way. */
extern const struct kmem_column kmem_members[];

/* All tables, ended by a NULL key. */
extern const struct kmem_file_table kmem_file_tables[];

/* Names of the counters by enum kstats_kmem_count. */
extern const char *const kmem_count_keys[KSTATS_KMEM_COUNT_N];

/** kmem_part_compare() - order of the parts of periods: by period, kind, and site */
int kmem_part_compare(const void *a, const void *b);

#endif /* KSTATS_KMEM_PRIV_H */
