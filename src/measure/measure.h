/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure.h - one measurement from attaching to its recording. In: a plan. Out:
 * reports on the way, and a recording. Prints nothing: what happens is told to
 * the caller's functions. Called by cmd/.
 */
#ifndef KSTATS_MEASURE_H
#define KSTATS_MEASURE_H

#include "facts/facts.h"
#include "plan/plan.h"
#include "recording/recording.h"

#define MEASURE_STOP 1

struct measure;

/** struct measure_progress - how far a measurement is */
struct measure_progress {
	uint64_t elapsed_ns; /* since it began */
	uint64_t samples; /* recorded so far, of late rather than now: counting takes time */
};

/**
 * struct measure_watch - who wants to know what
 * @ctx: handed to the functions
 * @keep_periods: the intervals become part of the recording
 * @report: an interval is over, or a report was asked for by a signal; the
 *	recording is of the interval number @period and not kept; MEASURE_STOP or
 *	an error ends the measurement
 * @progress: about once a second; may be NULL
 * @detached: measuring took too much, and the command goes on without; may be NULL
 */
struct measure_watch {
	void *ctx;
	bool keep_periods;
	int (*report)(void *ctx, const struct recording *r, unsigned int period, struct error *e);
	void (*progress)(void *ctx, const struct measure_progress *p);
	void (*detached)(void *ctx);
};

/**
 * measure_open() - fork the command up to its start, load and attach
 * @plan: what to do; must outlive the measurement
 * @facts: what the machine is; not needed afterwards
 *
 * Return: a measurement, freed by measure_close(), or NULL.
 */
struct measure *measure_open(const struct plan *plan, const struct facts *facts, struct error *e);

/**
 * measure_again() - make ready for the next run, still attached
 * @m: measurement after measure_run()
 * @plan: plan of the next run, which differs in its command only
 * @facts: what the machine is; not needed afterwards
 *
 * Needs no privileges.
 */
int measure_again(struct measure *m, const struct plan *plan, const struct facts *facts,
		  struct error *e);

/** measure_know() - give the recording the floor and overhead of its methods; @c: costs; copied */
int measure_know(struct measure *m, const struct costs *c, struct error *e);

/**
 * measure_unknown() - a method that is used, and of which it is not known what it
 *	takes
 * @m: measurement after measure_know()
 *
 * Return: its name, owned by the measurement, or NULL where all are known.
 */
const char *measure_unknown(const struct measure *m);

/**
 * measure_overhead() - what measuring took of the processors' time
 * @m: measurement that was run, whose spec has a limit
 * @percent: receives the largest share, of a look or of the whole
 * @cpus: receives how many processors it is a share of
 * @ended: receives whether nothing was measured from the look on that saw it
 *
 * Return: true when it passed the limit.
 */
bool measure_overhead(const struct measure *m, double *percent, unsigned int *cpus, bool *ended);

/**
 * measure_left_out() - a probe that no way worked for
 * @i: 0, 1, 2, ... until NULL is returned
 * @why: receives the reason; owned by the measurement
 *
 * Return: its name, or NULL when there are no more.
 */
const char *measure_left_out(const struct measure *m, unsigned int i, const char **why);

/**
 * measure_run() - record until the time is over, the command has ended, or
 *	somebody interrupts or stops reading; then end the command
 * @watch: who wants to know what
 * @r: receives everything that was recorded, freed by recording_free(); also
 *	after an error where there is anything
 * @e: what went wrong
 *
 * Where there were intervals the last one is reported too, unless a report
 * said MEASURE_STOP or nobody reads standard output any more.
 */
int measure_run(struct measure *m, const struct measure_watch *watch, struct recording **r,
		struct error *e);

/**
 * measure_closed() - whether nobody reads standard output any more
 *
 * Return: true when that ended it.
 */
bool measure_closed(const struct measure *m);

/** measure_interrupted() - whether a signal asked for the end */
bool measure_interrupted(const struct measure *m);

/** measure_untracked() - tasks of the command that could not be followed */
uint64_t measure_untracked(const struct measure *m);

/** measure_close() - end the command, detach and unload everything; @m may be NULL */
void measure_close(struct measure *m);

#endif /* KSTATS_MEASURE_H */
