/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - shows on a terminal how far a measurement is. In: reports of measure. Out: one
 * line on standard error that is overwritten; or new lines, if a command writes to the same
 * terminal. Called by the verbs that measure.
 */
#ifndef KSTATS_UI_PROGRESS_H
#define KSTATS_UI_PROGRESS_H

#include <stdbool.h>

#include "measure/measure.h"

#define PROGRESS_NAME 48

/** struct progress - state of the display */
struct progress {
	bool shown; /* there is a terminal, and the user wants progress */
	bool lines; /* each report is a new line, and they are less frequent */
	bool drawn; /* there is a line to overwrite */
	uint64_t next_ns; /* time of the next report, with @lines */
	char name[PROGRESS_NAME]; /* what is running, "" if that is clear */
};

/** progress_open() - check whether and how to show it; @lines: others write to the terminal too */
void progress_open(struct progress *p, bool quiet, bool lines);

/** progress_name() - change the name of what is running; @format: the name, as for printf */
void progress_name(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** progress_tell() - show the progress; fits struct measure_watch; @ctx: struct progress */
void progress_tell(void *ctx, const struct measure_progress *m);

/** progress_done() - show it for the last time, as a line that stays */
void progress_done(struct progress *p, const struct measure_progress *m);

/** progress_say() - show a line that stays; @format: the line, as for printf */
void progress_say(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** progress_clear() - remove the line, so that something else can be printed */
void progress_clear(struct progress *p);

#endif /* KSTATS_UI_PROGRESS_H */
