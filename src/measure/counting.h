/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counting.h - what counts: programs that are attached, or programs with markers. In: a plan. Out:
 * snapshots. Called by measure.c alone.
 */
#ifndef KSTATS_MEASURE_COUNTING_H
#define KSTATS_MEASURE_COUNTING_H

#include "markers/markers.h"
#include "session/session.h"

/** struct counting - one of them, or none */
struct counting {
	struct session *session;
	struct markers *markers;
};

/** counting_open() - make what the plan needs. Return: 0 or -errno */
int counting_open(struct counting *s, const struct plan *plan, struct error *e);

/** counting_again() - prepare the next run; @plan: differs in its command only */
int counting_again(struct counting *s, const struct plan *plan, struct error *e);

/** counting_start() - count from now on */
int counting_start(struct counting *s, struct error *e);

/** counting_stop() - end that */
void counting_stop(struct counting *s);

/** counting_about() - a snapshot without counts. Return: freed by the caller, or NULL */
struct snapshot *counting_about(const struct counting *s, struct error *e);

/** counting_snapshot() - what was counted. Return: freed by the caller, or NULL */
struct snapshot *counting_snapshot(struct counting *s, struct error *e);

/** counting_close() - detach, and free */
void counting_close(struct counting *s);

#endif /* KSTATS_MEASURE_COUNTING_H */
