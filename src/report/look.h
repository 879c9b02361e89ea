/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * look.h - what reports of recordings are made of, and how they are to look. Called by report,
 * by the formats, and by who chooses.
 */
#ifndef KSTATS_REPORT_LOOK_H
#define KSTATS_REPORT_LOOK_H

#include <stdbool.h>
#include <stdio.h>

#include "kmem/kmem.h"
#include "result/recording.h"
#include "spec/spec_kmem.h"
#include "util/buckets.h"
#include "util/sort.h"

/** struct report_look - how to draw */
struct report_look {
	/* "auto", "ns", "us", "ms" or "s"; for a format, the unit of values if they are no time */
	const char *unit;
	bool units; /* for a format: some recordings hold no durations, and rows name the unit */
	unsigned int width; /* number of columns; 80 if the output is no terminal */
	unsigned int height; /* rows of the terminal; 0 if the output is none */
	bool color; /* ANSI colours are wanted */
	bool bars; /* block characters are wanted, else ASCII */
	enum sort_by sort; /* the order of rows in tables */
	bool per_cpu_rows; /* a row for every CPU that has samples */
	unsigned int period; /* 0, or the number of the interval report, from 1 */
	/* a report was written to this stream before, so CSV needs no second header */
	bool continued;
	/* more is still being recorded and it will be read again, so the rows must not change */
	bool live;
	/* subtract the floor from every sample where it is known; every format says so */
	bool subtract_floor;
	bool followed; /* openmetrics: more follows in the same text, which ends there */
	/* openmetrics: names of counters as OpenMetrics has them, not as the older text format */
	bool families;
	bool keyed; /* --by was used, also where no key has come: CSV has a column for it */
	bool stepped; /* some probes are single-stepped: CSV has a column for it */
	bool titled; /* there are several recordings, so each begins with its name */
	struct buckets buckets; /* bounds of the histograms of openmetrics */
};

/** struct report_set - some recordings */
struct report_set {
	size_t n; /* number of @recs, at least 1 unless the format is openmetrics */
	const struct recording *const *recs; /* not owned */
};

#define REPORT_KMEM_TOP 20 /* rows of a table, unless asked otherwise */

/**
 * struct report_kmem_look - how to draw
 * @base: what all reports have; only @unit, @width, @color, @bars, @period, @continued and
 *	@titled are used
 * @by: what a row is of, see kmem_group_find(), which must be true
 * @sort: what the rows are sorted by
 * @top: rows that are shown to people; 0: REPORT_KMEM_TOP
 * @before: what an earlier report of the same measurement showed, or NULL; the summary then
 *	tells by how much the live bytes grew since; not owned
 * @periods: the summary has a row for each interval, and CSV has their parts
 */
struct report_kmem_look {
	struct report_look base;
	const char *by;
	enum kmem_sort sort;
	size_t top;
	const struct kmem *before;
	bool periods;
};

/** struct report_kmem_set - some recordings */
struct report_kmem_set {
	size_t n; /* number of @recs, at least 1 */
	const struct kmem *const *recs; /* not owned */
};

#endif /* KSTATS_REPORT_LOOK_H */
