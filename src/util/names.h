/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - finding one of many names. In: an array, and how to read its names. Out: indices,
 * in a time that does not grow with the array. Called by snapshot, judge and ui.
 */
#ifndef KSTATS_NAMES_H
#define KSTATS_NAMES_H

#include <stddef.h>
#include <stdint.h>

/** struct names - the places of names in an array, which must not change meanwhile */
struct names {
	const void *array; /* not owned */
	const char *(*get)(const void *array, size_t i); /* the name of an element, not NULL */
	uint32_t *table; /* owned; by hash: index + 1, 0 where there is none */
	size_t mask; /* its size, a power of two, less one */
};

/**
 * names_make() - enter all names of an array
 * @t: filled in; freed with names_free()
 * @n: elements of @array
 * @get: reads the name of an element
 *
 * Return: 0 or -ENOMEM.
 */
int names_make(struct names *t, const void *array, size_t n,
	       const char *(*get)(const void *array, size_t i));

/** names_find() - the first element with a name. Return: its index, or -1 */
long names_find(const struct names *t, const char *name);

/** names_free() - release; @t may be zero-filled */
void names_free(struct names *t);

#endif /* KSTATS_NAMES_H */
