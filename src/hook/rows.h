/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - what a BPF iterator writes: rows of one size that begin with a number. In: its
 * link. Out: the rows, found by that number. Called by session and node.
 */
#ifndef KSTATS_ROWS_H
#define KSTATS_ROWS_H

#include <stddef.h>
#include <stdint.h>

/** struct rows - what an iterator wrote, in the order of the numbers that the rows begin with */
struct rows {
	char *data; /* owned */
	size_t size; /* bytes of a row */
	size_t n; /* number of rows */
};

/**
 * rows_read() - let an iterator write
 * @rows: replaced; freed with rows_free() also after an error
 * @size: bytes of a row
 */
int rows_read(struct rows *rows, size_t size, int link_fd);

/** rows_find() - look up a row; @id: the number it begins with. Return: the row, or NULL */
const void *rows_find(const struct rows *rows, uint64_t id);

/** rows_free() - free the rows; @rows: rows, or all 0 */
void rows_free(struct rows *rows);

#endif /* KSTATS_ROWS_H */
