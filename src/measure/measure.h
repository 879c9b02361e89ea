/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure.h - one measurement from attaching to its recording. In: a plan. Out: reports on the
 * way, and a recording. Prints nothing: callbacks are told what happens. Called by cmd/.
 */
#ifndef KSTATS_MEASURE_H
#define KSTATS_MEASURE_H

#include "facts/facts.h"
#include "plan/plan.h"
#include "result/recording.h"

#define MEASURE_STOP 1

struct measure;

/** struct measure_progress - how far a measurement is */
struct measure_progress {
	uint64_t elapsed_ns; /* since it began */
	uint64_t samples; /* recorded when they were counted last, which is not done each time */
	const char *hint; /* the same of hint_pair(); or NULL */
};

/**
 * struct measure_watch - callbacks
 * @ctx: handed to the callbacks
 * @keep_periods: the intervals become part of the recording
 * @spool: where they are until it ends, handed over; NULL: in memory
 * @started: calls are recorded from now on, and the command has not begun; may be NULL
 * @report: an interval is over, or a signal asked for a report. @r is of the interval number
 *	@period and is freed afterwards; MEASURE_STOP or an error ends the measurement
 * @progress: called about once a second; may be NULL
 * @detached: the overhead passed the limit, and the command goes on without; may be NULL
 */
struct measure_watch {
	void *ctx;
	bool keep_periods;
	FILE *spool;
	void (*started)(void *ctx);
	int (*report)(void *ctx, const struct recording *r, unsigned int period, struct error *e);
	void (*progress)(void *ctx, const struct measure_progress *p);
	void (*detached)(void *ctx);
};

/**
 * measure_open() - fork the command, which waits, and load and attach the programs
 * @plan: must outlive the measurement
 * @facts: not needed afterwards
 *
 * Return: a measurement, freed by measure_close(), or NULL.
 */
struct measure *measure_open(const struct plan *plan, const struct facts *facts, struct error *e);

/**
 * measure_again() - prepare the next run with the same attached programs
 * @m: after measure_run()
 * @plan: plan of the next run, which differs in its command only
 *
 * Needs no privileges.
 */
int measure_again(struct measure *m, const struct plan *plan, const struct facts *facts,
		  struct error *e);

/** measure_know() - give the recording the floor and overhead of its methods; @c: costs; copied */
int measure_know(struct measure *m, const struct costs *c, struct error *e);

/**
 * measure_unknown() - a method that is used and whose costs are not known
 * @m: after measure_know()
 *
 * Return: its name, owned by the measurement, or NULL if all are known.
 */
const char *measure_unknown(const struct measure *m);

/**
 * measure_overhead() - the overhead of a measurement whose spec has a limit
 * @m: after measure_run()
 * @percent: receives the largest share of the processors' time, in a second or in all
 * @cpus: receives the number of processors
 * @ended: receives whether the measurement was ended because of it
 *
 * Return: true if it passed the limit.
 */
bool measure_overhead(const struct measure *m, double *percent, unsigned int *cpus, bool *ended);

/**
 * measure_left_out() - a probe for which no way worked
 * @i: 0, 1, 2, ... until NULL is returned
 * @why: receives the reason; owned by the measurement
 *
 * Return: its name, or NULL if there are no more.
 */
const char *measure_left_out(const struct measure *m, unsigned int i, const char **why);

/**
 * measure_run() - record until the time is over, the command has ended, a signal asks for the
 *	end, or the reader closes standard output; then end the command
 * @r: receives everything that was recorded, if anything, freed by recording_free(); also
 *	after an error
 *
 * If there were intervals, the last one is reported too, unless a report returned MEASURE_STOP
 * or standard output is closed.
 */
int measure_run(struct measure *m, const struct measure_watch *watch, struct recording **r,
		struct error *e);

/** measure_closed() - whether it ended because the reader closed standard output */
bool measure_closed(const struct measure *m);

/** measure_interrupted() - whether a signal asked for the end */
bool measure_interrupted(const struct measure *m);

/** measure_untracked() - tasks of the command that could not be followed */
uint64_t measure_untracked(const struct measure *m);

/** measure_close() - end the command, detach and unload everything; @m may be NULL */
void measure_close(struct measure *m);

#endif /* KSTATS_MEASURE_H */
