/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - a BPF array mapped into memory. In: its descriptor. Out: its elements, which programs
 * may change at any time. Called by store, flight and node.
 */
#ifndef KSTATS_STORE_TABLE_H
#define KSTATS_STORE_TABLE_H

#include <stddef.h>

/* The elements of a BPF array. */
struct table {
	void *at; /* the first element; NULL: not mapped */
	size_t n; /* number of elements */
	size_t size; /* of all, in bytes */
};

/**
 * table_open() - map an array, to read and write
 * @t: filled in; ended by table_close()
 * @fd: the array; it may be closed afterwards
 * @element: bytes of an element
 *
 * Return: 0; -EINVAL if it is no such array or cannot be mapped; or -errno.
 */
int table_open(struct table *t, int fd, size_t element);

/** table_close() - unmap; @t may be zero-filled */
void table_close(struct table *t);

#endif /* KSTATS_STORE_TABLE_H */
