/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * render.h - a recording as text. One file a format, one table row each. Pure:
 * writes to the stream it is given and nothing else. Called by cmd/.
 */
#ifndef KSTATS_RENDER_H
#define KSTATS_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "recording/recording.h"

/**
 * struct render_options - how to draw
 * @unit: "auto", "ns", "us", "ms" or "s"
 * @width: columns to fit, 80 when not on a terminal
 * @color: ANSI colours are wanted
 * @bars: block characters are wanted, else ASCII
 * @per_cpu_rows: a row for every CPU that has samples
 * @period: 0, or the number of the interval report, from 1
 * @continued: a report was written to this stream before: CSV needs no second
 *	header row
 * @live: it will be read again while more is recorded: the rows stay the same ones
 * @subtract_floor: the floor is taken off every sample where it is known; every
 *	format says so
 * @titled: there are several recordings: each says which it is
 */
struct render_options {
	const char *unit;
	unsigned int width;
	bool color;
	bool bars;
	bool per_cpu_rows;
	unsigned int period;
	bool continued;
	bool live;
	bool subtract_floor;
	bool titled;
};

/**
 * struct render_set - some recordings
 * @n: number of @recs, at least 1 unless the format is openmetrics
 * @recs: recordings; not owned
 */
struct render_set {
	size_t n;
	const struct recording *const *recs;
};

/**
 * struct render_format - one output format
 * @name: as given to -f
 * @help: half a line for --help and the completion
 * @one: writes a report, one after another; 0 or -EIO when the stream failed.
 *	NULL where there is @all
 * @all: writes a document of all recordings, with their intervals in it; the
 *	same way
 */
struct render_format {
	const char *name;
	const char *help;
	int (*one)(FILE *out, const struct recording *rec, const struct render_options *o);
	int (*all)(FILE *out, const struct render_set *recs, const struct render_options *o);
};

/** render_formats - all formats, ended by an entry whose name is NULL */
extern const struct render_format render_formats[];

/**
 * render_find() - the format of that name
 * @name: exact name
 *
 * Return: a row of render_formats, or NULL.
 */
const struct render_format *render_find(const char *name);

/**
 * render_write() - write recordings in a format
 * @f: format
 * @out: stream
 * @recs: recordings
 * @o: how to draw; of what is drawn several times the first
 *
 * Return: 0 or -EIO when the stream failed.
 */
int render_write(const struct render_format *f, FILE *out, const struct render_set *recs,
		 const struct render_options *o);

#endif /* KSTATS_RENDER_H */
