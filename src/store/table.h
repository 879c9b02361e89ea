/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - BPF maps, checked, and arrays mapped into memory. In: a descriptor. Out: elements,
 * which programs may change at any time. Called by store, flight, node and heap.
 */
#ifndef KSTATS_STORE_TABLE_H
#define KSTATS_STORE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** struct table_shape - what a map must be */
struct table_shape {
	uint32_t type; /* enum bpf_map_type; its keys are 32 bits wide */
	size_t value; /* bytes of a value */
	uint32_t n; /* places, or 0: any number */
	uint32_t id; /* the one with this number, or 0: any */
};

/**
 * table_check() - whether a map is what it should be; a name of it proves nothing
 * @fd: map, or a negative errno, which is returned
 * @id: receives the kernel's number of it; or NULL
 *
 * Return: 0; -EINVAL if it is another map; or -errno.
 */
int table_check(int fd, const struct table_shape *want, uint32_t *id);

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

/** table_open_const() - the same, to read only, which a frozen array allows, too */
int table_open_const(struct table *t, int fd, size_t element);

/** table_close() - unmap; @t may be zero-filled */
void table_close(struct table *t);

#endif /* KSTATS_STORE_TABLE_H */
