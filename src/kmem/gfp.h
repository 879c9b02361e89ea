/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gfp.h - GFP flags as words. In: the names of a kernel's bits. Out: text, or flags. Called by
 * heap.
 */
#ifndef KSTATS_KMEM_GFP_H
#define KSTATS_KMEM_GFP_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define KMEM_GFP_BITS 32
#define KMEM_GFP_NAME 24

/** struct kmem_gfp - names of the bits, as "ZERO" for __GFP_ZERO; "" for bits without a name */
struct kmem_gfp {
	char names[KMEM_GFP_BITS][KMEM_GFP_NAME];
};

/** kmem_gfp_old() - the names up to kernel 6.8, which does not tell them to programs */
void kmem_gfp_old(struct kmem_gfp *g);

/**
 * kmem_gfp_text() - flags in words
 *
 * Return: allocated "GFP_KERNEL|__GFP_ZERO", "0" if there are none; NULL when out of memory.
 */
char *kmem_gfp_text(const struct kmem_gfp *g, uint32_t flags);

/** kmem_gfp_flags() - the flags of a name of @n bytes, like GFP_ATOMIC or __GFP_ZERO; 0: it is none
 */
uint32_t kmem_gfp_flags(const struct kmem_gfp *g, const char *name, size_t n);

/**
 * kmem_gfp_parse() - flags from words
 * @words: with | or commas between them
 * @flags: receives them
 */
int kmem_gfp_parse(const struct kmem_gfp *g, const char *words, uint32_t *flags, struct error *e);

#endif /* KSTATS_KMEM_GFP_H */
