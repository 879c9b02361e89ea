/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * render.h - a recording as text. One file and one table row for each format. Pure: writes
 * only to the given stream. Called by cmd/.
 */
#ifndef KSTATS_RENDER_H
#define KSTATS_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "recording/recording.h"
#include "util/buckets.h"
#include "util/sort.h"

/** struct render_options - how to draw */
struct render_options {
	/* "auto", "ns", "us", "ms" or "s"; for a format, the unit of values if they are no time */
	const char *unit;
	bool units; /* for a format: some recordings hold no durations, and rows name the unit */
	unsigned int width; /* number of columns; 80 if the output is no terminal */
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
	bool keyed; /* --by was used, also where no key has come: CSV has a column for it */
	bool titled; /* there are several recordings, so each begins with its name */
	struct buckets buckets; /* bounds of the histograms of openmetrics */
};

/** struct render_set - some recordings */
struct render_set {
	size_t n; /* number of @recs, at least 1 unless the format is openmetrics */
	const struct recording *const *recs; /* not owned */
};

/** struct render_format - one output format */
struct render_format {
	const char *name; /* as given to -f */
	const char *help; /* half a line for --help and the completion */
	/* writes one report; 0, or -EIO if the stream failed. NULL if there is @all */
	int (*one)(FILE *out, const struct recording *rec, const struct render_options *o);
	/* writes one document of all recordings with their intervals; returns like @one */
	int (*all)(FILE *out, const struct render_set *recs, const struct render_options *o);
	bool buckets; /* the format has buckets, whose bounds the user may choose */
};

/** render_formats - all formats, ended by an entry whose name is NULL */
extern const struct render_format render_formats[];

/** render_find() - find a format by its name. Return: a row of render_formats, or NULL */
const struct render_format *render_find(const char *name);

/**
 * render_write() - write recordings in a format
 * @o: how to draw; if several reports are drawn, how to draw the first
 *
 * Return: 0, or -EIO if the stream failed.
 */
int render_write(const struct render_format *f, FILE *out, const struct render_set *recs,
		 const struct render_options *o);

#endif /* KSTATS_RENDER_H */
