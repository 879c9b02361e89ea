/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diff.h - two sets of recordings of memory events side by side, as text. One table row a
 * format. Called by cmd/.
 */
#ifndef KSTATS_RENDER_KMEM_DIFF_H
#define KSTATS_RENDER_KMEM_DIFF_H

#include <stdio.h>

#include "kmem/compare.h"

/* One output format. */
struct kmem_diff_format {
	const char *name; /* as given to -f */
	int (*render)(FILE *out, const struct kmem_compare *c, size_t top); /* 0 or -EIO */
};

/** kmem_diff_formats - all formats, ended by an entry whose name is NULL */
extern const struct kmem_diff_format kmem_diff_formats[];

/** kmem_diff_find() - the format of that name. Return: a row of kmem_diff_formats, or NULL */
const struct kmem_diff_format *kmem_diff_find(const char *name);

#endif /* KSTATS_RENDER_KMEM_DIFF_H */
