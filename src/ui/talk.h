/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * talk.h - messages about a measurement beside its result, and the checks of --strict. In: a
 * measurement, a snapshot. Out: standard error. Called by the verbs that measure.
 */
#ifndef KSTATS_UI_TALK_H
#define KSTATS_UI_TALK_H

#include "measure/measure.h"

/** talk_left_out() - report which functions are not measured, and why */
void talk_left_out(const struct measure *m);

/**
 * talk_end() - report whether some tasks of the command were not followed
 * @m: measurement that has run
 */
void talk_end(const struct measure *m);

/** talk_floor() - if samples are short and the floor is not known, report how to measure it */
void talk_floor(const struct recording *r);

/**
 * talk_overhead() - report the overhead if there is a limit
 * @m: measurement that has run
 * @spec: with the limit
 * @e: filled in if the limit was passed
 *
 * Return: 0 or -EDQUOT.
 */
int talk_overhead(const struct measure *m, const struct spec *spec, struct error *e);

/**
 * talk_unseen() - check whether programs were kept from running for a time
 * @e: filled in if they were
 *
 * Return: 0, or -EIO with EXIT_LEDGER.
 */
int talk_unseen(const struct snapshot *s, struct error *e);

/**
 * talk_followed() - check whether all tasks of the command were followed
 * @m: measurement that has run
 * @e: filled in if they were not
 *
 * Return: 0 or -EIO.
 */
int talk_followed(const struct measure *m, struct error *e);

/**
 * talk_strict() - check that every event is accounted for, and none was lost
 * @e: filled in with the distribution that is not exact
 *
 * Return: 0 or -EIO.
 */
int talk_strict(const struct snapshot *s, struct error *e);

#endif /* KSTATS_UI_TALK_H */
