/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - writing reports to standard output or a file. In: recordings. Out: text in a
 * format. Called by the verbs that show recordings.
 */
#ifndef KSTATS_UI_OUTPUT_H
#define KSTATS_UI_OUTPUT_H

#include "format/format.h"
#include "plan/plan.h"
#include "util/outfile.h"

/** struct output - a stream of reports */
struct output {
	const struct format *format; /* of the reports; NULL if a gate writes its results */
	const struct format *periods; /* of the intervals, in place of @format; or NULL */
	/* how to draw; width and colours are filled in by output_open() */
	struct report_look options;
	struct outfile file; /* the file, if there is one */
	FILE *out; /* stream to write to */
	bool closed; /* the reader has closed standard output */
};

/** output_format() - find the format, by its name */
int output_format(struct output *o, const char *name, struct error *e);

/** output_any_format() - the same, also of formats that only recordings with single calls have */
int output_any_format(struct output *o, const char *name, struct error *e);

/** output_why_format() - the same; a refusal names only those that tell of single calls */
int output_why_format(struct output *o, const char *name, struct error *e);

/**
 * output_buckets() - set the bounds of the histograms
 * @o: output; its format is NULL if a gate writes its results instead
 * @buckets: as the user gave them, or zero-filled
 * @e: filled in if the user gave some and the format has none
 */
int output_buckets(struct output *o, const struct buckets *buckets, struct error *e);

/**
 * output_watch() - show intervals as lines, if somebody watches them on a terminal
 * @o: output, which is open; its format was not asked for
 */
void output_watch(struct output *o);

/** output_columns() - width of a terminal; @out: stream. Return: columns, 80 if it is none */
unsigned int output_columns(FILE *out);

/**
 * output_open() - prepare for writing
 * @o: output; ended by output_commit() or output_abort()
 * @path: file that appears at the commit, or NULL for standard output; must
 *	stay valid
 */
int output_open(struct output *o, const char *path, struct error *e);

/**
 * output_failed() - report that something could not be written, from errno. Return: -EIO
 * @what: "the report"
 */
int output_failed(const char *what, struct error *e);

/**
 * output_write() - write the report
 * @recs: what to show
 * @e: filled in on failure; a closed pipe is no failure but sets @o->closed
 */
int output_write(struct output *o, const struct report_set *recs, struct error *e);

/**
 * output_period() - write the report of an interval
 * @r: what happened in it
 * @period: its number, from 1
 * @e: as for output_write()
 *
 * Writes nothing if the format shows the intervals in the report of the whole.
 */
int output_period(struct output *o, const struct recording *r, unsigned int period,
		  struct error *e);

/**
 * output_kmem_format() - find the format of reports of memory events
 * @name: as given to --format
 * @e: filled in if there is none of that name
 *
 * Return: 0 or -EINVAL.
 */
int output_kmem_format(struct output *o, const char *name, struct error *e);

/**
 * output_kmem() - write a report of memory events
 * @recs: what to show
 * @how: how; its base is not used, the options of @o are
 * @e: as for output_write()
 */
int output_kmem(struct output *o, const struct report_kmem_set *recs,
		const struct report_kmem_look *how, struct error *e);

/** output_commit() - make the file appear */
int output_commit(struct output *o, struct error *e);

/** output_abort() - discard the file; @o may be zero-filled or committed */
void output_abort(struct output *o);

/** enum output_needs - what the rest of the run does that takes capabilities */
enum output_needs {
	OUTPUT_NOTHING,
	OUTPUT_MARKERS, /* starts and stops markers */
	OUTPUT_KERNEL, /* reads symbols of the kernel */
	OUTPUT_PROGRAMS, /* of the kernel, and of programs of all users while they run */
};

/**
 * output_drop_caps() - give up all capabilities that the rest of the run does not need
 * @files: files will be written
 * @command: a command may have to be killed
 * @needs: what else is left to do
 */
int output_drop_caps(bool files, bool command, enum output_needs needs, struct error *e);

/** output_needs_of() - what a measurement needs once it is attached */
enum output_needs output_needs_of(const struct plan *plan);

/** output_save() - keep a recording in a file; @file: open file; is committed */
int output_save(const struct recording *r, struct outfile *file, struct error *e);

/** output_save_kmem() - the same for memory events; @file: open file; is committed */
int output_save_kmem(const struct kmem *k, struct outfile *file, struct error *e);

#endif /* KSTATS_UI_OUTPUT_H */
