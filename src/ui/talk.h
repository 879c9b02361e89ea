/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * talk.h - messages about a measurement beside its result, and the checks of --max-loss. In: a
 * measurement, a snapshot. Out: standard error. Called by the verbs that measure.
 */
#ifndef KSTATS_UI_TALK_H
#define KSTATS_UI_TALK_H

#include "measure/measure.h"

/** talk_left_out() - report which functions are not measured, and why */
void talk_left_out(const struct measure *m);

/** talk_calls_left_out() - say that a merge has left out single calls */
void talk_calls_left_out(const struct recording *r);

/** talk_end() - report whether some tasks of the command were not followed */
void talk_end(const struct measure *m);

/** talk_floor() - once a boot: say how to know the floor, if it is not known and samples are short
 */
void talk_floor(const struct recording *r);

/** talk_overhead() - report the overhead if there is a limit; -EDQUOT if it was passed */
int talk_overhead(const struct measure *m, const struct spec *spec, struct error *e);

/** talk_unseen() - check that programs were never kept from running; -EIO with EXIT_LEDGER */
int talk_unseen(const struct snapshot *s, struct error *e);

/** talk_followed() - check that all tasks of the command were followed, or -EIO */
int talk_followed(const struct measure *m, struct error *e);

/**
 * talk_loss() - check that every event is accounted for, and few were lost
 * @percent: of the events of a function, as many may be lost, those included of which nobody
 *	knows whether they are
 *
 * Return: 0, or -EIO with EXIT_LEDGER.
 */
int talk_loss(const struct snapshot *s, double percent, struct error *e);

#endif /* KSTATS_UI_TALK_H */
