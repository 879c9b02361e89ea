/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - how far a measurement is, told on a terminal and nowhere else. In:
 * what measure says. Out: a line on standard error that is written anew, or lines
 * where a command writes to the same terminal. Called by the verbs that measure.
 */
#ifndef KSTATS_UI_PROGRESS_H
#define KSTATS_UI_PROGRESS_H

#include <stdbool.h>

#include "measure/measure.h"

#define PROGRESS_NAME 48

/**
 * struct progress - what was told
 * @shown: there is a terminal, and no wish for quiet
 * @lines: what was told stays, and is told less often
 * @drawn: a line is to be written anew
 * @next_ns: when to tell again, where @lines
 * @name: what goes on, "" where that is clear
 */
struct progress {
	bool shown;
	bool lines;
	bool drawn;
	uint64_t next_ns;
	char name[PROGRESS_NAME];
};

/**
 * progress_open() - look where it would go
 * @p: filled in
 * @quiet: the user does not want it
 * @lines: others write to the terminal too
 */
void progress_open(struct progress *p, bool quiet, bool lines);

/**
 * progress_name() - another thing goes on
 * @p: progress
 * @format: what, as of printf
 */
void progress_name(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * progress_tell() - tell it; fits struct measure_watch
 * @ctx: struct progress
 * @m: how far it is
 */
void progress_tell(void *ctx, const struct measure_progress *m);

/**
 * progress_done() - tell it a last time, for good
 * @p: progress
 * @m: how far it came
 */
void progress_done(struct progress *p, const struct measure_progress *m);

/**
 * progress_clear() - make room for something else
 * @p: progress
 */
void progress_clear(struct progress *p);

#endif /* KSTATS_UI_PROGRESS_H */
