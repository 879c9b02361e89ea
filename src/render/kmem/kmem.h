/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - recordings of memory events as text. One file for each format; see format/format.h.
 * Pure: writes only to the given stream. Called by cmd/ and format.
 */
#ifndef KSTATS_RENDER_KMEM_H
#define KSTATS_RENDER_KMEM_H

#include "kmem/table.h"
#include "render/render.h"

#define RENDER_KMEM_TOP 20 /* rows of a table, unless asked otherwise */

/**
 * struct render_kmem_options - how to draw
 * @base: what all reports have; only @unit, @width, @color, @bars, @period, @continued and
 *	@titled are used
 * @group: what a row is of; kmem_can_group() must be true
 * @sort: what the rows are sorted by
 * @top: rows that are shown to people; 0: RENDER_KMEM_TOP
 * @before: what an earlier report of the same measurement showed, or NULL; the summary then
 *	tells by how much the live bytes grew since; not owned
 * @periods: the summary has a row for each interval, and CSV has their parts
 */
struct render_kmem_options {
	struct render_options base;
	enum kmem_group group;
	enum kmem_sort sort;
	size_t top;
	const struct kmem *before;
	bool periods;
};

/** struct render_kmem_set - some recordings */
struct render_kmem_set {
	size_t n; /* number of @recs, at least 1 */
	const struct kmem *const *recs; /* not owned */
};

/** render_kmem_json() - all rows, as one object. Return: 0 or -EIO */
int render_kmem_json(FILE *out, const struct kmem *k, const struct render_kmem_options *o);

/** render_kmem_csv() - a row for each entry. Return: 0 or -EIO */
int render_kmem_csv(FILE *out, const struct kmem *k, const struct render_kmem_options *o);

/** render_kmem_openmetrics() - for Prometheus. Return: 0 or -EIO */
int render_kmem_openmetrics(FILE *out, const struct render_kmem_set *recs,
			    const struct render_kmem_options *o);

#endif /* KSTATS_RENDER_KMEM_H */
