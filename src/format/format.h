/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format.h - everything that can be written, in every format: one table row a format. In:
 * recordings, or a report of something else. Out: text. Pure: writes only to the given stream.
 * Called by ui and cmd.
 */
#ifndef KSTATS_FORMAT_H
#define KSTATS_FORMAT_H

#include "report/look.h"
#include "report/report.h"

/**
 * struct format - one output format
 * @name: as given to -f
 * @kinds: bits of enum report_kind: what can be written in it
 * @buckets: it has buckets, whose bounds the user may choose
 * @detail: how much of recordings it has room for
 * @together: of several recordings it makes one document
 * @mixed: what it writes of recordings of functions and of memory events is one document
 * @write: writes a report that is whole; called by format_write() alone. It returns 0, or -EIO if
 *	the stream failed
 */
struct format {
	const char *name;
	unsigned int kinds;
	bool buckets;
	enum report_detail detail;
	bool together;
	bool mixed;
	int (*write)(FILE *out, const struct report *r);
};

/** format_next() - the next format for one of @kinds; @f: NULL for the first. Return: it, or NULL
 */
const struct format *format_next(const struct format *f, unsigned int kinds);

/** format_find() - the format of that name for one of @kinds. Return: a row, or NULL */
const struct format *format_find(const char *name, unsigned int kinds);

/**
 * format_write() - write a report
 *
 * Return: 0; -ENOMEM: memory was short, and what is written, if anything, is of no use; or -EIO:
 * the stream failed.
 */
int format_write(const struct format *f, FILE *out, const struct report *r);

#define FORMAT_WORDS 256

/** format_words() - "it is one of text html": the names of those for one of @kinds. Return: @buf */
const char *format_words(unsigned int kinds, char buf[FORMAT_WORDS]);

/**
 * format_trace() - write recordings
 * @o: how to draw; if several reports are drawn, how to draw the first
 */
int format_trace(const struct format *f, FILE *out, const struct report_set *recs,
		 const struct report_look *o);

/** format_kmem() - write recordings of memory events; like format_trace() */
int format_kmem(const struct format *f, FILE *out, const struct report_kmem_set *recs,
		const struct report_kmem_look *o);

#endif /* KSTATS_FORMAT_H */
