/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - a BPF array as memory. In: its descriptor. Out: its elements, one
 * after another, while programs change them. Called by flight and node.
 */
#ifndef KSTATS_STORE_TABLE_H
#define KSTATS_STORE_TABLE_H

#include <stddef.h>

/* The elements of a BPF array. */
struct table {
	void *at; /* the first; NULL when there is none */
	size_t n; /* how many */
	size_t size; /* of all, in bytes */
};

/**
 * table_open() - map an array into memory, to read and write
 * @t: filled; table_close() lets go of it
 * @fd: the array; it may be closed after this
 * @element: size of one element, in bytes
 *
 * Return: 0; -EINVAL: it is no array of such elements that can be mapped; or -errno.
 */
int table_open(struct table *t, int fd, size_t element);

/** table_close() - let go of it; @t: one that was opened, or all zero */
void table_close(struct table *t);

#endif /* KSTATS_STORE_TABLE_H */
