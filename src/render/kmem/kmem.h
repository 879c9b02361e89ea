/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - recordings of memory events as text. One table row for each format. Pure: writes
 * only to the given stream. Called by cmd/.
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

/**
 * struct render_kmem_format - one output format
 * @name: as given to -f
 * @help: half a line for --help and the completion
 * @one: writes one report; 0, or -EIO if the stream failed. NULL if there is @all
 * @all: writes one document of all recordings; returns like @one
 */
struct render_kmem_format {
	const char *name;
	const char *help;
	int (*one)(FILE *out, const struct kmem *k, const struct render_kmem_options *o);
	int (*all)(FILE *out, const struct render_kmem_set *recs,
		   const struct render_kmem_options *o);
};

/** render_kmem_formats - all formats, ended by an entry whose name is NULL */
extern const struct render_kmem_format render_kmem_formats[];

/** render_kmem_find() - find a format. Return: a row of render_kmem_formats, or NULL */
const struct render_kmem_format *render_kmem_find(const char *name);

/**
 * render_kmem_write() - write recordings in a format
 * @recs: recordings
 * @o: how to draw; if several reports are drawn, how to draw the first
 *
 * Return: 0, or -EIO if the stream failed.
 */
int render_kmem_write(const struct render_kmem_format *f, FILE *out,
		      const struct render_kmem_set *recs, const struct render_kmem_options *o);

#endif /* KSTATS_RENDER_KMEM_H */
